/*
 * Stands for libquantum (462.libquantum): gates of a quantum computer on a register of basis
 * states.
 *
 * Each gate goes over all states of the register, 16 bytes each: controlled negations flip a bit,
 * phase gates turn an amplitude. The register is far larger than any cache. To meet: streaming, L2
 * MPKI 33.9. Arguments: states.
 */
#include "common.h"

#define MOST (4u << 20)

static struct state {
    float real, imaginary;
    u64 basis;
} states[MOST];

static void toffoli(u32 n, u64 control, u64 target)
{
#pragma GCC unroll 4
    for (u32 i = 0; i < n; i++) {
        if ((states[i].basis & control) == control)
            states[i].basis ^= target;
    }
}

static void phase(u32 n, u64 target)
{
#pragma GCC unroll 4
    for (u32 i = 0; i < n; i++) {
        if (states[i].basis & target) {
            float r = states[i].real;
            states[i].real = -states[i].imaginary;
            states[i].imaginary = r;
        }
    }
}

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 2u << 20, MOST);
    for (u32 i = 0; i < n; i++)
        states[i] = (struct state){1, 0, i};
    for (u32 bit = 0;; bit = (bit + 1) % 60) {
        toffoli(n, 3ull << bit, 8ull << bit);
        toffoli(n, 1ull << bit, 4ull << bit);
        phase(n, 1ull << bit);
    }
}
