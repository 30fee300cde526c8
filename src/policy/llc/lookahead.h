/*
 * Utility-based partitioning: monitors of what a program would hit with any number of ways (UMON),
 * and the lookahead that divides the ways by them. Qureshi and Patt, MICRO 2006.
 *
 * A monitor has the tags of some sets as if each program had the cache to itself, in LRU order; a
 * hit counts for its place in that order.
 */
#ifndef POLICY_LLC_LOOKAHEAD_H
#define POLICY_LLC_LOOKAHEAD_H

#include "mem/llc_policy.h"

#define UMON_MOST_WAYS 64u

/* In a bank. Counts in two halves: one is written while the other is read. */
struct umon {
    u64 hits[2][MOST_APPLICATIONS][UMON_MOST_WAYS];
    u64 misses[2][MOST_APPLICATIONS];
    u64 tags[]; /* by sampled set, program and place: the most recent first; 0: none */
};

/* Every so manieth set has a monitor. */
static inline u32 umon_stride(const struct llc_policy *p, u32 sampled_sets)
{
    u32 in_bank = sampled_sets / p->banks ? sampled_sets / p->banks : 1;
    return p->sets / in_bank ? p->sets / in_bank : 1;
}

static inline size_t umon_bytes(const struct llc_policy *p, u32 sampled_sets)
{
    size_t sets = (p->sets + umon_stride(p, sampled_sets) - 1) / umon_stride(p, sampled_sets);
    return sizeof(struct umon) + sets * p->applications * p->ways * sizeof(u64);
}

static inline void umon_observe(const struct llc_policy *p, struct umon *u, u32 sampled_sets,
                                u32 set, const struct request *access, u32 half)
{
    u32 stride = umon_stride(p, sampled_sets), app = access->application;
    if (set % stride)
        return;
    u64 tag = access->line + 1;
    u64 *tags = u->tags + ((size_t)(set / stride) * p->applications + app) * p->ways;
    u32 at = 0;
    while (at < p->ways && tags[at] != tag)
        at++;
    if (at < p->ways)
        u->hits[half][app][at]++;
    else
        u->misses[half][app]++;
    for (u32 k = at < p->ways ? at : p->ways - 1; k > 0; k--)
        tags[k] = tags[k - 1];
    tags[0] = tag;
}

/* Takes what was counted in a half, and clears it; older counts are worth half as much. */
static inline void umon_collect(const struct llc_policy *p, void *const *monitors, u32 half,
                                u64 hits[MOST_APPLICATIONS][UMON_MOST_WAYS])
{
    for (u32 app = 0; app < p->applications; app++) {
        for (u32 way = 0; way < p->ways; way++)
            hits[app][way] /= 2;
    }
    for (u32 b = 0; b < p->banks; b++) {
        struct umon *u = monitors[b];
        for (u32 app = 0; app < p->applications; app++) {
            u->misses[half][app] = 0;
            for (u32 way = 0; way < p->ways; way++) {
                hits[app][way] += u->hits[half][app][way];
                u->hits[half][app][way] = 0;
            }
        }
    }
}

/* The most hits per way that a program gains beyond what it has, and the fewest ways for them. */
static inline double best_gain(const u64 *hits, u32 has, u32 left, u32 *ways)
{
    double best = -1;
    u64 sum = 0;
    *ways = 0;
    for (u32 n = 1; n <= left; n++) {
        sum += hits[has + n - 1];
        double gain = (double)sum / n;
        if (gain > best) {
            best = gain;
            *ways = n;
        }
    }
    return best;
}

/* Each of `count` programs has one way to begin with; where nobody gains any more the rest goes
 * round. */
static inline void lookahead(u64 (*hits)[UMON_MOST_WAYS], u32 count, u32 ways, u32 *out)
{
    u32 left = ways - count, turn = 0;
    for (u32 i = 0; i < count; i++)
        out[i] = 1;
    while (left) {
        double best = 0;
        u32 who = count, take = 0;
        for (u32 i = 0; i < count; i++) {
            u32 n;
            double gain = best_gain(hits[i], out[i], left, &n);
            if (gain > best) {
                best = gain;
                who = i;
                take = n;
            }
        }
        if (who == count) {
            who = turn++ % count;
            take = 1;
        }
        out[who] += take;
        left -= take;
    }
}

#endif
