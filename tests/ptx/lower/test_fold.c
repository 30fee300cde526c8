/* What disappears into other machine instructions, counted in listings of ptxas 13.0 for sm_90. */
#include "ptx/lower/lowering.h"

TEST(a_store_of_the_thread_number_is_seven_instructions)
{
    UNUSED_STATE;
    expect_machine(KERNEL("st.global.u32 [%rd3], %r1;"), FRAME);
}

TEST(copies_of_constants_and_registers_cost_nothing)
{
    UNUSED_STATE;
    /* add takes the constant as it is: IADD3 */
    expect_machine(KERNEL("mov.u32 %r4, 100; mov.u32 %r5, %r1; add.u32 %r2, %r5, %r4;" STORE),
                   FRAME + 1);
}

TEST(what_nobody_reads_is_not_there)
{
    UNUSED_STATE;
    expect_machine(KERNEL("add.u32 %r4, %r1, 1; mul.lo.u32 %r5, %r4, %r4;"
                          "st.global.u32 [%rd3], %r1;"),
                   FRAME);
}

TEST(sums_of_three_are_one)
{
    UNUSED_STATE;
    /* IADD3; with four, two */
    expect_machine(KERNEL("add.u32 %r4, %r1, %r1; add.u32 %r2, %r4, %r1;" STORE), FRAME + 1);
    expect_machine(
        KERNEL("add.u32 %r4, %r1, %r1; add.u32 %r5, %r4, %r1; add.u32 %r2, %r5, %r1;" STORE),
        FRAME + 2);
}

TEST(a_sum_that_is_used_twice_stays)
{
    UNUSED_STATE;
    expect_machine(
        KERNEL("add.u32 %r4, %r1, %r1; add.u32 %r5, %r4, %r1; xor.b32 %r2, %r4, %r5;" STORE),
        FRAME + 3);
}

TEST(shifts_and_products_that_are_added_are_one)
{
    UNUSED_STATE;
    /* LEA, IMAD */
    expect_machine(KERNEL("shl.b32 %r4, %r1, 3; add.u32 %r2, %r4, %r1;" STORE), FRAME + 1);
    expect_machine(KERNEL("mul.lo.u32 %r4, %r1, %r1; add.u32 %r2, %r4, %r1;" STORE), FRAME + 1);
}

TEST(logic_of_three_is_one)
{
    UNUSED_STATE;
    /* LOP3 */
    expect_machine(KERNEL("and.b32 %r4, %r1, 7; not.b32 %r5, %r1; xor.b32 %r2, %r4, %r5;" STORE),
                   FRAME + 1);
}

TEST(combined_comparisons_need_no_logic)
{
    UNUSED_STATE;
    /* ISETP, ISETP.AND, SEL */
    expect_machine(
        KERNEL("setp.gt.u32 %p1, %r1, 3; setp.lt.u32 %p2, %r1, 9; and.pred %p3, %p1, %p2;"
               "selp.u32 %r2, 5, 0, %p3;" STORE),
        FRAME + 3);
}

TEST(a_bit_is_tested_by_the_logic_itself)
{
    UNUSED_STATE;
    /* LOP3 with a predicate, SEL */
    expect_machine(
        KERNEL("and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 0; selp.u32 %r2, 5, 0, %p1;" STORE),
        FRAME + 2);
}

TEST(the_smallest_of_three_is_one)
{
    UNUSED_STATE;
    /* VIMNMX3 */
    expect_machine(KERNEL("min.u32 %r4, %r1, 7; min.u32 %r2, %r4, 5;" STORE), FRAME + 1);
}

TEST(constant_offsets_are_part_of_the_access)
{
    UNUSED_STATE;
    /* STG [R+4] and STG [R+8]; the frame's own store is a third */
    expect_machine(KERNEL("add.u64 %rd4, %rd3, 512; st.global.u32 [%rd4], %r1;"
                          "st.global.u32 [%rd4+512], %r1; st.global.u32 [%rd3], %r1;"),
                   FRAME + 2);
}

TEST(a_wide_product_is_part_of_every_sum_it_is_in)
{
    UNUSED_STATE;
    /* IMAD.WIDE each; the second address is another sum of the same product */
    expect_machine(KERNEL("add.u64 %rd4, %rd1, %rd2; ld.global.u32 %r2, [%rd4];" STORE), FRAME + 2);
}

#define PRODUCT_64(type, factor)                                                                   \
    KERNEL("ld.global." type " %rd5, [%rd1]; cvt.s64.s32 %rd0, %r1; " factor                       \
           "mul.lo.s64 %rd6, %rd4, %rd5; add.s64 %rd7, %rd6, %rd0;"                                \
           "shr.u64 %rd8, %rd7, 32; cvt.u32.u64 %r2, %rd8;" STORE)
#define AROUND (FRAME + 2) /* LDG, and a copy of the upper half; a sum extends a sign itself */

TEST(a_product_of_64_bits_is_wide_if_both_upper_halves_are_zero)
{
    UNUSED_STATE;
    /* IMAD.WIDE.U32, which adds too */
    expect_machine(PRODUCT_64("u32", "cvt.u64.u32 %rd4, %r1; "), AROUND + 1);
    expect_machine(PRODUCT_64("u32", "and.b64 %rd4, %rd3, 4294967295; "), AROUND + 1);
    expect_machine(PRODUCT_64("u32", "mov.u64 %rd4, 4294966319; "), AROUND + 1);
    /* a shift by 32 is a copy */
    expect_machine(PRODUCT_64("u32", "shr.u64 %rd4, %rd3, 32; "), AROUND + 2);
    /* otherwise four for the product and two for the sum */
    expect_machine(PRODUCT_64("u64", "cvt.u64.u32 %rd4, %r1; "), AROUND + 6);
    expect_machine(PRODUCT_64("u32", "shr.s64 %rd4, %rd3, 32; "), AROUND + 1 + 6);
    expect_machine(PRODUCT_64("u32", "shr.u64 %rd4, %rd3, 31; "), AROUND + 2 + 6);
}

TEST(upper_halves_of_values_with_several_definitions_are_not_known)
{
    UNUSED_STATE;
    /* a guarded copy of a constant is one */
    expect_machine(PRODUCT_64("u32", "cvt.u64.u32 %rd4, %r1; @%p1 mov.u64 %rd4, 7; "),
                   AROUND + 1 + 6);
}

TEST(sums_of_64_bits_are_two)
{
    UNUSED_STATE;
    /* IADD3 and IADD3.X twice; IMAD.WIDE, LEA and LEA.HI.X for the address instead of the frame's
     */
    expect_machine(
        KERNEL("cvt.u64.u32 %rd4, %r1; add.u64 %rd5, %rd4, %rd1; sub.u64 %rd6, %rd5, %rd1;"
               "cvt.u32.u64 %r5, %rd6; shl.b64 %rd7, %rd2, 1; add.u64 %rd8, %rd1, %rd7;"
               "st.global.u64 [%rd8], %rd6;"),
        FRAME - 1 + 2 + 2 + 1 + 2);
}

TEST(halves_that_nobody_needs_are_not_computed)
{
    UNUSED_STATE;
    /* IADD3 on the lower half alone */
    expect_machine(
        KERNEL("cvt.u64.u32 %rd4, %r1; add.u64 %rd5, %rd4, 77; cvt.u32.u64 %r2, %rd5;" STORE),
        FRAME + 1);
}

TEST(signs_of_floats_cost_nothing)
{
    UNUSED_STATE;
    /* I2F, FADD with a negated operand */
    expect_machine(HEADER
                   ".visible .entry k(.param .u64 out) {\n"
                   ".reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>;\n"
                   "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;\n"
                   "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n"
                   "cvt.rn.f32.u32 %f1, %r1; neg.f32 %f2, %f1; add.rn.f32 %f3, %f2, 0f3f800000;\n"
                   "st.global.f32 [%rd3], %f3; }\n",
                   FRAME + 2);
}

TEST(products_are_contracted_only_where_the_rounding_is_open)
{
    UNUSED_STATE;
#define PRODUCT(mul, add)                                                                          \
    HEADER ".visible .entry k(.param .u64 out) {\n"                                                \
           ".reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>;\n"                                 \
           "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;\n"                                      \
           "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n"                                \
           "cvt.rn.f32.u32 %f1, %r1; " mul ".f32 %f2, %f1, %f1; " add ".f32 %f3, %f2, %f1;\n"      \
           "st.global.f32 [%rd3], %f3; }\n"
    expect_machine(PRODUCT("mul.rn", "add.rn"), FRAME + 3);
    expect_machine(PRODUCT("mul", "add"), FRAME + 2);
}

/* What a body has more of than a kernel without one. */
static u32 more_of(const char *kernel, enum op_unit unit, enum op_cost cost)
{
    return run_lowered_well(kernel).costs[unit][cost] -
           run_lowered_well(KERNEL("mov.u32 %r2, %r1;" STORE)).costs[unit][cost];
}

/* micro.csv: LOP3, SHF, ISETP, SEL one in 2 cycles; POPC, BREV, F2I 17 cycles, one in 8; I2FP as
 * the first, IADD3 one in a cycle. */
TEST(logic_is_of_the_half_rate_pipe_and_counts_and_conversions_of_the_special_one)
{
    UNUSED_STATE;
    const char *logic =
        KERNEL("xor.b32 %r4, %r1, 5; shl.b32 %r5, %r4, %r1; setp.gt.u32 %p1, %r5, 3;"
               "selp.b32 %r2, %r5, %r1, %p1;" STORE);
    assert_int_equal(more_of(logic, UNIT_INT, COST_SELECT), 4);
    assert_int_equal(more_of(logic, UNIT_INT, COST_SIMPLE), 0);
    const char *special =
        KERNEL("popc.b32 %r4, %r1; brev.b32 %r5, %r4; cvt.rzi.s32.f32 %r2, %r5;" STORE);
    assert_int_equal(more_of(special, UNIT_SFU, COST_SIMPLE), 3);
    const char *plain = KERNEL("cvt.rn.f32.s32 %r4, %r1; add.u32 %r2, %r4, 9;" STORE);
    assert_int_equal(more_of(plain, UNIT_INT, COST_SELECT), 1);
    assert_int_equal(more_of(plain, UNIT_INT, COST_SIMPLE), 1);
}

/* micro.csv: IMAD.WIDE and IMAD.HI go once in 4 cycles, IMAD twice as often. Every body has the
 * product that is part of STG's address in common with the kernel that it is compared with. */
#define UPPER "shr.u64 %rd6, %rd4, 7; cvt.u32.u64 %r2, %rd6;" STORE

TEST(products_of_words_with_64_bits_and_their_upper_halves_are_wide)
{
    UNUSED_STATE;
    static const struct {
        const char *kernel;
        u32 wide, narrow;
    } rows[] = {
        {KERNEL("mul.hi.u32 %r2, %r1, 12345;" STORE), 1, 0},
        {KERNEL("mul.hi.s32 %r2, %r1, 12345;" STORE), 1, 0},
        {KERNEL("mad.hi.u32 %r2, %r1, 12345, %r1;" STORE), 1, 0},
        {KERNEL("mul.lo.u32 %r2, %r1, %r1;" STORE), 0, 1},
        {KERNEL("mul.wide.u32 %rd4, %r1, 12345;" UPPER), 1, 0},
        {KERNEL("mul.wide.u32 %rd5, %r1, 12345; cvt.u64.u32 %rd7, %r1; add.u64 %rd4, %rd5, "
                "%rd7;" UPPER),
         1, 0},
        {KERNEL("cvt.u64.u32 %rd7, %r1; mad.wide.u32 %rd4, %r1, 12345, %rd7;" UPPER), 1, 0},
        {KERNEL("cvt.u64.u32 %rd7, %r1; not.b64 %rd8, %rd7; mul.lo.u64 %rd4, %rd8, %rd8;" UPPER), 1,
         2},
        /* micro-sass.csv: 128 IMAD.HI and 129 IMAD in 64 divisions */
        {KERNEL("div.u32 %r2, 12345, %r1;" STORE), 2, 2},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_int_equal(more_of(rows[i].kernel, UNIT_INT, COST_WIDE), rows[i].wide);
        assert_int_equal(more_of(rows[i].kernel, UNIT_INT, COST_MULTIPLY_ADD) +
                             more_of(rows[i].kernel, UNIT_INT, COST_MULTIPLY),
                         rows[i].narrow);
    }
}

/* micro.csv: m16n8k16 goes once in 6 cycles, m16n8k8 of f16 in 4, of tf32 in 6, m8n8k4 of f64 in
 * 16. */
TEST(products_of_matrices_cost_what_their_shape_does)
{
    UNUSED_STATE;
#define MMA(shape, types, a, b)                                                                    \
    KERNEL("mma.sync.aligned." shape ".row.col." types " {%r4, %r5, %r6, %r7}, {" a "}, {" b "},"  \
           "{%r8, %r9, %r10, %r11}; mov.u32 %r2, %r4;" STORE)
    const char *half = MMA("m16n8k8", "f32.f16.f16.f32", "%r1, %r1", "%r1");
    const char *whole = MMA("m16n8k16", "f32.f16.f16.f32", "%r1, %r1, %r1, %r1", "%r1, %r1");
    const char *tf32 = MMA("m16n8k8", "f32.tf32.tf32.f32", "%r1, %r1, %r1, %r1", "%r1, %r1");
    const char *doubles =
        KERNEL(".reg .f64 %d<6>; mov.f64 %d0, 0d3ff0000000000000;"
               "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d2, %d3}, {%d0}, {%d0}, "
               "{%d0, %d0}; cvt.rzi.u32.f64 %r2, %d2;" STORE);
    assert_int_equal(more_of(half, UNIT_TENSOR, COST_SELECT), 1);
    assert_int_equal(more_of(whole, UNIT_TENSOR, COST_SIMPLE), 1);
    assert_int_equal(more_of(tf32, UNIT_TENSOR, COST_SIMPLE), 1);
    assert_int_equal(more_of(doubles, UNIT_TENSOR, COST_DIVIDE), 1);
}

/* ptxas 13.0 for sm_90a: MEMBAR, ERRBAR and their kin stand before what releases beyond its block,
 * and before a barrier of the cluster that is not relaxed. */
TEST(what_releases_beyond_its_block_has_a_fence_before_it)
{
    UNUSED_STATE;
#define RELEASES(op) (run_lowered_well(KERNEL("mov.u32 %r2, %r1;" op STORE)).count)
    u32 plain = RELEASES("red.relaxed.gpu.global.add.u32 [%rd1+3072], 1;");
    assert_int_equal(RELEASES("red.release.gpu.global.add.u32 [%rd1+3072], 1;"), plain + 4);
    assert_int_equal(RELEASES("red.release.sys.global.add.u32 [%rd1+3072], 1;"), plain + 4);
    assert_int_equal(RELEASES("red.release.cluster.global.add.u32 [%rd1+3072], 1;"), plain + 4);
    assert_int_equal(RELEASES("red.release.cta.global.add.u32 [%rd1+3072], 1;"), plain);
    assert_int_equal(RELEASES("st.release.gpu.global.u32 [%rd3+2048], %r1;"),
                     RELEASES("st.relaxed.gpu.global.u32 [%rd3+2048], %r1;") + 4);
    assert_int_equal(
        RELEASES("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"),
        RELEASES("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;") + 4);
}

#define SHARED_KERNEL(align, body)                                                                 \
    HEADER ".shared .align " align " .b8 tile[1024];\n" PROLOGUE "mov.u64 %rd5, tile;\n" body "}"  \
           "\n"

TEST(addresses_of_shared_memory_have_32_bits)
{
    UNUSED_STATE;
    /* the window (S2R, MOV, LEA), LEA for tile + 4 * thread, STS, LDS */
    expect_machine(SHARED_KERNEL("16", "add.u64 %rd6, %rd5, %rd2; st.shared.u32 [%rd6], %r1;"
                                       "ld.shared.u32 %r2, [%rd6];" STORE),
                   FRAME + 3 + 1 + 2);
}

TEST(neighbouring_words_of_shared_memory_are_one_load)
{
    UNUSED_STATE;
    /* window 3, LEA for 16 * thread, LDS.128; three sums of two are two IADD3 */
    struct lowered l = expect_machine(
        SHARED_KERNEL("16",
                      "mul.wide.u32 %rd6, %r1, 16; add.u64 %rd7, %rd5, %rd6;"
                      "ld.shared.u32 %r4, [%rd7]; ld.shared.u32 %r5, [%rd7+4];"
                      "ld.shared.u32 %r6, [%rd7+8]; ld.shared.u32 %r7, [%rd7+12];"
                      "add.u32 %r8, %r4, %r5; add.u32 %r9, %r8, %r6; add.u32 %r2, %r9, %r7;" STORE),
        FRAME + 3 + 1 + 1 + 2);
    assert_int_equal(l.most_bytes, 16);
}

/* ptxas 13.0 for sm_90: 256 words of a table that a loop reads are 128 ULDC.64. */
TEST(two_words_of_constants_at_an_address_that_all_lanes_share_are_one_load)
{
    UNUSED_STATE;
#define TABLE_KERNEL(at, a, b)                                                                     \
    HEADER ".const .align 8 .b32 table[128];\n" PROLOGUE "mov.u32 %r4, " at ";"                    \
           "mul.wide.u32 %rd4, %r4, 8; mov.u64 %rd5, table; add.u64 %rd6, %rd5, %rd4;"             \
           "ld.const.u32 %r5, [%rd6+" a "]; ld.const.u32 %r6, [%rd6+" b                            \
           "]; add.u32 %r2, %r5, %r6;" STORE "}\n"
    u32 one = run_lowered_well(TABLE_KERNEL("%ctaid.x", "8", "12")).count;
    assert_int_equal(run_lowered_well(TABLE_KERNEL("%ctaid.x", "12", "8")).count, one);
    assert_int_equal(run_lowered_well(TABLE_KERNEL("%ctaid.x", "12", "16")).count, one + 1);
    assert_int_equal(run_lowered_well(TABLE_KERNEL("%ctaid.x", "8", "16")).count, one + 1);
    assert_int_equal(run_lowered_well(TABLE_KERNEL("%laneid", "8", "12")).count, one + 1);
}

TEST(words_whose_address_may_be_odd_are_loaded_one_by_one)
{
    UNUSED_STATE;
    struct lowered l =
        expect_machine(SHARED_KERNEL("16", "add.u64 %rd7, %rd5, %rd2;"
                                           "ld.shared.u32 %r4, [%rd7]; ld.shared.u32 %r5, [%rd7+4];"
                                           "add.u32 %r2, %r4, %r5;" STORE),
                       FRAME + 3 + 1 + 2 + 1);
    assert_int_equal(l.most_bytes, 8); /* of the parameter, a pointer */
}

TEST(a_store_between_two_loads_keeps_them_apart)
{
    UNUSED_STATE;
    expect_machine(SHARED_KERNEL("16", "mul.wide.u32 %rd6, %r1, 16; add.u64 %rd7, %rd5, %rd6;"
                                       "ld.shared.u32 %r4, [%rd7]; st.shared.u32 [%rd7+4], %r1;"
                                       "ld.shared.u32 %r5, [%rd7+4]; add.u32 %r2, %r4, %r5;" STORE),
                   FRAME + 3 + 1 + 3 + 1);
}

/* One lane sends what the lanes have added up or chosen from; each its own where the addresses
 * differ, or where somebody reads what was there. */
TEST(an_atomic_at_one_address_is_sent_by_one_lane)
{
    UNUSED_STATE;
    struct lowered l;
    run_lowered(KERNEL("red.global.add.u32 [%rd1], %r1;"), &l);
    assert_int_equal(l.atomic_lanes, 1);
    run_lowered(KERNEL("red.global.add.u32 [%rd3], %r1;"), &l);
    assert_int_equal(l.atomic_lanes, 32);
    static const char *const reduced[] = {
        KERNEL("red.global.min.s32 [%rd1], %r1;"), KERNEL("red.global.max.u32 [%rd1], %r1;"),
        KERNEL("red.global.and.b32 [%rd1], %r1;"), KERNEL("red.global.or.b32 [%rd1], %r1;"),
        KERNEL("red.global.xor.b32 [%rd1], %r1;")};
    for (u32 i = 0; i < ARRAY_LEN(reduced); i++) {
        run_lowered(reduced[i], &l);
        assert_int_equal(l.atomic_lanes, 1);
    }
    run_lowered(KERNEL("red.global.inc.u32 [%rd1], %r1;"), &l);
    assert_int_equal(l.atomic_lanes, 32);
    run_lowered(KERNEL("atom.global.max.u32 %r2, [%rd1], %r1; st.global.u32 [%rd3], %r2;"), &l);
    assert_int_equal(l.atomic_lanes, 32);
}

/* BSSY, then LDS, FADD, ATOMS.CAST.SPIN, ISETP and BRA as often as lanes want one word. */
TEST(a_float_sum_in_shared_memory_turns_once_for_each_lane_at_a_word)
{
    UNUSED_STATE;
#define SUM(at)                                                                                    \
    SHARED_KERNEL("16", "and.b32 %r4, %r1, " at "; mul.wide.u32 %rd6, %r4, 4;"                     \
                        "add.u64 %rd7, %rd5, %rd6; st.shared.u32 [%rd7], 0; bar.warp.sync -1;"     \
                        "red.shared.add.f32 [%rd7], %r1; ld.shared.u32 %r2, [%rd7];" STORE)
    struct lowered apart = run_lowered_well(SUM("31")), four = run_lowered_well(SUM("7")),
                   one = run_lowered_well(SUM("0"));
    assert_int_equal(four.count - apart.count, 3 * 5);
    assert_int_equal(one.count - apart.count, 31 * 5);
    assert_int_equal(one.threads - apart.threads, 5 * 31 * 32 / 2); /* 31, 30, ... lanes */
    assert_int_equal(one.atomic_lanes, 1);
#undef SUM
}

TEST(lanes_that_add_one_in_shared_memory_are_counted)
{
    UNUSED_STATE;
    struct lowered l = run_lowered_well(
        SHARED_KERNEL("16", "add.u64 %rd7, %rd5, %rd2; st.shared.u32 [%rd7], 0;"
                            "red.shared.add.u32 [%rd7], 1; ld.shared.u32 %r2, [%rd7];" STORE));
    assert_int_equal(l.costs[UNIT_MEMORY][SHARED_ATOMIC_COUNT], 1);
    l = run_lowered_well(
        SHARED_KERNEL("16", "add.u64 %rd7, %rd5, %rd2; st.shared.u32 [%rd7], 0;"
                            "red.shared.add.u32 [%rd7], 2; ld.shared.u32 %r2, [%rd7];" STORE));
    assert_int_equal(l.costs[UNIT_MEMORY][SHARED_ATOMIC_COUNT], 0);
}

/* Listings: 13 cycles from ISETP or FSETP to what it guards, 4 to SEL. */
TEST(a_comparison_that_guards_is_told_from_one_that_selects)
{
    UNUSED_STATE;
    const char *guards = KERNEL("mov.u32 %r2, %r1; setp.gt.u32 %p1, %r1, 3;"
                                "@%p1 add.u32 %r2, %r1, 7;" STORE);
    assert_int_equal(more_of(guards, UNIT_INT, COST_COMPARE), 1);
    const char *selects = KERNEL("setp.gt.u32 %p1, %r1, 3; selp.b32 %r2, 5, %r1, %p1;" STORE);
    assert_int_equal(more_of(selects, UNIT_INT, COST_COMPARE), 0);
    /* FSETP, @P FMUL, MUFU, @P FMUL */
    const char *root = KERNEL("rsqrt.approx.f32 %r2, %r1;" STORE);
    assert_int_equal(more_of(root, UNIT_INT, COST_COMPARE), 1);
}

/* A matrix of 16 x 16 halves in global memory: four LDG, each with the lanes of one in four; by
 * columns four MOVM more. In shared memory one LDSM. Seven instructions find a lane's elements. */
TEST(a_matrix_in_global_memory_is_four_loads_and_one_in_shared_memory)
{
    UNUSED_STATE;
#define MATRIX(space, at, layout)                                                                  \
    HEADER ".shared .align 32 .b8 tile[512];\n" PROLOGUE "mov.u32 %r2, tile;\n"                    \
           "wmma.load.a.sync.aligned." layout ".m16n16k16." space ".f16 {%r4, %r5, %r6, %r7, "     \
           "%r8, %r9, %r10, %r11}, [" at "], 16;\n"                                                \
           "st.global.u32 [%rd3+1024], %r4; }\n"
    struct lowered global = run_lowered_well(MATRIX("global", "%rd1", "row"));
    struct lowered turned = run_lowered_well(MATRIX("global", "%rd1", "col"));
    struct lowered shared = run_lowered_well(MATRIX("shared", "%r2", "row"));
    u32 loads[3] = {0};
    const struct lowered *all[] = {&global, &turned, &shared};
    for (u32 k = 0; k < 3; k++) {
        for (u32 i = 0; all[k]->order[i]; i++)
            loads[k] += all[k]->order[i] == 'L';
    }
    assert_int_equal(loads[0], 4);
    assert_int_equal(loads[1], 4);
    assert_int_equal(loads[2], 1);
    assert_int_equal(turned.count, global.count + 4);
    for (u32 i = 0; global.order[i];
         i++) { /* two of the eight registers each: all are waited for */
        if (global.order[i] == 'L')
            assert_true(global.result[i] > 0);
    }
}

TEST(a_load_of_what_was_just_loaded_is_not_there)
{
    UNUSED_STATE;
#define LOADED_TWICE(between)                                                                      \
    HEADER ".shared .align 16 .b8 tile[128];\n" PROLOGUE "mov.u32 %r2, tile;\n"                    \
           "ld.shared.u32 %r4, [%r2+4];" between "ld.shared.u32 %r5, [%r2+4];\n"                   \
           "add.u32 %r6, %r4, %r5; st.global.u32 [%rd3], %r6; }\n"
    static const struct {
        const char *text;
        u32 loads;
    } cases[] = {{LOADED_TWICE(""), 1},
                 {LOADED_TWICE("st.global.u32 [%rd3], %r1;"), 1},
                 {LOADED_TWICE("st.shared.u32 [%r2+8], %r1;"), 2},
                 {LOADED_TWICE("bar.sync 0;"), 2},
                 {LOADED_TWICE("add.u32 %r2, %r2, 4;"), 2}};
    for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
        struct lowered l = run_lowered_well(cases[i].text);
        u32 loads = 0;
        for (u32 k = 0; l.order[k]; k++)
            loads += l.order[k] == 'L';
        assert_int_equal(loads, cases[i].loads);
    }
}

/* Lines of 32 and 64 bytes, 144 and 288 apart, as programs pad them: each access has eight parts of
 * 16 bytes in other banks. Without the padding lines meet. Halves the same, as LDSM takes them. */
TEST(padded_lines_of_a_matrix_in_shared_memory_do_not_meet_in_a_bank)
{
    UNUSED_STATE;
#define TILE(load, registers, stride)                                                              \
    HEADER ".shared .align 32 .b8 tile[4096];\n" PROLOGUE "mov.u32 %r2, tile;\n"                   \
           "wmma.load." load " {%r4, %r5, %r6, %r7" registers "}, [%r2], " stride ";\n"            \
           "st.global.u32 [%rd3+1024], %r4; }\n"
#define HALVES ", %r8, %r9, %r10, %r11"
    static const struct {
        const char *text;
        bool meets;
    } cases[] = {{TILE("a.sync.aligned.row.m16n16k8.shared.tf32", "", "36"), false},
                 {TILE("a.sync.aligned.row.m16n16k8.shared.tf32", "", "32"), true},
                 {TILE("b.sync.aligned.row.m16n16k8.shared.tf32", "", "72"), false},
                 {TILE("b.sync.aligned.row.m16n16k8.shared.tf32", "", "64"), true},
                 {TILE("b.sync.aligned.col.m16n16k8.shared.tf32", "", "36"), false},
                 {TILE("a.sync.aligned.row.m16n16k16.shared.f16", HALVES, "72"), false},
                 {TILE("a.sync.aligned.row.m16n16k16.shared.f16", HALVES, "64"), true}};
    for (u32 i = 0; i < ARRAY_LEN(cases); i++)
        assert_int_equal(run_lowered_well(cases[i].text).clashes > 0, cases[i].meets);
}

/* ptxas's code for sm_90: two elements a conversion (8 of A, 4 of B), two HMMA, four additions. */
TEST(a_product_of_eight_bit_floats_is_conversions_and_two_of_f16)
{
    UNUSED_STATE;
#define EIGHT_BIT(form, a, b)                                                                      \
    KERNEL("mma.sync.aligned." form ".row.col.f32.e4m3.e5m2.f32 {%r4, %r5, %r6, %r7}, {%r1" a "}," \
           " {%r1" b                                                                               \
           "}, {%r1, %r1, %r1, %r1};\nadd.f32 %r4, %r4, %r5; st.global.u32 [%rd3], %r4;")
    struct lowered k32 = run_lowered_well(EIGHT_BIT("m16n8k32", ", %r1, %r1, %r1", ", %r1"));
    struct lowered k16 = run_lowered_well(EIGHT_BIT("m16n8k16", ", %r1", ""));
    assert_int_equal(k32.units[UNIT_TENSOR], 2);
    assert_int_equal(k32.units[UNIT_FP32], 4 + 1);
    assert_int_equal(k16.units[UNIT_TENSOR], 2);
    assert_int_equal(k32.units[UNIT_INT] - k16.units[UNIT_INT], 6);
}

RUN_TESTS(T(a_product_of_eight_bit_floats_is_conversions_and_two_of_f16),
          T(a_load_of_what_was_just_loaded_is_not_there),
          T(padded_lines_of_a_matrix_in_shared_memory_do_not_meet_in_a_bank),
          T(an_atomic_at_one_address_is_sent_by_one_lane),
          T(a_float_sum_in_shared_memory_turns_once_for_each_lane_at_a_word),
          T(lanes_that_add_one_in_shared_memory_are_counted),
          T(a_store_of_the_thread_number_is_seven_instructions),
          T(copies_of_constants_and_registers_cost_nothing), T(what_nobody_reads_is_not_there),
          T(sums_of_three_are_one), T(a_sum_that_is_used_twice_stays),
          T(shifts_and_products_that_are_added_are_one), T(logic_of_three_is_one),
          T(combined_comparisons_need_no_logic), T(a_bit_is_tested_by_the_logic_itself),
          T(the_smallest_of_three_is_one), T(constant_offsets_are_part_of_the_access),
          T(a_wide_product_is_part_of_every_sum_it_is_in),
          T(a_product_of_64_bits_is_wide_if_both_upper_halves_are_zero),
          T(upper_halves_of_values_with_several_definitions_are_not_known),
          T(sums_of_64_bits_are_two),
          T(logic_is_of_the_half_rate_pipe_and_counts_and_conversions_of_the_special_one),
          T(products_of_words_with_64_bits_and_their_upper_halves_are_wide),
          T(products_of_matrices_cost_what_their_shape_does),
          T(what_releases_beyond_its_block_has_a_fence_before_it),
          T(halves_that_nobody_needs_are_not_computed), T(signs_of_floats_cost_nothing),
          T(products_are_contracted_only_where_the_rounding_is_open),
          T(addresses_of_shared_memory_have_32_bits),
          T(neighbouring_words_of_shared_memory_are_one_load),
          T(two_words_of_constants_at_an_address_that_all_lanes_share_are_one_load),
          T(words_whose_address_may_be_odd_are_loaded_one_by_one),
          T(a_store_between_two_loads_keeps_them_apart),
          T(a_comparison_that_guards_is_told_from_one_that_selects),
          T(a_matrix_in_global_memory_is_four_loads_and_one_in_shared_memory))
