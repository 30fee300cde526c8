/* What every policy of the shared cache keeps to, and what each does with one stream of accesses.
 */
#include "policy/fake_llc.h"

#include "base/map.h"
#include "base/rng.h"

#define ACCESSES 20000u

static u32 sum_of(const u32 *quota, u32 count)
{
    u32 sum = 0;
    for (u32 i = 0; i < count; i++)
        sum += quota[i];
    return sum;
}

static void check_plan(const struct fake_llc *f)
{
    const struct llc_policy *p = &f->policy;
    assert_true(f->plan.ways_on >= 1 && f->plan.ways_on <= p->ways);
    for (u32 i = 0; i < p->applications; i++) {
        assert_true((f->plan.ways_of[i] & llc_first_ways(f->plan.ways_on)) != 0);
        assert_true(f->plan.quota[i] >= 1);
    }
    if (fake_ops(f)->narrow) /* quotas are kept to */
        assert_int_equal(sum_of(f->plan.quota, p->applications), p->ways);
    for (u32 i = 0; i < 2; i++)
        assert_true(f->plan.sampled[i] == NO_AGENT || f->plan.sampled[i] < p->agent_count);
}

/* CPU programs use a few lines again and again, the SMs many. */
static bool access_at_random(struct fake_llc *f, struct rng *r)
{
    u32 app = (u32)rng_below(r, f->policy.applications), last = f->policy.applications - 1;
    u32 agent = app == last ? FAKE_SM((u32)rng_below(r, 6)) : app % 4;
    u64 lines = app == last ? 4096 : 256u << app;
    f->retired[agent] += 1 + rng_below(r, 3);
    return fake_load(f, app, agent, rng_below(r, lines));
}

static const struct fake_setting short_interval[] = {{"interval", 1000}, {NULL, 0}};

/* One in three accesses is the SMs', and three in four of those miss. */
static const struct fake_setting thrashers[] = {{"interval", 1000}, {"misses", 200}, {NULL, 0}};

static const struct fake_setting *settings_for(const struct policy_ops *p)
{
    if (strcmp(p->name, "tc") == 0)
        return thrashers;
    for (const struct param *q = p->params; q && q->name; q++) {
        if (strcmp(q->name, "interval") == 0)
            return short_interval;
    }
    return NULL;
}

TEST(every_policy_makes_plans_that_can_be_kept_and_repeats_itself)
{
    UNUSED_STATE;
    const struct policy_ops *p;
    for (u32 n = 0; (p = policy_at(QUESTION_LLC, n)); n++) {
        for (u32 programs = 1; programs <= 5; programs++) {
            struct fake_llc a, b;
            struct rng ra, rb;
            fake_open(&a, p->name, "lru", programs, 64, 16, settings_for(p));
            fake_open(&b, p->name, "lru", programs, 64, 16, settings_for(p));
            rng_init(&ra, 1, p->name);
            rng_init(&rb, 1, p->name);
            for (u32 i = 0; i < ACCESSES; i++) {
                assert_int_equal(access_at_random(&a, &ra), access_at_random(&b, &rb));
                assert_int_equal(a.last_way, b.last_way);
                fake_wait(&a, 1);
                fake_wait(&b, 1);
                check_plan(&a);
            }
            fake_close(&a);
            fake_close(&b);
        }
    }
}

/* Of three programs and 20,000 accesses: hits, and all ways that lines were put into. They were
 * right when this was written by what the other tests say; any change of a decision shows here. */
static const struct golden {
    const char *policy, *replacement;
    u64 hits, ways;
} golden[] = {
    {"shared", "lru", 10411, 0x4b324b1e7b2634dc},   {"shared", "tadip", 11494, 0x4cf43e8943211096},
    {"shared", "drrip", 12585, 0x4d844ede68e135cd}, {"split", "lru", 10988, 0xefe51916fe42c93e},
    {"ucp", "lru", 12506, 0x6091609a471c2237},      {"pipp", "lru", 12346, 0x1e97628147dfec79},
    {"tc", "lru", 12810, 0xe523f5f301480458},       {"tap_ucp", "lru", 12541, 0x6c0563d15c7aacf7},
    {"tap_rrip", "lru", 12072, 0xa68490d3f10ef9a4}, {"racr", "lru", 10411, 0x4b324b1e7b2634dc},
    {"gpar", "lru", 10411, 0x4b324b1e7b2634dc},
};

TEST(each_policy_does_with_one_stream_what_it_did)
{
    UNUSED_STATE;
    for (u32 n = 0; n < ARRAY_LEN(golden); n++) {
        const struct golden *g = &golden[n];
        struct fake_llc f;
        struct rng r;
        u64 hits = 0, ways = 0;
        fake_open(&f, g->policy, g->replacement, 3, 64, 16,
                  settings_for(policy_find(QUESTION_LLC, g->policy)));
        rng_init(&r, 2, "golden");
        for (u32 i = 0; i < ACCESSES; i++) {
            hits += access_at_random(&f, &r);
            ways = hash_u64(ways + f.last_way + 1);
            fake_wait(&f, 1);
        }
        if (hits != g->hits || ways != g->ways)
            print_message("# %s %s %llu 0x%llx\n", g->policy, g->replacement,
                          (unsigned long long)hits, (unsigned long long)ways);
        assert_int_equal(hits, g->hits);
        assert_int_equal(ways, g->ways);
        fake_close(&f);
    }
}

RUN_TESTS(T(every_policy_makes_plans_that_can_be_kept_and_repeats_itself),
          T(each_policy_does_with_one_stream_what_it_did))
