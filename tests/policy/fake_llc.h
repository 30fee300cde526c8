/* One bank of a shared cache without time but for a count of accesses, for tests of its policies.
 */
#ifndef TESTS_POLICY_FAKE_LLC_H
#define TESTS_POLICY_FAKE_LLC_H

#include "testing.h"

#include "l2/llc_policy.h"
#include "policy/registry.h"

#include <stdlib.h>
#include <string.h>

#define FAKE_AGENTS 10u /* four CPU cores, then six SMs */
#define FAKE_SM(n) (4u + (n))

struct fake_llc {
    struct arena arena;
    struct llc_policy policy;
    struct llc_plan plan;
    struct tags tags;
    struct llc_view view;
    void *monitor;
    struct llc_agent agents[FAKE_AGENTS];
    u64 retired[FAKE_AGENTS];
    cycle_t now;
    u64 fills, passed;
    u32 last_way; /* of the last fill */
};

static inline const struct llc_policy_ops *fake_ops(const struct fake_llc *f)
{
    return f->policy.ops;
}

static inline void fake_decide(struct fake_llc *f)
{
    if (fake_ops(f)->decide)
        fake_ops(f)->decide(&f->policy, &f->monitor, f->now, &f->plan);
}

struct fake_setting {
    const char *name; /* NULL: the end */
    double value;
};

/* A parameter of a policy; `config` as its table says. */
static inline void fake_set(const struct param *params, void *config, struct fake_setting s)
{
    while (params->name && strcmp(params->name, s.name) != 0)
        params++;
    assert_non_null(params->name);
    u8 *at = (u8 *)config + params->offset;
    if (params->type == PARAM_DOUBLE)
        memcpy(at, &s.value, sizeof s.value);
    else if (params->type == PARAM_U64)
        memcpy(at, &(u64){(u64)s.value}, sizeof(u64));
    else if (params->type == PARAM_BOOL)
        memcpy(at, &(bool){s.value != 0}, sizeof(bool));
    else
        memcpy(at, &(u32){(u32)s.value}, sizeof(u32));
}

/* Programs 0 to `applications` - 2 run on a CPU core each, the last on all SMs. `settings` of the
 * policy may be NULL. The cores' clock is the cache's, 1 GHz. */
static inline void fake_open(struct fake_llc *f, const char *name, const char *replacement,
                             u32 applications, u32 sets, u32 ways,
                             const struct fake_setting *settings)
{
    struct err err = ERR_INIT;
    struct policy_choice llc, plain;
    *f = (struct fake_llc){0};
    struct arena *a = &f->arena;
    assert_true(policy_choose(QUESTION_LLC, name, "l2.policy", NULL, a, &llc, &err));
    assert_true(
        policy_choose(QUESTION_REPLACEMENT, replacement, "replacement", NULL, a, &plain, &err));
    const struct llc_policy_ops *ops = (const struct llc_policy_ops *)llc.ops;
    for (; settings && settings->name; settings++)
        fake_set(ops->params, (void *)(uintptr_t)llc.config, *settings);
    for (u32 i = 0; i < FAKE_AGENTS; i++)
        f->agents[i] = (struct llc_agent){i < 4 ? AGENT_CPU : AGENT_SM, 1000000000, &f->retired[i]};
    static struct llc_demand demand[MOST_APPLICATIONS];
    f->policy = (struct llc_policy){.ops = ops,
                                    .config = llc.config,
                                    .state = arena_alloc(a, ops->state_bytes + 1),
                                    .sets = sets,
                                    .ways = ways,
                                    .banks = 1,
                                    .bytes = (u64)sets * ways * 64,
                                    .clock_hz = 1000000000,
                                    .applications = applications,
                                    .on_sms = ~0u << (applications - 1),
                                    .demand = demand,
                                    .agents = f->agents,
                                    .agent_count = FAKE_AGENTS};
    assert_true(!ops->init || ops->init(&f->policy, &err));
    f->plan.ways_on = ways;
    f->plan.sampled[0] = f->plan.sampled[1] = NO_AGENT;
    for (u32 i = 0; i < MOST_APPLICATIONS; i++) {
        f->plan.ways_of[i] = llc_first_ways(ways);
        f->plan.quota[i] = ways;
    }
    f->monitor = arena_alloc(a, ops->monitor_bytes ? ops->monitor_bytes(&f->policy) : 1);
    f->view = (struct llc_view){&f->policy, &f->plan, f->monitor, 0};
    tags_init(&f->tags, a, sets, ways, 64, SET_LINEAR, plain, 7);
    if (ops->replacement) {
        struct policy_choice own = {(const struct policy_ops *)ops->replacement, llc.config};
        replacement_init(&f->tags.replacement, a, own, sets, ways, 7);
        f->tags.replacement.llc = &f->view;
    }
    fake_decide(f);
}

static inline void fake_close(struct fake_llc *f)
{
    arena_fini(&f->arena);
}

/* Time goes on, decisions are made. */
static inline void fake_wait(struct fake_llc *f, cycle_t cycles)
{
    cycle_t every = fake_ops(f)->interval ? fake_ops(f)->interval(&f->policy) : 0;
    for (cycle_t end = f->now + cycles; f->now < end;) {
        f->now++;
        if (every && f->now % every == 0)
            fake_decide(f);
    }
    f->view.now = f->now;
}

static inline u64 fake_line(u32 application, u64 line)
{
    return application_base((u8)application) + line * 64;
}

/* Ways that the access may take. */
static inline u64 fake_ways(struct fake_llc *f, u32 set, const struct request *a)
{
    u64 ways = f->plan.ways_of[a->application] & llc_first_ways(f->plan.ways_on);
    assert_true(ways != 0);
    for (u32 way = 0; way < f->tags.ways; way++) {
        if (ways >> way & 1 && tags_line(&f->tags, set, way)->state == LINE_INVALID)
            return ways;
    }
    if (!fake_ops(f)->narrow)
        return ways;
    u64 some = fake_ops(f)->narrow(&f->policy, &f->plan, &f->tags, set, ways, a);
    assert_true(some && !(some & ~ways));
    return some;
}

/* A load, without time going on. True: a line that was there served it. */
static inline bool fake_load(struct fake_llc *f, u32 application, u32 agent, u64 line)
{
    struct request a = {.line = fake_line(application, line),
                        .sectors = 3,
                        .agent = (u16)agent,
                        .application = (u8)application,
                        .kind = REQUEST_LOAD};
    const struct llc_policy_ops *ops = fake_ops(f);
    u32 set = tags_set(&f->tags, line * 64), way = tags_find(&f->tags, set, a.line);
    if (ops->observe)
        ops->observe(&f->policy, f->monitor, set, &a, way != NO_WAY, f->now);
    enum llc_pass pass = ops->passes ? ops->passes(&f->policy, &f->plan, &a) : LLC_TAKES;
    if (way != NO_WAY && pass != LLC_IS_BLIND) {
        tags_hit(&f->tags, set, way, &a);
        return true;
    }
    if (pass != LLC_TAKES) {
        f->passed++;
        return false;
    }
    u64 ways = fake_ways(f, set, &a);
    f->last_way = tags_victim(&f->tags, set, ways, 0, &a);
    assert_int_equal(tags_victim(&f->tags, set, ways, 0, &a), f->last_way); /* asking is free */
    assert_true(f->last_way != NO_WAY && ways >> f->last_way & 1);
    tags_place(&f->tags, set, f->last_way, &a, LINE_VALID);
    f->fills++;
    return false;
}

/* Lines of a program in a set. */
static inline u32 fake_lines(const struct fake_llc *f, u32 set, u32 application)
{
    u32 count = 0;
    for (u32 way = 0; way < f->tags.ways; way++)
        count += tags_line(&f->tags, set, way)->state == LINE_VALID &&
                 application_of(tags_address(&f->tags, set, way)) == application;
    return count;
}

#endif
