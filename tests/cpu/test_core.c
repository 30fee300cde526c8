/*
 * Programs whose cycles are worked out by hand, on a core with perfect caches and predictions.
 *
 * With the defaults the first instruction is predicted in cycle 0, its line asked for in 1 and
 * there in 3 (L1I: 2), extracted then, dispatched in 9 (decode: 6), issued in 10. An add is done
 * and retires in 11, so a program of one add takes 12 cycles.
 */
#include "cpu/bed.h"

#define FIRST_ISSUE 10u
#define PERFECT                                                                                    \
    "core.l1i.perfect=true", "core.l1d.perfect=true", "core.branch.perfect=true", "core.count=1"
static const char *const perfect[] = {PERFECT, NULL};
/* Below the L2 everything takes 100 cycles. */
#define FIXED                                                                                      \
    "core.l1i.perfect=true", "core.branch.perfect=true", "core.count=1", "ideal.model=fixed",      \
        "ideal.fixed_cycles=100"

static struct program *adds(u32 count, bool is_chain)
{
    struct program *p = program_new();
    for (u32 i = 0; i < count; i++)
        emit(p, CPU_ALU, is_chain ? 3 : (u8)(3 + i % 16), is_chain ? 3 : 0);
    return p;
}

TEST(one_add_takes_twelve_cycles)
{
    UNUSED_STATE;
    assert_int_equal(cycles_of(adds(1, false), perfect), FIRST_ISSUE + 2);
}

TEST(a_chain_of_adds_takes_a_cycle_each)
{
    UNUSED_STATE;
    /* add k issues in 10 + k, and the last retires a cycle later */
    assert_int_equal(cycles_of(adds(1000, true), perfect), FIRST_ISSUE + 999 + 2);
}

TEST(a_chain_takes_the_latency_of_its_unit_each)
{
    UNUSED_STATE;
    struct program *p = program_new();
    for (u32 i = 0; i < 300; i++)
        emit(p, CPU_FP_MUL, 100, 100);
    /* multiplication: 5 cycles; the last issues in 10 + 299 x 5 and is done 5 later */
    assert_int_equal(cycles_of(p, perfect), FIRST_ISSUE + 300 * 5 + 1);
}

TEST(independent_adds_take_a_cycle_for_each_four)
{
    UNUSED_STATE;
    /* dispatched four in a cycle from 9 on: the last in 9 + 249, and retired two later */
    assert_int_equal(cycles_of(adds(1000, false), perfect), 9 + 249 + 2 + 1);
}

TEST(a_wider_core_takes_fewer_cycles_for_them)
{
    UNUSED_STATE;
    static const char *const two[] = {PERFECT, "core.window.dispatch_width=2", NULL};
    static const char *const pipes[] = {PERFECT, "core.units.alu.pipes=1", NULL};
    assert_int_equal(cycles_of(adds(1000, false), two), 9 + 499 + 2 + 1);
    /* one pipe: one in a cycle, the first in 10 */
    assert_int_equal(cycles_of(adds(1000, false), pipes), FIRST_ISSUE + 999 + 2);
}

TEST(a_unit_that_is_not_pipelined_takes_its_interval)
{
    UNUSED_STATE;
    struct program *p = program_new();
    for (u32 i = 0; i < 200; i++)
        emit(p, CPU_DIV, (u8)(3 + i % 16), 0);
    /* one pipe, a division every 10 cycles, 25 until its result */
    assert_int_equal(cycles_of(p, perfect), FIRST_ISSUE + 199 * 10 + 25 + 1);
}

static struct program *chase(u32 count, u64 stride)
{
    struct program *p = program_new();
    for (u32 i = 0; i < count; i++)
        emit_load(p, 3, 3, 0x10000000 + i * stride);
    return p;
}

TEST(a_chase_in_the_l1d_takes_its_latency_each)
{
    UNUSED_STATE;
    /* address 1, L1D 2 */
    assert_int_equal(cycles_of(chase(500, 8), perfect), FIRST_ISSUE + 500 * 3 + 1);
}

TEST(a_chase_below_the_l2_takes_the_sum_of_all_levels_each)
{
    UNUSED_STATE;
    static const char *const fixed[] = {FIXED, NULL};
    /* address 1, L1D 2, L2 8, then 100 */
    assert_int_equal(cycles_of(chase(200, 64), fixed), FIRST_ISSUE + 200 * 111 + 1);
}

TEST(a_chase_in_the_l2_takes_both_levels_each)
{
    UNUSED_STATE;
    static const char *const l2[] = {PERFECT, "core.l1d.perfect=false", "core.l2.perfect=true",
                                     NULL};
    assert_int_equal(cycles_of(chase(500, 64), l2), FIRST_ISSUE + 500 * 11 + 1);
}

TEST(misses_overlap_as_far_as_the_window_goes)
{
    UNUSED_STATE;
    static const char *const sets[] = {FIXED,
                                       "core.window.rob_entries=64",
                                       "core.l1d.mshrs=128",
                                       "core.l2.mshrs=128",
                                       "core.l2.ports=2",
                                       NULL};
    struct program *p = program_new();
    for (u32 i = 0; i < 640; i++)
        emit_load(p, 3, 0, 0x10000000 + i * 64);
    /* Two issue in a cycle: load j of the first 64 in 10 + j / 2, and its data comes 111 later. In
     * that cycle it retires and load j + 64 is dispatched, which issues in the next: a window takes
     * 112 cycles. */
    assert_int_equal(cycles_of(p, sets), FIRST_ISSUE + 9 * 112 + 31 + 111 + 1);
}

TEST(mshrs_limit_misses_that_overlap)
{
    UNUSED_STATE;
    static const char *const sets[] = {FIXED, "core.l1d.mshrs=1", NULL};
    struct program *p = program_new();
    for (u32 i = 0; i < 100; i++)
        emit_load(p, 3, 0, 0x10000000 + i * 64);
    /* the next is accepted in the cycle in which the last came */
    assert_int_equal(cycles_of(p, sets), FIRST_ISSUE + 100 * 111 + 1);
}

TEST(a_branch_predicted_wrong_costs_twelve_cycles)
{
    UNUSED_STATE;
    static const char *const sets[] = {"core.l1i.perfect=true", "core.l1d.perfect=true",
                                       "core.count=1", NULL};
    struct program *p = program_new();
    for (u32 i = 0; i < 400; i++) /* each is new, so its target is not known */
        emit_branch(p, CPU_INDIRECT_JUMP, 0x400000 + 0x1000 * (u64)(i + 1));
    /* predicted in cycle 12 i, done 11 later, and the next is predicted in the cycle after that */
    assert_int_equal(cycles_of(p, sets), 400 * 12);
}

TEST(a_late_target_costs_three_cycles_of_prediction)
{
    UNUSED_STATE;
    static const char *const sets[] = {"core.l1i.perfect=true", "core.l1d.perfect=true",
                                       "core.count=1", NULL};
    struct program *p = program_new();
    for (u32 i = 0; i < 400; i++)
        emit_branch(p, CPU_JUMP, 0x400000 + 0x1000 * (u64)(i + 1));
    /* one block every 1 + 3 cycles; the last one retires 11 later */
    assert_int_equal(cycles_of(p, sets), 399 * 4 + 12);
}

TEST(a_load_takes_its_bytes_from_the_store_before_it)
{
    UNUSED_STATE;
    struct program *p = program_new();
    struct bed b;
    emit_store(p, 3, 0x5000);
    emit_load(p, 4, 0, 0x5000);
    emit(p, CPU_ALU, 5, 4);
    /* The store issues in 10 and is done in 11; the load issues then, address 1, store 1: 13; the
     * add retires in 14. The store is in the L1D long before. */
    assert_int_equal(run_program(&b, p, perfect), 15);
    assert_int_equal(bed_core(&b, 0)->counts.forwards, 1);
    bed_close(&b);
}

TEST(a_load_of_more_than_the_store_waits_until_it_is_in_the_l1d)
{
    UNUSED_STATE;
    struct program *p = program_new();
    struct bed b;
    emit_store(p, 3, 0x5004);
    emit_load(p, 4, 0, 0x5000);
    emit(p, CPU_ALU, 5, 4);
    /* The store retires in 11, is written and gone in the same cycle; the load issues in 12 and has
     * its data in 15, the add retires in 16. */
    assert_int_equal(run_program(&b, p, perfect), 17);
    assert_int_equal(bed_core(&b, 0)->counts.forwards, 0);
    bed_close(&b);
}

TEST(a_load_passes_stores_to_other_bytes_unless_it_must_wait_for_addresses)
{
    UNUSED_STATE;
    static const char *const waits[] = {PERFECT, "core.lsq.loads_wait=stores", NULL};
    u64 cycles[2];
    for (u32 k = 0; k < 2; k++) {
        struct program *p = program_new();
        emit(p, CPU_DIV, 3, 0);
        emit_store(p, 3, 0x5000);
        emit_load(p, 4, 0, 0x6000);
        for (u32 i = 0; i < 40; i++)
            emit(p, CPU_ALU, 4, 4);
        cycles[k] = cycles_of(p, k ? waits : perfect);
    }
    /* The load has its data in 13, then 40 adds. Or: the division takes 25 cycles, the store issues
     * in 35, the load after it in the next cycle: its data comes in 39 instead. */
    assert_int_equal(cycles[0], 10 + 3 + 40 + 1);
    assert_int_equal(cycles[1], 36 + 3 + 40 + 1);
}

TEST(where_stores_execute_in_order_a_load_waits_for_those_before_its_own)
{
    UNUSED_STATE;
    static const char *const order[] = {PERFECT, "core.lsq.loads_wait=order", NULL};
    u64 cycles[2];
    for (u32 k = 0; k < 2; k++) {
        struct program *p = program_new();
        emit(p, CPU_DIV, 3, 0);
        emit_store(p, 3, 0x5000);
        emit_store(p, 0, 0x6000);
        emit_load(p, 4, 0, 0x6000);
        for (u32 i = 0; i < 40; i++)
            emit(p, CPU_ALU, 4, 4);
        cycles[k] = cycles_of(p, k ? order : perfect);
    }
    /* The second store is done in 11, and the load has its bytes in 13. Or: the first store issues
     * in 35, when the division is done, and the load in the next cycle: its bytes come in 38. */
    assert_int_equal(cycles[0], 13 + 40 + 1);
    assert_int_equal(cycles[1], 38 + 40 + 1);
}

TEST(an_instruction_with_a_load_computes_when_its_data_is_there)
{
    UNUSED_STATE;
    struct program *p = program_new();
    for (u32 i = 0; i < 100; i++) {
        struct cpu_instruction *in = emit_load(p, 3, 3, 0x5000);
        in->class = CPU_ALU;
    }
    /* 3 for the load and 1 for the add, each */
    assert_int_equal(cycles_of(p, perfect), FIRST_ISSUE + 100 * 4 + 1);
}

TEST(an_access_across_two_lines_needs_both)
{
    UNUSED_STATE;
    struct program *p = program_new();
    struct bed b;
    emit_load(p, 3, 0, 0x503c);
    run_program(&b, p, perfect);
    assert_int_equal(bed_core(&b, 0)->caches.l1d.counts.accesses, 2);
    assert_int_equal(bed_core(&b, 0)->counts.loads, 1);
    bed_close(&b);
}

TEST(a_full_queue_of_stores_holds_up_the_program)
{
    UNUSED_STATE;
    static const char *const sets[] = {FIXED, "core.lsq.store_entries=1", NULL};
    struct program *p = program_new();
    struct bed b;
    for (u32 i = 0; i < 50; i++)
        emit_store(p, 3, 0x10000000 + i * 64);
    /* Dispatched in d, done in d + 2, retired and sent to the L1D then; the line comes 111 later,
     * the entry is free, and the next store is dispatched in the next cycle. */
    assert_int_equal(run_program(&b, p, sets), 9 + 49 * 114 + 2 + 111 + 1);
    const struct core_counts *n = &bed_core(&b, 0)->counts;
    assert_true(n->slots[CORE_STORES] > n->all_slots * 9 / 10);
    bed_close(&b);
}

TEST(a_store_that_leaves_a_full_queue_makes_room_though_others_wait_for_their_lines)
{
    UNUSED_STATE;
    static const char *const sets[] = {FIXED, "core.lsq.store_entries=2", NULL};
    struct program *p = program_new();
    emit_store(p, 0, 0x10000000);
    emit(p, CPU_DIV, 3, 0);
    emit_store(p, 3, 0x20000000);
    emit_store(p, 0, 0x30000000);
    /* The first store retires in 11, its line comes in 122. The second has its data in 35, retires
     * in 36, its line comes in 147. The third is dispatched in 123, retires in 125, and ends the
     * program when its line comes in 236. */
    assert_int_equal(cycles_of(p, sets), 236 + 1);
}

TEST(an_instruction_with_more_accesses_than_entries_goes_alone)
{
    UNUSED_STATE;
    static const char *const sets[] = {PERFECT, "core.lsq.store_entries=1",
                                       "core.lsq.load_entries=1", NULL};
    struct program *p = program_new();
    for (u32 i = 0; i < 20; i++) {
        struct cpu_instruction *in = emit_load(p, 3, 0, 0x5000);
        in->class = CPU_ALU;
        in->read[1] = 0x6000;
        in->write[0] = 0x7000;
        in->write[1] = 0x8000;
        in->read_bytes[1] = in->write_bytes[0] = in->write_bytes[1] = 8;
        in->read_count = in->write_count = 2;
    }
    assert_true(cycles_of(p, sets) > 0);
}

TEST(a_long_access_reads_every_line_of_it)
{
    UNUSED_STATE;
    static const char *const sets[] = {FIXED, NULL};
    struct program *p = program_new();
    struct bed b;
    emit_load(p, 3, 0, 0x10000000)->read_bytes[0] = 64 * 100;
    emit_store(p, 0, 0x20000000)->write_bytes[0] = 64 * 100;
    run_program(&b, p, sets);
    assert_int_equal(bed_core(&b, 0)->caches.l1d.counts.misses, 200);
    bed_close(&b);
}

/* As a trace may have one: nothing hangs, and what needs its register goes on. */
TEST(a_load_without_an_address_asks_no_cache)
{
    UNUSED_STATE;
    static const char *const sets[] = {FIXED, NULL};
    struct program *p = program_new();
    struct bed b;
    for (u32 i = 0; i < 20; i++)
        emit_load(p, 3, 3, 0x10000000)->read_count = 0;
    assert_true(run_program(&b, p, sets) > 0);
    assert_int_equal(bed_core(&b, 0)->caches.l1d.counts.misses, 0);
    bed_close(&b);
}

TEST(in_order_a_load_lets_others_pass_until_one_needs_it)
{
    UNUSED_STATE;
    static const char *const sets[] = {FIXED, "core.window.in_order=true", NULL};
    struct program *p = program_new();
    emit_load(p, 3, 0, 0x10000000);
    emit(p, CPU_ALU, 4, 0);
    emit(p, CPU_ALU, 5, 3);         /* waits for the load */
    emit_load(p, 6, 0, 0x20000000); /* and this one for its turn */
    emit(p, CPU_ALU, 7, 6);
    /* load 10 .. 121; the third and the second load issue in 121; 232; the last add retires */
    assert_int_equal(cycles_of(p, sets), 10 + 2 * 111 + 1 + 1);
}

TEST(out_of_order_the_two_loads_overlap)
{
    UNUSED_STATE;
    static const char *const sets[] = {FIXED, NULL};
    struct program *p = program_new();
    emit_load(p, 3, 0, 0x10000000);
    emit(p, CPU_ALU, 4, 0);
    emit(p, CPU_ALU, 5, 3);
    emit_load(p, 6, 0, 0x20000000);
    emit(p, CPU_ALU, 7, 6);
    /* both loads issue in 10; the L2 takes one in a cycle, so the second comes in 122 */
    assert_int_equal(cycles_of(p, sets), 122 + 1 + 1);
}

TEST(a_page_that_is_not_known_delays_a_load_by_the_walk)
{
    UNUSED_STATE;
    static const char *const sets[] = {PERFECT, "core.tlb.enabled=true", NULL};
    struct program *p = program_new();
    struct bed b;
    for (u32 i = 0; i < 10; i++)
        emit_load(p, 3, 3, 0x10000000 + i * 4096);
    /* The front end's walk (8 + 60) delays the first line; then 68 + 3 for each load. */
    assert_int_equal(run_program(&b, p, sets), 68 + FIRST_ISSUE + 10 * 71 + 1);
    assert_int_equal(bed_core(&b, 0)->dtlb.counts.walks, 10);
    bed_close(&b);
}

RUN_TESTS(T(one_add_takes_twelve_cycles), T(a_chain_of_adds_takes_a_cycle_each),
          T(a_chain_takes_the_latency_of_its_unit_each),
          T(independent_adds_take_a_cycle_for_each_four),
          T(a_wider_core_takes_fewer_cycles_for_them),
          T(a_unit_that_is_not_pipelined_takes_its_interval),
          T(a_chase_in_the_l1d_takes_its_latency_each),
          T(a_chase_below_the_l2_takes_the_sum_of_all_levels_each),
          T(a_chase_in_the_l2_takes_both_levels_each), T(misses_overlap_as_far_as_the_window_goes),
          T(mshrs_limit_misses_that_overlap), T(a_branch_predicted_wrong_costs_twelve_cycles),
          T(a_late_target_costs_three_cycles_of_prediction),
          T(a_load_takes_its_bytes_from_the_store_before_it),
          T(a_load_of_more_than_the_store_waits_until_it_is_in_the_l1d),
          T(a_load_passes_stores_to_other_bytes_unless_it_must_wait_for_addresses),
          T(where_stores_execute_in_order_a_load_waits_for_those_before_its_own),
          T(an_instruction_with_a_load_computes_when_its_data_is_there),
          T(an_access_across_two_lines_needs_both), T(a_full_queue_of_stores_holds_up_the_program),
          T(a_store_that_leaves_a_full_queue_makes_room_though_others_wait_for_their_lines),
          T(an_instruction_with_more_accesses_than_entries_goes_alone),
          T(a_long_access_reads_every_line_of_it), T(a_load_without_an_address_asks_no_cache),
          T(in_order_a_load_lets_others_pass_until_one_needs_it),
          T(out_of_order_the_two_loads_overlap),
          T(a_page_that_is_not_known_delays_a_load_by_the_walk))
