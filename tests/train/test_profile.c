/* Profiles of kernels and the tuple that training aims at: Poise spec, sections 4.3 and 8. */
#include "testing.h"

#include "train/grid.h"
#include "train/profile.h"

#include <math.h>

#define BASE 1000000000u /* cycles at (W,W): speedups come out to nine digits */

static void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.12g is not within %g of %.12g", value, tolerance, expected);
}

typedef double surface(u32 n, u32 p);

/* A full grid of speedups over a (W,W) whose own is 1 by definition. */
static void fill(struct profile *f, u32 limit, surface *s, struct arena *arena)
{
    profile_init(f, limit, arena);
    for (u32 n = 1; n <= limit; n++) {
        for (u32 p = 1; p <= n; p++)
            profile_put(f, n, p, (u64)llround(BASE / (n == limit && p == limit ? 1 : s(n, p))));
    }
    assert_true(profile_fill(f));
}

static u32 apart(u32 a, u32 b)
{
    return a > b ? a - b : b - a;
}

static u32 ring(u32 n, u32 p, u32 n0, u32 p0)
{
    u32 a = apart(n, n0), b = apart(p, p0);
    return a > b ? a : b;
}

static double flat(u32 n, u32 p)
{
    (void)n, (void)p;
    return 1;
}

/* A spike in a field of 0.8, and a plateau of 3 x 3 tuples elsewhere. */
static double spike(u32 n, u32 p)
{
    if (n == 20 && p == 5)
        return 1.10;
    return ring(n, p, 10, 5) <= 1 ? 1.05 : 0.8;
}

/* Fig. 5a: a peak at (6,5) with a cliff at every lower N; calm around (8,8). */
static double cliff_at_lower_n(u32 n, u32 p)
{
    if (n < 6)
        return 0.6;
    return n == 6 && p == 5 ? 1.08 : 1.06 - 0.01 * ring(n, p, 8, 8);
}

/* Fig. 5b: a peak at (11,4) with cliffs at every lower p and higher N; calm around (7,6). */
static double cliffs_at_lower_p_and_higher_n(u32 n, u32 p)
{
    if (n > 11 || p < 4)
        return 0.7;
    return n == 11 && p == 4 ? 1.15 : 1.14 - 0.01 * ring(n, p, 7, 6);
}

static void is_tuple(struct warp_tuple t, u32 n, u32 p)
{
    assert_int_equal(t.n, n);
    assert_int_equal(t.p, p);
}

TEST(a_spike_loses_to_a_plateau)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct profile f;
    fill(&f, 24, spike, &arena);
    is_tuple(profile_best(&f), 20, 5);
    is_tuple(profile_target(&f, SCORE_WEIGHTS), 10, 5);
    arena_fini(&arena);
}

TEST(targets_keep_away_from_cliffs_where_peaks_do_not)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct profile f;
    fill(&f, 24, cliff_at_lower_n, &arena);
    is_tuple(profile_best(&f), 6, 5);
    is_tuple(profile_target(&f, SCORE_WEIGHTS), 8, 8);
    /* (8,9) and (7,8) do not exist: (1.06 + 1.05 (3 x 0.25 + 2 x 0.5)) / 2.75 */
    near(profile_score(&f, 8, 8, SCORE_WEIGHTS), 2.8975 / 2.75, 1e-8);
    near(profile_score(&f, 6, 5, SCORE_WEIGHTS), 3.59 / 3.75, 1e-8);
    fill(&f, 24, cliffs_at_lower_p_and_higher_n, &arena);
    is_tuple(profile_best(&f), 11, 4);
    is_tuple(profile_target(&f, SCORE_WEIGHTS), 7, 6);
    arena_fini(&arena);
}

TEST(a_flat_profile_has_one_score_unless_neighbours_are_counted)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct profile f;
    fill(&f, 24, flat, &arena);
    for (u32 n = 1; n <= 24; n++) {
        for (u32 p = 1; p <= n; p++) {
            near(profile_score(&f, n, p, SCORE_WEIGHTS), 1, 1e-12);
            near(profile_score(&f, n, p, SCORE_GAIN), 0, 1e-12);
        }
    }
    near(profile_score(&f, 12, 6, SCORE_COUNT), 4.0 / 9, 1e-12);
    near(profile_score(&f, 24, 24, SCORE_COUNT), 1.75 / 3, 1e-12);
    is_tuple(profile_target(&f, SCORE_WEIGHTS), 1, 1);
    arena_fini(&arena);
}

TEST(speedups_between_measured_tuples_lie_on_straight_lines)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct profile f;
    /* (1,1) 0.5, (3,1) 2, (3,3) 4, (5,1) 0.25, (5,3) 8, (5,5) 1 */
    static const u32 rows[][3] = {{1, 1, 2400}, {3, 1, 600}, {3, 3, 300},
                                  {5, 1, 4800}, {5, 3, 150}, {5, 5, 1200}};
    profile_init(&f, 5, &arena);
    for (u32 i = 0; i < ARRAY_LEN(rows); i++)
        profile_put(&f, rows[i][0], rows[i][1], rows[i][2]);
    assert_true(profile_fill(&f));
    near(profile_speedup(&f, 3, 1), 2, 1e-12);                        /* as measured */
    near(profile_speedup(&f, 2, 1), (0.5 + 2) / 2, 1e-12);            /* along N */
    near(profile_speedup(&f, 5, 2), (0.25 + 8) / 2, 1e-12);           /* along p */
    near(profile_speedup(&f, 2, 2), (0.5 + 4) / 2, 1e-12);            /* along the diagonal */
    near(profile_speedup(&f, 4, 4), (4 + 1) / 2.0, 1e-12);            /* the same */
    near(profile_speedup(&f, 4, 2), (2 + 4 + 0.25 + 8) / 4.0, 1e-12); /* amid a rectangle */
    near(profile_speedup(&f, 4, 3), (4 + 8) / 2.0, 1e-12);            /* its edge */
    arena_fini(&arena);
}

/* A ridge between two measured values of N that are equally fast: its middle was not run. */
TEST(targets_are_measured_tuples)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct profile f;
    profile_init(&f, 24, &arena);
    static const u32 values[] = {1, 8, 12, 24};
    for (u32 i = 0; i < 4; i++) {
        for (u32 k = 0; k <= i; k++)
            profile_put(&f, values[i], values[k], i == 1 || i == 2 ? 500 : 1000);
    }
    assert_true(profile_fill(&f));
    assert_true(profile_score(&f, 10, 5, SCORE_WEIGHTS) > profile_score(&f, 8, 8, SCORE_WEIGHTS));
    struct warp_tuple t = profile_target(&f, SCORE_WEIGHTS);
    assert_true(profile_cycles(&f, t.n, t.p) == 500);
    is_tuple(profile_best(&f), 8, 1);
    arena_fini(&arena);
}

TEST(a_grid_with_a_hole_is_none)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct profile f;
    profile_init(&f, 3, &arena);
    profile_put(&f, 1, 1, 10);
    profile_put(&f, 3, 3, 10);
    assert_false(profile_fill(&f)); /* (3,1) */
    profile_put(&f, 3, 1, 10);
    assert_true(profile_fill(&f));
    profile_init(&f, 3, &arena);
    profile_put(&f, 2, 2, 10);
    profile_put(&f, 3, 2, 10);
    profile_put(&f, 3, 3, 10);
    assert_false(profile_fill(&f)); /* (1,1) */
    arena_fini(&arena);
}

TEST(tuples_beyond_the_limit_are_the_limit_and_the_last_one_stays)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct profile f;
    profile_init(&f, 16, &arena);
    profile_put(&f, 20, 20, 70);
    profile_put(&f, 24, 8, 50);
    profile_put(&f, 24, 20, 71);
    profile_put(&f, 24, 24, 72);
    assert_int_equal(profile_cycles(&f, 16, 8), 50);
    assert_int_equal(profile_cycles(&f, 16, 16), 72);
    arena_fini(&arena);
}

/* Every n >= p of the values, so that a kernel of each occupancy finds its (W,W). */
TEST(grids_have_the_tuples_that_their_names_say)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    struct tuple_grid g;
    assert_true(grid_read(&g, GRID_FULL, &err));
    assert_int_equal(grid_size(&g), 300);
    assert_int_equal(g.values[23], 24);
    assert_true(grid_read(&g, GRID_COARSE, &err));
    assert_int_equal(grid_size(&g), 66);
    assert_true(grid_read(&g, "1,4,24", &err));
    assert_int_equal(grid_size(&g), 6);
    assert_int_equal(g.values[1], 4);
}

TEST(bad_grids_are_refused_in_one_sentence)
{
    UNUSED_STATE;
    static const char *const bad[] = {"",     "1",    "2,4",  "1,4,4", "1,8,4", "1,,4",
                                      "1,4,", "1,65", "fine", "1,-2",  "1 4",   "1,4x"};
    for (u32 i = 0; i < ARRAY_LEN(bad); i++) {
        struct err err = ERR_INIT;
        struct tuple_grid g;
        char text[1600];
        if (grid_read(&g, bad[i], &err))
            fail_msg("'%s' is a grid", bad[i]);
        err_text(&err, text, sizeof text);
        assert_non_null(strstr(text, "--grid is"));
        assert_non_null(strstr(text, "coarse, full"));
    }
}

TEST(no_program_both_trains_and_evaluates)
{
    UNUSED_STATE;
    u32 count = 0;
    for (; evaluation_programs[count]; count++) {
        for (u32 k = 0; training_programs[k]; k++)
            assert_string_not_equal(evaluation_programs[count], training_programs[k]);
    }
    assert_int_equal(count, 11);
}

RUN_TESTS(T(a_spike_loses_to_a_plateau), T(targets_keep_away_from_cliffs_where_peaks_do_not),
          T(a_flat_profile_has_one_score_unless_neighbours_are_counted),
          T(speedups_between_measured_tuples_lie_on_straight_lines), T(targets_are_measured_tuples),
          T(a_grid_with_a_hole_is_none),
          T(tuples_beyond_the_limit_are_the_limit_and_the_last_one_stays),
          T(grids_have_the_tuples_that_their_names_say), T(bad_grids_are_refused_in_one_sentence),
          T(no_program_both_trains_and_evaluates))
