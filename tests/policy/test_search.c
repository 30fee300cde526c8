/* Poise's local search on surfaces that are known: Poise spec, section 8. */
#include "testing.h"

#include "base/rng.h"
#include "policy/surface.h"
#include "policy/warp/search.h"

#define MOST_PROBES 256u

typedef double surface(u32 n, u32 p);

struct trace {
    u32 n[MOST_PROBES], p[MOST_PROBES], count;
};

/* Every probe is legal: 1 <= p <= N <= W. */
static void climb(struct search *s, surface *f, u32 n, u32 p, u32 limit, u32 stride_n, u32 stride_p,
                  struct trace *t)
{
    u32 try_n, try_p;
    t->count = 0;
    search_begin(s, n, p, limit, stride_n, stride_p, false);
    while (search_next(s, &try_n, &try_p)) {
        assert_true(try_p >= 1 && try_p <= try_n && try_n <= limit);
        assert_true(t->count < MOST_PROBES);
        t->n[t->count] = try_n;
        t->p[t->count++] = try_p;
        search_measured(s, f(try_n, try_p));
    }
    assert_int_equal(s->probes, t->count);
}

static void expect_probes(const struct trace *t, const u32 (*expected)[2], u32 count)
{
    assert_int_equal(t->count, count);
    for (u32 i = 0; i < count; i++) {
        assert_int_equal(t->n[i], expected[i][0]);
        assert_int_equal(t->p[i], expected[i][1]);
    }
}

static u32 peak_n, peak_p;

static double concave(u32 n, u32 p)
{
    double a = (double)n - peak_n, b = (double)p - peak_p;
    return 1000 - a * a - b * b;
}

TEST(at_the_peak_eleven_probes_confirm_the_prediction)
{
    UNUSED_STATE;
    static const u32 expected[][2] = {{12, 8},  {10, 8}, {14, 8},  {11, 8}, {13, 8}, {12, 4},
                                      {12, 12}, {12, 6}, {12, 10}, {12, 7}, {12, 9}};
    struct search s;
    struct trace t;
    peak_n = 12;
    peak_p = 8;
    climb(&s, concave, 12, 8, 24, 2, 4, &t);
    expect_probes(&t, expected, ARRAY_LEN(expected));
    assert_int_equal(s.at[SEARCH_N], 12);
    assert_int_equal(s.at[SEARCH_P], 8);
}

TEST(a_peak_four_warps_away_is_reached_in_two_moves_and_then_the_stride_halves)
{
    UNUSED_STATE;
    /* at 10 and 12 the neighbour below is the centre before: its value is known */
    static const u32 expected[][2] = {{8, 4}, {6, 4}, {10, 4}, {12, 4}, {14, 4}, {11, 4}, {13, 4}};
    struct search s;
    struct trace t;
    peak_n = 12;
    peak_p = 4;
    climb(&s, concave, 8, 4, 24, 2, 0, &t);
    expect_probes(&t, expected, ARRAY_LEN(expected));
    assert_int_equal(s.at[SEARCH_N], 12);
    assert_int_equal(s.at[SEARCH_P], 4);
}

TEST(measuring_again_costs_the_known_points)
{
    UNUSED_STATE;
    struct search s;
    u32 n, p, probes = 0;
    peak_n = 12;
    peak_p = 4;
    search_begin(&s, 8, 4, 24, 2, 4, true);
    while (search_next(&s, &n, &p)) {
        search_measured(&s, concave(n, p));
        probes++;
    }
    /* 7 along N as above, 8 and 10 once more, the centre once more, and p - 3, + 4, +-2, +-1 */
    assert_int_equal(probes, 7 + 2 + 1 + 6);
    assert_int_equal(s.at[SEARCH_N], 12);
    assert_int_equal(s.at[SEARCH_P], 4);
}

TEST(without_strides_nothing_is_measured)
{
    UNUSED_STATE;
    struct search s;
    struct trace t;
    climb(&s, concave, 9, 3, 24, 0, 0, &t);
    assert_int_equal(t.count, 0);
    assert_int_equal(s.at[SEARCH_N], 9);
    assert_int_equal(s.at[SEARCH_P], 3);
}

TEST(equal_values_do_not_move_it)
{
    UNUSED_STATE;
    struct search s;
    search_begin(&s, 5, 5, 24, 2, 4, false);
    for (u32 n, p; search_next(&s, &n, &p);)
        search_measured(&s, 7);
    assert_int_equal(s.at[SEARCH_N], 5);
    assert_int_equal(s.at[SEARCH_P], 5);
}

TEST(below_p_the_search_along_n_takes_p_with_it)
{
    UNUSED_STATE;
    struct search s;
    struct trace t;
    peak_n = 2;
    peak_p = 2;
    climb(&s, concave, 8, 8, 24, 2, 4, &t);
    assert_int_equal(s.at[SEARCH_N], 2);
    assert_int_equal(s.at[SEARCH_P], 2);
}

/* ---- any surface ----------------------------------------------------------------------------- */

static u64 key;

static double noise(u32 n, u32 p)
{
    return (double)(rng_at(key, n * 100 + p) % 1000);
}

TEST(on_any_surface_probes_are_legal_and_the_end_is_no_worse_than_the_start)
{
    UNUSED_STATE;
    struct rng r;
    rng_init(&r, 1, "search");
    for (u32 k = 0; k < 5000; k++) {
        u32 limit = 1 + (u32)rng_below(&r, 32), n = 1 + (u32)rng_below(&r, limit);
        u32 p = 1 + (u32)rng_below(&r, n);
        struct search s;
        struct trace t;
        key = k;
        climb(&s, noise, n, p, limit, (u32)rng_below(&r, 9), (u32)rng_below(&r, 9), &t);
        assert_true(noise(s.at[SEARCH_N], s.at[SEARCH_P]) >= noise(n, p));
    }
}

/* ---- it is local ------------------------------------------------------------------------------
 */

TEST(from_near_the_far_peak_it_is_found_and_from_the_near_one_the_valley_is_not_passed)
{
    UNUSED_STATE;
    struct search s;
    struct trace t;
    climb(&s, figure_2, 12, 1, 24, 2, 4, &t);
    assert_int_equal(s.at[SEARCH_N], 15);
    assert_int_equal(s.at[SEARCH_P], 1);
    climb(&s, figure_2, 2, 1, 24, 2, 4, &t);
    assert_int_equal(s.at[SEARCH_N], 2);
    assert_int_equal(s.at[SEARCH_P], 1);
    for (u32 i = 0; i < t.count; i++)
        assert_true(t.n[i] <= 4);
}

RUN_TESTS(T(at_the_peak_eleven_probes_confirm_the_prediction),
          T(a_peak_four_warps_away_is_reached_in_two_moves_and_then_the_stride_halves),
          T(measuring_again_costs_the_known_points), T(without_strides_nothing_is_measured),
          T(equal_values_do_not_move_it), T(below_p_the_search_along_n_takes_p_with_it),
          T(on_any_surface_probes_are_legal_and_the_end_is_no_worse_than_the_start),
          T(from_near_the_far_peak_it_is_found_and_from_the_near_one_the_valley_is_not_passed))
