/*
 * TAP-RRIP: thread-aware RRIP (policy/replacement/rrip.h) that asks whether the GPU program runs
 * faster for what it has in the cache (core_sampling.h). If not, or if it accesses the cache far
 * more often than others, its lines come in as BRRIP's, are not moved up by hits and go before
 * those of others. Of the two sampled SMs the first brings lines in as the next to go, the second
 * as just used. Lee 2013, 4.5.2.
 */
#include "policy/llc/core_sampling.h"
#include "policy/replacement/filler.h"
#include "policy/replacement/rrip.h"

struct tap_rrip_config {
    struct sampling_config sampling; /* first: SAMPLING_PARAMS */
    u32 near_percent, leader_sets;
};

/* clang-format off */
static const struct param tap_rrip_params[] = {
    SAMPLING_PARAMS,
    P_U32(tap_rrip_config, near_percent, 5, 0, 100, "%", "share of BRRIP's insertions with RRPV 2", "Lee 2013, 4.5.2; Jaleel et al. 2010: 1/32"),
    P_U32(tap_rrip_config, leader_sets, 32, 1, 4096, "sets", "leader sets of the whole cache for each of SRRIP and BRRIP and each program; at least one per bank", "Jaleel et al. 2010"),
    P_END,
};
/* clang-format on */

static const struct stat_def tap_rrip_stats[] = {SAMPLING_STATS, S_END};

static const struct tap_rrip_config *config_of(const struct llc_policy *p)
{
    return p->config;
}

static bool tap_rrip_init(struct llc_policy *p, struct err *err)
{
    return sampling_init(p->state, p, &config_of(p)->sampling, err);
}

static size_t tap_rrip_monitor_bytes(const struct llc_policy *p)
{
    return umon_bytes(p, config_of(p)->sampling.sampled_sets);
}

/* Two bits of a guess and one of an owner for each line, a selector of 10 bits for each program in
 * each bank, core sampling, XSRATIO and the mask; the monitors only where streams are looked for.
 */
static u64 tap_rrip_storage_bits(const struct llc_policy *p)
{
    const struct sampling_config *c = &config_of(p)->sampling;
    u64 lines = (u64)p->banks * p->sets * p->ways;
    return 3 * lines + (u64)p->banks * p->applications * 10 + sampling_bits(p, c) + XSRATIO_BITS +
           1 + (c->streams ? umon_storage_bits(p, c->sampled_sets) : 0);
}

static void tap_rrip_observe(const struct llc_policy *p, void *monitor, u32 set,
                             const struct request *access, bool hit, cycle_t now)
{
    const struct sampling_config *c = &config_of(p)->sampling;
    u32 half = llc_half(now, sampling_period(c));
    (void)hit;
    if (c->streams)
        umon_observe(p, monitor, c->sampled_sets, set, access, half);
    else
        ((struct umon *)monitor)->accesses[half][access->application]++;
}

static cycle_t tap_rrip_interval(const struct llc_policy *p)
{
    return sampling_step_cycles(&config_of(p)->sampling);
}

static void tap_rrip_decide(struct llc_policy *p, void *const *monitors, cycle_t now,
                            struct llc_plan *plan)
{
    const struct sampling_config *c = &config_of(p)->sampling;
    struct sampling *s = p->state;
    if (!sampling_step(s, p, c, monitors, now, plan))
        return;
    bool is_useless = !s->is_useful && !s->is_reprobe;
    bool is_masked = (is_useless || s->xsratio > 1) && !sampling_all_stream(s, p);
    plan->marks = is_masked ? p->on_sms & ((1u << p->applications) - 1) : 0;
    s->counts.masked += plan->marks != 0;
}

/* ---- replacement ------------------------------------------------------------------------------
 */

#define OF_SMS 0x8000u /* beside the agent that brought a line in */

struct tap_rrip {
    struct rrip rrip;
    struct filler_counts counts;
};

static const struct tap_rrip_config *settings(const struct replacement *r)
{
    return r->config;
}

/* After the guesses. */
static size_t rrpv_bytes(u32 sets, u32 ways)
{
    return ((size_t)sets * ways + 7) / 8 * 8;
}

static size_t tap_rrip_bytes(u32 sets, u32 ways)
{
    return rrpv_bytes(sets, ways) + fillers_bytes(sets, ways);
}

static u16 *fillers_of(const struct replacement *r, u32 set)
{
    return (u16 *)(void *)((u8 *)r->table + rrpv_bytes(r->sets, r->ways)) + (size_t)set * r->ways;
}

static bool is_masked(const struct replacement *r, u32 application)
{
    return r->llc->plan->marks >> application & 1;
}

static void tap_rrip_hit(struct replacement *r, u32 set, u32 way, const struct request *access)
{
    const struct llc_plan *plan = r->llc->plan;
    struct tap_rrip *s = r->state;
    if (access->agent == plan->sampled[0])
        filler_hit(&s->counts, fillers_of(r, set)[way] & ~OF_SMS, access);
    if (!is_masked(r, access->application) || access->agent == plan->sampled[1])
        rrip_rrpvs(r, set)[way] = 0;
}

static u8 first_guess(struct replacement *r, u32 set, const struct request *access)
{
    const struct llc_plan *plan = r->llc->plan;
    struct tap_rrip *s = r->state;
    u32 app = access->application;
    if (access->agent == plan->sampled[0])
        return RRIP_FAR;
    if (access->agent == plan->sampled[1])
        return 0;
    enum leads lead = duel_leads(r, settings(r)->leader_sets, set, app);
    duel_missed(&s->rrip.duel, lead, app);
    bool bimodal = is_masked(r, app) || duel_takes_second(&s->rrip.duel, lead, app);
    return bimodal ? rrip_bimodal(r, &s->rrip, settings(r)->near_percent) : RRIP_FAR - 1;
}

static void tap_rrip_fill(struct replacement *r, u32 set, u32 way, const struct request *access)
{
    u32 on_sms = llc_is_on_sms(r->llc->policy, access->application) ? OF_SMS : 0;
    rrip_age(r, set, way);
    rrip_rrpvs(r, set)[way] = first_guess(r, set, access);
    fillers_of(r, set)[way] = (u16)(access->agent | on_sms);
}

/* Of the oldest lines one of the GPU's, while its mask is set. */
static u32 tap_rrip_victim(struct replacement *r, u32 set, u64 candidates,
                           const struct request *access)
{
    const u8 *g = rrip_rrpvs(r, set);
    const u16 *filler = fillers_of(r, set);
    u32 oldest = rrip_oldest(r, set, candidates);
    (void)access;
    if (!r->llc->plan->marks)
        return oldest;
    for (u64 left = candidates; left; left &= left - 1) {
        u32 way = (u32)__builtin_ctzll(left);
        if (g[way] == g[oldest] && filler[way] & OF_SMS)
            return way;
    }
    return oldest;
}

static const struct replacement_ops tap_rrip_replacement = {
    .version = POLICY_VERSION,
    .name = "tap_rrip",
    .source = "Lee 2013, 4.5.2",
    .state_bytes = sizeof(struct tap_rrip),
    .stats = filler_stats,
    .stats_offset = offsetof(struct tap_rrip, counts),
    .table_bytes = tap_rrip_bytes,
    .init = rrip_init,
    .hit = tap_rrip_hit,
    .fill = tap_rrip_fill,
    .victim = tap_rrip_victim,
};

LLC_POLICY(tap_rrip) = {
    .version = POLICY_VERSION,
    .name = "tap_rrip",
    .source = "Lee 2013, 4.5.2",
    .params = tap_rrip_params,
    .config_bytes = sizeof(struct tap_rrip_config),
    .state_bytes = sizeof(struct sampling),
    .stats = tap_rrip_stats,
    .stats_offset = offsetof(struct sampling, counts),
    .replacement = &tap_rrip_replacement,
    .init = tap_rrip_init,
    .storage_bits = tap_rrip_storage_bits,
    .monitor_bytes = tap_rrip_monitor_bytes,
    .observe = tap_rrip_observe,
    .interval = tap_rrip_interval,
    .decide = tap_rrip_decide,
    .is_sampling = sampling_is_on,
};
