/* Windows of programs whose phases are known. */
#include "testing.h"

#include "base/rng.h"
#include "cpu_trace/points.h"

#include <math.h>

static void is_near(double found, double expected, double within)
{
    assert_true(fabs(found - expected) <= within);
}

static struct points_profile profile;
static struct points points;

static void begin(void)
{
    points_profile_fini(&profile);
    points_profile_init(&profile, 1000);
}

/* An interval of a phase: thirty blocks of its own, by chance a little different each time. */
static void add_phase(u64 phase, struct rng *rng)
{
    u32 before = profile.count;
    while (profile.count == before)
        points_profile_add(&profile, 0x1000 * (phase + 1) + 16 * rng_below(rng, 30), 10);
}

TEST(blocks_fill_intervals)
{
    UNUSED_STATE;
    begin();
    for (u32 i = 0; i < 350; i++)
        points_profile_add(&profile, 0x1000, 10);
    points_profile_end(&profile);
    assert_int_equal(profile.count, 4); /* the last is half of one */
    assert_int_equal(profile.intervals[0].instructions, 1000);
    assert_int_equal(profile.intervals[3].instructions, 500);
    assert_int_equal(profile.intervals[0].measures[POINTS_BLOCKS], 100);
}

TEST(as_many_windows_are_chosen_as_there_are_phases)
{
    UNUSED_STATE;
    static const u32 parts[] = {60, 30, 10};
    struct rng rng;
    rng_init(&rng, 1, "phases");
    begin();
    for (u32 phase = 0; phase < 3; phase++) {
        for (u32 i = 0; i < parts[phase]; i++)
            add_phase(phase, &rng);
    }
    points_profile_end(&profile);
    points_choose(&points, &profile, 10, 1);
    assert_int_equal(points.count, 3);
    double sum = 0;
    for (u32 k = 0; k < 3; k++) {
        is_near(points.windows[k].weight, parts[k] / 100., 0.02);
        sum += points.windows[k].weight;
    }
    is_near(sum, 1, 1e-9);
    assert_true(points.windows[0].first < points.windows[1].first);
    assert_true(points.spread < 1);
}

TEST(a_program_of_one_phase_needs_one_window)
{
    UNUSED_STATE;
    struct rng rng;
    rng_init(&rng, 2, "phases");
    begin();
    for (u32 i = 0; i < 50; i++)
        add_phase(0, &rng);
    points_profile_end(&profile);
    points_choose(&points, &profile, 10, 1);
    assert_int_equal(points.count, 1);
    is_near(points.windows[0].weight, 1, 1e-9);
    assert_int_equal(points.windows[0].intervals, profile.count);
}

TEST(the_weighted_mean_is_that_of_the_whole_when_phases_repeat)
{
    UNUSED_STATE;
    begin();
    /* two phases with blocks of 10 and 20 instructions: 100 and 50 blocks an interval */
    for (u32 n = 0; n < 40; n++) {
        for (u32 i = 0; i < (n % 4 ? 100u : 50u); i++)
            points_profile_add(&profile, n % 4 ? 0x1000 : 0x2000, n % 4 ? 10 : 20);
    }
    points_profile_end(&profile);
    points_choose(&points, &profile, 5, 7);
    double whole, estimate = points_estimate(&points, &profile, POINTS_BLOCKS, &whole);
    assert_int_equal(points.count, 2);
    is_near(whole, (30 * 100 + 10 * 50) / 40000., 1e-12);
    is_near(estimate, whole, 1e-12);
}

TEST(the_same_seed_chooses_the_same_windows)
{
    UNUSED_STATE;
    struct points again;
    struct rng rng;
    rng_init(&rng, 3, "phases");
    begin();
    for (u32 i = 0; i < 60; i++)
        add_phase(i / 20, &rng);
    points_profile_end(&profile);
    points_choose(&points, &profile, 8, 5);
    points_choose(&again, &profile, 8, 5);
    assert_memory_equal(&points, &again, sizeof points);
}

TEST(a_mean_has_the_error_of_windows_that_differ)
{
    UNUSED_STATE;
    double error;
    points = (struct points){.count = 2, .windows = {{.weight = 0.75}, {.weight = 0.25}}};
    /* 0.75 x 1.1 + 0.25 x 3; t(1) x 0.75 x 0.2 / 2 */
    is_near(points_mean(&points, (double[]){1, 3}, (double[]){1.2, 3}, &error), 1.575, 1e-12);
    is_near(error, 12.706204736 * 0.075, 1e-9);
}

TEST(a_second_window_is_another_of_the_cluster)
{
    UNUSED_STATE;
    struct rng rng;
    rng_init(&rng, 4, "phases");
    begin();
    for (u32 i = 0; i < 40; i++)
        add_phase(i / 20, &rng);
    points_profile_end(&profile);
    points_choose(&points, &profile, 2, 5);
    for (u32 k = 0; k < points.count; k++) {
        const struct points_window *w = &points.windows[k];
        assert_int_not_equal(w->second, w->interval);
        assert_int_equal(profile.intervals[w->second].cluster,
                         profile.intervals[w->interval].cluster);
        assert_int_equal(w->second_first, 1000 * w->second);
    }
}

TEST(a_stream_is_measured_too)
{
    UNUSED_STATE;
    struct cpu_stream s;
    struct err err = ERR_INIT;
    begin();
    assert_true(cpu_stream_open(
        &s, &(struct cpu_stream_request){.name = "cpu:stream,length=10000,code_bytes=400"}, &err));
    assert_true(points_profile_stream(&profile, &s, &err));
    points_profile_end(&profile);
    cpu_stream_close(&s);
    assert_int_equal(profile.count, 10);
    /* 25 loads in 100 instructions, each of its own line */
    assert_int_equal(profile.intervals[3].measures[POINTS_LOADS], 250);
    assert_int_equal(profile.intervals[3].measures[POINTS_DATA_LINES], 250);
    assert_int_equal(profile.intervals[3].measures[POINTS_TAKEN], 10);
    points_profile_fini(&profile);
}

RUN_TESTS(T(blocks_fill_intervals), T(as_many_windows_are_chosen_as_there_are_phases),
          T(a_program_of_one_phase_needs_one_window),
          T(the_weighted_mean_is_that_of_the_whole_when_phases_repeat),
          T(the_same_seed_chooses_the_same_windows), T(a_mean_has_the_error_of_windows_that_differ),
          T(a_second_window_is_another_of_the_cluster), T(a_stream_is_measured_too))
