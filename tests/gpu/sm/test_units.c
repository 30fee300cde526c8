/*
 * Execution units alone.
 *
 * Integer: two pipes, an add takes 4 cycles and a pipe takes one each cycle, a product 9 and every
 * 2nd. FP32: one pipe, 5 cycles, every 2nd cycle. The SFU: one pipe, 20 cycles, every 8th. No FP64
 * and no FP16 of its own: they go to FP32. Two schedulers.
 */
#include "testing.h"

#include "gpu/sm/units.h"

struct bed {
    struct sm_config config;
    struct arena arena;
    struct units units;
};

static struct sm_config usual(void)
{
    struct sm_config c = {
        .schedulers = 2, .guard_cycles = 3, .operands = {.banks = 4, .collectors = 2}};
    c.units.integer = (struct unit_config){.pipes = 2,
                                           .simple_latency = 4,
                                           .select_latency = 4,
                                           .multiply_latency = 9,
                                           .simple_interval = 1,
                                           .select_interval = 1,
                                           .multiply_interval = 2};
    c.units.fp32 = (struct unit_config){.pipes = 1, .simple_latency = 5, .simple_interval = 2};
    c.units.fp64 = (struct unit_config){.simple_latency = 30, .simple_interval = 16};
    c.units.fp16 = (struct unit_config){.simple_latency = 6, .simple_interval = 2};
    c.units.sfu = (struct unit_config){.pipes = 1, .simple_latency = 20, .simple_interval = 8};
    return c;
}

static void bed_open(struct bed *b, struct sm_config config)
{
    *b = (struct bed){.config = config};
    units_init(&b->units, &b->arena, &b->config);
}

static void bed_close(struct bed *b)
{
    arena_fini(&b->arena);
}

static cycle_t issue(struct bed *b, u32 scheduler, enum op_unit unit, enum op_cost cost,
                     cycle_t now)
{
    struct instruction i = {.unit = (u8)unit, .cost = (u8)cost};
    u32 conflicts;
    cycle_t ready = units_issue(&b->units, scheduler, &i, now, &conflicts);
    assert_int_equal(conflicts, 0);
    return ready;
}

/* With source registers, where operands are gathered. */
static cycle_t issue_with(struct bed *b, u32 scheduler, const u16 *regs, u8 sources, cycle_t now,
                          u32 *conflicts)
{
    struct instruction i = {.unit = UNIT_INT, .regs = regs, .dst_count = 1, .src_count = sources};
    return units_issue(&b->units, scheduler, &i, now, conflicts);
}

TEST(a_result_is_there_after_the_latency_of_its_operation)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, usual());
    assert_int_equal(issue(&b, 0, UNIT_INT, COST_SIMPLE, 100), 104);
    assert_int_equal(issue(&b, 0, UNIT_INT, COST_MULTIPLY, 100), 109);
    assert_int_equal(issue(&b, 0, UNIT_SFU, COST_SIMPLE, 100), 120);
    bed_close(&b);
}

TEST(as_many_instructions_issue_in_a_cycle_as_there_are_pipes)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, usual());
    issue(&b, 0, UNIT_INT, COST_SIMPLE, 100);
    assert_true(units_accept(&b.units, PIPE_INT, 1, 100)); /* schedulers share both pipes */
    issue(&b, 1, UNIT_INT, COST_SIMPLE, 100);
    assert_false(units_accept(&b.units, PIPE_INT, 0, 100));
    assert_true(units_accept(&b.units, PIPE_INT, 0, 101));
    bed_close(&b);
}

TEST(a_pipe_is_taken_for_the_interval_of_what_it_got)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, usual());
    issue(&b, 0, UNIT_INT, COST_MULTIPLY, 100); /* until 102 */
    issue(&b, 0, UNIT_INT, COST_SIMPLE, 100);   /* until 101 */
    issue(&b, 0, UNIT_INT, COST_SIMPLE, 101);
    assert_false(units_accept(&b.units, PIPE_INT, 0, 101));
    issue(&b, 0, UNIT_SFU, COST_SIMPLE, 100);
    assert_false(units_accept(&b.units, PIPE_SFU, 0, 107));
    assert_true(units_accept(&b.units, PIPE_SFU, 0, 108));
    bed_close(&b);
}

TEST(a_wide_product_has_times_of_its_own_or_those_of_a_multiply_add)
{
    UNUSED_STATE;
    struct bed b;
    struct sm_config c = usual();
    c.units.integer.pipes = 1;
    c.units.integer.multiply_add_latency = 5;
    c.units.integer.multiply_add_interval = 2;
    bed_open(&b, c);
    assert_int_equal(issue(&b, 0, UNIT_INT, COST_WIDE, 100), 105);
    assert_false(units_accept(&b.units, PIPE_INT, 0, 101));
    assert_true(units_accept(&b.units, PIPE_INT, 0, 102));
    bed_close(&b);
    c.units.wide_latency = 8;
    c.units.wide_interval = 4;
    bed_open(&b, c);
    assert_int_equal(issue(&b, 0, UNIT_INT, COST_WIDE, 100), 108);
    assert_false(units_accept(&b.units, PIPE_INT, 0, 103));
    assert_true(units_accept(&b.units, PIPE_INT, 0, 104));
    bed_close(&b);
}

TEST(with_sub_cores_each_scheduler_has_pipes_of_its_own)
{
    UNUSED_STATE;
    struct bed b;
    struct sm_config c = usual();
    c.sub_cores = true;
    bed_open(&b, c);
    issue(&b, 0, UNIT_SFU, COST_SIMPLE, 100);
    assert_false(units_accept(&b.units, PIPE_SFU, 0, 100));
    assert_true(units_accept(&b.units, PIPE_SFU, 1, 100));
    bed_close(&b);
}

TEST(a_kind_without_pipes_goes_to_fp32_with_its_own_times)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, usual());
    assert_int_equal(b.units.pipe_of[UNIT_FP64], PIPE_FP32);
    assert_int_equal(issue(&b, 0, UNIT_FP64, COST_SIMPLE, 100), 130);
    assert_false(units_accept(&b.units, PIPE_FP32, 0, 115));
    assert_true(units_accept(&b.units, PIPE_FP32, 0, 116));
    bed_close(&b);
}

TEST(integers_share_the_lanes_of_fp32_where_a_chip_says_so)
{
    UNUSED_STATE;
    struct bed b;
    struct sm_config c = usual();
    c.units.integer_on_fp32 = true;
    bed_open(&b, c);
    issue(&b, 0, UNIT_INT, COST_SIMPLE, 100);
    assert_false(units_accept(&b.units, PIPE_FP32, 0, 100));
    assert_true(units_accept(&b.units, PIPE_FP32, 0, 101)); /* taken for an add's interval */
    bed_close(&b);
}

TEST(a_comparison_that_guards_takes_the_guard_cycles_more)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, usual());
    assert_int_equal(issue(&b, 0, UNIT_INT, COST_SELECT, 100), 104);
    assert_int_equal(issue(&b, 0, UNIT_INT, COST_COMPARE, 100), 107);
    bed_close(&b);
}

TEST(address_arithmetic_of_the_lsu_takes_no_pipe)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, usual());
    issue(&b, 0, UNIT_INT, COST_SIMPLE, 100);
    issue(&b, 0, UNIT_INT, COST_SIMPLE, 100);
    assert_int_equal(issue(&b, 0, UNIT_MEMORY, COST_SIMPLE, 100), 104);
    bed_close(&b);
}

TEST(operands_of_one_bank_are_read_one_after_the_other)
{
    UNUSED_STATE;
    struct bed b;
    struct sm_config c = usual();
    c.operands.enabled = true;
    bed_open(&b, c);
    u32 conflicts;
    static const u16 apart[] = {9, 0, 1, 2}, together[] = {9, 0, 4, 8};
    assert_int_equal(issue_with(&b, 0, apart, 3, 100, &conflicts), 104);
    assert_int_equal(conflicts, 0);
    assert_int_equal(issue_with(&b, 0, together, 3, 200, &conflicts), 206);
    assert_int_equal(conflicts, 2); /* bank 0 is read in 201, 202 and 203 */
    bed_close(&b);
}

TEST(an_instruction_keeps_its_collector_until_its_operands_are_read)
{
    UNUSED_STATE;
    struct bed b;
    struct sm_config c = usual();
    c.operands.enabled = true;
    bed_open(&b, c);
    u32 conflicts;
    static const u16 together[] = {9, 0, 4, 8};
    issue_with(&b, 0, together, 3, 100, &conflicts); /* its last operand is read in 103 */
    issue_with(&b, 0, together, 3, 100, &conflicts); /* 104, 105 and 106 */
    assert_int_equal(conflicts, 5);
    assert_false(units_collect(&b.units, 0, 103));
    assert_true(units_collect(&b.units, 0, 104)); /* the first has gone on */
    assert_true(units_collect(&b.units, 1, 100)); /* another scheduler's are free */
    bed_close(&b);
}

RUN_TESTS(T(a_result_is_there_after_the_latency_of_its_operation),
          T(as_many_instructions_issue_in_a_cycle_as_there_are_pipes),
          T(a_pipe_is_taken_for_the_interval_of_what_it_got),
          T(a_wide_product_has_times_of_its_own_or_those_of_a_multiply_add),
          T(with_sub_cores_each_scheduler_has_pipes_of_its_own),
          T(a_kind_without_pipes_goes_to_fp32_with_its_own_times),
          T(integers_share_the_lanes_of_fp32_where_a_chip_says_so),
          T(a_comparison_that_guards_takes_the_guard_cycles_more),
          T(address_arithmetic_of_the_lsu_takes_no_pipe),
          T(operands_of_one_bank_are_read_one_after_the_other),
          T(an_instruction_keeps_its_collector_until_its_operands_are_read))
