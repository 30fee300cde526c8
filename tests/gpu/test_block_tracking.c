/* The tracker in a whole machine: where blocks go, when they are polled, what stopping them is
 * worth. Spec 5, checks B2 to B4, D2 and G5. */
#include "gpu/bed.h"
#include "gpu/script.h"
#undef KERNEL
#include "ptx/exec/running.h"
#include "ptx/kernel_source.h"

#define BUFFER_BYTES 65536u

/* Every eighth block loads 32 lines at a time, over and over: on eight SMs all those blocks go to
 * the first. The others sleep as long as one of these takes alone. */
#define UNEVEN                                                                                     \
    HEADER ".visible .entry k(.param .u64 out) {\n"                                                \
           ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>;\n"                              \
           "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;"                 \
           "and.b32 %r3, %r2, 7; setp.ne.u32 %p1, %r3, 0; mov.u32 %r9, 0; @%p1 bra COLD;"          \
           "mul.wide.u32 %rd2, %r1, 128; add.u64 %rd3, %rd1, %rd2;"                                \
           "HOT: ld.global.u32 %r4, [%rd3]; add.u32 %r5, %r5, %r4; add.u32 %r9, %r9, 1;"           \
           "setp.lt.u32 %p2, %r9, 300; @%p2 bra HOT; st.global.u32 [%rd3+4], %r5; ret;"            \
           "COLD: nanosleep.u32 1000; add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 48;"              \
           "@%p3 bra COLD;\n}\n"

struct outcome {
    cycle_t cycles;
    u64 stops, misses;
};

/* A block that goes on in the cycle in which it was stopped goes to another SM. */
static const struct gpu *watched;
static u64 at_once;

static void check_refill(struct block_policy *p, const struct block_ask *a, u32 sm)
{
    (void)p;
    cycle_t now = engine_cycle(&watched->sim->engine, watched->cluster.core);
    if (a->stopped && a->stopped->since == now) {
        assert_int_not_equal(sm, a->stopped->sm);
        at_once++;
    }
}

static struct outcome run_uneven(const char *const *more)
{
    const char *sets[16] = {"launch.dispatch=rut", "policy.block.rut.poll_div=22"};
    u32 count = 2;
    for (; *more; more++)
        sets[count++] = *more;
    struct bed b;
    struct run r;
    bed_open(&b, "volta8", sets);
    struct block_policy *p = &b.gpu->cluster.dispatcher.policy;
    struct block_policy_ops ops = *p->ops;
    ops.sent = check_refill;
    p->ops = &ops;
    watched = b.gpu;
    run_load(&r, UNEVEN, BUFFER_BYTES);
    r.launch.grid[0] = 64;
    r.launch.block[0] = 256;
    r.launch.sm_count = 8;
    struct ptx_source *s = ptx_source_open(&r.launch, &r.err);
    assert_non_null(s);
    struct grid_source grid = ptx_source_grid(s);
    grid.registers_per_thread = 32;
    bed_launch_source(&b, &grid);
    bed_run(&b);
    struct outcome o = {b.gpu->records[0].ended, (u64)bed_stat(&b, "victims.stopped"),
                        (u64)bed_stat(&b, "sm.l1.misses")};
    bed_close(&b);
    ptx_source_close(s);
    ptx_source_rest();
    run_end(&r);
    return o;
}

static const char *const oracle[] = {"policy.block.rut.sched=static", NULL};
static const char *const switching[] = {"policy.block.rut.preempt=switch", NULL};
static const char *const shuffling[] = {"policy.block.rut.preempt=shuffle", NULL};
static const char *const unpredicted[] = {"policy.block.rut.predict=false", NULL};
static const char *const cached[] = {"context.cacheable=true", NULL};

/* The oracle knows what a block needs in the mean, and leaves the eight where round robin puts
 * them. */
TEST(stopping_blocks_spreads_those_that_need_most)
{
    UNUSED_STATE;
    at_once = 0;
    struct outcome all = run_uneven(oracle), some = run_uneven(switching);
    struct outcome few = run_uneven(shuffling);
    run_uneven(unpredicted);
    assert_true(at_once > 0);
    assert_int_equal(all.stops, 0);
    assert_true(some.stops > 3 && some.stops < 64);
    assert_true(3 * some.cycles < all.cycles);
    assert_true(3 * few.cycles < all.cycles);
}

/* Contexts of 32 KB push out the 32 KB that a block works on; nothing is gained by it. */
TEST(contexts_in_the_caches_push_out_what_blocks_work_on)
{
    UNUSED_STATE;
    struct outcome past = run_uneven(switching), through = run_uneven(cached);
    assert_true(through.stops >= past.stops);
    assert_true(2 * through.misses > 3 * past.misses);
    assert_true(100 * through.cycles > 99 * past.cycles);
}

static const struct scripted_instruction stream[] = {
    LOAD(1, 0x100000, .block_stride = 65536, .warp_stride = 4096, .iteration_stride = 128),
    ALU(2, 1), SLEEP(200), EXIT()};

static u64 run_stopped(const struct scripted_kernel *k, const char *how)
{
    const char *sets[] = {"launch.dispatch=random_stop", how,
                          "policy.block.random_stop.interval_cycles=500", NULL};
    struct bed b;
    bed_open(&b, "volta8", sets);
    bed_launch(&b, k);
    bed_run(&b);
    assert_true(bed_stat(&b, "victims.stopped") > 10);
    u64 ended = b.gpu->records[0].ended;
    bed_close(&b);
    return ended;
}

/* The fewer cycles a context takes, the sooner all is done. */
TEST(shuffling_blocks_is_no_slower_than_switching_as_many)
{
    UNUSED_STATE;
    struct scripted_kernel k = {.code = stream,
                                .count = ARRAY_LEN(stream),
                                .threads_per_block = 256,
                                .blocks = 128,
                                .iterations = 20,
                                .registers_per_thread = 32};
    assert_true(run_stopped(&k, "policy.block.random_stop.how=shuffle") <
                run_stopped(&k, "policy.block.random_stop.how=switch"));
}

/* ---- where blocks go ---------------------------------------------------------------------------
 */

static struct {
    const struct block_policy_ops *ops;
    struct gpu *gpu;
    u64 sent, wrong_order;
} replay;

static u32 warps_of(const struct grid_source *g)
{
    return g->warps_per_block;
}

/* What all blocks on an SM take, with one more. */
static bool has_room(const struct block_policy *p, u32 sm, const struct grid_source *g)
{
    const struct sm_config *c = &replay.gpu->config->sm;
    u32 warps = warps_of(g), blocks = 1;
    u64 registers = (u64)g->registers_per_thread * 32 * g->warps_per_block;
    u64 shared = g->shared_bytes_per_block;
    for (u32 slot = 0; slot < c->blocks; slot++) {
        const struct block_view *v = p->machine->running(p, sm, slot);
        if (!v)
            continue;
        blocks++;
        warps += warps_of(v->grid);
        registers += (u64)v->grid->registers_per_thread * 32 * v->grid->warps_per_block;
        shared += v->grid->shared_bytes_per_block;
    }
    return blocks <= c->blocks && warps <= c->warps && registers <= c->registers &&
           shared <= c->shared.bytes;
}

/* Before the block is placed: it fits, and no SM before its own in turn would have taken it. */
static void check_sent(struct block_policy *p, const struct block_ask *a, u32 sm)
{
    replay.sent++;
    assert_true(has_room(p, sm, a->grid));
    for (u32 k = 0; block_sm_after(a, k) != sm; k++) {
        u32 before = block_sm_after(a, k);
        replay.wrong_order += !block_was_given(a, before) && a->fits(a, before);
    }
}

/* Two kernels of different shapes at once, with shared memory; limits that are never reached. */
TEST(blocks_go_round_the_sms_and_never_take_more_than_there_is)
{
    UNUSED_STATE;
    const char *sets[] = {"launch.dispatch=rut", "policy.block.rut.cap_mem=1e9",
                          "policy.block.rut.cap_fpu=1e9", NULL};
    struct engine_options options = {.watchdog_cycles = 1000000};
    struct bed b;
    bed_build(&b, "volta8", sets, &options);
    struct block_policy *p = &b.gpu->cluster.dispatcher.policy;
    struct block_policy_ops ops = *p->ops;
    ops.sent = check_sent;
    memset(&replay, 0, sizeof replay);
    replay.gpu = b.gpu;
    p->ops = &ops;
    engine_start(&b.sim.engine);
    struct scripted_kernel large = {.code = stream,
                                    .count = ARRAY_LEN(stream),
                                    .threads_per_block = 512,
                                    .blocks = 90,
                                    .iterations = 6,
                                    .registers_per_thread = 64,
                                    .stream = 1};
    struct scripted_kernel small = {.code = stream,
                                    .count = ARRAY_LEN(stream),
                                    .threads_per_block = 96,
                                    .blocks = 200,
                                    .iterations = 9,
                                    .registers_per_thread = 20,
                                    .shared_bytes_per_block = 9000,
                                    .stream = 2};
    bed_launch(&b, &large);
    bed_launch(&b, &small);
    bed_run(&b);
    assert_int_equal(replay.sent, 290);
    assert_int_equal(replay.wrong_order, 0);
    bed_close(&b);
}

/* ---- when they are polled ----------------------------------------------------------------------
 */

static struct {
    const struct gpu *gpu;
    cycle_t at[64];
    u32 count;
} polls;

static void note_poll(void *context, const struct sm *sm, u32 slot, const struct block_view *v,
                      bool has_ended)
{
    (void)context;
    (void)slot;
    (void)v;
    if (!has_ended && polls.count < ARRAY_LEN(polls.at))
        polls.at[polls.count++] = sm->now;
}

/* 16 KB / 1.1 KB per us x 1600. */
TEST(a_block_of_16_kilobytes_is_polled_every_23273_cycles)
{
    UNUSED_STATE;
    static const struct scripted_instruction naps[] = {ALU(1, 0), SLEEP(997), EXIT()};
    const char *sets[] = {"launch.dispatch=rut", NULL};
    struct engine_options options = {.watchdog_cycles = 1000000};
    struct bed b;
    bed_build(&b, "volta8", sets, &options);
    struct dispatcher *d = &b.gpu->cluster.dispatcher;
    memset(&polls, 0, sizeof polls);
    d->watch_cycles = 1; /* told of every poll; when is the policy's */
    d->on_used = note_poll;
    engine_start(&b.sim.engine);
    struct scripted_kernel k = {.code = naps,
                                .count = ARRAY_LEN(naps),
                                .threads_per_block = 128,
                                .iterations = 200,
                                .registers_per_thread = 32};
    bed_launch(&b, &k);
    bed_run(&b);
    assert_int_equal(polls.count, 8); /* 200,000 cycles */
    for (u32 i = 1; i < polls.count; i++)
        assert_in_range(polls.at[i] - polls.at[i - 1], 23272, 23274);
    bed_close(&b);
}

/* Its estimate alone is more than an SM may have. */
TEST(a_single_block_above_the_cap_runs_on_an_empty_sm)
{
    UNUSED_STATE;
    const char *sets[] = {"launch.dispatch=rut", "policy.block.rut.cap_mem=0",
                          "policy.block.rut.cap_fpu=0", NULL};
    struct bed b;
    struct scripted_kernel k = {.code = stream,
                                .count = ARRAY_LEN(stream),
                                .threads_per_block = 128,
                                .blocks = 20,
                                .iterations = 4};
    bed_open(&b, "volta8", sets);
    bed_launch(&b, &k);
    bed_run(&b);
    assert_int_equal(b.gpu->cluster.dispatcher.counts.ended, 20);
    assert_int_equal(b.gpu->cluster.dispatcher.counts.stopped, 0);
    bed_close(&b);
}

RUN_TESTS(T(stopping_blocks_spreads_those_that_need_most),
          T(contexts_in_the_caches_push_out_what_blocks_work_on),
          T(shuffling_blocks_is_no_slower_than_switching_as_many),
          T(blocks_go_round_the_sms_and_never_take_more_than_there_is),
          T(a_block_of_16_kilobytes_is_polled_every_23273_cycles),
          T(a_single_block_above_the_cap_runs_on_an_empty_sm))
