/*
 * Cache-conscious wavefront scheduling: warps that lose locality keep the right
 * to load, at the expense of others (Rogers et al., MICRO 2012; Poise spec 3).
 * A warp without that right may issue everything but loads.
 */
#include "policy/warp/greedy.h"
#include "policy/warp/lost_locality.h"

struct ccws {
    struct greedy greedy;
    struct lost_locality locality;
};

/* clang-format off */
#define COUNT(field, u, text) {.name = #field, .kind = STAT_COUNT, .offset = S_AT(ccws, locality.counts.field), .unit = u, .meaning = text}
#define MEAN(id, sum, text) {.name = #id, .kind = STAT_RATIO, .offset = S_AT(ccws, locality.counts.sum), .offset_over = S_AT(ccws, locality.counts.cycles), .unit = "warps", .meaning = text}
static const struct stat_def ccws_stats[] = {
    COUNT(victims, "lines", "lines evicted while their warp was running"),
    COUNT(victim_hits, "requests", "requests that missed on a line their own warp had lost"),
    COUNT(cycles, "cycles", "cycles since the first warp"),
    COUNT(ranked_cycles, "warp cycles", "ranked warps, summed over cycles"),
    COUNT(admitted_cycles, "warp cycles", "ranked warps allowed to load, summed over cycles"),
    MEAN(mean_ranked, ranked_cycles, "mean ranked warps"),
    MEAN(mean_admitted, admitted_cycles, "mean ranked warps allowed to load"),
    S_LAW(admitted, "admitted_cycles <= ranked_cycles", "only ranked warps are admitted"),
    S_END,
};
/* clang-format on */

static u32 ccws_pick(struct warp_policy *p, u32 scheduler, u64 candidates)
{
    struct ccws *s = p->state;
    return greedy_pick(&s->greedy, p->view, scheduler, candidates);
}

static void rank(struct warp_policy *p, cycle_t now)
{
    struct ccws *s = p->state;
    lost_locality_rank(&s->locality, now);
    p->may_load = s->locality.admitted;
    p->alarm = s->locality.wake;
}

static void ccws_changed(struct warp_policy *p)
{
    rank(p, *p->view->now);
}

static void ccws_ring(struct warp_policy *p, cycle_t at)
{
    rank(p, at);
}

static void ccws_issued(struct warp_policy *p, const struct warp_issue *i)
{
    struct ccws *s = p->state;
    lost_locality_issued(&s->locality, i->slot);
}

static void ccws_missed(struct warp_policy *p, const struct warp_access *a)
{
    struct ccws *s = p->state;
    if (lost_locality_missed(&s->locality, a->slot, a->line, *p->view->now))
        rank(p, *p->view->now);
}

static void ccws_evicted(struct warp_policy *p, const struct warp_access *a)
{
    struct ccws *s = p->state;
    if (a->slot != NO_SLOT)
        lost_locality_evicted(&s->locality, a->slot, a->line);
}

static void ccws_settle(struct warp_policy *p, cycle_t now)
{
    struct ccws *s = p->state;
    lost_locality_settle(&s->locality, now);
}

static bool ccws_init(struct warp_policy *p, struct arena *arena, struct err *err)
{
    (void)arena;
    (void)err;
    struct ccws *s = p->state;
    lost_locality_init(&s->locality, p->config, p->view);
    return true;
}

WARP_POLICY(ccws) = {
    .version = POLICY_VERSION,
    .name = "ccws",
    .source = "Rogers, O'Connor, Aamodt: Cache-Conscious Wavefront Scheduling, MICRO 2012",
    .params = lost_locality_params,
    .check = lost_locality_check,
    .config_bytes = sizeof(struct lost_locality_config),
    .state_bytes = sizeof(struct ccws),
    .stats = ccws_stats,
    .init = ccws_init,
    .pick = ccws_pick,
    .changed = ccws_changed,
    .ring = ccws_ring,
    .settle = ccws_settle,
    .issued = ccws_issued,
    .missed = ccws_missed,
    .evicted = ccws_evicted,
};
