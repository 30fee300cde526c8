/* What blocks use, counted and polled; policies that go by it, in a whole machine. */
#include "gpu/bed.h"
#include "gpu/script.h"

static const struct scripted_instruction in_line[] = {
    LOAD(1, 0x10000, .warp_stride = 128, .block_stride = 4096), ALU(2, 1), EXIT()};
static const struct scripted_instruction apart[] = {LOAD_APART(1, 128, 0x10000), ALU(2, 1), EXIT()};
static const struct scripted_instruction wide[] = {{.kind = WINST_LOAD,
                                                    .unit = UNIT_MEMORY,
                                                    .dst = 1,
                                                    .space = SPACE_GLOBAL,
                                                    .bytes = 8,
                                                    .lane_stride = 8,
                                                    .base = 0x10000},
                                                   EXIT()};
static const struct scripted_instruction floats[] = {
    {.unit = UNIT_FP32, .dst = 1}, {.unit = UNIT_FP32, .dst = 2, .mask = 0xff}, ALU(3, 0), EXIT()};

static void run_use(struct bed *b, const struct scripted_kernel *k)
{
    const char *sets[] = {"sm.block_use=true", NULL};
    bed_open(b, "volta8", sets);
    bed_launch(b, k);
    bed_run(b);
}

TEST(a_coalesced_kernel_without_branches_is_regular)
{
    UNUSED_STATE;
    struct bed b;
    struct scripted_kernel k = KERNEL(in_line, 128, .blocks = 16);
    run_use(&b, &k);
    assert_near(bed_stat(&b, "sm.blocks.cfi"), 0, 0);
    assert_near(bed_stat(&b, "sm.blocks.mai"), 0, 0);
    assert_near(bed_stat(&b, "sm.blocks.accesses"), 64, 0);
    bed_close(&b);
    k = KERNEL(wide, 32); /* 256 bytes need two lines */
    run_use(&b, &k);
    assert_near(bed_stat(&b, "sm.blocks.mai"), 0, 0);
    bed_close(&b);
}

/* 32 lines where one would do: 31 replays, of 34 issues. */
TEST(lanes_a_line_apart_are_replayed)
{
    UNUSED_STATE;
    struct bed b;
    struct scripted_kernel k = KERNEL(apart, 32);
    run_use(&b, &k);
    assert_near(bed_stat(&b, "sm.blocks.replays"), 31, 0);
    assert_near(bed_stat(&b, "sm.blocks.mai"), 31.0 / 34, 1e-9);
    bed_close(&b);
}

/* Two blocks of 2 warps: 32 + 8 lanes each. An SM has 64 lanes. */
TEST(lanes_of_floating_point_instructions_are_the_blocks)
{
    UNUSED_STATE;
    struct bed b;
    struct scripted_kernel k = KERNEL(floats, 64, .blocks = 2);
    run_use(&b, &k);
    assert_near(bed_stat(&b, "sm.blocks.fp_lanes"), 160, 0);
    double cycles = bed_stat(&b, "sm.blocks.cycles");
    assert_near(bed_stat(&b, "sm.blocks.lane_cycles"), 64 * cycles, 0);
    assert_near(bed_stat(&b, "sm.blocks.refusable"), 4 * cycles, 0);
    const struct kernel_record *r = &b.gpu->records[0];
    assert_int_equal(r->use.fp_lanes, 160);
    assert_near(use_share(&r->use, USE_FPU), 160 / (64 * cycles), 1e-12);
    bed_close(&b);
}

static double structural_stalls(const struct bed *b)
{
    double stalls = 0;
    for (u32 i = 0; i < 8; i++)
        stalls += (double)b->gpu->cluster.sms[i].counts.scheduler_slots[SLOT_STRUCT_MEM];
    return stalls;
}

/* Loads that follow each other, of warps that have nothing else to do: whenever one is refused
 * nothing issues, and every lost scheduler-cycle is somebody's. */
static const struct scripted_instruction loads[] = {LOAD_APART(1, 128, 0x10000),
                                                    LOAD_APART(2, 128, 0x20000), EXIT()};

TEST(refusals_of_a_kernel_that_only_loads_are_the_structural_stalls_of_the_memory_pipeline)
{
    UNUSED_STATE;
    struct bed b;
    struct scripted_kernel k = KERNEL(loads, 256, .blocks = 40);
    run_use(&b, &k);
    assert_true(structural_stalls(&b) > 1000);
    assert_near(bed_stat(&b, "sm.blocks.refused"), structural_stalls(&b), 0);
    assert_true(bed_stat(&b, "sm.blocks.throttle_share") <= 1);
    bed_close(&b);
}

/* Some warps stand refused before the LSU while others do arithmetic, each step of which waits for
 * the one before: the one that issued last is not ready, the oldest that is has a load, and a
 * younger one issues. No cycle is lost then, and yet a block is refused in it. */
#define CHAIN ALU(3, 3), ALU(3, 3), ALU(3, 3), ALU(3, 3), ALU(3, 3), ALU(3, 3), ALU(3, 3), ALU(3, 3)
static const struct scripted_instruction mixed[] = {LOAD_APART(1, 128, 0x10000),
                                                    CHAIN,
                                                    CHAIN,
                                                    CHAIN,
                                                    CHAIN,
                                                    CHAIN,
                                                    CHAIN,
                                                    CHAIN,
                                                    CHAIN,
                                                    CHAIN,
                                                    CHAIN,
                                                    CHAIN,
                                                    CHAIN,
                                                    CHAIN,
                                                    CHAIN,
                                                    CHAIN,
                                                    CHAIN,
                                                    EXIT()};

TEST(a_refusal_counts_though_another_warp_issues)
{
    UNUSED_STATE;
    struct bed b;
    struct scripted_kernel k = KERNEL(mixed, 512, .blocks = 8, .iterations = 20);
    run_use(&b, &k);
    assert_true(bed_stat(&b, "sm.blocks.refused") > structural_stalls(&b) + 500);
    assert_true(bed_stat(&b, "sm.blocks.throttle_share") <= 1);
    bed_close(&b);
}

static cycle_t ended_with(const char *const *sets, const struct scripted_kernel *k, u64 *updates)
{
    struct bed b;
    bed_open(&b, "volta8", sets);
    bed_launch(&b, k);
    bed_run(&b);
    cycle_t ended = b.gpu->records[0].ended;
    if (updates)
        *updates = (u64)bed_stat(&b, "sm.blocks.updates");
    bed_close(&b);
    return ended;
}

TEST(a_tracker_without_limits_is_round_robin_cycle_for_cycle)
{
    UNUSED_STATE;
    const char *plain[] = {"launch.dispatch=round_robin", NULL};
    const char *counted[] = {"launch.dispatch=round_robin", "sm.block_use=true",
                             "sm.block_phases=true", NULL};
    const char *tracked[] = {"launch.dispatch=rut", "policy.block.rut.preempt=off",
                             "policy.block.rut.cap_mem=1e9", "policy.block.rut.cap_fpu=1e9", NULL};
    struct scripted_kernel k = KERNEL(apart, 256, .blocks = 100, .iterations = 4);
    cycle_t ended = ended_with(plain, &k, NULL);
    assert_int_equal(ended_with(counted, &k, NULL), ended);
    assert_int_equal(ended_with(tracked, &k, NULL), ended);
}

TEST(a_kernel_that_runs_once_with_all_its_blocks_gains_nothing_by_prediction)
{
    UNUSED_STATE;
    const char *on[] = {"launch.dispatch=rut", "policy.block.rut.preempt=off", NULL};
    const char *off[] = {"launch.dispatch=rut", "policy.block.rut.preempt=off",
                         "policy.block.rut.predict=false", NULL};
    struct scripted_kernel k =
        KERNEL(apart, 128, .blocks = 24, .iterations = 50, .registers_per_thread = 32);
    assert_int_equal(ended_with(on, &k, NULL), ended_with(off, &k, NULL));
}

/* A block that does the same all the time: its codes settle, and nothing more is told. */
static const struct scripted_instruction steady[] = {ALU(1, 0), SLEEP(97), EXIT()};

TEST(a_block_whose_codes_do_not_change_tells_nothing)
{
    UNUSED_STATE;
    const char *sets[] = {"launch.dispatch=rut", NULL};
    struct scripted_kernel k =
        KERNEL(steady, 32, .blocks = 8, .iterations = 2000, .registers_per_thread = 16);
    u64 updates = 99;
    struct bed b;
    bed_open(&b, "volta8", sets);
    bed_launch(&b, &k);
    bed_run(&b);
    updates = (u64)bed_stat(&b, "sm.blocks.updates");
    /* 2 KB / 1.1 x 1600: polled every 2909 cycles until it ended */
    const struct kernel_record *r = &b.gpu->records[0];
    u64 polls = 8 * ((r->ended - r->started) / 2909);
    assert_true(bed_stat(&b, "sm.blocks.polls") >= (double)polls - 8);
    assert_true(bed_stat(&b, "sm.blocks.polls") <= (double)polls + 8);
    assert_int_equal(updates, 0); /* the table's codes of blocks that it has not seen are 0 */
    bed_close(&b);
    const char *unknown[] = {"launch.dispatch=rut", "policy.block.rut.predict=false", NULL};
    ended_with(unknown, &k, &updates);
    assert_int_equal(updates, 8); /* the first poll of each block, of which nothing was known */
}

/* Two launches of a kernel that uses the FPU in its first run and not in its second: the table has
 * what the first used, and the first poll of the second says that it is less. */
static const struct scripted_instruction busy[] = {{.unit = UNIT_FP32, .dst = 1},
                                                   {.unit = UNIT_FP32, .dst = 2},
                                                   {.unit = UNIT_FP32, .dst = 3},
                                                   {.unit = UNIT_FP32, .dst = 4},
                                                   {.unit = UNIT_FP32, .dst = 5},
                                                   {.unit = UNIT_FP32, .dst = 6},
                                                   EXIT()};

TEST(the_first_poll_of_a_block_compares_with_what_was_predicted)
{
    UNUSED_STATE;
    const char *sets[] = {"launch.dispatch=rut", NULL};
    struct scripted_kernel first = KERNEL(busy, 128, .blocks = 8, .iterations = 6000,
                                          .registers_per_thread = 16),
                           second = KERNEL(steady, 128, .blocks = 8, .iterations = 2000,
                                           .registers_per_thread = 16);
    struct bed b;
    bed_open(&b, "volta8", sets);
    bed_launch(&b, &first);
    bed_run(&b);
    double updates = bed_stat(&b, "sm.blocks.updates");
    assert_true(updates >= 8); /* 0 was predicted */
    assert_true(bed_stat(&b, "sm.blocks.fpu_share") > 0.25);
    double falls = bed_stat(&b, "dispatch.falls");
    bed_launch(&b, &second);
    bed_run(&b);
    assert_near(bed_stat(&b, "sm.blocks.updates"), updates + 8, 0);
    assert_near(bed_stat(&b, "dispatch.falls"), falls + 8, 0);
    bed_close(&b);
}

/* Polled every 93,091 cycles, of which it does not live to see the first. */
TEST(a_machine_does_not_go_on_for_the_poll_of_a_block_that_has_ended)
{
    UNUSED_STATE;
    const char *sets[] = {"launch.dispatch=rut", NULL};
    struct scripted_kernel k =
        KERNEL(steady, 512, .blocks = 8, .iterations = 5, .registers_per_thread = 32);
    struct bed b;
    bed_open(&b, "volta8", sets);
    bed_launch(&b, &k);
    bed_run(&b);
    assert_int_equal((u64)bed_stat(&b, "sm.blocks.polls"), 0);
    cycle_t now = engine_cycle(&b.sim.engine, b.gpu->cluster.core);
    assert_true(now < b.gpu->records[0].ended + 1000);
    bed_close(&b);
}

/* ---- the order in which stopped blocks go on --------------------------------------------------
 */

/* Stops blocks 0, 1 and 2 one after the other; after cycle 40000 an SM takes 0 and 1 only, after
 * 60000 all. */
static struct {
    u64 went[32];
    u32 count;
    u32 next;
    cycle_t now;
} order;

static void order_ring(struct block_policy *p, cycle_t now)
{
    order.now = now;
    for (u32 sm = 0; order.next < 3 && sm < p->machine->sms; sm++) {
        for (u32 slot = 0; slot < p->machine->blocks_per_sm; slot++) {
            const struct block_view *v = p->machine->running(p, sm, slot);
            if (v && v->block == order.next) {
                assert_true(p->machine->stop(p, sm, slot, STOP_SWITCH, STOPPED_AT_RANDOM));
                order.next++;
                p->alarm = now + 10000;
                return;
            }
        }
    }
    p->alarm = now + 10000;
}

static u32 order_choose(struct block_policy *p, const struct block_ask *a)
{
    (void)p;
    bool may = !a->stopped ? order.now == 0 || order.now >= 40000
                           : order.now >= 60000 || (order.now >= 40000 && a->block < 2);
    u32 sm = may ? block_next_sm(a) : NO_SM;
    if (sm != NO_SM && order.now)
        order.went[order.count++] = a->block;
    return sm;
}

TEST(the_newest_victim_that_fits_goes_first_and_all_before_blocks_that_never_ran)
{
    UNUSED_STATE;
    static const struct scripted_instruction long_nap[] = {SLEEP(30000), SLEEP(60000), EXIT()};
    const char *sets[] = {"sm.count=2",
                          "sm.blocks=8",
                          "launch.dispatch=random_stop",
                          "policy.block.random_stop.how=off",
                          "context.victim_wait_us=0",
                          NULL};
    struct bed b;
    struct scripted_kernel k = KERNEL(long_nap, 32, .blocks = 20, .registers_per_thread = 16);
    struct engine_options options = {.watchdog_cycles = 1000000};
    bed_build(&b, "volta8", sets, &options);
    struct block_policy *p = &b.gpu->cluster.dispatcher.policy;
    struct block_policy_ops ops = *p->ops;
    ops.ring = order_ring;
    ops.choose_sm = order_choose;
    p->ops = &ops;
    p->alarm = 10000;
    memset(&order, 0, sizeof order);
    engine_start(&b.sim.engine);
    bed_launch(&b, &k);
    bed_run(&b);
    assert_int_equal(b.gpu->cluster.dispatcher.counts.stopped, 3);
    assert_true(order.count >= 7);
    assert_int_equal(order.went[0], 1);
    assert_int_equal(order.went[1], 0);
    assert_int_equal(order.went[2], 16); /* 2 does not fit, 16 has never run */
    u32 two = 0;
    while (order.went[two] != 2)
        two++;
    assert_true(two > 2);
    bed_close(&b);
}

RUN_TESTS(T(a_coalesced_kernel_without_branches_is_regular), T(lanes_a_line_apart_are_replayed),
          T(lanes_of_floating_point_instructions_are_the_blocks),
          T(refusals_of_a_kernel_that_only_loads_are_the_structural_stalls_of_the_memory_pipeline),
          T(a_refusal_counts_though_another_warp_issues),
          T(a_tracker_without_limits_is_round_robin_cycle_for_cycle),
          T(a_kernel_that_runs_once_with_all_its_blocks_gains_nothing_by_prediction),
          T(the_first_poll_of_a_block_compares_with_what_was_predicted),
          T(a_block_whose_codes_do_not_change_tells_nothing),
          T(a_machine_does_not_go_on_for_the_poll_of_a_block_that_has_ended),
          T(the_newest_victim_that_fits_goes_first_and_all_before_blocks_that_never_ran))
