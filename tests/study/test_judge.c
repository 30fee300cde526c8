#include "testing.h"

#include "study/study.h"

#include <math.h>
#include <stdlib.h>

static enum verdict judge(enum check_kind kind, const char *published, const char *unit,
                          double measured)
{
    struct study_check c = {.kind = kind,
                            .unit = unit,
                            .published_text = published,
                            .published = published ? strtod(published, NULL) : NAN,
                            .low = NAN,
                            .high = NAN};
    check_judge(&c, measured);
    return c.verdict;
}

TEST(exact_rows_are_compared_by_their_printed_digits_cut_off)
{
    UNUSED_STATE;
    assert_int_equal(judge(CHECK_EXACT, "3.62", "mm2", 3.625), VERDICT_PASS);
    assert_int_equal(judge(CHECK_EXACT, "0.98", "%", 0.9857), VERDICT_PASS);
    assert_int_equal(judge(CHECK_EXACT, "0.98", "%", 0.99), VERDICT_MISS);
    assert_int_equal(judge(CHECK_EXACT, "208", "cycles", 208.14), VERDICT_PASS);
    assert_int_equal(judge(CHECK_EXACT, "208", "cycles", 207.99), VERDICT_MISS);
}

TEST(speedups_are_judged_by_their_gain_in_points)
{
    UNUSED_STATE;
    /* +59: 35 % of 59 is 20.65 */
    assert_int_equal(judge(CHECK_BAND, "1.59", "x", 1.39), VERDICT_PASS);
    assert_int_equal(judge(CHECK_BAND, "1.59", "x", 1.38), VERDICT_MISS);
    assert_int_equal(judge(CHECK_BAND, "1.59", "x", 1.79), VERDICT_PASS);
    /* +11: 5 points are more than 35 % */
    assert_int_equal(judge(CHECK_BAND, "1.11", "x", 1.155), VERDICT_PASS);
    assert_int_equal(judge(CHECK_BAND, "1.11", "x", 1.165), VERDICT_MISS);
    /* +4: below 5 points, 2 points either way */
    assert_int_equal(judge(CHECK_BAND, "1.04", "x", 1.059), VERDICT_PASS);
    assert_int_equal(judge(CHECK_BAND, "1.04", "x", 1.061), VERDICT_MISS);
}

TEST(other_units_are_judged_by_their_size)
{
    UNUSED_STATE;
    assert_int_equal(judge(CHECK_BAND, "452", "cycles", 300), VERDICT_PASS); /* 293.8 to 610.2 */
    assert_int_equal(judge(CHECK_BAND, "452", "cycles", 290), VERDICT_MISS);
    assert_int_equal(judge(CHECK_BAND, "8", "%", 3.1), VERDICT_PASS);
    assert_int_equal(judge(CHECK_BAND, "8", "%", 2.9), VERDICT_MISS);
}

TEST(what_is_missing_is_not_judged_and_calibration_is_only_shown)
{
    UNUSED_STATE;
    assert_int_equal(judge(CHECK_BAND, "8", "%", NAN), VERDICT_UNMEASURED);
    assert_int_equal(judge(CHECK_SHAPE, NULL, "", NAN), VERDICT_UNMEASURED);
    assert_int_equal(judge(CHECK_SHAPE, NULL, "", 0), VERDICT_MISS);
    assert_int_equal(judge(CHECK_SHAPE, NULL, "", 1), VERDICT_PASS);
    assert_int_equal(judge(CHECK_CALIBRATION, "4.9", "x", 1), VERDICT_SHOWN);
}

TEST(own_limits_come_before_the_rule)
{
    UNUSED_STATE;
    struct study_check c = {.kind = CHECK_BAND,
                            .unit = "x",
                            .published_text = "3.03",
                            .published = 3.03,
                            .low = 1.1,
                            .high = 1.6};
    check_judge(&c, 1.2);
    assert_int_equal(c.verdict, VERDICT_PASS);
    check_judge(&c, 1.7);
    assert_int_equal(c.verdict, VERDICT_MISS);
}

RUN_TESTS(T(exact_rows_are_compared_by_their_printed_digits_cut_off),
          T(speedups_are_judged_by_their_gain_in_points), T(other_units_are_judged_by_their_size),
          T(what_is_missing_is_not_judged_and_calibration_is_only_shown),
          T(own_limits_come_before_the_rule))
