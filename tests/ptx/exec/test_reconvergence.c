#include "ptx/exec/running.h"

#define STORE_ACTIVE "activemask.b32 %r9; st.global.u32 [%rd3], %r9; ret;"

TEST(both_sides_of_an_if_meet_behind_it)
{
    UNUSED_STATE;
    struct run r;
    run_well(&r,
             KERNEL("setp.lt.u32 %p1, %r1, 8;\n"
                    "@%p1 bra A;\n"
                    "mov.u32 %r2, 1;\n"
                    "bra J;\n"
                    "A: mov.u32 %r2, 2;\n"
                    "J: " STORE_ACTIVE),
             128);
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(run_word(&r, i), 0xffffffff);
    /* setp, bra; mov and bra of one side, mov of the other; three behind */
    assert_int_equal(r.counts.warp_instructions, PROLOGUE_OPS + 2 + 2 + 1 + 3);
    /* a guarded branch counts the lanes that take it */
    assert_int_equal(r.counts.thread_instructions,
                     PROLOGUE_OPS * 32 + 32 + 8 + 24 * 2 + 8 + 3 * 32);
    run_end(&r);
}

TEST(an_inner_if_meets_inside_the_outer_one)
{
    UNUSED_STATE;
    struct run r;
    run_well(&r,
             KERNEL("setp.ge.u32 %p1, %r1, 8;\n"
                    "@%p1 bra OUT;\n"
                    "setp.ge.u32 %p2, %r1, 4;\n"
                    "@%p2 bra IN;\n"
                    "activemask.b32 %r2; st.global.u32 [%rd3], %r2;\n"
                    "IN: activemask.b32 %r2; st.global.u32 [%rd3+128], %r2;\n"
                    "OUT: activemask.b32 %r2; st.global.u32 [%rd3+256], %r2;"),
             384);
    for (u32 i = 0; i < 32; i++) {
        assert_int_equal(run_word(&r, i), i < 4 ? 0xf : 0);
        assert_int_equal(run_word(&r, 32 + i), i < 8 ? 0xff : 0);
        assert_int_equal(run_word(&r, 64 + i), 0xffffffff);
    }
    run_end(&r);
}

TEST(lanes_with_different_trip_counts_meet_behind_the_loop)
{
    UNUSED_STATE;
    struct run r;
    run_well(&r,
             KERNEL("mov.u32 %r2, 0;\n"
                    "L: add.u32 %r2, %r2, 1;\n"
                    "setp.le.u32 %p1, %r2, %r1;\n"
                    "@%p1 bra L;\n" STORE_ACTIVE),
             128);
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(run_word(&r, i), 0xffffffff);
    /* lane 31 goes round 32 times, and nobody else alone */
    assert_int_equal(r.counts.warp_instructions, PROLOGUE_OPS + 1 + 3 * 32 + 3);
    /* lane i goes round i + 1 times and takes the branch i times: 528 + 528 + 496 */
    assert_int_equal(r.counts.thread_instructions, (PROLOGUE_OPS + 1) * 32 + 1552 + 3 * 32);
    run_end(&r);
}

TEST(lanes_that_exit_in_a_loop_are_not_waited_for)
{
    UNUSED_STATE;
    struct run r;
    run_well(&r,
             KERNEL("mov.u32 %r2, 0;\n"
                    "L: setp.eq.u32 %p1, %r1, %r2;\n"
                    "@%p1 exit;\n"
                    "add.u32 %r2, %r2, 1;\n"
                    "setp.lt.u32 %p2, %r2, 16;\n"
                    "@%p2 bra L;\n" STORE_ACTIVE),
             128);
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(run_word(&r, i), i < 16 ? 0 : 0xffff0000);
    run_end(&r);
}

TEST(a_spin_lock_inside_a_warp_makes_progress)
{
    UNUSED_STATE;
    struct run r;
    run_well(&r,
             KERNEL("L: atom.global.cas.b32 %r2, [%rd1], 0, 1;\n"
                    "setp.ne.u32 %p1, %r2, 0;\n"
                    "@%p1 bra L;\n"
                    "ld.global.u32 %r3, [%rd1+4];\n"
                    "add.u32 %r3, %r3, 1;\n"
                    "st.global.u32 [%rd1+4], %r3;\n"
                    "membar.gl;\n"
                    "atom.global.exch.b32 %r2, [%rd1], 0;"),
             128);
    assert_int_equal(run_word(&r, 0), 0);
    assert_int_equal(run_word(&r, 1), 32);
    run_end(&r);
}

TEST(a_lane_may_wait_for_a_lane_that_waits_for_it_at_the_join)
{
    UNUSED_STATE;
    struct run r;
    /* lane 0 spins until lane 1, which skipped the loop, has written behind it */
    run_well(&r,
             KERNEL("setp.ne.u32 %p1, %r1, 0;\n"
                    "@%p1 bra J;\n"
                    "L: ld.volatile.global.u32 %r2, [%rd1+4];\n"
                    "setp.eq.u32 %p2, %r2, 0;\n"
                    "@%p2 bra L;\n"
                    "J: st.global.u32 [%rd3], 7;"),
             128);
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(run_word(&r, i), 7);
    run_end(&r);
}

static const char early_return[] = HEADER ".func (.reg .b32 y) f(.reg .b32 x) {\n"
                                          ".reg .pred %p1; setp.lt.u32 %p1, x, 4;\n"
                                          "mov.u32 y, 1;\n"
                                          "@%p1 ret;\n"
                                          "mov.u32 y, 2;\n"
                                          "ret; }\n" PROLOGUE "call (%r2), f, (%r1);\n"
                                          "activemask.b32 %r3; st.global.u32 [%rd3], %r3;\n"
                                          "st.global.u32 [%rd3+128], %r2; }\n";

TEST(lanes_that_return_early_meet_the_others_behind_the_call)
{
    UNUSED_STATE;
    struct run r;
    run_well(&r, early_return, 256);
    for (u32 i = 0; i < 32; i++) {
        assert_int_equal(run_word(&r, i), 0xffffffff);
        assert_int_equal(run_word(&r, 32 + i), i < 4 ? 1 : 2);
    }
    run_end(&r);
}

TEST(a_guarded_call_is_made_by_some_and_waited_for_by_all)
{
    UNUSED_STATE;
    struct run r;
    run_well(&r,
             HEADER ".func f(.reg .b64 x) { st.global.u32 [x], 5; ret; }\n" PROLOGUE
                    "setp.lt.u32 %p1, %r1, 4;\n"
                    "@%p1 call f, (%rd3);\n"
                    "activemask.b32 %r3; st.global.u32 [%rd3+128], %r3; }\n",
             256);
    for (u32 i = 0; i < 32; i++) {
        assert_int_equal(run_word(&r, i), i < 4 ? 5 : 0);
        assert_int_equal(run_word(&r, 32 + i), 0xffffffff);
    }
    run_end(&r);
}

TEST(calls_by_address_may_go_to_several_functions)
{
    UNUSED_STATE;
    struct run r;
    run_well(&r,
             HEADER ".func (.param .b32 y) one(.param .b32 x) {\n"
                    ".reg .b32 %r1; ld.param.b32 %r1, [x]; add.u32 %r1, %r1, 100;\n"
                    "st.param.b32 [y], %r1; ret; }\n"
                    ".func (.param .b32 y) two(.param .b32 x) {\n"
                    ".reg .b32 %r1; ld.param.b32 %r1, [x]; add.u32 %r1, %r1, 200;\n"
                    "st.param.b32 [y], %r1; ret; }\n"
                    ".global .u64 table[2] = {one, two};\n" PROLOGUE
                    "and.b32 %r2, %r1, 1; mul.wide.u32 %rd4, %r2, 8;\n"
                    "mov.u64 %rd5, table; add.u64 %rd5, %rd5, %rd4;\n"
                    "ld.global.u64 %rd6, [%rd5];\n"
                    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;\n"
                    "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                    "call (b), %rd6, (a), P; ld.param.b32 %r3, [b]; }\n"
                    "st.global.u32 [%rd3], %r3;\n"
                    "activemask.b32 %r3; st.global.u32 [%rd3+128], %r3; }\n",
             256);
    for (u32 i = 0; i < 32; i++) {
        assert_int_equal(run_word(&r, i), i + (i % 2 ? 200 : 100));
        assert_int_equal(run_word(&r, 32 + i), 0xffffffff);
    }
    run_end(&r);
}

TEST(lanes_recurse_to_different_depths)
{
    UNUSED_STATE;
    struct run r;
    run_well(&r,
             HEADER ".func (.param .b32 y) fact(.param .b32 x) {\n"
                    ".reg .b32 %r<4>; .reg .pred %p1;\n"
                    "ld.param.b32 %r1, [x]; mov.u32 %r2, 1;\n"
                    "setp.lt.u32 %p1, %r1, 2; @%p1 bra END;\n"
                    "sub.u32 %r3, %r1, 1;\n"
                    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r3;\n"
                    "call (b), fact, (a); ld.param.b32 %r2, [b]; }\n"
                    "mul.lo.u32 %r2, %r2, %r1;\n"
                    "END: st.param.b32 [y], %r2; ret; }\n" PROLOGUE "and.b32 %r2, %r1, 7;\n"
                    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2;\n"
                    "call (b), fact, (a); ld.param.b32 %r3, [b]; }\n"
                    "st.global.u32 [%rd3], %r3;\n"
                    "activemask.b32 %r3; st.global.u32 [%rd3+128], %r3; }\n",
             256);
    static const u32 factorials[] = {1, 1, 2, 6, 24, 120, 720, 5040};
    for (u32 i = 0; i < 32; i++) {
        assert_int_equal(run_word(&r, i), factorials[i % 8]);
        assert_int_equal(run_word(&r, 32 + i), 0xffffffff);
    }
    run_end(&r);
}

TEST(a_branch_by_index_sends_each_lane_to_its_target)
{
    UNUSED_STATE;
    struct run r;
    run_well(&r,
             KERNEL("and.b32 %r2, %r1, 3;\n"
                    "setp.lt.u32 %p1, %r1, 28;\n"
                    "mov.u32 %r3, 9;\n"
                    "T: .branchtargets A, B, C, B;\n"
                    "@%p1 brx.idx %r2, T;\n"
                    "bra D;\n"
                    "A: activemask.b32 %r3; bra D;\n"
                    "B: activemask.b32 %r3; bra D;\n"
                    "C: mov.u32 %r3, 3;\n"
                    "D: st.global.u32 [%rd3], %r3;\n"
                    "activemask.b32 %r3; st.global.u32 [%rd3+128], %r3;"),
             256);
    for (u32 i = 0; i < 32; i++) {
        /* lanes 1 and 3 of four share a label, but came by different entries of the table */
        u32 expected = i >= 28      ? 9
                       : i % 4 == 0 ? 0x01111111
                       : i % 4 == 1 ? 0x02222222
                       : i % 4 == 3 ? 0x08888888
                                    : 3;
        assert_int_equal(run_word(&r, i), expected);
        assert_int_equal(run_word(&r, 32 + i), 0xffffffff);
    }
    run_end(&r);
}

TEST(a_guarded_branch_by_index_that_nobody_takes_falls_through)
{
    UNUSED_STATE;
    struct run r;
    run_well(&r,
             KERNEL("setp.lt.u32 %p1, %r1, 0;\n"
                    "T: .branchtargets A;\n"
                    "@%p1 brx.idx %r1, T;\n"
                    "st.global.u32 [%rd3], 3; ret;\n"
                    "A: trap;"),
             128);
    assert_int_equal(run_word(&r, 31), 3);
    run_end(&r);
}

TEST(lanes_that_name_different_members_work_in_groups)
{
    UNUSED_STATE;
    struct run r;
    run_well(&r,
             KERNEL("and.b32 %r2, %r1, 3; mov.u32 %r3, 0x11111111; shl.b32 %r3, %r3, %r2;\n"
                    "redux.sync.add.u32 %r4, %r1, %r3;\n"
                    "st.global.u32 [%rd3], %r4;"),
             128);
    for (u32 i = 0; i < 32; i++) /* k + (k + 4) + ... + (k + 28) */
        assert_int_equal(run_word(&r, i), 8 * (i % 4) + 112);
    run_end(&r);
}

TEST(paths_meet_at_a_warp_wide_instruction_they_all_execute)
{
    UNUSED_STATE;
    struct run r;
    /* lanes 0-15 come to F by a detour: the instruction waits for them, not only the join */
    run_well(&r,
             HEADER ".func (.reg .b32 y) f(.reg .b32 x) {\n"
                    "redux.sync.add.u32 y, x, 0xffffffff; ret; }\n" PROLOGUE
                    "setp.lt.u32 %p1, %r1, 16;\n"
                    "mov.u64 %rd5, f;\n"
                    "@%p1 bra A;\n"
                    "call (%r2), f, (%r1); bra J;\n"
                    "A: call (%r2), f, (%r1);\n"
                    "J: st.global.u32 [%rd3], %r2; }\n",
             128);
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(run_word(&r, i), 496);
    run_end(&r);
}

TEST(a_warp_wide_instruction_stops_waiting_for_lanes_that_exit)
{
    UNUSED_STATE;
    struct run r;
    run_well(&r,
             KERNEL("setp.ge.u32 %p1, %r1, 16;\n"
                    "@%p1 bra A;\n"
                    "redux.sync.add.u32 %r2, 1, 0xffffffff;\n"
                    "st.global.u32 [%rd3], %r2; ret;\n"
                    "A: nanosleep.u32 20; exit;"),
             128);
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(run_word(&r, i), i < 16 ? 16 : 0);
    run_end(&r);
}

TEST(parts_of_a_move_may_be_its_result)
{
    UNUSED_STATE;
    struct run r;
    run_well(&r,
             KERNEL("mov.b64 %rd4, {%r1, 7}; mov.b64 {%r2, %r3}, %rd4;\n"
                    "mov.b32 {%r2, %r3}, {%r3, %r2};\n"
                    "st.global.u32 [%rd3], %r2; st.global.u32 [%rd3+128], %r3;"),
             256);
    assert_int_equal(run_word(&r, 5), 7);
    assert_int_equal(run_word(&r, 32 + 5), 5);
    run_end(&r);
}

RUN_TESTS(T(both_sides_of_an_if_meet_behind_it), T(an_inner_if_meets_inside_the_outer_one),
          T(lanes_with_different_trip_counts_meet_behind_the_loop),
          T(lanes_that_exit_in_a_loop_are_not_waited_for),
          T(a_spin_lock_inside_a_warp_makes_progress),
          T(a_lane_may_wait_for_a_lane_that_waits_for_it_at_the_join),
          T(lanes_that_return_early_meet_the_others_behind_the_call),
          T(a_guarded_call_is_made_by_some_and_waited_for_by_all),
          T(calls_by_address_may_go_to_several_functions), T(lanes_recurse_to_different_depths),
          T(a_branch_by_index_sends_each_lane_to_its_target),
          T(a_guarded_branch_by_index_that_nobody_takes_falls_through),
          T(lanes_that_name_different_members_work_in_groups),
          T(paths_meet_at_a_warp_wide_instruction_they_all_execute),
          T(a_warp_wide_instruction_stops_waiting_for_lanes_that_exit),
          T(parts_of_a_move_may_be_its_result))
