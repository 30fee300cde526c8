/* Phases of traces made by hand: spec 5, check A3. */
#include "testing.h"

#include "gpu/observe/phases.h"

/* `count` samples of a metric, the other stays. */
static void add(struct phases *p, double value, u32 count)
{
    double values[PHASE_METRICS] = {value, 0.3};
    for (u32 i = 0; i < count; i++)
        phases_add(p, values);
}

TEST(a_metric_that_stays_has_one_phase)
{
    UNUSED_STATE;
    struct phases p = {0};
    add(&p, 0.5, 1000);
    assert_int_equal(p.shifts, 0);
}

TEST(a_step_of_4_percent_is_none_and_one_of_6_is_one)
{
    UNUSED_STATE;
    struct phases small = {0}, large = {0};
    add(&small, 0.5, 300);
    add(&small, 0.52, 300);
    assert_int_equal(small.shifts, 0);
    add(&large, 0.5, 300);
    add(&large, 0.53, 300);
    assert_int_equal(large.shifts, 1);
    assert_int_equal(large.shifts_of[0], 1);
    assert_int_equal(large.shifts_of[1], 0);
}

/* 1.02^4 is 8.2 % more: the base is not dragged along, and 1.0824 is less than 5 % above 1.05. */
TEST(four_steps_of_2_percent_are_one_shift)
{
    UNUSED_STATE;
    struct phases p = {0};
    double value = 0.5;
    add(&p, value, 300);
    for (u32 i = 0; i < 4; i++)
        add(&p, value *= 1.02, 150);
    assert_int_equal(p.shifts, 1);
}

/* A window of 100 us moves by 4.5 or 6 %. */
TEST(a_spike_counts_if_it_is_long_enough)
{
    UNUSED_STATE;
    struct phases brief = {0}, longer = {0};
    add(&brief, 0.5, 300);
    add(&brief, 0.75, 9);
    add(&brief, 0.5, 300);
    assert_int_equal(brief.shifts, 0);
    add(&longer, 0.5, 300);
    add(&longer, 0.75, 12);
    add(&longer, 0.5, 300);
    assert_true(longer.shifts >= 1);
}

RUN_TESTS(T(a_metric_that_stays_has_one_phase), T(a_step_of_4_percent_is_none_and_one_of_6_is_one),
          T(four_steps_of_2_percent_are_one_shift), T(a_spike_counts_if_it_is_long_enough))
