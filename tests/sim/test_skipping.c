#include "testing.h"

#include "sim/graph.h"

#define GRAPHS 1500

struct outcome {
    enum engine_end end;
    u64 digest, ticks;
};

static struct outcome run_graph(u64 seed, bool no_skip, u32 rotation)
{
    struct graph *g = malloc(sizeof *g);
    graph_init(g, seed, no_skip, rotation);
    struct outcome o;
    o.end = engine_run(&g->engine);
    o.digest = graph_digest(g, o.end);
    o.ticks = g->engine.ticks;
    arena_fini(&g->arena);
    free(g);
    return o;
}

TEST(skipping_on_and_off_give_identical_statistics_on_random_graphs)
{
    UNUSED_STATE;
    u32 finished = 0, hung = 0;
    u64 ticks = 0, ticks_all = 0;
    for (u64 seed = 0; seed < GRAPHS; seed++) {
        struct outcome skip = run_graph(seed, false, 0), all = run_graph(seed, true, 0);
        if (skip.end != all.end || skip.digest != all.digest)
            fail_msg("graph %llu differs: ended %d and %d", (unsigned long long)seed, (int)skip.end,
                     (int)all.end);
        finished += skip.end == ENGINE_STOPPED;
        hung += skip.end == ENGINE_HUNG;
        if (skip.end == ENGINE_STOPPED) {
            ticks += skip.ticks;
            ticks_all += all.ticks;
        }
    }
    /* the property must not hold for want of cases */
    assert_true(finished > GRAPHS / 2);
    assert_true(hung > 10);
    assert_true(ticks * 2 < ticks_all);
}

TEST(order_of_ticks_at_one_instant_cannot_be_observed)
{
    UNUSED_STATE;
    for (u64 seed = 0; seed < GRAPHS; seed++) {
        struct outcome first = run_graph(seed, false, 0);
        for (u32 rotation = 1; rotation < 4; rotation++) {
            struct outcome other = run_graph(seed, false, rotation * 5);
            if (other.end != first.end || other.digest != first.digest)
                fail_msg("graph %llu differs in rotation %u", (unsigned long long)seed, rotation);
        }
    }
}

TEST(two_runs_are_identical)
{
    UNUSED_STATE;
    for (u64 seed = 0; seed < 50; seed++)
        assert_true(run_graph(seed, false, 0).digest == run_graph(seed, false, 0).digest);
}

RUN_TESTS(T(skipping_on_and_off_give_identical_statistics_on_random_graphs),
          T(order_of_ticks_at_one_instant_cannot_be_observed), T(two_runs_are_identical))
