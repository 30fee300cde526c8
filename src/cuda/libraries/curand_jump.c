#include "cuda/libraries/curand_jump.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* ---- XORWOW: five words are a vector of 160 bits, a step is a matrix over GF(2) ---- */

#define BITS 160
#define WORDS 5

struct matrix {
    u32 column[BITS][WORDS]; /* what becomes of each bit alone */
};

static void step(u32 v[WORDS])
{
    u32 t = v[0] ^ v[0] >> 2;
    u32 last = v[4];
    memmove(v, v + 1, 4 * sizeof(u32));
    v[4] = (last ^ last << 4) ^ (t ^ t << 1);
}

static void apply(const struct matrix *m, u32 v[WORDS])
{
    u32 sum[WORDS] = {0};
    for (u32 i = 0; i < BITS; i++) {
        if (!(v[i / 32] >> (i % 32) & 1))
            continue;
        for (u32 k = 0; k < WORDS; k++)
            sum[k] ^= m->column[i][k];
    }
    memcpy(v, sum, sizeof sum);
}

static void matrix_step(struct matrix *m)
{
    memset(m, 0, sizeof *m);
    for (u32 i = 0; i < BITS; i++) {
        m->column[i][i / 32] = 1u << (i % 32);
        step(m->column[i]);
    }
}

static void matrix_square(struct matrix *m)
{
    struct matrix old = *m;
    for (u32 i = 0; i < BITS; i++)
        apply(&old, m->column[i]);
}

static void matrix_power(struct matrix *out, u64 steps)
{
    struct matrix m;
    memset(out, 0, sizeof *out);
    for (u32 i = 0; i < BITS; i++)
        out->column[i][i / 32] = 1u << (i % 32);
    matrix_step(&m);
    for (; steps; steps >>= 1) {
        for (u32 i = 0; steps & 1 && i < BITS; i++)
            apply(&m, out->column[i]);
        matrix_square(&m);
    }
}

/* How many numbers thread t has given when all together gave `taken`. */
static u64 given(u64 taken, u32 t, u32 threads)
{
    return taken / threads + (t < taken % threads);
}

void curand_xorwow_states(u32 *states, u64 seed, u64 taken)
{
    /* The seed's bits are spread over the words of Marsaglia's initial state, as curand_init does.
     */
    u32 s0 = (u32)seed ^ 0xaad26b49u, s1 = (u32)(seed >> 32) ^ 0xf7dcefddu;
    u32 t0 = 1099087573u * s0, t1 = 2591861531u * s1;
    u32 v[WORDS] = {123456789u + t0, 362436069u ^ t0, 521288629u + t1, 88675123u ^ t1,
                    5783321u + t0};
    u32 d = 6615241u + t1 + t0;
    struct matrix apart; /* 2^67 steps; the counter d comes round to itself in these */
    matrix_step(&apart);
    for (u32 i = 0; i < 67; i++)
        matrix_square(&apart);
    for (u32 t = 0; t < CURAND_XORWOW_THREADS; t++) {
        u32 *state = states + (size_t)t * CURAND_STATE_WORDS;
        memcpy(state, v, sizeof v);
        state[WORDS] = d;
        apply(&apart, v);
    }
    if (!taken)
        return;
    /* Two counts occur: the smaller one for all, then one step for those that had another turn. */
    u64 least = taken / CURAND_XORWOW_THREADS;
    struct matrix common;
    matrix_power(&common, least);
    for (u32 t = 0; t < CURAND_XORWOW_THREADS; t++) {
        u32 *state = states + (size_t)t * CURAND_STATE_WORDS;
        u64 steps = given(taken, t, CURAND_XORWOW_THREADS);
        apply(&common, state);
        if (steps > least)
            step(state);
        state[WORDS] += (u32)steps * 362437u;
    }
}

/* ---- MRG32k3a: two recurrences of order three, each a matrix modulo its prime ---- */

typedef u64 square[3][3];

static void multiply(square out, square a, square b, u64 m)
{
    square r;
    for (u32 i = 0; i < 3; i++) {
        for (u32 k = 0; k < 3; k++) {
            u64 sum = 0;
            for (u32 j = 0; j < 3; j++)
                sum = (sum + a[i][j] * b[j][k] % m) % m;
            r[i][k] = sum;
        }
    }
    memcpy(out, r, sizeof r);
}

static void advance(square a, u32 v[3], u64 m)
{
    u64 r[3];
    for (u32 i = 0; i < 3; i++)
        r[i] = (a[i][0] * v[0] % m + a[i][1] * v[1] % m + a[i][2] * v[2] % m) % m;
    for (u32 i = 0; i < 3; i++)
        v[i] = (u32)r[i];
}

static void power(square out, square a, u64 n, u64 m)
{
    square result = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, base;
    memcpy(base, a, sizeof base);
    for (; n; n >>= 1) {
        if (n & 1)
            multiply(result, result, base, m);
        multiply(base, base, base, m);
    }
    memcpy(out, result, sizeof result);
}

void curand_mrg_states(u32 *states, u64 seed, u64 taken)
{
    static const u64 prime[2] = {4294967087ull, 4294944443ull};
    square one[2] = {{{0, 1, 0}, {0, 0, 1}, {4294967087ull - 810728, 1403580, 0}},
                     {{0, 1, 0}, {0, 0, 1}, {4294944443ull - 1370589, 0, 527612}}};
    u32 v[2][3] = {{12345, 12345, 12345}, {12345, 12345, 12345}};
    if (seed) { /* as curand_init does */
        u64 x[2] = {(u32)seed ^ 0x55555555u, (u32)(seed >> 32) ^ 0xaaaaaaaau};
        for (u32 g = 0; g < 2; g++) {
            for (u32 i = 0; i < 3; i++)
                v[g][i] = (u32)(x[(i + g) & 1] * v[g][i] % prime[g]);
        }
    }
    u64 least = taken / CURAND_MRG_THREADS;
    square apart[2], common[2];
    for (u32 g = 0; g < 2; g++) {
        memcpy(apart[g], one[g], sizeof one[g]);
        for (u32 i = 0; i < 76; i++)
            multiply(apart[g], apart[g], apart[g], prime[g]);
        power(common[g], one[g], least, prime[g]);
    }
    for (u32 t = 0; t < CURAND_MRG_THREADS; t++) {
        u32 *state = states + (size_t)t * CURAND_STATE_WORDS;
        for (u32 g = 0; g < 2; g++) {
            memcpy(state + 3 * g, v[g], sizeof v[g]);
            advance(common[g], state + 3 * g, prime[g]);
            if (given(taken, t, CURAND_MRG_THREADS) > least)
                advance(one[g], state + 3 * g, prime[g]);
            advance(apart[g], v[g], prime[g]);
        }
    }
}
