/*
 * What the OpenMP programs share. Each stands for a program that studies of HPC codes name, is
 * written from what that program computes, runs to its end, and checks its own answer: status 0
 * where it is right. Work is shared out statically, and nothing that is random depends on which
 * thread asks for it.
 */
#ifndef CPU_HPC_H
#define CPU_HPC_H

#include "../common.h"

#include <math.h>
#include <omp.h>
#include <stdbool.h>

/* A number from 0 to 1 for each key (Steele, Lea, Flood: SplitMix64, OOPSLA 2014). */
static inline double unit_at(u64 key)
{
    u64 z = key * 0x9e3779b97f4a7c15u + 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* The end of main: is the answer where it must be? */
static inline int answer(double found, double low, double high)
{
    printf("%g, expected %g to %g\n", found, low, high);
    return found >= low && found <= high ? 0 : 1;
}

#endif
