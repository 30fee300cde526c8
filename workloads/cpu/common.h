/*
 * What the kernels share. Each stands for a program that a study names, works on static arrays,
 * takes nothing from its surroundings but its arguments, and never ends by itself: a recording
 * takes a window of it. Arguments set sizes, so that baseline descriptors can be met
 * (programs.csv).
 */
#ifndef CPU_COMMON_H
#define CPU_COMMON_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

/* Marsaglia's xorshift: the same numbers everywhere. */
static u64 random_state = 88172645463325252u;

static inline u64 random_u64(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* Below n. */
static inline u32 random_below(u32 n)
{
    return (u32)(((random_u64() >> 32) * n) >> 32);
}

/* From 0 to 1. */
static inline double random_unit(void)
{
    return (double)(random_u64() >> 11) * 0x1p-53;
}

/* Argument i as a number, or its default; no more than there is room for. */
static inline u32 argument(int argc, char **argv, int i, u32 initial, u32 most)
{
    u32 n = argc > i ? (u32)strtoul(argv[i], NULL, 10) : initial;
    return n < most ? n : most;
}

/* The C library's start of a static program would walk over the path of the program, and what is
 * recorded would begin elsewhere in another folder; this is used instead of its own. */
const char *_dl_get_origin(void);
const char *_dl_get_origin(void)
{
    return (const char *)-1; /* not known */
}

/* The compiler must think that the value is used. */
#define KEEP(x) __asm__ volatile("" : : "g"(x) : "memory")

#endif
