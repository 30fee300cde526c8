/*
 * The warp-tuple {N, p}: of each scheduler's warps the N oldest issue (vital),
 * and of those the p oldest may put lines into L1 (pollute); Poise spec 2.
 *
 * What ranks is age, among warps that are not finished and not at a barrier or
 * fence: otherwise the N oldest could all wait for one that may not issue, and
 * the SM would hang (spec 2 item 2). Bits are worked out when the tuple changes
 * or a warp comes, goes, begins or ceases to wait. A tuple of the kernel's
 * limit or more is no restriction at all, so that (W, W) is plain GTO.
 *
 * A policy's state begins with its struct tuple, and its ops with TUPLE_OPS. All
 * is inline, so that a policy made elsewhere needs no library.
 */
#ifndef POLICY_WARP_TUPLE_H
#define POLICY_WARP_TUPLE_H

#include "policy/warp/greedy.h"

struct tuple_counts {
    u64 changes;
    u64 cycles, n_cycles, p_cycles; /* since the first kernel, and N and p in each of them */
};

struct tuple {
    struct greedy greedy;
    u32 n, p, limit; /* limit: W of the kernel */
    u64 kernel;      /* number of its launch */
    bool has_kernel;
    cycle_t since; /* when the tuple was set */
    /* live warps of each scheduler, oldest first, as of these values of the view */
    u64 live, launched;
    u8 order[4][MOST_SM_WARPS];
    u32 order_count[4];
    struct tuple_counts counts;
};

/* Rows for a policy's table of statistics, of a state whose struct tuple is `tuple`. */
#define TUPLE_COUNT(owner, field, u, text)                                                         \
    {                                                                                              \
        .name = #field, .kind = STAT_COUNT, .offset = S_AT(owner, tuple.counts.field), .unit = u,  \
        .meaning = text                                                                            \
    }
#define TUPLE_MEAN(owner, id, over, text)                                                          \
    {                                                                                              \
        .name = #id, .kind = STAT_RATIO, .offset = S_AT(owner, tuple.counts.over),                 \
        .offset_over = S_AT(owner, tuple.counts.cycles), .unit = "warps", .meaning = text          \
    }
#define TUPLE_STATS(owner)                                                                         \
    TUPLE_COUNT(owner, changes, "tuples", "changes of the tuple"),                                 \
        TUPLE_COUNT(owner, cycles, "cycles", "cycles since the first kernel"),                     \
        TUPLE_COUNT(owner, n_cycles, "warp cycles", "N summed over cycles"),                       \
        TUPLE_COUNT(owner, p_cycles, "warp cycles", "p summed over cycles"),                       \
        TUPLE_MEAN(owner, mean_n, n_cycles, "mean N over time"),                                   \
        TUPLE_MEAN(owner, mean_p, p_cycles, "mean p over time")

static inline void tuple_sort(struct tuple *t, const struct warp_view *v)
{
    for (u32 s = 0; s < v->schedulers; s++) {
        u8 *order = t->order[s];
        u32 count = 0;
        for (u64 left = v->live & v->scheduler[s]; left; left &= left - 1) {
            u8 slot = (u8)__builtin_ctzll(left);
            u32 at = count++;
            for (; at && v->age[order[at - 1]] > v->age[slot]; at--)
                order[at] = order[at - 1];
            order[at] = slot;
        }
        t->order_count[s] = count;
    }
    t->live = v->live;
    t->launched = v->launched;
}

/* Works out the bits: for ops.changed, and after every change of the tuple. */
static inline void tuple_update(struct warp_policy *p, struct tuple *t)
{
    const struct warp_view *v = p->view;
    bool all_vital = t->n >= t->limit, all_pollute = t->p >= t->limit;
    u64 vital = 0, pollute = 0;
    if (!all_vital || !all_pollute) {
        if (t->live != v->live || t->launched != v->launched)
            tuple_sort(t, v);
        for (u32 s = 0; s < v->schedulers; s++) {
            u32 rank = 0;
            for (u32 i = 0; i < t->order_count[s] && rank < t->n; i++) {
                u64 bit = (u64)1 << t->order[s][i];
                if (v->waiting & bit)
                    continue;
                vital |= bit;
                pollute |= rank++ < t->p ? bit : 0;
            }
        }
    }
    p->may_issue = all_vital ? ~(u64)0 : vital;
    p->may_fill = all_pollute ? ~(u64)0 : pollute;
    if (!all_vital)
        greedy_forget(&t->greedy, v, vital);
}

/* For ops.settle: counts the tuple up to a cycle. */
static inline void tuple_settle(struct tuple *t, cycle_t now)
{
    if (!t->has_kernel || now <= t->since)
        return;
    u64 cycles = now - t->since;
    t->counts.cycles += cycles;
    t->counts.n_cycles += cycles * t->n;
    t->counts.p_cycles += cycles * t->p;
    t->since = now;
}

static inline u32 tuple_clamp(u32 value, u32 most)
{
    return value < 1 ? 1 : value > most ? most : value;
}

static inline void tuple_note(const struct warp_policy *p, const struct tuple *t, const char *what,
                              cycle_t at)
{
    p->host->note(p, &(struct warp_note){
                         .cycle = at, .kernel = t->kernel, .what = what, .n = t->n, .p = t->p});
}

/* From cycle `at` on; both are brought into 1 <= pollute <= n <= limit. */
static inline void tuple_set(struct warp_policy *p, struct tuple *t, u32 n, u32 pollute, cycle_t at)
{
    n = tuple_clamp(n, t->limit);
    pollute = tuple_clamp(pollute, n);
    if (n == t->n && pollute == t->p)
        return;
    tuple_settle(t, at);
    t->n = n;
    t->p = pollute;
    t->counts.changes++;
    tuple_note(p, t, "tuple", at);
    tuple_update(p, t);
}

/* A kernel starts, with that tuple. */
static inline void tuple_kernel(struct warp_policy *p, struct tuple *t, const struct warp_kernel *k,
                                u32 n, u32 pollute)
{
    cycle_t now = *p->view->now;
    tuple_settle(t, now);
    t->limit = k->limit;
    t->kernel = k->number;
    if (!t->has_kernel)
        t->since = now;
    t->has_kernel = true;
    t->n = t->p = 0;
    tuple_set(p, t, n, pollute, now);
}

static inline u32 tuple_pick(struct warp_policy *p, u32 scheduler, u64 candidates)
{
    struct tuple *t = p->state;
    return greedy_pick(&t->greedy, p->view, scheduler, candidates);
}

static inline void tuple_changed(struct warp_policy *p)
{
    tuple_update(p, p->state);
}

static inline void tuple_settled(struct warp_policy *p, cycle_t now)
{
    tuple_settle(p->state, now);
}

#define TUPLE_OPS                                                                                  \
    .version = POLICY_VERSION, .pick = tuple_pick, .changed = tuple_changed, .settle = tuple_settled

#endif
