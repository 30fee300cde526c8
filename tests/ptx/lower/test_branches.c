/* Branches, loops and subroutines as machine instructions. */
#include "ptx/lower/lowering.h"

#define SKIP(compare)                                                                              \
    KERNEL("mov.u32 %r2, 3; " compare " @%p1 bra J;\n"                                             \
           "mul.lo.u32 %r4, %r1, 5; add.u32 %r2, %r4, 1;\n"                                        \
           "J: " STORE)

/* MOV, ISETP, IMAD under a guard: the branch is not there, and all lanes pass. */
TEST(a_short_if_is_walked_under_a_guard)
{
    UNUSED_STATE;
    expect_machine(SKIP("setp.lt.u32 %p1, %r1, 8;"), FRAME + 3);
}

TEST(a_guarded_region_that_all_lanes_skip_is_walked_without_lanes)
{
    UNUSED_STATE;
    struct lowered l = expect_machine(SKIP("setp.lt.u32 %p1, %r1, 800;"), FRAME + 3);
    assert_int_equal(l.threads, 32 * (FRAME + 2));
    l = expect_machine(SKIP("setp.gt.u32 %p1, %r1, 800;"), FRAME + 3);
    assert_int_equal(l.threads, 32 * (FRAME + 3));
}

#define EITHER(compare)                                                                            \
    KERNEL(compare " @%p1 bra A;\n"                                                                \
                   "mul.lo.u32 %r2, %r1, 5; bra J;\n"                                              \
                   "A: mul.lo.u32 %r4, %r1, %r1; mul.lo.u32 %r2, %r4, 3;\n"                        \
                   "J: " STORE)

/* ISETP, and IMAD of both sides whoever takes them. */
TEST(both_sides_of_a_short_if_are_walked_once)
{
    UNUSED_STATE;
    expect_machine(EITHER("setp.lt.u32 %p1, %r1, 8;"), FRAME + 4);
    expect_machine(EITHER("setp.lt.u32 %p1, %r1, 800;"), FRAME + 4);
    expect_machine(EITHER("setp.gt.u32 %p1, %r1, 800;"), FRAME + 4);
}

#define LONG_SIDE                                                                                  \
    "mul.lo.u32 %r4, %r1, %r1; mul.lo.u32 %r5, %r4, %r4; mul.lo.u32 %r6, %r5, %r4;\n"              \
    "mul.lo.u32 %r7, %r6, %r5; mul.lo.u32 %r8, %r7, %r6; mul.lo.u32 %r9, %r8, %r7;\n"              \
    "mul.lo.u32 %r10, %r9, %r8; mul.lo.u32 %r11, %r10, %r9; mul.lo.u32 %r12, %r11, %r10;\n"        \
    "mul.lo.u32 %r2, %r12, %r11;\n"

/* MOV, ISETP, BSSY, BRA, 10 IMAD, and BSYNC by both paths. */
TEST(a_long_if_is_a_branch_and_lanes_meet_twice)
{
    UNUSED_STATE;
    expect_machine(
        KERNEL("mov.u32 %r2, 3; setp.lt.u32 %p1, %r1, 8; @%p1 bra J;\n" LONG_SIDE "J: " STORE),
        FRAME + 4 + 10 + 2);
}

TEST(a_long_if_that_all_lanes_take_skips_it)
{
    UNUSED_STATE;
    expect_machine(
        KERNEL("mov.u32 %r2, 3; setp.lt.u32 %p1, %r1, 800; @%p1 bra J;\n" LONG_SIDE "J: " STORE),
        FRAME + 4 + 1);
}

TEST(lanes_that_agree_need_no_meeting_point)
{
    UNUSED_STATE;
    /* MOV, S2UR, ISETP, BRA, 10 IMAD */
    expect_machine(KERNEL("mov.u32 %r2, 3; mov.u32 %r3, %ctaid.x; setp.gt.u32 %p1, %r3, 8;"
                          "@%p1 bra J;\n" LONG_SIDE "J: " STORE),
                   FRAME + 4 + 10);
}

TEST(a_way_out_needs_no_meeting_point)
{
    UNUSED_STATE;
    /* ISETP, @P EXIT, 10 IMAD; lanes 0 to 7 exit */
    struct lowered l = expect_machine(
        KERNEL("setp.lt.u32 %p1, %r1, 8; @%p1 bra END;\n" LONG_SIDE STORE "END: ret;"),
        FRAME + 2 + 10 + 0);
    assert_true(l.threads < 32 * l.count);
}

/* Six before the loop count its turns, four look at what is left over, and lanes that turn
 * differently often need two more places to meet. */
#define TRIPS 14u
#define LOOP(start)                                                                                \
    KERNEL("mov.u32 %r2, 0; ld.global.u32 %r6, [%rd1]; add.u32 %r6, %r6, 8; mov.u32 %r5, 0;\n"     \
           "L: " start "mad.lo.u32 %r2, %r2, 3, %r1;\n"                                            \
           "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, %r6; @%p1 bra L;\n" STORE)

/* 8 turns: IMAD each, and IADD3, ISETP, BRA in two of them. A loop whose turns a load decides:
 * BSSY before, BSYNC behind. MOV, LDG, IADD, MOV before it. */
TEST(a_counted_loop_is_unrolled_four_times)
{
    UNUSED_STATE;
    expect_machine(LOOP(""), FRAME + 4 + TRIPS + 2 + 8 + 2 * 3);
}

TEST(a_loop_that_is_not_to_be_unrolled_is_not)
{
    UNUSED_STATE;
    expect_machine(LOOP(".pragma \"nounroll\"; "), FRAME + 4 + 2 + 8 + 8 * 3);
}

/* %r7 and %r8 lead only to each other: none of silicon/h200/micro.csv's chains that end nowhere is
 * there. */
TEST(values_that_a_loop_only_passes_on_to_itself_are_not_there)
{
    UNUSED_STATE;
    expect_machine(LOOP(".pragma \"nounroll\"; add.u32 %r7, %r8, 1; mul.lo.u32 %r8, %r7, 3; "
                        "setp.lt.u32 %p2, %r8, 9; selp.u32 %r8, %r8, 5, %p2; "),
                   FRAME + 4 + 2 + 8 + 8 * 3);
}

/* IMAD.HI, IADD3, IMAD, ISETP, IADD3, ISETP, IADD3, LOP3 in each of eight turns: what the divisor
 * needs is there before the loop, and nothing takes as long as a division. */
TEST(a_division_by_what_a_loop_does_not_change_is_eight_instructions)
{
    UNUSED_STATE;
    struct lowered l = run_lowered_well(LOOP(".pragma \"nounroll\"; rem.u32 %r2, %r2, %r6; "));
    assert_int_equal(l.count, FRAME + 4 + 2 + 8 + 8 * 3 + 8 * 8);
    assert_int_equal(l.costs[UNIT_INT][COST_DIVIDE], 0);
    assert_int_equal(l.units[UNIT_SFU], 0);
}

/* MUFU.RCP, its check and the call of a subroutine, ten in all, in each of eight turns; behind the
 * loop nothing. */
/* Two sums make the divisor and the dividend; the second division has the quotient of the first. */
#define TWO_DIVISIONS(first, between, second)                                                      \
    KERNEL("add.u32 %r4, %r1, 1; add.u32 %r5, %r1, 70; " first " %r6, %r5, %r4; " between second   \
           " %r2, %r6, %r4;" STORE)

TEST(divisions_by_the_same_value_share_its_reciprocal)
{
    UNUSED_STATE;
    expect_machine(TWO_DIVISIONS("div.u32", "", "div.u32"), FRAME + 2 + 16 + 9);
    expect_machine(TWO_DIVISIONS("div.u32", "", "rem.u32"), FRAME + 2 + 16 + 8);
    expect_machine(TWO_DIVISIONS("div.s32", "", "div.s32"), FRAME + 2 + 20 + 12);
    expect_machine(TWO_DIVISIONS("rem.s32", "", "rem.s32"), FRAME + 2 + 19 + 10);
    /* it is another's: of another sign, of lanes that a guard leaves, of a value that was there */
    expect_machine(TWO_DIVISIONS("div.u32", "", "div.s32"), FRAME + 2 + 16 + 20);
    expect_machine(TWO_DIVISIONS("mov.u32 %r6, 1; @%p1 div.u32", "", "div.u32"),
                   FRAME + 2 + 1 + 16 + 16);
    expect_machine(TWO_DIVISIONS("div.u32", "add.u32 %r4, %r4, 1; ", "div.u32"),
                   FRAME + 2 + 16 + 1 + 16);
    struct lowered l = run_lowered_well(TWO_DIVISIONS("div.u32", "", "rem.u32"));
    assert_int_equal(l.units[UNIT_SFU], 3); /* I2F, MUFU, F2I, once */
}

TEST(an_exact_reciprocal_stays_in_a_loop_that_alone_reads_it)
{
    UNUSED_STATE;
    expect_machine(LOOP(".pragma \"nounroll\"; rcp.rn.f32 %r7, %r7; "),
                   FRAME + 4 + 2 + 8 + 8 * 3 + 8 * 10);
    expect_machine(KERNEL("rcp.rn.f32 %r7, %r1;"
                          "mov.u32 %r2, %r1;" STORE),
                   FRAME);
}

/* The exit before the way back. Eight turns of IMAD, IADD3, ISETP and BRA; the way back costs
 * nothing. MOV twice before it. */
#define LEFT_INSIDE                                                                                \
    "mov.u32 %r5, 0;\n"                                                                            \
    "L: mad.lo.u32 %r2, %r2, %r1, 7; add.u32 %r5, %r5, 1;\n"                                       \
    "setp.eq.u32 %p1, %r5, 8; @%p1 bra E; bra.uni L;\nE: "

TEST(a_loop_that_is_left_inside_is_not_unrolled)
{
    UNUSED_STATE;
    expect_machine(KERNEL("mov.u32 %r2, 1; " LEFT_INSIDE STORE), FRAME + 2 + 8 * 4);
}

/* In another loop it is: eight IMAD, twice IADD3, ISETP and BRA; around it, two turns of MOV,
 * what the trips take, IADD3, ISETP and BRA, which lanes agree on. */
TEST(a_loop_that_is_left_inside_is_unrolled_in_another)
{
    UNUSED_STATE;
    expect_machine(KERNEL("mov.u32 %r2, 1; mov.u32 %r6, 0;\nO: " LEFT_INSIDE
                          "add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 2; @%p2 bra O;\n" STORE),
                   FRAME + 2 + 2 * (1 + 10 + 8 + 2 * 3 + 3));
}

TEST(a_loop_with_nothing_in_it_ends)
{
    UNUSED_STATE;
    struct lowered l;
    run_lowered(KERNEL("mov.u32 %r5, 0;\n"
                       "L: add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 1000; @%p1 bra L;\n"
                       "mov.u32 %r2, %r5;" STORE),
                &l);
    assert_true(l.ok);
    assert_int_equal(((const u32 *)(const void *)l.out)[31], 1000);
}

#define DIVIDE(numerator)                                                                          \
    HEADER ".visible .entry k(.param .u64 out) {\n"                                                \
           ".reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>;\n"                                 \
           "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;\n"                                      \
           "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n"                                \
           "add.u32 %r2, %r1, " numerator "; cvt.rn.f32.u32 %f1, %r2;"                             \
           "div.rn.f32 %f2, %f1, 0f40400000; st.global.f32 [%rd3], %f2; }\n"

/* IADD, I2F; BSSY, MUFU.RCP, FCHK, 5 FFMA, BRA, BSYNC. */
TEST(a_division_is_ten_instructions)
{
    UNUSED_STATE;
    struct lowered l = expect_machine(DIVIDE("1"), FRAME + 2 + 10);
    assert_int_equal(l.units[UNIT_SFU], 2);
}

/* Thread 0 divides zero: the subroutine, 36 instructions of one lane. */
TEST(a_division_of_zero_takes_the_subroutine)
{
    UNUSED_STATE;
    struct lowered l = expect_machine(DIVIDE("0"), FRAME + 2 + 10 + 36);
    assert_int_equal(l.threads, 32 * (FRAME + 2 + 10) + 36);
}

/* CALL, IADD3, RET: arguments and results are registers. */
TEST(arguments_of_a_function_cost_nothing)
{
    UNUSED_STATE;
    expect_machine(HEADER ".func (.param .b32 result) inc (.param .b32 a) {\n"
                          ".reg .b32 %q<3>; ld.param.u32 %q1, [a]; add.u32 %q2, %q1, 1;\n"
                          "st.param.b32 [result], %q2; ret; }\n" PROLOGUE
                          "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r1;\n"
                          "call.uni (y), inc, (x); ld.param.b32 %r2, [y]; }\n" STORE "}\n",
                   FRAME + 3);
}

TEST(a_fault_in_a_folded_load_is_found_by_the_next_step)
{
    UNUSED_STATE;
    struct lowered l;
    /* the second word of the last lane is behind the end of shared memory */
    run_lowered(HEADER ".shared .align 16 .b8 tile[252];\n" PROLOGUE
                       "mov.u64 %rd5, tile; mul.wide.u32 %rd6, %r1, 8; add.u64 %rd7, %rd5, %rd6;\n"
                       "ld.shared.u32 %r4, [%rd7]; ld.shared.u32 %r5, [%rd7+4];\n"
                       "add.u32 %r2, %r4, %r5;" STORE "}\n",
                &l);
    assert_false(l.ok);
}

RUN_TESTS(T(a_short_if_is_walked_under_a_guard),
          T(a_guarded_region_that_all_lanes_skip_is_walked_without_lanes),
          T(both_sides_of_a_short_if_are_walked_once),
          T(a_long_if_is_a_branch_and_lanes_meet_twice), T(a_long_if_that_all_lanes_take_skips_it),
          T(lanes_that_agree_need_no_meeting_point), T(a_way_out_needs_no_meeting_point),
          T(a_counted_loop_is_unrolled_four_times), T(a_loop_that_is_not_to_be_unrolled_is_not),
          T(values_that_a_loop_only_passes_on_to_itself_are_not_there),
          T(a_division_by_what_a_loop_does_not_change_is_eight_instructions),
          T(divisions_by_the_same_value_share_its_reciprocal),
          T(an_exact_reciprocal_stays_in_a_loop_that_alone_reads_it),
          T(a_loop_that_is_left_inside_is_not_unrolled),
          T(a_loop_that_is_left_inside_is_unrolled_in_another), T(a_loop_with_nothing_in_it_ends),
          T(a_division_is_ten_instructions), T(a_division_of_zero_takes_the_subroutine),
          T(arguments_of_a_function_cost_nothing),
          T(a_fault_in_a_folded_load_is_found_by_the_next_step))
