/* The scoreboard alone: when an instruction's registers can be used. */
#include "testing.h"

#include "gpu/sm/scoreboard.h"

enum { R1 = 1, R2, R3, R4, P0, REGISTERS };

/* r1 = r2 + r3; p0 = r1 < r2; @p0 r4 = r1; r1 = [r4]; [r1] = r2; a barrier */
static const u16 add_regs[] = {R1, R2, R3}, compare_regs[] = {P0, R1, R2},
                 guarded_regs[] = {R4, R1, P0}, load_regs[] = {R1, R4}, store_regs[] = {R1, R2};
static const struct instruction add = {.regs = add_regs, .dst_count = 1, .src_count = 2},
                                compare = {.regs = compare_regs, .dst_count = 1, .src_count = 2},
                                guarded = {.regs = guarded_regs, .dst_count = 1, .src_count = 2},
                                load = {.regs = load_regs, .dst_count = 1, .src_count = 1},
                                store = {.regs = store_regs, .src_count = 2}, barrier = {0};

struct bed {
    struct arena arena;
    struct scoreboard s;
};

static void open_bed(struct bed *b)
{
    *b = (struct bed){0};
    scoreboard_init(&b->s, 4);
    scoreboard_reserve(&b->s, &b->arena, REGISTERS);
}

static void close_bed(struct bed *b)
{
    arena_fini(&b->arena);
}

static void assert_usable_from(const struct bed *b, u32 slot, const struct instruction *i,
                               cycle_t from)
{
    assert_int_equal(scoreboard_ask(&b->s, slot, i, 0).ready / 2, from);
}

static bool waits_for_memory(const struct bed *b, u32 slot, const struct instruction *i, cycle_t at)
{
    return scoreboard_ask(&b->s, slot, i, at).on_load;
}

TEST(a_warp_that_has_just_started_waits_for_nothing)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b);
    assert_usable_from(&b, 0, &add, 0);
    assert_usable_from(&b, 3, &guarded, 0);
    assert_usable_from(&b, 0, &barrier, 0);
    assert_false(waits_for_memory(&b, 0, &add, 0));
    close_bed(&b);
}

TEST(a_read_waits_for_the_result_of_the_write_before_it)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b);
    scoreboard_set(&b.s, 0, &add, 10 + 4, false); /* issued in cycle 10, 4 cycles of latency */
    assert_usable_from(&b, 0, &compare, 14);
    assert_usable_from(&b, 0, &store, 14);
    assert_false(waits_for_memory(&b, 0, &compare, 13));
    close_bed(&b);
}

TEST(a_write_waits_for_the_result_of_the_write_before_it)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b);
    scoreboard_set(&b.s, 0, &add, 14, false);
    assert_usable_from(&b, 0, &load, 14); /* reads r4 alone, and writes r1 */
    close_bed(&b);
}

/* Sources are read when an instruction issues, so a later write need not wait for them. */
TEST(a_write_does_not_wait_for_a_read_before_it)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b);
    scoreboard_set(&b.s, 0, &compare, 30, false); /* reads r1 */
    assert_usable_from(&b, 0, &add, 0);           /* writes r1 */
    close_bed(&b);
}

TEST(the_latest_of_several_registers_decides)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b);
    scoreboard_set(&b.s, 0, &add, 14, false);
    scoreboard_set(&b.s, 0, &compare, 20, false);
    assert_usable_from(&b, 0, &guarded, 20);
    scoreboard_set(&b.s, 0, &add, 26, false);
    assert_usable_from(&b, 0, &guarded, 26);
    close_bed(&b);
}

TEST(a_guard_waits_for_its_predicate)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b);
    scoreboard_set(&b.s, 0, &compare, 17, false);
    assert_usable_from(&b, 0, &guarded, 17);
    assert_usable_from(&b, 0, &add, 0); /* has no guard */
    close_bed(&b);
}

TEST(registers_of_a_load_have_no_time_until_its_data_comes)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b);
    scoreboard_pend(&b.s, 0, &load);
    assert_true(scoreboard_ask(&b.s, 0, &compare, 5).ready == READY_PENDING);
    assert_true(scoreboard_ask(&b.s, 0, &add, 5).ready == READY_PENDING); /* WAW */
    assert_true(waits_for_memory(&b, 0, &compare, 5));
    scoreboard_set(&b.s, 0, &compare, 9000, false); /* a later known time does not hide it */
    assert_true(scoreboard_ask(&b.s, 0, &guarded, 5).ready == READY_PENDING);
    scoreboard_set(&b.s, 0, &load, 120, true);
    assert_usable_from(&b, 0, &add, 120);
    close_bed(&b);
}

/* What an idle cycle is charged to: a load that has come no longer counts, a late one does even
 * when arithmetic is later still. */
TEST(a_warp_waits_for_memory_while_a_load_is_late_and_not_after)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b);
    scoreboard_set(&b.s, 0, &load, 20, true);
    scoreboard_set(&b.s, 0, &compare, 30, false);
    assert_usable_from(&b, 0, &guarded, 30);
    assert_true(waits_for_memory(&b, 0, &guarded, 19));
    assert_false(waits_for_memory(&b, 0, &guarded, 20));
    close_bed(&b);
}

TEST(an_instruction_without_destinations_marks_nothing)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b);
    scoreboard_set(&b.s, 0, &store, 50, false);
    scoreboard_pend(&b.s, 0, &barrier);
    for (u32 slot = 0; slot < 4; slot++)
        assert_usable_from(&b, slot, &guarded, 0);
    close_bed(&b);
}

TEST(warps_do_not_wait_for_each_others_registers)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b);
    scoreboard_set(&b.s, 1, &add, 14, false);
    scoreboard_pend(&b.s, 2, &load);
    assert_usable_from(&b, 0, &compare, 0);
    assert_usable_from(&b, 1, &compare, 14);
    assert_usable_from(&b, 3, &compare, 0);
    close_bed(&b);
}

TEST(the_next_warp_of_a_slot_does_not_wait_for_the_one_before)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b);
    scoreboard_set(&b.s, 1, &add, 14, false);
    scoreboard_set(&b.s, 2, &add, 15, false);
    scoreboard_clear(&b.s, 1);
    assert_usable_from(&b, 1, &compare, 0);
    assert_usable_from(&b, 2, &compare, 15); /* its neighbour keeps what it had */
    close_bed(&b);
}

TEST(a_kernel_with_more_registers_moves_no_time)
{
    UNUSED_STATE;
    static const u16 far_regs[] = {40, R1};
    static const struct instruction far = {.regs = far_regs, .dst_count = 1, .src_count = 1};
    struct bed b;
    open_bed(&b);
    scoreboard_set(&b.s, 0, &compare, 21, false); /* the last register of its row */
    scoreboard_set(&b.s, 3, &add, 14, false);
    scoreboard_reserve(&b.s, &b.arena, 41);
    assert_usable_from(&b, 0, &guarded, 21);
    assert_usable_from(&b, 3, &far, 14);
    scoreboard_set(&b.s, 3, &far, 33, false);
    scoreboard_reserve(&b.s, &b.arena, REGISTERS); /* fewer: rows do not shrink */
    assert_usable_from(&b, 3, &far, 33);
    assert_usable_from(&b, 2, &far, 0);
    close_bed(&b);
}

/* Rows count from a start: after 2^30 cycles it is 2^29, and later 2^29 before what is marked. */
TEST(a_long_run_moves_no_time)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b);
    cycle_t long_ago = 14, far = ((cycle_t)1 << 30) + 3, last = (cycle_t)7 << 40;
    scoreboard_set(&b.s, 0, &add, long_ago, false);
    scoreboard_set(&b.s, 0, &guarded, far - 5, true);
    scoreboard_pend(&b.s, 1, &load);
    scoreboard_set(&b.s, 0, &compare, far, false);
    assert_int_equal(b.s.start, 1 << 29);
    assert_usable_from(&b, 0, &compare, far);
    scoreboard_set(&b.s, 0, &compare, far - 9, false);
    assert_usable_from(&b, 0, &guarded, far - 5);
    assert_true(scoreboard_ask(&b.s, 0, &guarded, far - 6).on_load);
    assert_false(scoreboard_ask(&b.s, 0, &guarded, far - 5).on_load);
    assert_true(scoreboard_ask(&b.s, 0, &add, far).ready / 2 <= far);
    scoreboard_set(&b.s, 0, &add, last, false);
    assert_usable_from(&b, 0, &store, last);
    assert_true(scoreboard_ask(&b.s, 1, &load, last).ready == READY_PENDING);
    close_bed(&b);
}

RUN_TESTS(T(a_warp_that_has_just_started_waits_for_nothing),
          T(a_read_waits_for_the_result_of_the_write_before_it),
          T(a_write_waits_for_the_result_of_the_write_before_it),
          T(a_write_does_not_wait_for_a_read_before_it), T(the_latest_of_several_registers_decides),
          T(a_guard_waits_for_its_predicate),
          T(registers_of_a_load_have_no_time_until_its_data_comes),
          T(a_warp_waits_for_memory_while_a_load_is_late_and_not_after),
          T(an_instruction_without_destinations_marks_nothing),
          T(warps_do_not_wait_for_each_others_registers),
          T(the_next_warp_of_a_slot_does_not_wait_for_the_one_before),
          T(a_kernel_with_more_registers_moves_no_time), T(a_long_run_moves_no_time))
