/*
 * Several sockets on several threads: the same bits as on one, for programs that race for words and
 * for pages.
 *
 * Threads are put under stress, as in tests/gpu/test_threads.c. STRESS_RUNS: how many runs (4).
 */
#include "gpu/statistics_text.h"
#include "ptx/exec/running.h"
#include "ptx/kernel_source.h"
#include "sim/threads/thread_pool.h"

#include "machine/gpu_device.h"

#define BUFFER_BYTES 131072u

static const char *const organisations[] = {
    "sockets.cache.organisation=memory_side", "sockets.cache.organisation=static",
    "sockets.cache.organisation=shared", "sockets.cache.organisation=partitioned"};

/* All blocks write to pages that nobody has, in the same cycle; then tickets, a fence, and what
 * others wrote. */
static const char text[] = KERNEL(
    "mov.u32 %r5, %ctaid.x; mov.u32 %r6, %ntid.x; mad.lo.u32 %r2, %r5, %r6, %r1;"
    "shl.b32 %r7, %r2, 6; and.b32 %r7, %r7, 32767; cvt.u64.u32 %rd2, %r7; add.u64 %rd3, %rd1, %rd2;"
    "st.global.u32 [%rd3], %r2; ld.volatile.global.u32 %r8, [%rd3+64];"
    "atom.global.add.u32 %r3, [%rd1+65528], 1; st.global.u32 [%rd3+32768], %r3;"
    "membar.sys; xor.b32 %r9, %r8, %r3; atom.global.exch.b32 %r4, [%rd1+65520], %r9;"
    "add.u32 %r4, %r4, %r8; st.global.u32 [%rd3+4], %r4;"
    "ld.volatile.global.u32 %r10, [%rd3+32832]; st.global.u32 [%rd3+8], %r10;");

static char *run_case(u32 organisation, u32 threads, u64 stress, u32 *out)
{
    struct bed b;
    struct gpu_device device;
    struct grid_run done;
    struct engine_options options = {
        .watchdog_cycles = 1000000, .threads = threads, .stress = stress};
    const char *const sets[] = {"sm.count=4",
                                "sockets.page_bytes=4KiB",
                                "dram.channels=4",
                                "l2.size_bytes=256KiB",
                                "sockets.link.dynamic=true",
                                "sockets.link.sample_cycles=500",
                                "sockets.cache.partition.sample_cycles=300",
                                organisations[organisation],
                                NULL};
    bed_build(&b, "pascal64x4", sets, &options);
    assert_true(gpu_device_init(&device, b.machine, ""));
    b.gpu = device.gpus[0];
    engine_start(&b.sim.engine);
    assert_int_equal(engine_threads(&b.sim.engine), threads);
    struct run r;
    run_load(&r, text, BUFFER_BYTES);
    memset((void *)(uintptr_t)r.out, 0, BUFFER_BYTES);
    r.launch.grid[0] = 24;
    r.launch.block[0] = 64;
    struct ptx_source *sources[2];
    for (u32 i = 0; i < 2; i++) {
        sources[i] = ptx_source_open(&r.launch, &r.err);
        assert_non_null(sources[i]);
        struct grid_source grid = ptx_source_grid(sources[i]);
        if (!gpu_device_launch(&device, &grid, 7, &r.err))
            bed_fail(&r.err);
        while (!gpu_device_take_ended(&device, &done))
            assert_int_equal(engine_run(&b.sim.engine), ENGINE_STOPPED);
    }
    engine_finish(&b.sim.engine);
    bed_run(&b);
    char *statistics = all_statistics(&b);
    memcpy(out, (const void *)(uintptr_t)r.out, BUFFER_BYTES);
    assert_true(!stress || thread_pool_counts(b.sim.engine.thread_pool, 0)->rounds > 100);
    bed_close(&b);
    for (u32 i = 0; i < 2; i++)
        ptx_source_close(sources[i]);
    ptx_source_rest();
    run_end(&r);
    return statistics;
}

TEST(threads_under_stress_change_nothing_on_sockets)
{
    UNUSED_STATE;
    static const u32 counts[] = {2, 3, 4, 8};
    static u32 first[BUFFER_BYTES / 4], other[BUFFER_BYTES / 4];
    const char *asked = getenv("STRESS_RUNS");
    u32 runs = asked ? (u32)atoi(asked) : 4;
    for (u32 seed = 0; seed < runs; seed++) {
        u32 organisation = seed % ARRAY_LEN(organisations);
        u32 threads = counts[(seed + seed / ARRAY_LEN(organisations)) % ARRAY_LEN(counts)];
        char *alone = run_case(organisation, 1, 0, first);
        char *many = run_case(organisation, threads, seed + 1, other);
        assert_same(alone, many, organisations[organisation]);
        assert_memory_equal(first, other, BUFFER_BYTES);
        free(alone);
        free(many);
    }
}

RUN_TESTS(T(threads_under_stress_change_nothing_on_sockets))
