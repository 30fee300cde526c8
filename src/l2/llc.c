#include "l2/llc.h"

#include "l2/bank.h"

#include <string.h>

static const char *const labels[MOST_APPLICATIONS] = {"0", "1", "2", "3", "4", "5", "6", "7"};

/* clang-format off */
static const struct stat_def llc_stats[] = {
    S_COUNT(llc_counts, decisions, "plans", "plans made"),
    S_LEVEL(llc_counts, ways_on, "ways", "ways per set that are on in the last plan"),
    S_LEVEL(llc_counts, storage_bits, "bits", "storage the policy adds to a plain cache"),
    S_LEVELS(llc_counts, quota, labels, MOST_APPLICATIONS, "ways", "ways of each program in the last plan"),
    S_END,
};
/* clang-format on */

static void show(struct llc *l)
{
    u64 on = llc_first_ways(l->plan.ways_on);
    l->counts.ways_on = l->plan.ways_on;
    for (u32 i = 0; i < l->policy.applications; i++)
        l->counts.quota[i] = l->policy.ops->narrow
                                 ? l->plan.quota[i]
                                 : (u32)__builtin_popcountll(l->plan.ways_of[i] & on);
}

static bool take_demand(struct llc *l)
{
    if (!l->has_changed || l->coming_fs == l->engine->now_fs)
        return false;
    memcpy(l->demand, l->coming, sizeof l->demand);
    l->has_changed = false;
    return true;
}

static cycle_t llc_tick(void *self, cycle_t now)
{
    struct llc *l = self;
    bool decides = take_demand(l);
    if (now >= l->next) {
        l->next = now + l->policy.ops->interval(&l->policy);
        decides = true;
    }
    if (decides) {
        l->before = l->plan;
        l->policy.ops->decide(&l->policy, l->monitors, now, &l->plan);
        l->decided_at = now;
        l->counts.decisions++;
        show(l);
        if (memcmp(&l->before, &l->plan, sizeof l->plan) != 0) {
            for (u32 i = 0; i < l->policy.banks; i++)
                engine_wake(l->engine, l->banks[i].unit);
        }
    }
    return l->has_changed ? now + 1 : l->next;
}

void llc_demands(struct llc *l, u32 application, const struct llc_demand *demand)
{
    l->coming[application] = *demand;
    l->coming_fs = l->engine->now_fs;
    l->has_changed = true;
    engine_wake(l->engine, l->unit);
}

/* Programs run on SMs unless they are said to run on CPU cores, or there are no SMs. */
static u32 on_sms(const struct sim *sim, const struct llc_parts *parts)
{
    bool has_sms = !parts->agent_count;
    for (u32 i = 0; i < parts->agent_count; i++)
        has_sms |= parts->agents[i].kind == AGENT_SM;
    return has_sms ? ~sim->cpu_applications : 0;
}

/* The replacement policy that comes with an LLC policy takes the place of the cache's. */
static void replace(struct tags *t, struct arena *arena, struct policy_choice choice,
                    const struct llc_view *view)
{
    u32 banks = t->replacement.banks;
    replacement_init(&t->replacement, arena, choice, t->sets, t->ways, t->replacement.seed);
    t->replacement.banks = banks;
    t->replacement.llc = view;
}

bool llc_init(struct llc *l, const struct build_site *site, domain_id domain,
              const struct llc_parts *parts, struct policy_choice choice, struct err *err)
{
    struct sim *sim = site->sim;
    struct bank *banks = parts->banks;
    u32 bank_count = parts->bank_count;
    const struct tags *t = &banks[0].cache.tags;
    const struct llc_policy_ops *ops = (const struct llc_policy_ops *)choice.ops;
    *l = (struct llc){.engine = &sim->engine, .banks = banks, .next = CYCLE_NEVER};
    l->policy = (struct llc_policy){.ops = ops,
                                    .config = choice.config,
                                    .state = arena_alloc(&sim->arena, ops->state_bytes + 1),
                                    .sets = t->sets,
                                    .ways = t->ways,
                                    .banks = bank_count,
                                    .bytes = parts->bytes,
                                    .clock_hz = parts->clock_hz,
                                    .applications = sim->applications ? sim->applications : 1,
                                    .on_sms = on_sms(sim, parts),
                                    .demand = l->demand,
                                    .agents = parts->agents,
                                    .agent_count = parts->agent_count};
    if (ops->init && !ops->init(&l->policy, err))
        return false;
    l->counts.storage_bits = ops->storage_bits ? ops->storage_bits(&l->policy) : 0;
    l->plan.ways_on = t->ways;
    l->plan.sampled[0] = l->plan.sampled[1] = NO_AGENT;
    for (u32 i = 0; i < MOST_APPLICATIONS; i++) {
        l->plan.ways_of[i] = llc_first_ways(t->ways);
        l->plan.quota[i] = t->ways;
    }
    l->before = l->plan;
    l->monitors = ARENA_ARRAY(&sim->arena, void *, bank_count);
    size_t room = ops->monitor_bytes ? ops->monitor_bytes(&l->policy) : 1;
    for (u32 i = 0; i < bank_count; i++) {
        l->monitors[i] = arena_alloc(&sim->arena, room);
        bank_follow(&banks[i], &sim->arena, l, l->monitors[i]);
        if (ops->replacement)
            replace(
                &banks[i].cache.tags, &sim->arena,
                (struct policy_choice){(const struct policy_ops *)ops->replacement, choice.config},
                &banks[i].ways->view);
        if (ops->passes && !banks[i].bypass)
            bank_let_bypass(&banks[i], &sim->arena);
    }
    l->unit = engine_add_unit(&sim->engine, domain, site_name_of(site, "llc"), llc_tick, l);
    engine_set_background(&sim->engine, l->unit);
    if (ops->interval && ops->interval(&l->policy))
        l->next = ops->interval(&l->policy);
    l->has_changed = true; /* a plan for the empty machine */
    l->coming_fs = UINT64_MAX;
    show(l);
    return true;
}

void llc_add_statistics(const struct llc *l, struct stats *s, stat_node node)
{
    stat_node n = stats_add(s, node, "plan", STAT_NO_INDEX, llc_stats, &l->counts);
    policy_add_statistics((const struct policy_ops *)l->policy.ops, l->policy.state, s, n,
                          "policy");
}
