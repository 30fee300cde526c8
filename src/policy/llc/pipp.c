/*
 * Promotion and insertion pseudo-partitioning: ways are divided as in UCP, but nobody is kept out
 * of any. The lines of a set are in an order, and the last of it goes; a new line comes in as far
 * from the end as its program has ways, a hit moves a line up by one place, mostly. A
 * program that streams has one way, and its lines hardly ever move. Xie and Loh, ISCA 2009.
 */
#include "base/map.h"
#include "policy/llc/umon.h"

struct pipp_config {
    u64 interval;
    u32 sampled_sets;
    double promotion, stream_promotion;
    u64 stream_misses;
    double stream_miss_ratio;
};

/* clang-format off */
static const struct param pipp_params[] = {
    P_U64(pipp_config, interval, 5000000, 1000, (u64)1 << 40, "cycles", "time from one division of the ways to the next, in cycles of the cache", "as UCP"),
    P_U32(pipp_config, sampled_sets, 32, 1, 65536, "sets", "sets of the cache that are monitored", "as UCP"),
    P_DOUBLE(pipp_config, promotion, 0.75, 0, 1, "", "share of hits that move a line up", "Xie and Loh 2009"),
    P_DOUBLE(pipp_config, stream_promotion, 0.0078125, 0, 1, "", "share of hits that move a line up, for a program that streams", "Lee 2013, 4.7.7"),
    P_U64(pipp_config, stream_misses, 4095, 0, (u64)1 << 40, "misses", "misses in the monitored sets in an interval from which on a program is taken to stream", "Xie and Loh 2009"),
    P_DOUBLE(pipp_config, stream_miss_ratio, 0.125, 0, 1, "", "miss ratio in the monitored sets from which on a program is taken to stream", "Xie and Loh 2009"),
    P_END,
};
/* clang-format on */

struct pipp {
    struct umon_sums sums;
    struct pipp_counts {
        u64 streams;
    } counts;
};

static const struct stat_def pipp_stats[] = {
    S_COUNT(pipp_counts, streams, "programs", "streaming programs found, summed over intervals"),
    S_END,
};

static const struct pipp_config *config_of(const struct llc_policy *p)
{
    return p->config;
}

/* ---- ways ------------------------------------------------------------------------------------ */

static size_t pipp_monitor_bytes(const struct llc_policy *p)
{
    return umon_bytes(p, config_of(p)->sampled_sets);
}

static u64 pipp_storage_bits(const struct llc_policy *p)
{
    return umon_storage_bits(p, config_of(p)->sampled_sets);
}

static void pipp_observe(const struct llc_policy *p, void *monitor, u32 set,
                         const struct request *access, bool hit, cycle_t now)
{
    (void)hit;
    umon_observe(p, monitor, config_of(p)->sampled_sets, set, access,
                 llc_half(now, config_of(p)->interval));
}

static cycle_t pipp_interval(const struct llc_policy *p)
{
    return config_of(p)->interval;
}

static bool streams(const struct pipp_config *c, const struct umon_sums *s, u32 app)
{
    u64 all = s->found[app] + s->missed[app];
    return all && (s->missed[app] >= c->stream_misses ||
                   (double)s->missed[app] >= c->stream_miss_ratio * (double)all);
}

static void pipp_decide(struct llc_policy *p, void *const *monitors, cycle_t now,
                        struct llc_plan *plan)
{
    const struct pipp_config *c = config_of(p);
    struct pipp *s = p->state;
    if (now < c->interval) {
        equal_quotas(p, plan);
        return;
    }
    if (now % c->interval)
        return; /* a kernel has come or gone: not a matter of ours */
    umon_collect(p, monitors, !llc_half(now, c->interval), &s->sums);
    plan->marks = 0;
    for (u32 i = 0; i < p->applications; i++)
        plan->marks |= (u32)streams(c, &s->sums, i) << i;
    s->counts.streams += (u32)__builtin_popcount(plan->marks);
    lookahead((const u64(*)[UMON_MOST_WAYS])s->sums.hits, p->applications, p->ways, plan->marks,
              plan->quota);
}

/* ---- places ---------------------------------------------------------------------------------- */

static size_t places_bytes(u32 sets, u32 ways)
{
    return (size_t)sets * ways;
}

/* Of each way in the order of its set: 0 is the next to go. */
static u8 *places_of(struct replacement *r, u32 set)
{
    return (u8 *)r->table + (size_t)set * r->ways;
}

static void places_init(struct replacement *r)
{
    for (u32 set = 0; set < r->sets; set++) {
        for (u32 way = 0; way < r->ways; way++)
            places_of(r, set)[way] = (u8)way;
    }
}

static void move(struct replacement *r, u32 set, u32 way, u32 to)
{
    u8 *place = places_of(r, set);
    u32 from = place[way];
    for (u32 w = 0; w < r->ways; w++) {
        if (place[w] > from && place[w] <= to)
            place[w]--;
        else if (place[w] < from && place[w] >= to)
            place[w]++;
    }
    place[way] = (u8)to;
}

static bool is_stream(const struct replacement *r, u32 application)
{
    return r->llc->plan->marks >> application & 1;
}

static void pipp_hit(struct replacement *r, u32 set, u32 way, const struct request *access)
{
    const struct pipp_config *c = r->config;
    u64 *hits = r->state;
    double chance = is_stream(r, access->application) ? c->stream_promotion : c->promotion;
    u32 place = places_of(r, set)[way];
    bool moves = (double)(hash_u64(r->seed + ++*hits) >> 32) < chance * 4294967296.0;
    if (moves && place + 1 < r->ways)
        move(r, set, way, place + 1);
}

static void pipp_fill(struct replacement *r, u32 set, u32 way, const struct request *access)
{
    u32 app = access->application, quota = r->llc->plan->quota[app];
    if (is_stream(r, app) || !quota)
        quota = 1;
    move(r, set, way, (quota < r->ways ? quota : r->ways) - 1);
}

static u32 pipp_victim(struct replacement *r, u32 set, u64 candidates, const struct request *access)
{
    const u8 *place = places_of(r, set);
    u32 last = (u32)__builtin_ctzll(candidates);
    (void)access;
    for (u64 left = candidates; left; left &= left - 1) {
        u32 way = (u32)__builtin_ctzll(left);
        if (place[way] < place[last])
            last = way;
    }
    return last;
}

static const struct replacement_ops pipp_replacement = {
    .version = POLICY_VERSION,
    .name = "pipp",
    .source = "Xie and Loh, ISCA 2009",
    .state_bytes = sizeof(u64),
    .table_bytes = places_bytes,
    .init = places_init,
    .hit = pipp_hit,
    .fill = pipp_fill,
    .victim = pipp_victim,
};

LLC_POLICY(pipp) = {
    .version = POLICY_VERSION,
    .name = "pipp",
    .source = "Xie and Loh, ISCA 2009",
    .params = pipp_params,
    .config_bytes = sizeof(struct pipp_config),
    .state_bytes = sizeof(struct pipp),
    .stats = pipp_stats,
    .stats_offset = offsetof(struct pipp, counts),
    .replacement = &pipp_replacement,
    .init = llc_has_ways,
    .storage_bits = pipp_storage_bits,
    .monitor_bytes = pipp_monitor_bytes,
    .observe = pipp_observe,
    .interval = pipp_interval,
    .decide = pipp_decide,
};
