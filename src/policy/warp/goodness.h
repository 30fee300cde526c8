/*
 * The analytical model behind Poise's features (Poise spec 4.1): what a tuple
 * {N, p} does to the time that warps keep an SM busy and to the time that
 * memory takes, from hit rates and latencies that were measured.
 */
#ifndef POLICY_WARP_GOODNESS_H
#define POLICY_WARP_GOODNESS_H

#include "base/types.h"

struct goodness_inputs {
    double n, p;               /* the tuple */
    double pipe_cycles, mshrs; /* Tpipe and Kmshr */
    double work;               /* Id: instructions between hazards, close to I_n */
    double h_o, latency_o;     /* hit rate and latency with all warps polluting */
    double h_p, h_np, latency; /* at {N, p}: of polluting warps, of the others, of all misses */
};

/* Equations 1 to 6, with their rounding up; equation 3 and 6 are never below 0. */
struct goodness_times {
    double memory, busy, stall;
};
struct goodness_times goodness_before(const struct goodness_inputs *g); /* all warps pollute */
struct goodness_times goodness_after(const struct goodness_inputs *g);

/* The four parts of equation 9, without rounding. */
struct goodness_parts {
    double busy_p, busy_np, memory_p, memory_np;
};
struct goodness_parts goodness_parts(const struct goodness_inputs *g);

/* Equation 9: of both classes together. */
double goodness(const struct goodness_inputs *g);
/* Equation 11: what polluting warps gain against what the others cost. It changes its sign
 * without a slowdown where misses of the others cost less than before (spec 4.1). */
double goodness_p_np(const struct goodness_inputs *g);

#endif
