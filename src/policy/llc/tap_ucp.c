/*
 * TAP-UCP: utility-based partitioning (ucp.c) that asks whether the GPU program runs faster for
 * its part (core_sampling.h). If not it keeps one way; if so its hits count for less by as much as
 * it accesses the cache more often. Of the two sampled SMs the first bypasses the cache. Lee
 * 2013, 4.5.1.
 */
#include "policy/llc/core_sampling.h"
#include "policy/replacement/filler.h"
#include "policy/replacement/stamp.h"

enum tap_bypass { BYPASS_BLIND, BYPASS_PROBE };
static const char *const bypasses[] = {"blind", "probe", NULL};

struct tap_ucp_config {
    struct sampling_config sampling; /* first: SAMPLING_PARAMS */
    u32 bypass;
};

/* clang-format off */
static const struct param tap_ucp_params[] = {
    SAMPLING_PARAMS,
    P_CHOICE(tap_ucp_config, bypass, BYPASS_BLIND, bypasses, "how the first sampled SM bypasses the cache: blind, its loads go to DRAM even if a clean line is cached; probe, cached lines serve them", "Lee 2013, 4.5.1: it bypasses the cache"),
    P_END,
};
/* clang-format on */

/* clang-format off */
static const struct stat_def tap_ucp_stats[] = {
    SAMPLING_STATS,
    S_COUNT(sampling_counts, latched, "intervals", "intervals with the mask set in which monitored hits would have given the GPU program more ways (a reprobe could have lifted the mask)"),
    S_END,
};
/* clang-format on */

static const struct sampling_config *config_of(const struct llc_policy *p)
{
    return &((const struct tap_ucp_config *)p->config)->sampling;
}

static bool tap_ucp_init(struct llc_policy *p, struct err *err)
{
    return llc_has_ways(p, err) && sampling_init(p->state, p, config_of(p), err);
}

static size_t tap_ucp_monitor_bytes(const struct llc_policy *p)
{
    return umon_bytes(p, config_of(p)->sampled_sets);
}

/* Beside UCP's monitors and core sampling: XSRATIO and the mask. */
static u64 tap_ucp_storage_bits(const struct llc_policy *p)
{
    return umon_storage_bits(p, config_of(p)->sampled_sets) + sampling_bits(p, config_of(p)) +
           XSRATIO_BITS + 1;
}

static void tap_ucp_observe(const struct llc_policy *p, void *monitor, u32 set,
                            const struct request *access, bool hit, cycle_t now)
{
    (void)hit;
    umon_observe(p, monitor, config_of(p)->sampled_sets, set, access,
                 llc_half(now, sampling_period(config_of(p))));
}

static cycle_t tap_ucp_interval(const struct llc_policy *p)
{
    return sampling_step_cycles(config_of(p));
}

/* Programs that keep one way. The GPU's does not where all others stream. */
static u32 kept_small(const struct llc_policy *p, const struct sampling *s)
{
    u32 kept = s->streaming;
    bool masked = !s->is_useful && !s->is_reprobe && !sampling_all_stream(s, p);
    return masked ? kept | p->on_sms : kept;
}

/* The GPU program keeps one way. Would its hits have brought it more? With one way neither of the
 * sampled SMs finds much, so the mask may stay although it should not (spec 5-24). */
static bool is_latched(const struct llc_policy *p, const u64 (*hits)[UMON_MOST_WAYS], u32 kept)
{
    u32 quota[MOST_APPLICATIONS];
    u64 gained = 0;
    lookahead(hits, p->applications, p->ways, kept & ~p->on_sms, quota);
    for (u32 i = 0; i < p->applications; i++) {
        for (u32 way = 1; llc_is_on_sms(p, i) && way < quota[i]; way++)
            gained += hits[i][way];
    }
    return gained > 0;
}

static void tap_ucp_decide(struct llc_policy *p, void *const *monitors, cycle_t now,
                           struct llc_plan *plan)
{
    struct sampling *s = p->state;
    if (now < sampling_period(config_of(p)))
        equal_quotas(p, plan);
    if (!sampling_step(s, p, config_of(p), monitors, now, plan))
        return;
    u64 hits[MOST_APPLICATIONS][UMON_MOST_WAYS];
    for (u32 i = 0; i < p->applications; i++) {
        for (u32 way = 0; way < p->ways; way++)
            hits[i][way] = s->sums.hits[i][way] / (llc_is_on_sms(p, i) ? s->xsratio : 1);
    }
    u32 kept = kept_small(p, s);
    plan->marks = kept & p->on_sms & ((1u << p->applications) - 1);
    s->counts.masked += plan->marks != 0;
    if (plan->marks)
        s->counts.latched += is_latched(p, (const u64(*)[UMON_MOST_WAYS])hits, kept);
    lookahead((const u64(*)[UMON_MOST_WAYS])hits, p->applications, p->ways, kept, plan->quota);
}

static enum llc_pass tap_ucp_passes(const struct llc_policy *p, const struct llc_plan *plan,
                                    const struct request *access)
{
    const struct tap_ucp_config *c = p->config;
    if (access->agent != plan->sampled[0])
        return LLC_TAKES;
    return c->bypass == BYPASS_BLIND ? LLC_IS_BLIND : LLC_PROBES;
}

/* ---- replacement: least recently used; a bypass leaves no trace -----------------------------
 */

static size_t tap_ucp_bytes(u32 sets, u32 ways)
{
    return stamps_bytes(sets, ways) + fillers_bytes(sets, ways);
}

static struct filler_counts *fillers_in(struct replacement *r)
{
    return r->state;
}

static u16 *fillers_of(struct replacement *r)
{
    return (u16 *)(void *)((u8 *)r->table + stamps_bytes(r->sets, r->ways));
}

static void tap_ucp_hit(struct replacement *r, u32 set, u32 way, const struct request *access)
{
    if (access->agent != r->llc->plan->sampled[0])
        stamps_set(r, set, way, access);
    else
        filler_hit(fillers_in(r), fillers_of(r)[(size_t)set * r->ways + way], access);
}

static void tap_ucp_fill(struct replacement *r, u32 set, u32 way, const struct request *access)
{
    stamps_set(r, set, way, access);
    fillers_of(r)[(size_t)set * r->ways + way] = access->agent;
}

static const struct replacement_ops tap_ucp_replacement = {
    .version = POLICY_VERSION,
    .name = "tap_ucp",
    .source = "Lee 2013, 4.5.1",
    .state_bytes = sizeof(struct filler_counts),
    .stats = filler_stats,
    .table_bytes = tap_ucp_bytes,
    .hit = tap_ucp_hit,
    .fill = tap_ucp_fill,
    .victim = stamps_oldest,
};

LLC_POLICY(tap_ucp) = {
    .version = POLICY_VERSION,
    .name = "tap_ucp",
    .source = "Lee 2013, 4.5.1",
    .params = tap_ucp_params,
    .config_bytes = sizeof(struct tap_ucp_config),
    .state_bytes = sizeof(struct sampling),
    .stats = tap_ucp_stats,
    .stats_offset = offsetof(struct sampling, counts),
    .replacement = &tap_ucp_replacement,
    .init = tap_ucp_init,
    .storage_bits = tap_ucp_storage_bits,
    .monitor_bytes = tap_ucp_monitor_bytes,
    .observe = tap_ucp_observe,
    .passes = tap_ucp_passes,
    .interval = tap_ucp_interval,
    .decide = tap_ucp_decide,
    .narrow = quota_narrow,
    .is_sampling = sampling_is_on,
};
