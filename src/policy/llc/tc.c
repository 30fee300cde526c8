/*
 * Thrasher caging: programs that access the cache often and miss often share a few ways, the cage;
 * all others share the rest. Where every program is one nobody is caged. Xie and Loh, HiPEAC 2010;
 * Lee 2013, 4.3.1 and 4.7.7, whose thresholds are not printed.
 */
#include "l2/llc_policy.h"

struct tc_config {
    u64 interval;
    u32 cage_ways;
    double accesses, misses;
};

/* clang-format off */
static const struct param tc_params[] = {
    P_U64(tc_config, interval, 5000000, 1000, (u64)1 << 40, "cycles", "time from one decision to the next, in cycles of the cache", "as UCP"),
    P_U32(tc_config, cage_ways, 0, 0, 63, "ways", "ways that thrashing programs share (0: a sixteenth of all)", "assumed"),
    P_DOUBLE(tc_config, accesses, 60, 0, 1e6, "accesses", "least accesses of a thrashing program per 1,000 cycles of its own clock", "set once: by their means, all accepted GPU programs of types B to E are thrashers but montecarlo and quasirandom, and none of type A"),
    P_DOUBLE(tc_config, misses, 5, 0, 1e6, "misses", "least misses of a thrashing program per 1,000 cycles of its own clock", "set once, with accesses"),
    P_END,
};
/* clang-format on */

/* In a bank, in two halves: one is written while the other is read. */
struct tc_monitor {
    u64 accesses[2][MOST_APPLICATIONS], misses[2][MOST_APPLICATIONS];
};

struct tc_counts {
    u64 caged;
};

static const struct stat_def tc_stats[] = {
    S_COUNT(tc_counts, caged, "programs", "thrashing programs found, summed over intervals"),
    S_END,
};

static const struct tc_config *config_of(const struct llc_policy *p)
{
    return p->config;
}

static u32 cage_ways(const struct llc_policy *p)
{
    u32 ways = config_of(p)->cage_ways ? config_of(p)->cage_ways : p->ways / 16;
    return ways ? ways : 1;
}

static bool tc_init(struct llc_policy *p, struct err *err)
{
    return cage_ways(p) < p->ways ||
           err_at(err, (struct src_pos){0},
                  "policy.llc.tc.cage_ways is %u of %u ways, expected fewer than all", cage_ways(p),
                  p->ways);
}

static size_t tc_monitor_bytes(const struct llc_policy *p)
{
    (void)p;
    return sizeof(struct tc_monitor);
}

/* Two counts of 32 bits for each program, in each bank. */
static u64 tc_storage_bits(const struct llc_policy *p)
{
    return (u64)p->banks * p->applications * 2 * 32;
}

static void tc_observe(const struct llc_policy *p, void *monitor, u32 set,
                       const struct request *access, bool hit, cycle_t now)
{
    struct tc_monitor *m = monitor;
    u32 half = llc_half(now, config_of(p)->interval);
    (void)set;
    m->accesses[half][access->application]++;
    m->misses[half][access->application] += !hit;
}

static cycle_t tc_interval(const struct llc_policy *p)
{
    return config_of(p)->interval;
}

static bool is_thrasher(const struct llc_policy *p, void *const *monitors, u32 half, u32 app)
{
    u64 accesses = 0, misses = 0;
    for (u32 b = 0; b < p->banks; b++) {
        struct tc_monitor *m = monitors[b];
        accesses += m->accesses[half][app];
        misses += m->misses[half][app];
        m->accesses[half][app] = m->misses[half][app] = 0;
    }
    double kilocycles = (double)llc_own_cycles(p, app, config_of(p)->interval) / 1000;
    return (double)accesses >= config_of(p)->accesses * kilocycles &&
           (double)misses >= config_of(p)->misses * kilocycles;
}

static void tc_decide(struct llc_policy *p, void *const *monitors, cycle_t now,
                      struct llc_plan *plan)
{
    u32 caged = 0, all = (1u << p->applications) - 1, half;
    u64 ways = llc_first_ways(p->ways), cage = ways & ~llc_first_ways(p->ways - cage_ways(p));
    if (now < config_of(p)->interval || now % config_of(p)->interval)
        return;
    half = !llc_half(now, config_of(p)->interval);
    for (u32 i = 0; i < p->applications; i++)
        caged |= (u32)is_thrasher(p, monitors, half, i) << i;
    ((struct tc_counts *)p->state)->caged += (u32)__builtin_popcount(caged);
    plan->marks = caged == all ? 0 : caged;
    for (u32 i = 0; i < p->applications; i++)
        plan->ways_of[i] = !plan->marks ? ways : plan->marks >> i & 1 ? cage : ways & ~cage;
}

LLC_POLICY(tc) = {
    .version = POLICY_VERSION,
    .name = "tc",
    .source = "Xie and Loh, HiPEAC 2010",
    .params = tc_params,
    .config_bytes = sizeof(struct tc_config),
    .state_bytes = sizeof(struct tc_counts),
    .stats = tc_stats,
    .init = tc_init,
    .storage_bits = tc_storage_bits,
    .monitor_bytes = tc_monitor_bytes,
    .observe = tc_observe,
    .interval = tc_interval,
    .decide = tc_decide,
};
