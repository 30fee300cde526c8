/* Lanes that return early: nvcc makes a branch to the last `ret` of it, E in these kernels. */
#include "ptx/exec/running.h"

/* Threads below `left` of 64 get what `want` says, the others nothing. */
static void expect_words(const char *text, u32 left, u32 (*want)(u32 thread))
{
    struct run r;
    run_load(&r, text, 256);
    r.launch.block[0] = 64;
    if (!run_go(&r))
        fail_msg("%s:%u: %s", r.err.file, r.err.line, r.err.what);
    for (u32 i = 0; i < 64; i++)
        assert_int_equal(run_word(&r, i), i < left ? want(i) : 0);
    run_end(&r);
}

static u32 one(u32 i)
{
    (void)i;
    return 1;
}

static u32 live_in_warp(u32 i)
{
    return i < 32 ? 32 : 8;
}

static u32 own_number(u32 i)
{
    return i;
}

TEST(a_block_does_not_wait_for_lanes_that_returned_early)
{
    UNUSED_STATE;
    expect_words(KERNEL("setp.ge.u32 %p1, %r1, 40; @%p1 bra E;\n"
                        "bar.sync 0; st.global.u32 [%rd3], 1;\n"
                        "E: ret;"),
                 40, one);
}

TEST(a_warp_wide_instruction_does_not_wait_for_lanes_that_returned_early)
{
    UNUSED_STATE;
    expect_words(KERNEL("setp.ge.u32 %p1, %r1, 40; @%p1 bra E;\n"
                        "bar.warp.sync 0xffffffff;\n"
                        "redux.sync.add.u32 %r2, 1, 0xffffffff; st.global.u32 [%rd3], %r2;\n"
                        "E: ret;"),
                 40, live_in_warp);
}

/* As nvcc -G writes it: the end is behind another branch. */
TEST(lanes_on_their_way_to_the_end_are_not_waited_for)
{
    UNUSED_STATE;
    expect_words(KERNEL("setp.lt.u32 %p1, %r1, 40; @%p1 bra B; bra.uni E;\n"
                        "B: redux.sync.add.u32 %r2, 1, 0xffffffff;\n"
                        "st.global.u32 [%rd3], %r2; bra.uni E;\n"
                        "E: bra.uni F;\n"
                        "F: ret;"),
                 40, live_in_warp);
}

TEST(lanes_leave_a_loop_with_a_barrier_one_after_the_other)
{
    UNUSED_STATE;
    expect_words(KERNEL("mov.u32 %r2, 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra E;\n"
                        "L: bar.sync 0; add.u32 %r2, %r2, 1; st.global.u32 [%rd3], %r2;\n"
                        "setp.lt.u32 %p1, %r2, %r1; @%p1 bra L;\n"
                        "E: ret;"),
                 64, own_number);
}

TEST(lanes_that_return_from_a_function_to_the_end_are_not_waited_for)
{
    UNUSED_STATE;
    expect_words(HEADER ".func f(.reg .u32 i, .reg .u64 at) {\n"
                        ".reg .pred %p1; .reg .b32 %r2;\n"
                        "setp.ge.u32 %p1, i, 40; @%p1 bra E;\n"
                        "redux.sync.add.u32 %r2, 1, 0xffffffff; st.global.u32 [at], %r2;\n"
                        "E: ret; }\n" PROLOGUE "call f, (%r1, %rd3); ret; }\n",
                 40, live_in_warp);
}

TEST(a_shuffle_from_a_lane_that_has_ended_gives_zero)
{
    UNUSED_STATE;
    struct run r;
    /* lanes 10 on have left; their register holds 7, as everyone's */
    run_load(&r,
             KERNEL("mov.u32 %r2, 7; setp.ge.u32 %p1, %r1, 10; @%p1 bra E;\n"
                    "shfl.sync.down.b32 %r3, %r2, 1, 31, 0x3ff; st.global.u32 [%rd3], %r3;\n"
                    "shfl.sync.down.b32 %r3, %r2, 2, 31, 0xffffffff;\n"
                    "st.global.u32 [%rd3+128], %r3;\n"
                    "E: ret;"),
             256);
    assert_true(run_go(&r));
    for (u32 i = 0; i < 10; i++) {
        assert_int_equal(run_word(&r, i), i < 9 ? 7 : 0);
        assert_int_equal(run_word(&r, 32 + i), i < 8 ? 7 : 0);
    }
    run_end(&r);
}

/* Both arms have a way out, so that the post-dominator of the branch is the end of the kernel. */
TEST(lanes_that_met_at_a_warp_wide_instruction_stay_together)
{
    UNUSED_STATE;
    struct run r;
    run_well(&r,
             KERNEL("and.b32 %r2, %r1, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra A;\n"
                    "setp.eq.u32 %p2, %r1, 4; @%p2 bra E; bra.uni J;\n"
                    "A: setp.eq.u32 %p2, %r1, 7; @%p2 bra E;\n"
                    "J: bar.warp.sync 0xffffffff;\n"
                    "activemask.b32 %r3; st.global.u32 [%rd3], %r3;\n"
                    "E: ret;"),
             128);
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(run_word(&r, i), i == 4 || i == 7 ? 0 : 0xffffff6f);
    run_end(&r);
}

/* Those that skipped the instruction do the rest of the kernel first; 20 lanes are left then. */
TEST(lanes_that_wait_at_a_join_to_do_more_go_on_and_are_waited_for_until_they_end)
{
    UNUSED_STATE;
    struct run r;
    run_well(&r,
             KERNEL("mov.u32 %r2, 7; setp.ge.u32 %p1, %r1, 20; @%p1 bra J;\n"
                    "redux.sync.add.u32 %r2, 1, 0xffffffff;\n"
                    "J: st.global.u32 [%rd3], %r2; ret;"),
             128);
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(run_word(&r, i), i < 20 ? 20 : 7);
    run_end(&r);
}

TEST(lanes_that_go_on_and_come_to_a_barrier_of_the_block_do_not_end)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             KERNEL("setp.ge.u32 %p1, %r1, 20; @%p1 bra J;\n"
                    "redux.sync.add.u32 %r2, 1, 0xffffffff;\n"
                    "J: bar.sync 0; ret;"),
             128);
    assert_false(run_go(&r));
    assert_int_equal(r.fault, FAULT_DEADLOCK);
    assert_string_equal(r.err.what, "kernel k, block (0,0,0), thread (0,0,0): waits for lanes "
                                    "0xfff00000 that never arrive");
    run_end(&r);
}

RUN_TESTS(T(a_block_does_not_wait_for_lanes_that_returned_early),
          T(a_warp_wide_instruction_does_not_wait_for_lanes_that_returned_early),
          T(lanes_on_their_way_to_the_end_are_not_waited_for),
          T(lanes_leave_a_loop_with_a_barrier_one_after_the_other),
          T(lanes_that_return_from_a_function_to_the_end_are_not_waited_for),
          T(a_shuffle_from_a_lane_that_has_ended_gives_zero),
          T(lanes_that_met_at_a_warp_wide_instruction_stay_together),
          T(lanes_that_wait_at_a_join_to_do_more_go_on_and_are_waited_for_until_they_end),
          T(lanes_that_go_on_and_come_to_a_barrier_of_the_block_do_not_end))
