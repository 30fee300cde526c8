/*
 * One simulation on several threads: the same bits as on one, for programs that race.
 *
 * Threads are put under stress: every stage is shared out however little there is to do, its
 * shards change threads at random from one cycle to the next, threads give way at random points and
 * take shards from each other before they have done their own. STRESS_RUNS: how many runs (24).
 */
#include "gpu/statistics_text.h"
#include "ptx/exec/running.h"
#include "ptx/kernel_source.h"
#include "sim/threads/thread_pool.h"

#define BUFFER_BYTES 16384u
#define MOST_GRIDS_OF_A_CASE 3u

struct racing {
    const char *name, *text;
    u32 blocks, threads, grids; /* each grid in a stream of its own */
};

/* Counts all threads of all grids: who comes last has the last number, and goes on. */
#define ALL_ARRIVE                                                                                 \
    "membar.gl; bar.sync 0; setp.ne.u32 %p7, %r1, 0; @%p7 bra WAITED;"                             \
    "atom.global.add.u32 %r15, [%rd1+16380], 1;"                                                   \
    "SPIN: ld.volatile.global.u32 %r15, [%rd1+16380]; setp.lt.u32 %p6, %r15, %r14; @%p6 bra "      \
    "SPIN; WAITED: bar.sync 0;"

static const struct racing cases[] = {
    {"tickets",
     KERNEL("mov.u32 %r5, %ctaid.x; mov.u32 %r6, %ntid.x; mad.lo.u32 %r2, %r5, %r6, %r1;"
            "mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;"
            "atom.global.add.u32 %r3, [%rd1+16376], 1; st.global.u32 [%rd3], %r3;"
            "atom.global.exch.b32 %r4, [%rd1+16372], %r2; xor.b32 %r4, %r4, %r3;"
            "red.global.max.u32 [%rd1+16368], %r4; st.global.u32 [%rd3+4096], %r4;"),
     15, 64, 1},
    {"stores and loads of the same words",
     KERNEL("mov.u32 %r5, %ctaid.x; mov.u32 %r6, %ntid.x; mad.lo.u32 %r2, %r5, %r6, %r1;"
            "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; mov.u32 %r3, 0;"
            "L: st.global.u32 [%rd3], %r2; ld.volatile.global.u32 %r4, [%rd3+4];"
            "mad.lo.u32 %r2, %r2, 3, %r4; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 20;"
            "@%p1 bra L; mad.lo.u32 %r7, %r5, %r6, %r1; mul.wide.u32 %rd4, %r7, 4;"
            "add.u64 %rd5, %rd1, %rd4; st.global.u32 [%rd5+1024], %r2;"),
     15, 64, 1},
    {"a spin lock with fences",
     KERNEL("setp.ne.u32 %p1, %r1, 0; @%p1 ret;"
            "A: atom.global.cas.b32 %r2, [%rd1+16380], 0, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra A;"
            "ld.volatile.global.u32 %r3, [%rd1+16376]; add.u32 %r4, %r3, 1; "
            "st.volatile.global.u32 [%rd1+16376], %r4;"
            "membar.gl; atom.global.exch.b32 %r5, [%rd1+16380], 0;"
            "mov.u32 %r6, %ctaid.x; mul.wide.u32 %rd2, %r6, 4; add.u64 %rd3, %rd1, %rd2; "
            "st.global.u32 [%rd3], %r3;"),
     12, 32, 1},
    {"a barrier of the grid",
     KERNEL("mov.u32 %r5, %ctaid.x; mov.u32 %r6, %ntid.x; mov.u32 %r14, %nctaid.x;"
            "mad.lo.u32 %r2, %r5, %r6, %r1; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;"
            "mul.lo.u32 %r3, %r2, 7; st.global.u32 [%rd3], %r3;" ALL_ARRIVE
            "mul.lo.u32 %r7, %r14, %r6; sub.u32 %r7, %r7, %r2; sub.u32 %r7, %r7, 1;"
            "mul.wide.u32 %rd4, %r7, 4; add.u64 %rd5, %rd1, %rd4;"
            "ld.volatile.global.u32 %r8, [%rd5]; mov.u32 %r9, %clock; and.b32 %r9, %r9, 255;"
            "add.u32 %r8, %r8, %r9; st.global.u32 [%rd3+8192], %r8;"),
     8, 64, 1},
    {"grids of several streams",
     KERNEL("mov.u32 %r5, %ctaid.x; atom.global.add.u32 %r3, [%rd1+16376], 1;"
            "mul.wide.u32 %rd2, %r3, 4; and.b64 %rd2, %rd2, 8191; add.u64 %rd3, %rd1, %rd2;"
            "mov.u32 %r4, %clock; st.global.u32 [%rd3], %r4;"
            "atom.global.add.f32 %r6, [%rd1+8192], 0f3DCCCCCD;"),
     10, 32, 3},
};

/* The statistics, and the buffer in `out`. */
static char *run_case(const struct racing *c, const char *chip, bool lowered, u32 threads,
                      u64 stress, u32 *out)
{
    struct bed b;
    struct engine_options options = {
        .watchdog_cycles = 1000000, .threads = threads, .stress = stress};
    bed_open_engine(&b, chip, NULL, &options);
    assert_int_equal(engine_threads(&b.sim.engine), threads);
    struct run r;
    run_load(&r, c->text, BUFFER_BYTES);
    memset((void *)(uintptr_t)r.out, 0, BUFFER_BYTES);
    r.launch.grid[0] = c->blocks;
    r.launch.block[0] = c->threads;
    struct ptx_source *sources[MOST_GRIDS_OF_A_CASE];
    for (u32 i = 0; i < c->grids; i++) {
        sources[i] = ptx_source_open(&r.launch, &r.err);
        assert_non_null(sources[i]);
        if (lowered)
            ptx_source_lower(sources[i]);
        struct grid_source grid = ptx_source_grid(sources[i]);
        grid.stream = i + 1;
        bed_launch_source(&b, &grid);
    }
    bed_run(&b);
    char *statistics = all_statistics(&b);
    memcpy(out, (const void *)(uintptr_t)r.out, BUFFER_BYTES);
    if (stress) {
        const struct thread_pool_counts *n = thread_pool_counts(b.sim.engine.thread_pool, 0);
        assert_true(n->rounds > 100 && n->stolen > n->rounds / 8);
    }
    bed_close(&b);
    for (u32 i = 0; i < c->grids; i++)
        ptx_source_close(sources[i]);
    ptx_source_rest();
    run_end(&r);
    return statistics;
}

TEST(threads_under_stress_change_nothing)
{
    UNUSED_STATE;
    static const char *const chips[] = {"volta8", "fermi15", "kepler8"};
    static const u32 counts[] = {2, 3, 4, 8};
    static u32 first[BUFFER_BYTES / 4], other[BUFFER_BYTES / 4];
    const char *asked = getenv("STRESS_RUNS");
    u32 runs = asked ? (u32)atoi(asked) : 24, done = 0;
    for (u64 seed = 1; done < runs; seed++) {
        const struct racing *c = &cases[seed % ARRAY_LEN(cases)];
        const char *chip = chips[seed / ARRAY_LEN(cases) % ARRAY_LEN(chips)];
        bool lowered = seed & 1;
        char *alone = run_case(c, chip, lowered, 1, 0, first);
        for (u32 k = 0; k < ARRAY_LEN(counts) && done < runs; k++, done++) {
            char *many = run_case(c, chip, lowered, counts[k], seed * 16 + k + 1, other);
            assert_same(alone, many, c->name);
            assert_memory_equal(first, other, BUFFER_BYTES);
            free(many);
        }
        free(alone);
    }
}

RUN_TESTS(T(threads_under_stress_change_nothing))
