/*
 * Direction numbers of Sobol's sequences for as many dimensions as asked for: for hosts.
 *
 * Dimension 0 is van der Corput's; each other one has the next primitive polynomial over the field
 * of two elements and random odd first numbers (Bratley and Fox: ACM TOMS 1988), as any choice of
 * them gives a sequence. Element i of a dimension is the exclusive or of the numbers at the one
 * bits of its Gray code i ^ i >> 1.
 */
#ifndef WORKLOADS_SOBOL_H
#define WORKLOADS_SOBOL_H

#include "host.h"
#include "random.h"

#define SOBOL_BITS 32

/* Is the smallest n with x^n = 1 modulo the polynomial as large as can be? */
static inline bool sobol_is_primitive(u32 polynomial, u32 degree)
{
    u32 power = 1, order = 0, most = (1u << degree) - 1;
    do {
        power <<= 1;
        if (power >> degree)
            power ^= polynomial;
        order++;
    } while (power != 1 && power != 0 && order < most);
    return power == 1 && order == most;
}

static inline void sobol_dimension(u32 *v, u32 polynomial, u32 degree, struct random r, u32 number)
{
    for (u32 i = 0; i < SOBOL_BITS; i++) {
        if (i < degree || degree == 0) {
            u32 odd = degree ? random_below(r, 64 * (u64)number + i, 1u << i) | 1 : 1;
            v[i] = odd << (SOBOL_BITS - 1 - i);
            continue;
        }
        v[i] = v[i - degree] ^ v[i - degree] >> degree;
        for (u32 k = 1; k < degree; k++)
            v[i] ^= polynomial >> (degree - k) & 1 ? v[i - k] : 0;
    }
}

/* dimensions x 32 numbers. */
static inline u32 *sobol_directions(struct host *h, u32 dimensions)
{
    struct random r = random_stream(h->seed, "directions");
    u32 *v = HOST_ARRAY(h, u32, dimensions * SOBOL_BITS), have = 1;
    sobol_dimension(v, 0, 0, r, 0);
    for (u32 degree = 1; have < dimensions; degree++) {
        for (u32 p = (1u << degree) | 1; p < 2u << degree && have < dimensions; p += 2) {
            if (sobol_is_primitive(p, degree))
                sobol_dimension(v + have * SOBOL_BITS, p, degree, r, have), have++;
        }
    }
    return v;
}

static inline u32 sobol_at(const u32 *v, u32 i)
{
    u32 x = 0;
    for (u32 gray = i ^ i >> 1, bit = 0; gray; gray >>= 1, bit++)
        x ^= gray & 1 ? v[bit] : 0;
    return x;
}

#endif
