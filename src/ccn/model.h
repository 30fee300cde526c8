/*
 * What cooperation does to the mean latency of a load miss (Dublish 2018, equation
 * 4.1; bandwidth-and-ccn spec S14):
 *
 *     l_C = (l_O - d_cong + d_ovh) (1 - h) + l_reuse h
 *
 * Cycles of the core. Without a ring h and d_ovh are 0 and l_C is l_O - d_cong.
 */
#ifndef CCN_MODEL_H
#define CCN_MODEL_H

struct ccn_terms {
    double l_o;     /* from a miss to its fill by L2 or DRAM, without the ring */
    double d_cong;  /* by how much that is shorter with it */
    double d_ovh;   /* spent on the ring by misses that nobody answered, over all that L2 did */
    double l_reuse; /* from a miss to its fill by another L1 */
    double h;       /* part of all load misses that another L1 answered */
};

double ccn_predict(const struct ccn_terms *t);
/* The least h at which l_C is no more than l_O: 0 if d_ovh is no more than d_cong. */
double ccn_break_even(const struct ccn_terms *t);

/* Sums of one run that the terms are made of; for programs whose loads all go through L1. */
struct ccn_measured {
    double misses, latency; /* answered, and the mean of all of them */
    double below;           /* mean from the miss queue to the fill, of those that L2 answered */
    double remote_hits, reuse, overhead_cycles;
};

struct ccn_terms ccn_terms_of(const struct ccn_measured *without, const struct ccn_measured *with);

#endif
