/* Blocks that are stopped, move and go on: answers stay, nothing is lost, contexts cost what their
 * bytes cost. */
#include "gpu/bed.h"
#include "gpu/dispatch/dispatch.h"
#include "gpu/script.h"
#undef KERNEL
#include "ptx/exec/running.h"
#include "ptx/kernel_source.h"

#define BUFFER_BYTES 16384u
#define SCRIPT(list, ...)                                                                          \
    (struct scripted_kernel)                                                                       \
    {                                                                                              \
        .code = (list), .count = ARRAY_LEN(list), .threads_per_block = __VA_ARGS__                 \
    }

static u64 stops;

/* One launch of kernel `k` on four SMs; the buffer in `out`, how many stops there were in `stops`.
 */
static void run_program(const char *text, u32 blocks, u32 threads, bool lowered,
                        const char *const *sets, u32 *out)
{
    struct bed b;
    bed_open(&b, "volta8", sets);
    struct run r;
    run_load(&r, text, BUFFER_BYTES);
    memset((void *)(uintptr_t)r.out, 0, BUFFER_BYTES);
    r.launch.grid[0] = blocks;
    r.launch.block[0] = threads;
    r.launch.sm_count = 8;
    struct ptx_source *s = ptx_source_open(&r.launch, &r.err);
    assert_non_null(s);
    if (lowered)
        ptx_source_lower(s);
    struct grid_source grid = ptx_source_grid(s);
    bed_launch_source(&b, &grid);
    bed_run(&b);
    stops = b.gpu->cluster.dispatcher.counts.stopped;
    memcpy(out, (const void *)(uintptr_t)r.out, BUFFER_BYTES);
    bed_close(&b);
    ptx_source_close(s);
    ptx_source_rest();
    run_end(&r);
}

/* Sums over the block through shared memory, round after round: most stops find warps at the
 * barrier. Each thread of %ntid has a word; the block's sum goes to its word of the buffer. */
#define BARRIERS                                                                                   \
    HEADER ".visible .entry k(.param .u64 out) {\n"                                                \
           ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .shared .b32 sums[256];\n"      \
           "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;"                 \
           "mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; mov.u32 %r9, 0;"                  \
           "mov.u32 %r11, sums; shl.b32 %r12, %r1, 2; add.u32 %r11, %r11, %r12;"                   \
           "AGAIN: add.u32 %r5, %r4, %r9; st.shared.u32 [%r11], %r5; bar.sync 0;"                  \
           "shr.u32 %r6, %r3, 1;"                                                                  \
           "L: setp.ge.u32 %p1, %r1, %r6; @%p1 bra NEXT;"                                          \
           "shl.b32 %r7, %r6, 2; add.u32 %r7, %r7, %r11; ld.shared.u32 %r8, [%r7];"                \
           "ld.shared.u32 %r10, [%r11]; add.u32 %r10, %r10, %r8; st.shared.u32 [%r11], %r10;"      \
           "NEXT: bar.sync 0; shr.u32 %r6, %r6, 1; setp.ne.u32 %p2, %r6, 0; @%p2 bra L;"           \
           "ld.shared.u32 %r13, [sums]; bar.sync 0; add.u32 %r9, %r9, %r13;"                       \
           "and.b32 %r9, %r9, 65535; add.u32 %r14, %r14, 1; setp.lt.u32 %p3, %r14, 12;"            \
           "@%p3 bra AGAIN; setp.ne.u32 %p4, %r1, 0; @%p4 ret;"                                    \
           "mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r9;\n}\n"

/* Each lane goes round as often as its number of bits says, with loads and stores on the way:
 * stops find warps on several paths. */
#define DIVERGED                                                                                   \
    HEADER PROLOGUE "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;"  \
                    "mul.wide.u32 %rd4, %r4, 4; add.u64 %rd5, %rd1, %rd4; and.b32 %r5, %r4, 31;"   \
                    "mul.lo.u32 %r5, %r5, 7; add.u32 %r5, %r5, 20; mov.u32 %r6, 1;"                \
                    "L: and.b32 %r7, %r5, 1; setp.eq.u32 %p1, %r7, 0; @%p1 bra EVEN;"              \
                    "ld.global.u32 %r8, [%rd5]; mad.lo.u32 %r6, %r6, 3, %r8; bra BOTH;"            \
                    "EVEN: st.global.u32 [%rd5], %r6; add.u32 %r6, %r6, 5;"                        \
                    "BOTH: sub.u32 %r5, %r5, 1; setp.ne.u32 %p2, %r5, 0; @%p2 bra L;"              \
                    "st.global.u32 [%rd5], %r6;\n}\n"

/* Blocks of one warp wait for each other: each adds 1 and spins until all have, eight times. */
#define GRID_BARRIER                                                                               \
    HEADER PROLOGUE                                                                                \
        "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x; mov.u32 %r4, %r3; mov.u32 %r9, 0;"         \
        "setp.ne.u32 %p1, %r1, 0;"                                                                 \
        "L: @%p1 bra MEET; atom.global.add.u32 %r5, [%rd1], 1;"                                    \
        "SPIN: ld.volatile.global.u32 %r6, [%rd1]; setp.lt.u32 %p2, %r6, %r4; @%p2 bra SPIN;"      \
        "MEET: bar.sync 0; add.u32 %r4, %r4, %r3; add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 8;"   \
        "@%p3 bra L; @%p1 ret; mul.wide.u32 %rd4, %r2, 4; add.u64 %rd5, %rd1, %rd4;"               \
        "ld.volatile.global.u32 %r6, [%rd1]; st.global.u32 [%rd5+64], %r6;\n}\n"

static void same_with_stops(const char *text, u32 blocks, u32 threads)
{
    static u32 plain[BUFFER_BYTES / 4], stopped[BUFFER_BYTES / 4];
    u64 all = 0;
    static const char *const intervals[] = {"60", "400", "2000"};
    for (u32 i = 0; i < 2 * ARRAY_LEN(intervals); i++) {
        bool lowered = i & 1;
        char interval[80];
        snprintf(interval, sizeof interval, "policy.block.random_stop.interval_cycles=%s",
                 intervals[i / 2]);
        const char *sets[] = {"launch.dispatch=random_stop",
                              i % 3 ? "policy.block.random_stop.how=switch"
                                    : "policy.block.random_stop.how=shuffle",
                              interval,
                              i % 4 < 2 ? "context.reduced=true" : "context.reduced=false",
                              "context.bytes_per_cycle=64",
                              i > 3 ? "context.cacheable=true" : NULL,
                              NULL};
        if (i < 2)
            run_program(text, blocks, threads, lowered, NULL, plain);
        run_program(text, blocks, threads, lowered, sets, stopped);
        all += stops;
        assert_memory_equal(plain, stopped, BUFFER_BYTES);
    }
    assert_true(all > 20);
}

TEST(a_program_with_barriers_gives_the_same_answers_however_it_is_stopped)
{
    UNUSED_STATE;
    same_with_stops(BARRIERS, 24, 256);
}

TEST(diverged_warps_give_the_same_answers_however_they_are_stopped)
{
    UNUSED_STATE;
    same_with_stops(DIVERGED, 24, 96);
}

TEST(blocks_that_wait_for_each_other_end_though_they_are_stopped)
{
    UNUSED_STATE;
    same_with_stops(GRID_BARRIER, 24, 64);
}

TEST(a_block_sees_the_sm_that_it_has_moved_to)
{
    UNUSED_STATE;
    static u32 out[BUFFER_BYTES / 4];
    /* 200 times the number of its SM: those of a block that never moves are all the same */
    const char *text = HEADER PROLOGUE
        "mov.u32 %r9, 0; L: mov.u32 %r2, %smid; shl.b32 %r3, %r9, 2; cvt.u64.u32 %rd4, %r3;"
        "add.u64 %rd5, %rd1, %rd4; st.global.u32 [%rd5], %r2; add.u32 %r9, %r9, 1;"
        "setp.lt.u32 %p1, %r9, 200; @%p1 bra L;\n}\n";
    const char *sets[] = {"launch.dispatch=random_stop",
                          "policy.block.random_stop.interval_cycles=300", NULL};
    run_program(text, 1, 1, false, sets, out);
    assert_true(stops > 2);
    u32 changes = 0;
    for (u32 i = 1; i < 200; i++)
        changes += out[i] != out[i - 1];
    assert_true(changes > 1 && changes <= stops);
}

/* ---- the queue --------------------------------------------------------------------------------
 */

static const struct scripted_instruction busy[] = {
    LOAD(1, 0x10000, .block_stride = 4096, .iteration_stride = 128),
    ALU(2, 1),
    {.unit = UNIT_FP32, .dst = 3, .src0 = 2},
    SLEEP(200),
    EXIT()};

struct watcher {
    const struct dispatcher *d;
    u64 most, cycles;
};

/* Every cycle: what went out is on an SM, waits or has ended; the queue keeps to its size. */
static cycle_t watch(void *self, cycle_t now)
{
    struct watcher *w = self;
    const struct dispatch_counts *c = &w->d->counts;
    u64 running = 0;
    for (u32 sm = 0; sm < w->d->config->sm.count; sm++)
        running += w->d->config->sm.blocks - (u32)__builtin_popcountll(w->d->rooms[sm].free_blocks);
    assert_int_equal(running, c->running);
    assert_int_equal(w->d->victim_count, c->waiting);
    assert_int_equal(c->started, c->running + c->waiting + c->ended);
    w->most = c->waiting > w->most ? c->waiting : w->most;
    w->cycles++;
    return now + 1;
}

static void run_watched(struct bed *b, struct watcher *w, const char *const *sets,
                        const struct scripted_kernel *k)
{
    struct engine_options options = {.watchdog_cycles = 1000000};
    bed_build(b, "volta8", sets, &options);
    *w = (struct watcher){.d = &b->gpu->cluster.dispatcher};
    unit_id u = engine_add_unit(&b->sim.engine, b->gpu->cluster.core, "watcher", watch, w);
    engine_set_background(&b->sim.engine, u);
    engine_start(&b->sim.engine);
    bed_launch(b, k);
    bed_run(b);
}

TEST(every_block_is_on_an_sm_or_waits_or_has_ended_in_every_cycle)
{
    UNUSED_STATE;
    const char *sets[] = {"launch.dispatch=random_stop", "context.victims=3",
                          "policy.block.random_stop.interval_cycles=20", NULL};
    struct scripted_kernel k =
        SCRIPT(busy, 128, .blocks = 300, .iterations = 4, .registers_per_thread = 32);
    struct bed b;
    struct watcher w;
    run_watched(&b, &w, sets, &k);
    assert_true(w.cycles > 1000);
    assert_true(w.d->counts.stopped > 20);
    assert_true(w.most > 0 && w.most <= 3);
    assert_int_equal(w.d->counts.ended, 300);
    bed_close(&b);
}

TEST(a_full_queue_stops_no_more_blocks)
{
    UNUSED_STATE;
    const char *sets[] = {"launch.dispatch=random_stop", "context.victims=0",
                          "policy.block.random_stop.interval_cycles=20", NULL};
    struct scripted_kernel k = SCRIPT(busy, 128, .blocks = 100, .iterations = 4);
    struct bed b;
    struct watcher w;
    run_watched(&b, &w, sets, &k);
    assert_int_equal(w.d->counts.stopped, 0);
    assert_int_equal(w.d->counts.asked_to_stop, 0);
    assert_true(w.d->counts.refused_full > 0);
    bed_close(&b);
}

/* ---- what it costs ----------------------------------------------------------------------------
 */

static const struct scripted_instruction nap[] = {SLEEP(200000), EXIT()};

/* Save and restore of one block, in microseconds at the SM's rate; the time of both with the
 * memory's latency in *all. */
static double switch_us(u32 threads, u32 registers, u32 shared, double *all)
{
    const char *sets[] = {"launch.dispatch=random_stop",
                          "policy.block.random_stop.interval_cycles=60000", NULL};
    struct scripted_kernel k =
        SCRIPT(nap, threads, .registers_per_thread = registers, .shared_bytes_per_block = shared);
    struct bed b;
    bed_open(&b, "volta80", sets);
    bed_launch(&b, &k);
    bed_run(&b);
    double times = bed_stat(&b, "victims.resumed");
    assert_true(times > 0);
    assert_near(bed_stat(&b, "sm.context.saved_bytes"), times * (threads * registers * 4 + shared),
                0);
    *all = (bed_stat(&b, "sm.context.save_cycles") + bed_stat(&b, "sm.context.restore_cycles")) /
           times / 1600;
    double us = bed_stat(&b, "sm.context.transfer_parts") / CONTEXT_PARTS / times / 1600;
    bed_close(&b);
    return us;
}

/* Table 3.2 of the thesis, context-management spec 1.4: 2 x bytes / 7.03 B per cycle. */
TEST(a_switch_takes_as_long_as_its_bytes)
{
    UNUSED_STATE;
    static const struct {
        u32 threads, registers, shared;
        double us;
    } rows[] = {{128, 32, 0, 3.0},    {512, 32, 0, 11.8}, {256, 34, 0, 6.2},
                {991, 28, 200, 20.1}, {256, 32, 0, 5.9},  {16, 26, 68, 0.3}};
    double all;
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        double us = switch_us(rows[i].threads, rows[i].registers, rows[i].shared, &all);
        assert_near(us, rows[i].us, 0.1 * rows[i].us);
        assert_true(all > us && all < us + 1.2); /* two trips to DRAM more */
    }
    double once = switch_us(128, 32, 0, &all), twice = switch_us(128, 64, 0, &all);
    assert_near(twice, 2 * once, 0.01 * once);
}

/* Nothing else will ever happen on an SM that is empty. */
TEST(a_block_that_was_alone_goes_back_to_the_only_sm_at_once)
{
    UNUSED_STATE;
    const char *sets[] = {"sm.count=1", "launch.dispatch=random_stop",
                          "policy.block.random_stop.interval_cycles=30000", NULL};
    struct scripted_kernel k = SCRIPT(nap, 32, .registers_per_thread = 16);
    struct bed b;
    bed_open(&b, "volta8", sets);
    bed_launch(&b, &k);
    bed_run(&b);
    const struct dispatch_counts *c = &b.gpu->cluster.dispatcher.counts;
    assert_true(c->resumed > 0);
    assert_int_equal(c->overdue, 0);
    assert_true(c->longest_wait_cycles < 10);
    bed_close(&b);
}

static const struct scripted_instruction stream[] = {
    LOAD(1, 0x100000, .block_stride = 65536, .warp_stride = 4096, .iteration_stride = 128),
    ALU(2, 1), EXIT()};

static void run_contexts(struct bed *b, bool cacheable, const char *how, u64 *filled, u64 *evicted)
{
    char text[80];
    snprintf(text, sizeof text, "policy.block.random_stop.how=%s", how);
    const char *sets[] = {"launch.dispatch=random_stop",
                          text,
                          "policy.block.random_stop.interval_cycles=150",
                          "context.bytes_per_cycle=128",
                          cacheable ? "context.cacheable=true" : "context.cacheable=false",
                          NULL};
    struct scripted_kernel k =
        SCRIPT(stream, 256, .blocks = 32, .iterations = 8, .registers_per_thread = 16);
    bed_open(b, "volta8", sets);
    bed_launch(b, &k);
    bed_run(b);
    *filled = (u64)(bed_stat(b, "l2.fills") + bed_stat(b, "sm.l1.fills"));
    *evicted = (u64)(bed_stat(b, "l2.evictions") + bed_stat(b, "sm.l1.evictions"));
}

/* 32 blocks of 8 warps of 8 lines, all different, whoever asks. */
TEST(contexts_that_go_past_the_caches_take_no_line)
{
    UNUSED_STATE;
    struct bed b;
    u64 fills[3], evictions[3];
    run_contexts(&b, false, "off", &fills[0], &evictions[0]);
    bed_close(&b);
    run_contexts(&b, false, "switch", &fills[1], &evictions[1]);
    assert_true(bed_stat(&b, "sm.context.stops") > 3);
    bed_close(&b);
    run_contexts(&b, true, "switch", &fills[2], &evictions[2]);
    assert_true(bed_stat(&b, "sm.context.stops") > 3);
    bed_close(&b);
    assert_int_equal(fills[0], fills[1]);
    assert_int_equal(evictions[0], evictions[1]);
    assert_true(fills[2] > fills[1]);
}

TEST(nothing_depends_on_where_contexts_would_go_if_no_block_is_stopped)
{
    UNUSED_STATE;
    cycle_t ended[3];
    for (u32 i = 0; i < 3; i++) {
        const char *sets[] = {i < 2 ? "launch.dispatch=random_stop" : "launch.dispatch=round_robin",
                              "policy.block.random_stop.how=off",
                              i == 0 ? "context.cacheable=true" : "context.cacheable=false", NULL};
        struct scripted_kernel k = SCRIPT(stream, 256, .blocks = 48, .iterations = 30);
        struct bed b;
        bed_open(&b, "volta8", sets);
        bed_launch(&b, &k);
        bed_run(&b);
        ended[i] = b.gpu->records[0].ended;
        bed_close(&b);
    }
    assert_int_equal(ended[0], ended[1]);
    assert_int_equal(ended[0], ended[2]);
}

/* ---- through buffers on the chip ---------------------------------------------------------------
 */

/* Moves of a block of 256 threads with 32 registers; its share of the context in `sets`. */
static void run_shuffled(struct bed *b, const char *share, const char *buffer)
{
    const char *sets[] = {"launch.dispatch=random_stop",
                          "policy.block.random_stop.how=shuffle",
                          "policy.block.random_stop.interval_cycles=20000",
                          share,
                          buffer,
                          NULL};
    struct scripted_kernel k = SCRIPT(nap, 256, .registers_per_thread = 32);
    bed_open(b, "volta80", sets);
    bed_launch(b, &k);
    bed_run(b);
    assert_true(bed_stat(b, "victims.resumed") > 0);
}

/* SSSP's 32 KB: 37 % of them at 128 bytes a cycle, to the buffer and back, are 0.12 us. */
TEST(a_shuffle_takes_its_bytes_and_the_switching_of_two_ways)
{
    UNUSED_STATE;
    struct bed b;
    run_shuffled(&b, "context.share=0.37", "context.buffers=8");
    double moves = bed_stat(&b, "sm.context.shuffled"), times = bed_stat(&b, "victims.resumed");
    assert_near(moves, 2 * times, 0);
    assert_near(bed_stat(&b, "sm.context.shuffle_bytes"), moves * 12125, 0); /* of 12124.16 */
    assert_near(bed_stat(&b, "sm.context.shuffle_cycles"), moves * (10 + 95), 0);
    assert_near(bed_stat(&b, "sm.context.shuffle_cycles") / times / 1600, 0.12, 0.02);
    assert_near(bed_stat(&b, "sm.context.requests"), 0, 0);
    assert_near(bed_stat(&b, "dram.bytes_written"), 0, 0);
    bed_close(&b);
}

/* 6 MB in 24 ways are 256 KB a way: eight buffers of 64 KB take two, and one byte more a third. */
TEST(buffers_of_shuffled_blocks_are_ways_of_the_l2)
{
    UNUSED_STATE;
    static const struct {
        const char *how, *bytes;
        u32 ways;
    } rows[] = {{"policy.block.random_stop.how=switch", "context.buffer_bytes=65536", 24},
                {"policy.block.random_stop.how=shuffle", "context.buffer_bytes=65536", 22},
                {"policy.block.random_stop.how=shuffle", "context.buffer_bytes=65537", 21},
                {"policy.block.random_stop.how=shuffle", "context.buffer_bytes=0", 24}};
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        const char *sets[] = {"launch.dispatch=random_stop", "context.buffers=8", rows[i].how,
                              rows[i].bytes, NULL};
        struct bed b;
        bed_open(&b, "volta80", sets);
        assert_int_equal(b.gpu->memory->config.l2->ways, rows[i].ways);
        assert_int_equal(b.gpu->memory->config.l2->size_bytes, rows[i].ways * 262144);
        if (rows[i].ways == 22) { /* 92 x 64 KB are all but one way */
            struct gpu_config c = *b.gpu->config;
            struct err err = ERR_INIT;
            struct arena arena = {0};
            c.l2.ways = 24;
            c.l2.size_bytes = 6291456;
            c.context.buffers = 92;
            assert_int_equal(gpu_with_buffers(&c, &arena, &err)->l2.ways, 1);
            c.context.buffers = 93;
            assert_null(gpu_with_buffers(&c, &arena, &err));
            assert_string_equal(err.what,
                                "context.buffers is 93 of 65536 bytes each, which are ways of the "
                                "L2, expected at most 92: l2.size_bytes is 6291456 in 24 ways, and "
                                "one must stay a cache");
            arena_fini(&arena);
        }
        bed_close(&b);
    }
}

TEST(a_context_larger_than_a_buffer_goes_to_memory)
{
    UNUSED_STATE;
    struct bed b;
    run_shuffled(&b, "context.share=1", "context.buffer_bytes=32767");
    assert_near(bed_stat(&b, "sm.context.shuffled"), 0, 0);
    assert_near(bed_stat(&b, "sm.context.saved_bytes"), 32768 * bed_stat(&b, "sm.context.stops"),
                0);
    assert_true(bed_stat(&b, "sm.context.requests") > 0);
    bed_close(&b);
    run_shuffled(&b, "context.share=1", "context.buffers=0");
    assert_near(bed_stat(&b, "sm.context.shuffled"), 0, 0);
    bed_close(&b);
    run_shuffled(&b, "context.share=1", "context.buffer_bytes=32768");
    assert_near(bed_stat(&b, "sm.context.shuffle_bytes"),
                32768 * bed_stat(&b, "sm.context.shuffled"), 0);
    assert_near(bed_stat(&b, "sm.context.requests"), 0, 0);
    assert_int_equal(b.gpu->cluster.dispatcher.buffers_taken, 0);
    bed_close(&b);
}

/* ---- flush and drain --------------------------------------------------------------------------
 */

static void run_flushed(const char *text, u64 *flushes, u64 *refused, u32 *out)
{
    const char *sets[] = {"launch.dispatch=random_stop", "policy.block.random_stop.how=flush",
                          "policy.block.random_stop.interval_cycles=1500", NULL};
    struct bed b;
    struct run r;
    bed_open(&b, "volta8", sets);
    run_load(&r, text, BUFFER_BYTES);
    memset((void *)(uintptr_t)r.out, 0, BUFFER_BYTES);
    r.launch.grid[0] = 8;
    struct ptx_source *s = ptx_source_open(&r.launch, &r.err);
    struct grid_source grid = ptx_source_grid(s);
    bed_launch_source(&b, &grid);
    bed_run(&b);
    *flushes = (u64)bed_stat(&b, "sm.context.flushes");
    *refused = (u64)bed_stat(&b, "sm.context.refused_flushes");
    assert_int_equal((u64)bed_stat(&b, "victims.switched_flushes") > 0,
                     (u64)bed_stat(&b, "sm.context.saved_bytes") > 0);
    memcpy(out, (const void *)(uintptr_t)r.out, BUFFER_BYTES);
    bed_close(&b);
    ptx_source_close(s);
    ptx_source_rest();
    run_end(&r);
}

/* Each of the two blocks takes about 60 x 200 cycles and more, and one is stopped every 300 cycles
 * in the mean: dropped each time it would never end. After three restarts its context is saved. */
#define LONG_LOOP                                                                                  \
    HEADER PROLOGUE                                                                                \
        "mov.u32 %r2, %ctaid.x; shl.b32 %r2, %r2, 7; cvt.u64.u32 %rd4, %r2; add.u64 %rd3, %rd3, "  \
        "%rd4; mov.u32 %r9, 0; L: ld.global.u32 %r4, [%rd3+4096]; add.u32 %r9, %r9, 1;"            \
        "setp.lt.u32 %p1, %r9, 60; @%p1 bra L; st.global.u32 [%rd3+8192], %r9;\n}\n"

TEST(a_block_that_is_dropped_again_and_again_ends)
{
    UNUSED_STATE;
    const char *sets[] = {"launch.dispatch=random_stop", "policy.block.random_stop.how=flush",
                          "policy.block.random_stop.interval_cycles=300", NULL};
    struct bed b;
    struct run r;
    bed_open(&b, "volta8", sets);
    run_load(&r, LONG_LOOP, BUFFER_BYTES);
    memset((void *)(uintptr_t)r.out, 0, BUFFER_BYTES);
    r.launch.grid[0] = 2;
    struct ptx_source *s = ptx_source_open(&r.launch, &r.err);
    struct grid_source grid = ptx_source_grid(s);
    bed_launch_source(&b, &grid);
    bed_run(&b);
    assert_near(bed_stat(&b, "sm.context.flushes"), 2 * 3, 0);
    assert_true(bed_stat(&b, "victims.switched_flushes") > 0);
    assert_near(bed_stat(&b, "victims.ended"), 2, 0);
    const u32 *out = (const u32 *)(uintptr_t)r.out;
    for (u32 i = 0; i < 64; i++)
        assert_int_equal(out[2048 + i], 60);
    bed_close(&b);
    ptx_source_close(s);
    ptx_source_rest();
    run_end(&r);
}

/* A loop of 60 turns after something that can or cannot be seen when it happens twice. */
#define LOOP_AFTER(body)                                                                           \
    HEADER PROLOGUE                                                                                \
        "mov.u32 %r2, %ctaid.x; shl.b32 %r2, %r2, 7; cvt.u64.u32 %rd4, %r2; add.u64 %rd3, %rd3, "  \
        "%rd4; mov.u32 %r3, 5;" body                                                               \
        "mov.u32 %r9, 0; L: ld.global.u32 %r4, [%rd3+4096]; add.u32 %r9, %r9, 1;"                  \
        "setp.lt.u32 %p1, %r9, 60; @%p1 bra L; st.global.u32 [%rd3+8192], %r9;\n}\n"

TEST(a_block_is_flushed_only_if_nobody_can_see_it)
{
    UNUSED_STATE;
    static u32 out[BUFFER_BYTES / 4];
    u64 flushes, refused;
    run_flushed(LOOP_AFTER("st.global.u32 [%rd3], %r3;"), &flushes, &refused, out);
    assert_true(flushes > 0);
    assert_int_equal(refused, 0);
    for (u32 i = 0; i < 256; i++) {
        assert_int_equal(out[i], 5);
        assert_int_equal(out[2048 + i], 60);
    }
    /* an atomic: asked for before it issues a block may still be flushed */
    run_flushed(LOOP_AFTER("red.global.add.u32 [%rd3], 3;"), &flushes, &refused, out);
    assert_true(refused > 0);
    for (u32 i = 0; i < 256; i++)
        assert_int_equal(out[i], 3);
    /* read, then overwritten */
    run_flushed(LOOP_AFTER("ld.global.u32 %r5, [%rd3]; add.u32 %r5, %r5, 7; st.global.u32 [%rd3], "
                           "%r5;"),
                &flushes, &refused, out);
    assert_true(refused > 0);
    for (u32 i = 0; i < 256; i++)
        assert_int_equal(out[i], 7);
}

/* Two naps of 200,000 cycles, one on each SM, which start at once; an SM that drains takes as long
 * as its nap has left. */
TEST(draining_takes_as_long_as_the_blocks_have_left)
{
    UNUSED_STATE;
    const char *sets[] = {"sm.count=1", "launch.dispatch=random_stop",
                          "policy.block.random_stop.how=drain",
                          "policy.block.random_stop.interval_cycles=25000", NULL};
    struct scripted_kernel k = SCRIPT(nap, 32, .blocks = 2);
    struct bed b;
    bed_open(&b, "volta8", sets);
    bed_launch(&b, &k);
    bed_run(&b);
    assert_int_equal(b.gpu->cluster.dispatcher.counts.stopped, 0);
    double began = bed_stat(&b, "victims.drain_cycles"), sms = bed_stat(&b, "victims.drained_sms");
    assert_true(sms == 1);
    assert_true(began > 200000 - 2 * 25000 - 100 && began < 200100);
    bed_close(&b);
}

/* ---- what cannot be ---------------------------------------------------------------------------
 */

TEST(a_cooperative_launch_is_refused_where_stopped_blocks_may_wait_for_ever)
{
    UNUSED_STATE;
    const char *sets[] = {"launch.dispatch=random_stop", "context.victim_wait_us=0", NULL};
    struct bed b;
    struct err err = ERR_INIT;
    struct scripted_kernel k = SCRIPT(nap, 32);
    bed_open(&b, "volta8", sets);
    struct grid_source s = scripted_source(&k, &b.scripts);
    s.cooperative = true;
    assert_false(dispatcher_launch(&b.gpu->cluster.dispatcher, &s, 0, &err));
    assert_non_null(strstr(err.what, "a cooperative launch under block policy random_stop"));
    bed_close(&b);
}

static u32 choose_never(struct block_policy *p, const struct block_ask *a)
{
    (void)p;
    return a->stopped ? NO_SM : block_next_sm(a);
}

/* Nobody takes stopped blocks, and the others spin until they come: the report names them. */
TEST(the_report_of_a_hang_names_blocks_that_were_stopped)
{
    UNUSED_STATE;
    const char *sets[] = {"launch.dispatch=random_stop", "context.victim_wait_us=0",
                          "policy.block.random_stop.interval_cycles=300", NULL};
    struct bed b;
    struct run r;
    struct engine_options options = {.watchdog_cycles = 1000000, .max_cycles = 60000};
    bed_build(&b, "volta8", sets, &options);
    struct block_policy_ops ops = *b.gpu->cluster.dispatcher.policy.ops;
    ops.choose_sm = choose_never;
    b.gpu->cluster.dispatcher.policy.ops = &ops;
    engine_start(&b.sim.engine);
    run_load(&r, GRID_BARRIER, BUFFER_BYTES);
    memset((void *)(uintptr_t)r.out, 0, BUFFER_BYTES);
    r.launch.grid[0] = 16;
    r.launch.block[0] = 64;
    struct ptx_source *s = ptx_source_open(&r.launch, &r.err);
    struct grid_source grid = ptx_source_grid(s);
    bed_launch_source(&b, &grid);
    assert_int_equal(engine_run(&b.sim.engine), ENGINE_LIMIT);
    struct text t = {0};
    watchdog_report(&b.sim.engine, &t);
    assert_non_null(strstr(t.data, "was stopped on SM"));
    assert_non_null(strstr(t.data, "that block policy random_stop gives it"));
    text_fini(&t);
    bed_close(&b);
    ptx_source_close(s);
    ptx_source_rest();
    run_end(&r);
}

TEST(a_chip_without_memory_for_a_context_is_refused)
{
    UNUSED_STATE;
    struct sim sim = {0};
    struct config config;
    struct err err = ERR_INIT;
    const char *sets[] = {"launch.dispatch=random_stop", "device.memory_bytes=1MiB",
                          "sm.registers=1048576"};
    const char *const *folders = testing_chips();
    struct config_request r = {.chip = "volta8",
                               .folders = folders,
                               .sets = sets,
                               .set_count = 3,
                               .schemas = model_schemas};
    assert_true(config_load(&config, &r, &err));
    struct engine_options options = {0};
    engine_init(&sim.engine, &sim.arena, &options);
    stats_init(&sim.stats, &sim.arena);
    assert_null(gpu_machine_build(&sim, config.data, &err));
    assert_non_null(strstr(err.what, "a context can have 4292608 bytes"));
    arena_fini(&sim.arena);
    config_fini(&config);
}

RUN_TESTS(T(a_program_with_barriers_gives_the_same_answers_however_it_is_stopped),
          T(diverged_warps_give_the_same_answers_however_they_are_stopped),
          T(blocks_that_wait_for_each_other_end_though_they_are_stopped),
          T(a_block_sees_the_sm_that_it_has_moved_to),
          T(every_block_is_on_an_sm_or_waits_or_has_ended_in_every_cycle),
          T(a_full_queue_stops_no_more_blocks), T(a_switch_takes_as_long_as_its_bytes),
          T(a_block_that_was_alone_goes_back_to_the_only_sm_at_once),
          T(contexts_that_go_past_the_caches_take_no_line),
          T(nothing_depends_on_where_contexts_would_go_if_no_block_is_stopped),
          T(a_shuffle_takes_its_bytes_and_the_switching_of_two_ways),
          T(buffers_of_shuffled_blocks_are_ways_of_the_l2),
          T(a_context_larger_than_a_buffer_goes_to_memory),
          T(a_block_is_flushed_only_if_nobody_can_see_it),
          T(a_block_that_is_dropped_again_and_again_ends),
          T(draining_takes_as_long_as_the_blocks_have_left),
          T(a_cooperative_launch_is_refused_where_stopped_blocks_may_wait_for_ever),
          T(the_report_of_a_hang_names_blocks_that_were_stopped),
          T(a_chip_without_memory_for_a_context_is_refused))
