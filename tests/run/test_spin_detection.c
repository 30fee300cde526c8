/* Kernels that keep the machine busy for ever are found, others are not. */
#include "gpu/bed.h"
#include "ptx/exec/running.h"
#include "ptx/kernel_source.h"

#include "run/spin_detection.h"

#define PATIENCE 50000u

struct watcher {
    struct spinning spinning;
    struct gpu *gpu;
    bool found;
};

/* The one address that the host may write in a test. */
static u64 hosts_address;

static bool is_hosts(u64 address)
{
    return address == hosts_address;
}

static bool look(void *context, const struct engine *e)
{
    struct watcher *w = context;
    w->found = spinning_look(&w->spinning, w->gpu, engine_cycle(e, 0), is_hosts);
    return !w->found;
}

/* Runs a kernel for at most so many cycles; what is said of it if it spins, else NULL. */
static char *spins(const char *text, u32 blocks, u32 threads, bool lowered, cycle_t most)
{
    struct watcher w = {0};
    struct engine_options options = {.max_cycles = most, .poll = look, .poll_context = &w};
    struct bed b;
    struct run r;
    struct text report = {0};
    bed_open_engine(&b, "volta8", NULL, &options);
    w.gpu = b.gpu;
    spinning_init(&w.spinning, &b.scripts, b.gpu, PATIENCE);
    run_load(&r, text, 256);
    memset((void *)(uintptr_t)r.out, 0, 256);
    hosts_address = r.out + 128;
    r.launch.grid[0] = blocks;
    r.launch.block[0] = threads;
    struct ptx_source *s = ptx_source_open(&r.launch, &r.err);
    if (lowered)
        ptx_source_lower(s);
    struct grid_source grid = ptx_source_grid(s);
    bed_launch_source(&b, &grid);
    engine_run(&b.sim.engine);
    if (w.found) {
        spinning_mark(b.gpu);
        watchdog_waits(&b.sim.engine, &report);
    }
    bed_close(&b);
    ptx_source_close(s);
    ptx_source_rest();
    run_end(&r);
    return report.data;
}

static void assert_spins(const char *text, u32 blocks, u32 threads, const char *const *sentences)
{
    for (u32 lowered = 0; lowered < 2; lowered++) {
        char *report = spins(text, blocks, threads, lowered, 2000 * PATIENCE);
        assert_non_null(report);
        for (u32 i = 0; sentences[i]; i++) {
            if (!strstr(report, sentences[i]))
                fail_msg("no '%s' in:\n%s", sentences[i], report);
        }
        free(report);
    }
}

/* Eight SMs hold 16 blocks of 1,024 threads: they wait for the other 4. */
TEST(blocks_that_wait_for_blocks_that_have_no_room_spin)
{
    UNUSED_STATE;
    static const char *const sentences[] = {
        "sm0: warp 0: ",
        ":9:1: kernel k, block (0,0,0), thread (0,0,0): reads address 0x",
        " again and again\n",
        "sm0: warps 1 to 31: ",
        ":10:1: kernel k, block (0,0,0), thread (32,0,0): waits at barrier 0 for threads that ",
        "never arrive, 1023 of 1024 have arrived\n",
        "dispatcher: kernel k: 0 of 20 blocks have ended\n",
        NULL};
    assert_spins(
        KERNEL("setp.ne.u32 %p1, %r1, 0; @%p1 bra B; atom.global.add.u32 %r2, [%rd1], 1;\n"
               "A: ld.volatile.global.u32 %r2, [%rd1]; setp.lt.u32 %p2, %r2, 20; @%p2 bra A;\n"
               "B: bar.sync 0;"),
        20, 1024, sentences);
}

TEST(a_lock_that_nobody_gives_back_is_waited_for_in_vain)
{
    UNUSED_STATE;
    static const char *const sentences[] = {":8:1: kernel k, block (", " reads address 0x",
                                            "dispatcher: kernel k: 1 of 3 blocks have ended\n",
                                            NULL};
    assert_spins(
        KERNEL("A: atom.global.cas.b32 %r2, [%rd1], 0, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra A;"), 3,
        1, sentences);
}

/* 20,000 turns of at least a cycle are as long as PATIENCE at least: a turn has five dependent
 * instructions or more. */
TEST(a_loop_that_counts_does_not_spin)
{
    UNUSED_STATE;
    for (u32 lowered = 0; lowered < 2; lowered++)
        assert_null(spins(KERNEL("mov.u32 %r3, 0;\n"
                                 "A: ld.volatile.global.u32 %r2, [%rd1]; add.u32 %r3, %r3, 1;\n"
                                 "setp.lt.u32 %p2, %r3, 20000; @%p2 bra A;"),
                          2, 32, lowered, 0));
}

TEST(a_loop_that_reads_the_clock_does_not_spin)
{
    UNUSED_STATE;
    for (u32 lowered = 0; lowered < 2; lowered++)
        assert_null(spins(KERNEL("mov.u32 %r3, %clock;\n"
                                 "A: mov.u32 %r4, %clock; sub.u32 %r4, %r4, %r3;\n"
                                 "setp.lt.u32 %p2, %r4, 200000; mov.u32 %r4, 0; @%p2 bra A;"),
                          2, 32, lowered, 0));
}

TEST(a_loop_that_reads_what_the_host_may_write_does_not_spin)
{
    UNUSED_STATE;
    static const char *const sentences[] = {"kernel k, block (0,0,0), thread (0,0,0): reads", NULL};
    assert_null(spins(KERNEL("A: ld.volatile.global.u32 %r2, [%rd1+128];\n"
                             "setp.eq.u32 %p2, %r2, 0; @%p2 bra A;"),
                      2, 32, false, 200 * PATIENCE));
    assert_spins(KERNEL("A: ld.volatile.global.u32 %r2, [%rd1+124];\n"
                        "setp.eq.u32 %p2, %r2, 0; @%p2 bra A;"),
                 2, 32, sentences);
}

TEST(bytes_that_never_come_to_an_mbarrier_are_named)
{
    UNUSED_STATE;
    static const char *const sentences[] = {
        "kernel k, block (0,0,0), thread (0,0,0): waits for the mbarrier at 0x0 of shared memory: "
        "0 of 1 arrivals and 64 bytes are pending\n",
        "dispatcher: kernel k: 0 of 2 blocks have ended\n", NULL};
    assert_spins(HEADER ".shared .align 8 .b64 bar;\n" PROLOGUE
                        "setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [bar], 1;\n"
                        "bar.sync 0; @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;\n"
                        "A: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra A; }\n",
                 2, 32, sentences);
}

RUN_TESTS(T(bytes_that_never_come_to_an_mbarrier_are_named),
          T(blocks_that_wait_for_blocks_that_have_no_room_spin),
          T(a_lock_that_nobody_gives_back_is_waited_for_in_vain),
          T(a_loop_that_counts_does_not_spin), T(a_loop_that_reads_the_clock_does_not_spin),
          T(a_loop_that_reads_what_the_host_may_write_does_not_spin))
