/* Exact cycles, worked out by hand. */
#include "gpu/bed.h"

/* The issue of every instruction, seen through the source. */
#define MOST_EVENTS 4096
struct event {
    u64 pc;
    u32 warp;
    cycle_t cycle;
};
static struct event events[MOST_EVENTS];
static u32 event_count;
static const struct source_ops *inner;
static const cycle_t *clock_of_sm;

static void *spy_begin(void *self, u64 block, const struct sm_place *at)
{
    clock_of_sm = at->clock;
    return inner->block_begin(self, block, at);
}

static bool spy_step(void *block, u32 warp, struct winst *out)
{
    bool ok = inner->step(block, warp, out);
    if (event_count < MOST_EVENTS)
        events[event_count++] = (struct event){out->instruction->pc, warp, *clock_of_sm};
    return ok;
}

static void run_spied(struct bed *b, const struct scripted_kernel *k)
{
    static struct source_ops spy;
    struct err err = ERR_INIT;
    struct grid_source s = scripted_source(k, &b->scripts);
    inner = s.ops;
    spy = *inner;
    spy.block_begin = spy_begin;
    spy.step = spy_step;
    s.ops = &spy;
    event_count = 0;
    if (!dispatcher_launch(&b->gpu->cluster.dispatcher, &s, 0, &err))
        bed_fail(&err);
    bed_run(b);
}

/* Dublish 2018, figure 3.5: three loads that miss, one that hits, a multiplication. The
 * first load brings the line that the fourth hits, beforehand. */
static const struct scripted_instruction figure_3_5[] = {
    {.kind = WINST_LOAD,
     .unit = UNIT_MEMORY,
     .dst = 9,
     .space = SPACE_GLOBAL,
     .bytes = 4,
     .base = 0x9000},
    {.unit = UNIT_INT, .dst = 10, .src0 = 9}, /* waits for it */
    {.kind = WINST_LOAD,
     .unit = UNIT_MEMORY,
     .dst = 1,
     .space = SPACE_GLOBAL,
     .bytes = 4,
     .base = 0x1000},
    {.kind = WINST_LOAD,
     .unit = UNIT_MEMORY,
     .dst = 2,
     .space = SPACE_GLOBAL,
     .bytes = 4,
     .base = 0x2080},
    {.kind = WINST_LOAD,
     .unit = UNIT_MEMORY,
     .dst = 3,
     .space = SPACE_GLOBAL,
     .bytes = 4,
     .base = 0x3100},
    {.kind = WINST_LOAD,
     .unit = UNIT_MEMORY,
     .dst = 4,
     .space = SPACE_GLOBAL,
     .bytes = 4,
     .base = 0x9000},
    {.unit = UNIT_INT, .cost = COST_MULTIPLY, .dst = 5},
    {.unit = UNIT_INT, .dst = 6, .src0 = 5}, /* after the multiplication's last cycle */
    {.kind = WINST_EXIT, .unit = UNIT_BRANCH},
};

/* An instruction executes in the cycle after its issue: t counts from the one in which
 * I1 looks up L1. Fills t[] for I1 to I5 and for what needs I5's result. */
static void figure_times(const char *mshrs, cycle_t t[6])
{
    const char *sets[] = {"ideal.model=fixed",
                          "ideal.fixed_cycles=6",
                          "sm.lsu.buffer_entries=1",
                          "sm.units.integer.multiply_latency=4",
                          "sm.l1.hit_cycles=1",
                          "sm.fetch.buffer_entries=16",
                          "sm.fetch.width=16",
                          mshrs,
                          NULL};
    struct bed b;
    bed_open(&b, "fermi15", sets);
    struct scripted_kernel k = {
        .code = figure_3_5, .count = ARRAY_LEN(figure_3_5), .threads_per_block = 32};
    run_spied(&b, &k);
    cycle_t first = events[2].cycle;
    for (u32 i = 0; i < 6; i++)
        t[i] = events[2 + i].cycle - first + 1;
    bed_close(&b);
}

TEST(with_two_mshrs_the_fourth_load_hits_at_8_and_the_product_runs_9_to_12)
{
    UNUSED_STATE;
    cycle_t t[6];
    figure_times("sm.l1.mshrs=2", t);
    assert_int_equal(t[0], 1);
    assert_int_equal(t[1], 2);
    assert_int_equal(t[2], 3);
    assert_int_equal(t[3], 8);
    assert_int_equal(t[4], 9);
    assert_int_equal(t[5], 13); /* one after the product's last cycle, 12 */
}

TEST(with_enough_mshrs_the_fourth_load_hits_at_4_and_the_product_runs_5_to_8)
{
    UNUSED_STATE;
    cycle_t t[6];
    figure_times("sm.l1.mshrs=32", t);
    assert_int_equal(t[3], 4);
    assert_int_equal(t[4], 5);
    assert_int_equal(t[5], 9);
}

RUN_TESTS(T(with_two_mshrs_the_fourth_load_hits_at_8_and_the_product_runs_9_to_12),
          T(with_enough_mshrs_the_fourth_load_hits_at_4_and_the_product_runs_5_to_8))
