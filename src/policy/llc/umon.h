/*
 * Utility-based partitioning: monitors of what a program would hit with any number of ways (UMON),
 * and the lookahead that divides the ways by them. Qureshi and Patt, MICRO 2006.
 *
 * A monitor has the tags of some sets as if each program had the cache to itself, in LRU order; a
 * hit counts for its place in that order.
 */
#ifndef POLICY_LLC_UMON_H
#define POLICY_LLC_UMON_H

#include "l2/llc_policy.h"

#include <assert.h>
#include <string.h>

#define UMON_MOST_WAYS 64u

/* In a bank. Counts in two halves: one is written while the other is read. */
struct umon {
    u64 hits[2][MOST_APPLICATIONS][UMON_MOST_WAYS];
    u64 misses[2][MOST_APPLICATIONS];
    u64 accesses[2][MOST_APPLICATIONS]; /* of all sets */
    u64 tags[]; /* by sampled set, program and place: the most recent first; 0: none */
};

/* Of all banks. */
struct umon_sums {
    u64 hits[MOST_APPLICATIONS][UMON_MOST_WAYS]; /* those of earlier intervals are worth half */
    u64 found[MOST_APPLICATIONS], missed[MOST_APPLICATIONS]; /* of the last interval */
    u64 accesses[MOST_APPLICATIONS];                         /* the same, of all sets */
};

/* One set in so many has a monitor. */
static inline u32 umon_stride(const struct llc_policy *p, u32 sampled_sets)
{
    u32 in_bank = sampled_sets / p->banks ? sampled_sets / p->banks : 1;
    return p->sets / in_bank ? p->sets / in_bank : 1;
}

static inline u32 umon_sets(const struct llc_policy *p, u32 sampled_sets)
{
    return (p->sets + umon_stride(p, sampled_sets) - 1) / umon_stride(p, sampled_sets);
}

static inline size_t umon_bytes(const struct llc_policy *p, u32 sampled_sets)
{
    size_t sets = umon_sets(p, sampled_sets);
    return sizeof(struct umon) + sets * p->applications * p->ways * sizeof(u64);
}

/* A tag of 48-bit addresses, a bit that says it is there and its place for each line; 32 bits for
 * each count. */
static inline u64 umon_storage_bits(const struct llc_policy *p, u32 sampled_sets)
{
    u32 place = 0, in_way = 0;
    while ((1u << place) < p->ways)
        place++;
    while (((u64)1 << in_way) < p->bytes / p->ways)
        in_way++;
    u64 lines = (u64)umon_sets(p, sampled_sets) * p->banks * p->ways;
    return p->applications * (lines * (48 - in_way + 1 + place) + ((u64)p->ways + 1) * 32);
}

static inline void umon_observe(const struct llc_policy *p, struct umon *u, u32 sampled_sets,
                                u32 set, const struct request *access, u32 half)
{
    u32 stride = umon_stride(p, sampled_sets), app = access->application;
    u->accesses[half][app]++;
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

/* Takes what was counted in a half, and clears it. */
static inline void umon_collect(const struct llc_policy *p, void *const *monitors, u32 half,
                                struct umon_sums *s)
{
    for (u32 app = 0; app < p->applications; app++) {
        s->found[app] = s->missed[app] = s->accesses[app] = 0;
        for (u32 way = 0; way < p->ways; way++)
            s->hits[app][way] /= 2;
    }
    for (u32 b = 0; b < p->banks; b++) {
        struct umon *u = monitors[b];
        for (u32 app = 0; app < p->applications; app++) {
            s->missed[app] += u->misses[half][app];
            s->accesses[app] += u->accesses[half][app];
            for (u32 way = 0; way < p->ways; way++) {
                s->found[app] += u->hits[half][app][way];
                s->hits[app][way] += u->hits[half][app][way];
            }
            memset(u->hits[half][app], 0, sizeof u->hits[half][app]);
            u->misses[half][app] = u->accesses[half][app] = 0;
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

/* Each of `count` programs has one way to begin with, and those of `kept`, as bits, no more of them
 * unless that is all. Of two that gain as much the one with fewer ways comes first; when no program
 * gains any more, the rest goes round. */
static inline void lookahead(const u64 (*hits)[UMON_MOST_WAYS], u32 count, u32 ways, u32 kept,
                             u32 *out)
{
    u32 left = ways - count, turn = 0, all = (1u << count) - 1;
    assert(count);
    kept = (kept & all) == all ? 0 : kept;
    for (u32 i = 0; i < count; i++)
        out[i] = 1;
    while (left) {
        double best = 0;
        u32 who = count, take = 0;
        for (u32 i = 0; i < count; i++) {
            u32 n = 0;
            double gain = kept >> i & 1 ? 0 : best_gain(hits[i], out[i], left, &n);
            bool ties = who < count && gain == best && out[i] < out[who];
            if (gain > best || ties) {
                best = gain;
                who = i;
                take = n;
            }
        }
        if (who == count) {
            do
                who = turn++ % count;
            while (kept >> who & 1);
            take = 1;
        }
        out[who] += take;
        left -= take;
    }
}

/* Before anything has been seen: in equal parts. */
static inline void equal_quotas(const struct llc_policy *p, struct llc_plan *plan)
{
    for (u32 i = 0; i < p->applications; i++)
        plan->quota[i] = (i + 1) * p->ways / p->applications - i * p->ways / p->applications;
}

/* A program with fewer lines in the set than its quota takes one of another's, one with its quota
 * gives up one of its own. */
static inline u64 quota_narrow(const struct llc_policy *p, const struct llc_plan *plan,
                               const struct tags *t, u32 set, u64 ways,
                               const struct request *access)
{
    u64 own = 0;
    (void)p;
    for (u64 left = ways; left; left &= left - 1) {
        u32 way = (u32)__builtin_ctzll(left);
        if (application_of(tags_address(t, set, way)) == access->application)
            own |= (u64)1 << way;
    }
    bool takes = (u32)__builtin_popcountll(own) < plan->quota[access->application];
    u64 some = takes ? ways & ~own : own;
    return some ? some : ways;
}

#endif
