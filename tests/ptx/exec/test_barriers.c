#include "ptx/exec/running.h"

static void expect_fault(struct run *r, enum launch_fault fault, const char *what)
{
    assert_false(run_go(r));
    assert_int_equal(r->fault, fault);
    assert_string_equal(r->err.what, what);
}

TEST(a_barrier_makes_all_stores_before_it_visible_behind_it)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             HEADER ".shared .align 4 .b8 tile[256];\n" PROLOGUE
                    "mov.u32 %r2, tile; shl.b32 %r3, %r1, 2; add.u32 %r2, %r2, %r3;\n"
                    "st.shared.u32 [%r2], %r1;\n"
                    "bar.sync 0;\n"
                    "mov.u32 %r2, tile; sub.u32 %r3, 252, %r3; add.u32 %r2, %r2, %r3;\n"
                    "ld.shared.u32 %r4, [%r2]; st.global.u32 [%rd3], %r4; }\n",
             256);
    r.launch.block[0] = 64;
    assert_true(run_go(&r));
    for (u32 i = 0; i < 64; i++)
        assert_int_equal(run_word(&r, i), 63 - i);
    run_end(&r);
}

TEST(threads_that_have_exited_are_not_waited_for)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             KERNEL("setp.ge.u32 %p1, %r1, 40; @%p1 exit;\n"
                    "bar.sync 0;\n"
                    "st.global.u32 [%rd3], 1;"),
             256);
    r.launch.block[0] = 64;
    assert_true(run_go(&r));
    for (u32 i = 0; i < 64; i++)
        assert_int_equal(run_word(&r, i), i < 40);
    run_end(&r);
}

/* Warp 0 consumes what warp 1 produces, and hands the buffer back, three times. */
TEST(producer_and_consumer_meet_at_two_named_barriers)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             HEADER ".shared .align 4 .b32 item;\n" PROLOGUE "mov.u32 %r5, 0; mov.u32 %r6, 0;\n"
                    "setp.ge.u32 %p1, %r1, 32;\n"
                    "@%p1 bra PRODUCER;\n"
                    "CONSUMER: bar.sync 1, 64;\n"
                    "ld.shared.u32 %r2, [item]; mad.lo.u32 %r6, %r6, 10, %r2;\n"
                    "bar.arrive 2, 64;\n"
                    "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 3; @%p2 bra CONSUMER;\n"
                    "st.global.u32 [%rd3], %r6; ret;\n"
                    "PRODUCER: add.u32 %r5, %r5, 1; st.shared.u32 [item], %r5;\n"
                    "bar.arrive 1, 64;\n"
                    "bar.sync 2, 64;\n"
                    "setp.lt.u32 %p2, %r5, 3; @%p2 bra PRODUCER; ret; }\n",
             256);
    r.launch.block[0] = 64;
    assert_true(run_go(&r));
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(run_word(&r, i), 123);
    run_end(&r);
}

TEST(a_barrier_counts_and_combines_predicates_of_the_block)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             KERNEL("setp.lt.u32 %p1, %r1, 10;\n"
                    "bar.red.popc.u32 %r2, 0, %p1;\n"
                    "bar.red.and.pred %p2, 0, %p1;\n"
                    "bar.red.or.pred %p3, 0, %p1;\n"
                    "bar.red.and.pred %p4, 0, !%p2;\n"
                    "selp.u32 %r3, 100, 0, %p2; add.u32 %r2, %r2, %r3;\n"
                    "selp.u32 %r3, 1000, 0, %p3; add.u32 %r2, %r2, %r3;\n"
                    "selp.u32 %r3, 10000, 0, %p4; add.u32 %r2, %r2, %r3;\n"
                    "st.global.u32 [%rd3], %r2;"),
             256);
    r.launch.block[0] = 64;
    assert_true(run_go(&r));
    for (u32 i = 0; i < 64; i++) /* 10 yes, not all, some, and all agree that not all */
        assert_int_equal(run_word(&r, i), 11010);
    run_end(&r);
}

TEST(a_barrier_may_be_named_by_a_register_of_each_warp)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             KERNEL("shr.u32 %r2, %r1, 5; add.u32 %r2, %r2, 3;\n"
                    "barrier.sync %r2, 32;\n"
                    "st.global.u32 [%rd3], %r2;"),
             256);
    r.launch.block[0] = 64;
    assert_true(run_go(&r));
    assert_int_equal(run_word(&r, 0), 3);
    assert_int_equal(run_word(&r, 63), 4);
    run_end(&r);
}

TEST(lanes_that_come_to_a_barrier_on_two_paths_are_counted_once)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             KERNEL("setp.lt.u32 %p1, %r1, 16;\n"
                    "@%p1 bra A;\n"
                    "bar.sync 0; bra J;\n"
                    "A: bar.sync 0;\n"
                    "J: activemask.b32 %r2; st.global.u32 [%rd3], %r2;"),
             256);
    r.launch.block[0] = 64;
    assert_true(run_go(&r));
    assert_int_equal(run_word(&r, 0), 0xffffffff);
    assert_int_equal(run_word(&r, 63), 0xffffffff);
    run_end(&r);
}

TEST(a_guarded_barrier_holds_only_the_lanes_of_its_guard)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             KERNEL("setp.lt.u32 %p1, %r1, 32;\n"
                    "@%p1 bar.sync 1, 32;\n"
                    "@!%p1 bar.sync 2, 32;\n"
                    "st.global.u32 [%rd3], 1;"),
             256);
    r.launch.block[0] = 64;
    assert_true(run_go(&r));
    assert_int_equal(run_word(&r, 0), 1);
    assert_int_equal(run_word(&r, 63), 1);
    run_end(&r);
}

/* 40 threads: the second warp has 8, comes on two paths, and loses one on the way. */
TEST(a_count_of_whole_warps_is_met_by_those_that_are_left)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             KERNEL("setp.ge.u32 %p1, %r1, 36; @%p1 bra A;\n"
                    "bar.sync 1, 64; bra J;\n"
                    "A: setp.eq.u32 %p2, %r1, 39; @%p2 exit;\n"
                    "bar.sync 1, 64;\n"
                    "J: st.global.u32 [%rd3], 1;"),
             256);
    r.launch.block[0] = 40;
    assert_true(run_go(&r));
    for (u32 i = 0; i < 64; i++)
        assert_int_equal(run_word(&r, i), i < 39);
    run_end(&r);
}

TEST(waiting_for_threads_that_ended_is_reported)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             KERNEL("setp.ge.u32 %p1, %r1, 32; @%p1 exit;\n"
                    "bar.sync 1, 64;"),
             256);
    r.launch.block[0] = 64;
    expect_fault(&r, FAULT_DEADLOCK,
                 "kernel k, block (0,0,0), thread (0,0,0): waits at barrier 1 for threads that "
                 "never arrive, 32 of 64 have arrived");
    assert_int_equal(r.err.line, 9);
    run_end(&r);
}

TEST(waiting_for_lanes_that_never_come_is_reported)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             KERNEL("setp.lt.u32 %p1, %r1, 16;\n"
                    "@%p1 bra A;\n"
                    "bar.warp.sync 0xffffffff; bra J;\n"
                    "A: bar.sync 1, 64;\n"
                    "J: ret;"),
             256);
    expect_fault(&r, FAULT_DEADLOCK,
                 "kernel k, block (0,0,0), thread (16,0,0): waits for lanes 0x0000ffff that never "
                 "arrive");
    run_end(&r);
}

TEST(a_barrier_that_does_not_exist_is_a_fault)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r, KERNEL("mov.u32 %r2, 16; bar.sync %r2;"), 256);
    expect_fault(&r, FAULT_INSTRUCTION,
                 "kernel k, block (0,0,0), thread (0,0,0): barrier 16 with 0 threads");
    run_end(&r);
    run_load(&r, KERNEL("bar.sync 1, 33;"), 256);
    expect_fault(&r, FAULT_INSTRUCTION,
                 "kernel k, block (0,0,0), thread (0,0,0): barrier 1 with 33 threads");
    run_end(&r);
}

TEST(lanes_outside_their_mask_take_part_with_those_that_come_with_them)
{
    UNUSED_STATE;
    struct run r;
    /* as __shfl_up_sync(0xffff, lane + 100, 16) on an H200: lanes 16 to 31 read lanes 0 to 15, and
     * lanes 0 to 15, whose source does not exist, read themselves */
    run_well(&r,
             KERNEL("add.u32 %r2, %r1, 100;\n"
                    "shfl.sync.up.b32 %r3, %r2, 16, 0, 0xffff;\n"
                    "st.global.u32 [%rd3], %r3;"),
             128);
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(run_word(&r, i), 100 + i % 16);
    run_end(&r);
    /* the odd ones of all lanes; the mask is a register's */
    run_well(&r,
             KERNEL("ld.global.u32 %r2, [%rd1]; add.u32 %r2, %r2, 0xffff;\n"
                    "and.b32 %r3, %r1, 1; setp.ne.u32 %p1, %r3, 0;\n"
                    "vote.sync.ballot.b32 %r4, %p1, %r2;\n"
                    "st.global.u32 [%rd3], %r4;"),
             128);
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(run_word(&r, i), 0xaaaaaaaa);
    run_end(&r);
    run_well(&r,
             KERNEL("redux.sync.add.u32 %r2, %r1, 0x0000ffff;\n"
                    "st.global.u32 [%rd3], %r2;"),
             128);
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(run_word(&r, i), 31 * 32 / 2);
    run_end(&r);
}

TEST(a_path_of_lanes_outside_their_mask_waits_for_nobody)
{
    UNUSED_STATE;
    struct run r;
    /* lanes 16 to 31 name the others, which are elsewhere and never come */
    run_well(&r,
             KERNEL("setp.lt.u32 %p1, %r1, 16; mov.u32 %r4, 7;\n"
                    "@%p1 bra J;\n"
                    "and.b32 %r3, %r1, 1; setp.ne.u32 %p2, %r3, 0;\n"
                    "vote.sync.ballot.b32 %r4, %p2, 0xffff;\n"
                    "J: st.global.u32 [%rd3], %r4;"),
             128);
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(run_word(&r, i), i < 16 ? 7 : 0xaaaa0000);
    run_end(&r);
    /* lanes 0 to 7 wait for 8 to 15, which come with 16 to 31: all take part */
    run_well(&r,
             KERNEL("setp.lt.u32 %p1, %r1, 8; setp.eq.u32 %p2, %r1, %r1;\n"
                    "@%p1 bra A;\n"
                    "add.u32 %r2, %r2, 1;\n"
                    "A: bar.warp.sync 0xffff;\n"
                    "vote.sync.ballot.b32 %r4, %p2, 0xffff;\n"
                    "st.global.u32 [%rd3], %r4;"),
             128);
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(run_word(&r, i), 0xffffffff);
    run_end(&r);
}

TEST(a_lane_outside_its_mask_is_told_of_once_for_each_kernel)
{
    UNUSED_STATE;
    struct run r;
    struct err told = ERR_INIT;
    run_load(&r, KERNEL("bar.warp.sync 0x0000ffff; bar.warp.sync 0x000000ff;"), 128);
    for (u32 i = 0; i < 2; i++) {
        assert_true(run_go(&r));
        assert_int_equal(kernel_take_warning(r.launch.kernel, &told), i == 0);
    }
    assert_string_equal(told.what,
                        "kernel k, block (0,0,0), thread (16,0,0): lane 16 is not in its "
                        "own sync mask 0x0000ffff");
    run_end(&r);
    run_well(&r, KERNEL("bar.warp.sync 0xffffffff;"), 128);
    assert_false(kernel_take_warning(r.launch.kernel, &told));
    run_end(&r);
}

TEST(lanes_that_leave_a_loop_with_a_shuffle_run_on_and_exit)
{
    UNUSED_STATE;
    struct run r;
    /* lanes 0 to 15 go round once, the others three times; each adds what lane 15 of its half has:
     * v + 15 in the lower half; in the upper half lane 31's value doubles, 31 + 62 + 124 more */
    run_well(&r,
             KERNEL("mov.u32 %r2, %r1; mov.u32 %r3, 0;\n"
                    "setp.lt.u32 %p1, %r1, 16; selp.u32 %r4, 1, 3, %p1;\n"
                    "L: shfl.sync.idx.b32 %r5, %r2, 15, 0x101f, 0xffffffff;\n"
                    "add.u32 %r2, %r2, %r5; add.u32 %r3, %r3, 1;\n"
                    "setp.lt.u32 %p2, %r3, %r4;\n"
                    "@%p2 bra L;\n"
                    "st.global.u32 [%rd3], %r2;"),
             128);
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(run_word(&r, i), i < 16 ? i + 15 : i + 31 + 62 + 124);
    run_end(&r);
}

/* A, 64 x 16, and B, 8 x 16, are ones; %q2: not the first warp. */
#define WARP_GROUP(rest)                                                                           \
    HEADER_90A ".shared .align 128 .b8 tile[2304];\n" PROLOGUE                                     \
               ".reg .f32 %f<4>; .reg .b64 %d<3>; .reg .pred %q<3>;\n"                             \
               "mov.u32 %r2, tile; shl.b32 %r3, %r1, 2; add.u32 %r3, %r2, %r3;\n"                  \
               "mov.u32 %r4, 0;\n"                                                                 \
               "FILL: st.shared.u32 [%r3], 0x3c003c00; add.u32 %r3, %r3, 512;\n"                   \
               "add.u32 %r4, %r4, 512; setp.lt.u32 %q1, %r4, 2048; @%q1 bra FILL;\n"               \
               "setp.lt.u32 %q1, %r1, 64; @%q1 st.shared.u32 [%r3], 0x3c003c00;\n"                 \
               "bar.sync 0; shr.u32 %r5, %r2, 4; or.b32 %r5, %r5, 0x80000;\n"                      \
               "mov.b64 %d1, {%r5, 16}; add.u64 %d2, %d1, 128;\n"                                  \
               "mov.f32 %f0, 0f00000000; mov.f32 %f1, 0f00000000; mov.f32 %f2, 0f00000000; "       \
               "mov.f32 %f3, 0f00000000;\n"                                                        \
               "setp.ge.u32 %q2, %r1, 32;\n" rest
#define HEADER_90A ".version 8.5\n.target sm_90a\n.address_size 64\n"
#define PRODUCT                                                                                    \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, 1, 1, 1, "  \
    "0, 0;\n"                                                                                      \
    "wgmma.commit_group.sync.aligned;\n"                                                           \
    "wgmma.wait_group.sync.aligned 0;\n"

/* The first warp clears A as soon as its wait is over, long before the others have come. Each sum
 * is of 16 products of ones. */
TEST(a_product_of_a_warp_group_is_complete_when_all_four_warps_have_issued_it)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             WARP_GROUP("mov.u32 %r6, 0; @!%q2 bra MULTIPLY;\n"
                        "DELAY: add.u32 %r6, %r6, 1; setp.lt.u32 %q1, %r6, 300000;\n"
                        "@%q1 bra DELAY;\n"
                        "MULTIPLY: " PRODUCT "@%q2 bra OUT;\n"
                        "mov.u32 %r4, 0; shl.b32 %r3, %r1, 2; add.u32 %r3, %r2, %r3;\n"
                        "CLEAR: st.shared.u32 [%r3], 0; add.u32 %r3, %r3, 128;\n"
                        "add.u32 %r4, %r4, 128; setp.lt.u32 %q1, %r4, 2048; @%q1 bra CLEAR;\n"
                        "OUT: st.global.f32 [%rd3], %f0; }\n"),
             512);
    r.launch.block[0] = 128;
    if (!run_go(&r))
        fail_msg("%s", r.err.what);
    for (u32 i = 0; i < 128; i++)
        assert_int_equal(run_word(&r, i), 0x41800000); /* 16 */
    run_end(&r);
}

TEST(warps_that_have_exited_are_not_waited_for_in_their_group)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r, WARP_GROUP("@%q2 exit;\n" PRODUCT "st.global.f32 [%rd3], %f0; }\n"), 512);
    r.launch.block[0] = 128;
    if (!run_go(&r))
        fail_msg("%s", r.err.what);
    assert_int_equal(run_word(&r, 0), 0x41800000);
    run_end(&r);
}

TEST(a_warp_group_of_which_one_never_multiplies_is_reported)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r, WARP_GROUP("@!%q2 bra MULTIPLY; bar.sync 0; ret;\nMULTIPLY: " PRODUCT "ret; }\n"),
             512);
    r.launch.block[0] = 128;
    assert_false(run_go(&r));
    assert_int_equal(r.fault, FAULT_DEADLOCK);
    assert_non_null(strstr(r.err.what, "waits for products of its warp group, which a warp of the "
                                       "group never issues"));
    run_end(&r);
}

RUN_TESTS(T(a_barrier_makes_all_stores_before_it_visible_behind_it),
          T(threads_that_have_exited_are_not_waited_for),
          T(producer_and_consumer_meet_at_two_named_barriers),
          T(a_barrier_counts_and_combines_predicates_of_the_block),
          T(a_barrier_may_be_named_by_a_register_of_each_warp),
          T(lanes_that_come_to_a_barrier_on_two_paths_are_counted_once),
          T(a_guarded_barrier_holds_only_the_lanes_of_its_guard),
          T(a_count_of_whole_warps_is_met_by_those_that_are_left),
          T(waiting_for_threads_that_ended_is_reported),
          T(waiting_for_lanes_that_never_come_is_reported),
          T(a_barrier_that_does_not_exist_is_a_fault),
          T(lanes_outside_their_mask_take_part_with_those_that_come_with_them),
          T(a_path_of_lanes_outside_their_mask_waits_for_nobody),
          T(a_lane_outside_its_mask_is_told_of_once_for_each_kernel),
          T(lanes_that_leave_a_loop_with_a_shuffle_run_on_and_exit),
          T(a_product_of_a_warp_group_is_complete_when_all_four_warps_have_issued_it),
          T(warps_that_have_exited_are_not_waited_for_in_their_group),
          T(a_warp_group_of_which_one_never_multiplies_is_reported))
