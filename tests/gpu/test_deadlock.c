/* A PTX kernel that cannot go on stops the machine, and the report names the threads that wait. */
#include "gpu/bed.h"
#include "ptx/exec/running.h"
#include "ptx/kernel_source.h"

static void expect_report(const struct engine *e, const char *const *sentences)
{
    struct text t = {0};
    watchdog_report(e, &t);
    for (u32 i = 0; sentences[i]; i++) {
        if (!strstr(t.data, sentences[i]))
            fail_msg("no '%s' in:\n%s", sentences[i], t.data);
    }
    assert_null(strstr(t.data, "nobody"));
    text_fini(&t);
}

/* Launches a PTX kernel, as it is or as machine instructions, and expects it to hang. */
static void expect_ptx_hang(const char *text, u32 blocks, u32 threads, const char *const *sentences)
{
    for (u32 lowered = 0; lowered < 2; lowered++) {
        struct bed b;
        struct run r;
        bed_open(&b, "volta8", NULL);
        run_load(&r, text, 256);
        r.launch.grid[0] = blocks;
        r.launch.block[0] = threads;
        struct ptx_source *s = ptx_source_open(&r.launch, &r.err);
        if (lowered)
            ptx_source_lower(s);
        struct grid_source grid = ptx_source_grid(s);
        bed_launch_source(&b, &grid);
        assert_int_equal(engine_run(&b.sim.engine), ENGINE_HUNG);
        expect_report(&b.sim.engine, sentences);
        bed_close(&b);
        ptx_source_close(s);
        ptx_source_rest();
        run_end(&r);
    }
}

TEST(a_ptx_kernel_that_hangs_names_line_block_warps_and_barrier)
{
    UNUSED_STATE;
    /* Block 0 leaves. Of block 1, warps 0 and 1 wait at one barrier, 2 and 3 at another. */
    static const char *const sentences[] = {
        "sm1: warps 0 to 1: ",
        ":10:1: kernel k, block (1,0,0), thread (0,0,0): waits at barrier 1 "
        "for threads that never arrive, 64 of 128 have arrived\n",
        "sm1: warps 2 to 3: ",
        ":11:1: kernel k, block (1,0,0), thread (64,0,0): waits at barrier "
        "2 for threads that never arrive, 64 of 128 have arrived\n",
        NULL};
    expect_ptx_hang(KERNEL("mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r2, 0; @%p1 ret;\n"
                           "setp.ge.u32 %p1, %r1, 64; @%p1 bra A;\n"
                           "bar.sync 1, 128; ret;\n"
                           "A: bar.sync 2, 128;"),
                    2, 128, sentences);
}

TEST(a_ptx_kernel_that_hangs_names_the_lanes_that_a_lane_waits_for)
{
    UNUSED_STATE;
    static const char *const sentences[] = {
        "sm0: warp 0: ",
        "kernel k, block (0,0,0), thread (16,0,0): waits for lanes 0x0000ffff "
        "that never arrive\n",
        NULL};
    expect_ptx_hang(KERNEL("setp.lt.u32 %p1, %r1, 16;\n"
                           "@%p1 bra A;\n"
                           "bar.warp.sync 0xffffffff; ret;\n"
                           "A: bar.sync 1, 64;"),
                    1, 32, sentences);
}

RUN_TESTS(T(a_ptx_kernel_that_hangs_names_line_block_warps_and_barrier),
          T(a_ptx_kernel_that_hangs_names_the_lanes_that_a_lane_waits_for))
