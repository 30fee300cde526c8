#include "testing.h"

#include "study/formula.h"

#include <math.h>

/* Three programs; runs `one` (2, 4, missing), `grid` over x = 0, 100, 200. */
static const char *const programs[] = {"mm", "b+tree", "ss"};
static const char *const labels[] = {"0", "100", "200"};
static const double places[] = {0, 100, 200};
static const struct formula_axis axis = {"latency", labels, places, 3};
static const char *const other_labels[] = {"0", "100", "300"};
static const struct formula_axis twin = {"latency", labels, places, 3},
                                 other = {"latency", other_labels, places, 3};
static struct arena arena;

static bool statistic(void *context, const char *run, const char *name, struct formula_table *out,
                      struct src_pos at, struct err *err)
{
    static double one[] = {2, 4, NAN}, slots[] = {10, 20, 30},
                  grid[] = {3, 2.9, 0.5, 4, 2, 1, NAN, NAN, NAN};
    (void)context;
    if (strcmp(run, "grid") == 0)
        *out = (struct formula_table){3, 3, &axis, grid};
    else if (strcmp(run, "twin") == 0 || strcmp(run, "other") == 0)
        *out = (struct formula_table){3, 3, run[0] == 't' ? &twin : &other, grid};
    else if (strcmp(name, "cycles") == 0)
        *out = (struct formula_table){3, 1, NULL, one};
    else if (strcmp(name, "sm.slots[fetch]") == 0)
        *out = (struct formula_table){3, 1, NULL, slots};
    else if (strcmp(name, "by_time[2]") == 0)
        *out = (struct formula_table){3, 1, NULL, one};
    else if (strcmp(name, "by_time[3]") == 0)
        *out = (struct formula_table){3, 1, NULL, slots};
    else
        return err_at(err, at, "no statistic %s", name);
    return true;
}

static bool value(void *context, const char *name, struct formula_table *out, struct src_pos at,
                  struct err *err)
{
    static double gains[] = {1.5, 1.1, 3};
    (void)context;
    *out = (struct formula_table){3, 1, NULL, gains};
    return strcmp(name, "gain") == 0 || err_at(err, at, "no value %s", name);
}

static bool group(void *context, const char *name, const u8 **members, struct src_pos at,
                  struct err *err)
{
    static const u8 first_two[] = {1, 1, 0};
    (void)context;
    *members = first_two;
    return strcmp(name, "reuse") == 0 || err_at(err, at, "no group %s", name);
}

static double published(void *context, const char *name, u32 program)
{
    static const double numbers[] = {10, 5, 20}; /* in the order of gain */
    (void)context;
    (void)name;
    return numbers[program];
}

/* Bands begin at 1 and 4; nothing was published for b+tree. */
static double fits(void *context, const char *name, u32 program, double x)
{
    static const double low[] = {1, NAN, 4};
    (void)context;
    (void)name;
    return isnan(low[program]) ? NAN : x >= low[program];
}

/* ss is a mix of the other two. */
static u32 parts(void *context, u32 program, u32 *out, u32 room)
{
    (void)context;
    if (program != 2 || room < 2)
        return 0;
    out[0] = 0;
    out[1] = 1;
    return 2;
}

/* A file `file`: 1, 0 and of the mix the less of both. */
static bool data_of_mix(void *context, const char *data, const char *column,
                        struct formula_table *out, struct src_pos at, struct err *err)
{
    static double accepted[] = {1, 0, 0};
    (void)context;
    *out = (struct formula_table){3, 1, NULL, accepted};
    if (strcmp(data, "file") != 0)
        return false;
    return strcmp(column, "accepted") == 0 || err_at(err, at, "no column %s", column);
}

static struct formula_table table_of(const char *text, struct err *err)
{
    struct formula_scope scope = {.programs = programs,
                                  .program_count = 3,
                                  .arena = &arena,
                                  .statistic = statistic,
                                  .value = value,
                                  .group = group,
                                  .published = published,
                                  .fits = fits,
                                  .parts = parts,
                                  .data_of_mix = data_of_mix};
    struct formula_table t = {0};
    *err = ERR_INIT;
    formula_evaluate(&scope, text, (struct src_pos){"s.yaml", 7, 1}, &t, err);
    return t;
}

static double number(const char *text)
{
    struct err err;
    struct formula_table t = table_of(text, &err);
    if (err.kind != ERR_NONE)
        fail_msg("%s: %s", text, err.what);
    assert_int_equal(t.programs * t.points, 1);
    return t.cells[0];
}

static void refused(const char *text, const char *because)
{
    struct err err;
    table_of(text, &err);
    assert_int_equal(err.kind, ERR_INPUT);
    if (!strstr(err.what, because))
        fail_msg("%s: %s", text, err.what);
}

#define NEAR(text, want) assert_true(fabs(number(text) - (want)) < 1e-9)

TEST(arithmetic_has_its_usual_strengths)
{
    UNUSED_STATE;
    NEAR("1 + 2 * 3 - 8 / 4", 5);
    NEAR("-(2 - 5) * 2", 6);
    NEAR("10 - 2 - 3", 5);
    NEAR("1 < 2 and not 3 < 2", 1);
    NEAR("1 > 2 or 2 >= 2 and 1 != 1", 0);
    NEAR("power(2 * 8, 1 / 2)", 4);
}

TEST(statistics_are_picked_by_program_and_point)
{
    UNUSED_STATE;
    NEAR("one:cycles[mm]", 2);
    NEAR("one:cycles[b+tree] / one:cycles[mm]", 2);
    NEAR("one:sm.slots[fetch][ss]", 30);
}

TEST(elements_of_an_array_are_points)
{
    UNUSED_STATE;
    NEAR("at(one:by_time[2..3], 3)[b+tree]", 20);
    NEAR("highest(one:by_time[2..3])[mm]", 10);
    NEAR("average(2 * one:by_time[2..3])[b+tree]", 24);
    refused("one:by_time[3..2]", "expected two rising numbers");
    refused("one:by_time[2..4]", "no statistic by_time[4]");
    refused("grid:x[2..3]", "of runs that sweep a parameter");
}

TEST(a_value_fits_where_it_lies_in_the_published_band)
{
    UNUSED_STATE;
    NEAR("fits(gain)[mm]", 1); /* 1.5, from 1 on */
    NEAR("fits(gain)[ss]", 0); /* 3, from 4 on */
    assert_true(isnan(number("fits(gain)[b+tree]")));
    NEAR("count(fits(gain))", 2);
    refused("fits(gain + 1)", "expected ')'");
    refused("fits(loss)", "no value loss");
}

TEST(a_mix_has_the_least_of_its_programs)
{
    UNUSED_STATE;
    NEAR("of_mix(gain)[ss]", 1.1);
    NEAR("of_mix(gain)[mm]", 1.5);
}

TEST(a_mix_has_nothing_where_one_of_its_programs_has_nothing)
{
    UNUSED_STATE;
    assert_true(isnan(number("of_mix(fits(gain))[ss]"))); /* nothing was published for b+tree */
}

TEST(programs_of_a_mix_are_looked_for_in_a_file)
{
    UNUSED_STATE;
    NEAR("of_mix(file:accepted)[ss]", 0);
    NEAR("of_mix( file:accepted )[mm] + 1", 2);
    NEAR("of_mix(one:cycles)[ss]", 2); /* runs are no file */
    refused("of_mix(file:weight)", "no column weight");
}

TEST(a_program_that_is_not_judged_is_told_by_its_name)
{
    UNUSED_STATE;
    static const u8 judged[] = {1, 1, 0};
    const char *rejected = NULL;
    struct formula_scope scope = {.programs = programs,
                                  .program_count = 3,
                                  .judged = judged,
                                  .arena = &arena,
                                  .value = value,
                                  .rejected = &rejected};
    struct formula_table t;
    struct err err = ERR_INIT;
    assert_true(formula_evaluate(&scope, "gain[mm] > mean(gain)", (struct src_pos){"s.yaml", 7, 1},
                                 &t, &err));
    assert_null(rejected);
    assert_true(t.cells[0] == 1); /* 1.5 against the mean of 1.5 and 1.1 */
    assert_true(formula_evaluate(&scope, "gain[mm] > gain[ss]", (struct src_pos){"s.yaml", 7, 1},
                                 &t, &err));
    assert_string_equal(rejected, "ss");
}

TEST(means_leave_out_what_is_missing)
{
    UNUSED_STATE;
    NEAR("mean(one:cycles)", 3);
    NEAR("count(one:cycles)", 2);
    NEAR("hmean(one:cycles)", 2 / (1 / 2.0 + 1 / 4.0));
    NEAR("gmean(one:cycles)", sqrt(8));
    NEAR("mean(gain, reuse)", 1.3);
    NEAR("max(gain) - min(gain)", 1.9);
    NEAR("median(gain)", 1.5);
    assert_true(isnan(number("one:cycles[ss]")));
    assert_true(isnan(number("one:cycles[ss] > 1")));
}

TEST(a_missing_operand_decides_nothing_unless_the_other_does)
{
    UNUSED_STATE;
    NEAR("one:cycles[ss] > 1 and 1 > 2", 0);
    NEAR("one:cycles[ss] > 1 or 2 > 1", 1);
    assert_true(isnan(number("one:cycles[ss] > 1 and 2 > 1")));
    refused("1 / 0", "divides by 0");
    refused("gain[mm] / (2 - 2)", "divides by 0");
    assert_true(isnan(number("1 / (gain[mm] - gain[mm])")));
}

TEST(curves_are_read_by_point_crossing_and_plateau)
{
    UNUSED_STATE;
    NEAR("at(grid:cycles, 100)[mm]", 2.9);
    NEAR("mean(at(grid:cycles, 100))", 2.45);
    NEAR("grid:cycles[b+tree, 200]", 1);
    NEAR("cross(grid:cycles, 3.5)[b+tree]", 25); /* 4 to 2 over 100 */
    NEAR("cross(grid:cycles, 1)[mm]", 100 + 100 * 1.9 / 2.4);
    NEAR("plateau(grid:cycles, 0.95)[mm]", 100); /* 2.9 >= 2.85 */
    NEAR("plateau(grid:cycles, 0.95)[b+tree]", 0);
    NEAR("highest(grid:cycles)[b+tree]", 4);
    NEAR("lowest(grid:cycles)[mm]", 0.5);
    NEAR("average(grid:cycles)[b+tree]", 7.0 / 3);
}

TEST(the_point_where_a_curve_is_lowest_and_another_value_there)
{
    UNUSED_STATE;
    NEAR("at_lowest(grid:cycles)[mm]", 200);
    NEAR("at_lowest(0 - grid:cycles)[mm]", 0);
    NEAR("at_lowest(0 - grid:cycles, twin:cycles)[b+tree]", 4);
    assert_true(isnan(number("at_lowest(grid:cycles)[ss]"))); /* never measured */
    refused("at_lowest(gain)", "there are no points");
    refused("at_lowest(grid:cycles, other:cycles)", "not the same ones");
}

TEST(sets_that_sweep_the_same_values_compare_point_by_point)
{
    UNUSED_STATE;
    NEAR("(grid:cycles + twin:cycles)[b+tree, 100]", 4);
    refused("grid:cycles + other:cycles", "expected the same ones");
}

TEST(correlation_is_with_the_published_numbers)
{
    UNUSED_STATE;
    NEAR("rank(gain)", 1); /* 1.5 1.1 3 against 10 5 20 */
    double x[] = {1, 2, 3, 4}, y[] = {4, 1, 3, 2}, ties[] = {1, 2, 2, 4};
    assert_true(fabs(numbers_spearman(x, y, 4) - -0.4) < 1e-12); /* 1 - 6 * 14 / 60 */
    assert_true(fabs(numbers_spearman(ties, x, 4) - 0.9486832980505138) < 1e-12);
    assert_true(isnan(numbers_pearson(x, y, 2)));
}

TEST(correlation_may_be_of_two_measured_values)
{
    UNUSED_STATE;
    NEAR("pearson(gain, 2 * gain + 1)", 1);
    NEAR("rank(gain, 0 - gain)", -1);
    assert_true(isnan(number("pearson(gain, one:cycles)"))); /* two pairs are too few */
    assert_true(isnan(number("pearson(gain, 2 * gain, reuse)")));
    refused("rank(gain, gain, reus)", "no group reus");
}

TEST(mistakes_are_named)
{
    UNUSED_STATE;
    refused("gain[mn]", "unknown program of the study");
    refused("gian", "no value gian");
    refused("men(gain)", "unknown function");
    refused("at(gain, 3)", "no points");
    refused("at(grid:cycles, 50)", "unknown point");
    refused("1 +", "expected a name");
    refused("(1", "expected ')'");
    refused("1 2", "expected an operator");
    refused("gain[mm", "not closed");
    refused("((((((((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))))))))",
            "nested too deeply");
}

RUN_TESTS(T(arithmetic_has_its_usual_strengths), T(statistics_are_picked_by_program_and_point),
          T(elements_of_an_array_are_points), T(means_leave_out_what_is_missing),
          T(a_value_fits_where_it_lies_in_the_published_band),
          T(a_mix_has_the_least_of_its_programs),
          T(a_mix_has_nothing_where_one_of_its_programs_has_nothing),
          T(programs_of_a_mix_are_looked_for_in_a_file),
          T(a_program_that_is_not_judged_is_told_by_its_name),
          T(a_missing_operand_decides_nothing_unless_the_other_does),
          T(curves_are_read_by_point_crossing_and_plateau),
          T(the_point_where_a_curve_is_lowest_and_another_value_there),
          T(sets_that_sweep_the_same_values_compare_point_by_point),
          T(correlation_is_with_the_published_numbers),
          T(correlation_may_be_of_two_measured_values), T(mistakes_are_named))
