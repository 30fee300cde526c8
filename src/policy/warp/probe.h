/*
 * The local search of search.h on a running SM: sets a tuple, waits until it
 * has taken effect, counts the warp instructions issued in a window, and so on
 * until the search ends (Poise spec 5, A9).
 */
#ifndef POLICY_WARP_PROBE_H
#define POLICY_WARP_PROBE_H

#include "policy/warp/search.h"
#include "policy/warp/tuple.h"

struct probe {
    struct search search;
    u32 warmup_cycles, sample_cycles;
    bool samples; /* the window is open */
    u64 instructions;
};

/* Both set the alarm for what comes next; true: the search has ended, and its tuple is set. */
static inline bool probe_next(struct warp_policy *p, struct probe *probe, struct tuple *t,
                              cycle_t at)
{
    u32 n, pollute;
    bool more = search_next(&probe->search, &n, &pollute);
    if (!more) {
        n = probe->search.at[SEARCH_N];
        pollute = probe->search.at[SEARCH_P];
    }
    tuple_set(p, t, n, pollute, at);
    probe->samples = false;
    if (more)
        p->alarm = at + probe->warmup_cycles;
    return !more;
}

static inline bool probe_ring(struct warp_policy *p, struct probe *probe, struct tuple *t,
                              cycle_t at)
{
    struct warp_counters c;
    p->host->counters(p, &c);
    if (!probe->samples) {
        probe->samples = true;
        probe->instructions = c.instructions;
        p->alarm = at + probe->sample_cycles;
        return false;
    }
    search_measured(&probe->search, (double)(c.instructions - probe->instructions));
    return probe_next(p, probe, t, at);
}

#endif
