/* Totals from a sample, with intervals: by hand, and against populations whose totals are known. */
#include "testing.h"

#include "base/rng.h"
#include "stats/estimate.h"

#include <math.h>

static void expect_near(double is, double want, double within)
{
    if (!(fabs(is - want) <= within))
        fail_msg("%.9g, expected %.9g", is, want);
}

/* From tables. */
TEST(students_t_is_within_half_a_percent_of_its_table)
{
    UNUSED_STATE;
    static const double table[][2] = {{1, 12.706}, {2, 4.303}, {3, 3.182},  {4, 2.776},
                                      {5, 2.571},  {9, 2.262}, {30, 2.042}, {1000, 1.962}};
    for (u32 i = 0; i < ARRAY_LEN(table); i++)
        expect_near(student_t(table[i][0]) / table[i][1], 1, 0.005);
}

/* 10 units, of which 1, 2, 3 were measured: mean 2, variance 1. The total is 20; its variance is
 * 10^2 (1 - 3/10) / 3 = 23.333, Cochran (1977), eq. 2.20. */
TEST(a_simple_random_sample_has_cochrans_mean_and_variance)
{
    UNUSED_STATE;
    struct estimate_unit units[] = {{1, 5, 0}, {1, 5, 0}, {1, 5, 0}};
    double values[] = {1, 2, 3};
    struct estimate_class c = {.population = 10, .size = 50, .units = units, .count = 3};
    estimate_calibrate(&c);
    assert_int_equal(c.model, ESTIMATE_MEAN);
    struct estimate e = estimate_total(&c, values, 0, 0);
    expect_near(e.total, 20, 1e-9);
    expect_near(e.variance, 100 * 0.7 / 3, 1e-9);
    expect_near(estimate_half_width(&e), 4.302652730 * sqrt(100 * 0.7 / 3), 1e-6);
}

TEST(what_was_measured_whole_is_exact)
{
    UNUSED_STATE;
    struct estimate_unit units[] = {{1, 5, 0}, {1, 9, 0}};
    double values[] = {7, 100};
    struct estimate_class c = {.population = 2, .size = 14, .units = units, .count = 2};
    estimate_calibrate(&c);
    struct estimate e = estimate_total(&c, values, 0, 0);
    expect_near(e.total, 107, 1e-9);
    assert_true(estimate_half_width(&e) == 0 && !e.is_unknown);
}

/* Sizes 1, 2, 4, 6, 8 and 10 were measured of 1 to 10; the value is 3 + 2 size: 30 + 2 * 55 = 140.
 */
TEST(a_line_is_found_from_units_of_other_sizes)
{
    UNUSED_STATE;
    static const double sizes[] = {1, 2, 4, 6, 8, 10};
    struct estimate_unit units[6];
    double values[6];
    for (u32 i = 0; i < 6; i++) {
        units[i] = (struct estimate_unit){1, sizes[i], 0};
        values[i] = 3 + 2 * sizes[i];
    }
    struct estimate_class c = {.population = 10, .size = 55, .units = units, .count = 6};
    estimate_calibrate(&c);
    struct estimate e = estimate_total(&c, values, 0, 0);
    expect_near(e.total, 140, 1e-6);
    expect_near(e.variance, 0, 1e-6);
}

TEST(one_unit_for_many_has_no_interval_unless_others_lend_their_variance)
{
    UNUSED_STATE;
    struct estimate_unit unit = {1, 5, 0};
    double value = 10;
    struct estimate_class c = {.population = 4, .size = 20, .units = &unit, .count = 1};
    estimate_calibrate(&c);
    struct estimate e = estimate_total(&c, &value, 0, 0);
    assert_true(e.is_unknown);
    /* errors of 10 % with 8 degrees: variance 1 times 3 + 3^2 */
    e = estimate_total(&c, &value, 0.01, 8);
    assert_false(e.is_unknown);
    expect_near(e.total, 40, 1e-9);
    expect_near(e.variance, 12, 1e-9);
}

/* ---- against populations whose totals are known ---- */

#define UNITS 400u

struct population {
    double value[UNITS], size[UNITS], total, sizes;
};

static double normal(struct rng *r)
{
    double sum = -6;
    for (u32 i = 0; i < 12; i++)
        sum += rng_unit(r);
    return sum;
}

static void make(struct population *p, struct rng *r, double constant, double slope, double noise)
{
    p->total = p->sizes = 0;
    for (u32 i = 0; i < UNITS; i++) {
        p->size[i] = 100 + (slope > 0 ? (double)rng_below(r, 50) : 0);
        p->value[i] = constant + slope * p->size[i] + noise * normal(r);
        p->total += p->value[i];
        p->sizes += p->size[i];
    }
}

/* One unit out of each run of 20, and the first four for certain: as sampling/design.h draws them.
 */
static bool covers(const struct population *p, struct rng *r)
{
    struct estimate_unit units[40];
    double values[40];
    u32 n = 0;
    for (u32 first = 0; first < UNITS;) {
        u32 length = first < 4 ? 1 : (u32)min_u64(20, UNITS - first),
            i = first + (u32)rng_below(r, length);
        units[n] = (struct estimate_unit){length, p->size[i], 0};
        values[n++] = p->value[i];
        first += length;
    }
    struct estimate_class c = {.population = UNITS, .size = p->sizes, .units = units, .count = n};
    estimate_calibrate(&c);
    struct estimate e = estimate_total(&c, values, 0, 0);
    return fabs(e.total - p->total) <= estimate_half_width(&e);
}

/* Of 2,000 intervals 95 % hold, give or take three standard errors: 1.5 %. */
static void expect_coverage(double constant, double slope, double noise)
{
    struct rng r;
    rng_init(&r, 1, "coverage");
    struct population p;
    u32 held = 0;
    for (u32 i = 0; i < 2000; i++) {
        make(&p, &r, constant, slope, noise);
        held += covers(&p, &r);
    }
    expect_near(held / 2000.0, 0.95, 0.015);
}

TEST(intervals_of_95_percent_hold_in_95_percent_of_populations_with_equal_sizes)
{
    UNUSED_STATE;
    expect_coverage(1000, 0, 50);
}

TEST(and_where_values_grow_with_sizes)
{
    UNUSED_STATE;
    expect_coverage(500, 20, 100);
}

RUN_TESTS(T(students_t_is_within_half_a_percent_of_its_table),
          T(a_simple_random_sample_has_cochrans_mean_and_variance),
          T(what_was_measured_whole_is_exact), T(a_line_is_found_from_units_of_other_sizes),
          T(one_unit_for_many_has_no_interval_unless_others_lend_their_variance),
          T(intervals_of_95_percent_hold_in_95_percent_of_populations_with_equal_sizes),
          T(and_where_values_grow_with_sizes))
