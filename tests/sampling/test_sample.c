/* Which launches are timed, and what follows for the others. */
#include "testing.h"

#include "sampling/sample.h"

#include <math.h>

static void expect_near(double is, double want, double within)
{
    if (!(fabs(is - want) <= within))
        fail_msg("%.9g, expected %.9g", is, want);
}

/* ---- runs ---- */

static u32 end_launch(struct design *d, bool is_steady)
{
    u32 stands_for = design_stands_for(d);
    if (stands_for)
        design_next(d, is_steady);
    return stands_for;
}

/* Runs of 1, 1, 1, 1, 2, 2, 4, 4, 8, 8, 8 ...: of 100 launches 4 + 2 + 2 + 10 are drawn, and the
 * drawn ones stand for all whose run has ended. */
TEST(runs_double_up_to_the_longest_and_each_draws_one)
{
    UNUSED_STATE;
    struct design d;
    u32 drawn = 0, stands_for = 0;
    design_init(&d, 8, 1, 7);
    for (u32 i = 0; i < 96; i++) {
        drawn += design_draws(&d);
        stands_for += end_launch(&d, true);
    }
    assert_int_equal(drawn, 4 + 2 + 2 + 10);
    assert_int_equal(stands_for, 96);
}

TEST(runs_stay_one_launch_long_while_what_is_measured_varies)
{
    UNUSED_STATE;
    struct design d;
    design_init(&d, 8, 1, 7);
    for (u32 i = 0; i < 50; i++) {
        assert_true(design_draws(&d));
        assert_int_equal(end_launch(&d, false), 1);
    }
}

TEST(a_launch_that_was_added_stands_for_itself_alone)
{
    UNUSED_STATE;
    struct design d;
    design_init(&d, 2, 1, 7);
    for (u32 i = 0; i < 4; i++) {
        assert_true(design_draws(&d));
        end_launch(&d, true);
    }
    u32 stands_for = 0;
    for (u32 i = 0; i < 2; i++) {
        if (!design_draws(&d))
            design_adds(&d);
        stands_for += end_launch(&d, true);
    }
    assert_int_equal(stands_for, 1);
}

/* ---- classes ---- */

static struct signature of_size(u64 warp_instructions)
{
    return (struct signature){.warp_instructions = warp_instructions, .lanes = 32, .sectors = 4};
}

static const struct launch_shape shape = {.kernel = "k", .grid = {64, 1, 1}, .block = {128, 1, 1}};

static struct sample_options options(void)
{
    return (struct sample_options){.share = 0.02, .precision = 0.03, .seed = 1};
}

/* A launch of so many instructions and cycles. */
static void play(struct sample *s, const struct launch_shape *of, u64 size, double cycles)
{
    struct signature g = of_size(size);
    double values[] = {cycles, 2 * cycles};
    bool wants = sample_wants(s, of);
    struct sample_measure m = {values, NULL, (double)size};
    sample_ended(s, &g, wants ? &m : NULL);
}

TEST(launches_are_one_class_while_their_sizes_are_within_a_quarter)
{
    UNUSED_STATE;
    struct launch_classes c = {0};
    struct signature a = of_size(1000), b = of_size(1240), other = of_size(1260);
    assert_int_equal(classes_add(&c, &a, false), 0);
    assert_int_equal(classes_add(&c, &b, false), 0);
    assert_int_equal(classes_add(&c, &other, false), 1);
    assert_int_equal(c.classes[0].population, 2);
    expect_near(c.classes[0].size, 2240, 0);
    classes_fini(&c);
}

TEST(the_first_four_launches_are_for_themselves_and_do_not_disturb_the_others)
{
    UNUSED_STATE;
    struct sample s;
    struct sample_estimates e;
    struct sample_options o = options();
    sample_init(&s, &o, 2);
    for (u32 i = 0; i < 1000; i++)
        play(&s, &shape, 1000, i < 4 ? 5000 * (i + 1) : 500);
    sample_estimate(&s, &e);
    expect_near(e.program.values[0].estimate, 50000 + 996 * 500, 1e-6);
    expect_near(e.program.values[0].half_width, 0, 1e-6);
    assert_true(e.program.timed < 45);
    sample_estimates_fini(&e);
    sample_fini(&s);
}

TEST(other_code_lanes_or_access_patterns_are_other_classes)
{
    UNUSED_STATE;
    struct launch_classes c = {0};
    struct signature s[4] = {of_size(1000), of_size(1000), of_size(1000), of_size(1000)};
    s[1].vector[3] = 0.11;
    s[2].lanes = 29;
    s[3].sectors = 8;
    for (u32 i = 0; i < 4; i++)
        assert_int_equal(classes_add(&c, &s[i], false), i);
    classes_fini(&c);
}

/* 1,000 launches of 500 cycles: the total is exact, and the interval has no width. Runs of 1 until
 * the first four are gone and three more agree, then 2, 2, 4, 4, ... 32, 32, 50, ...: 7 + 10 + 17
 * or 18 of them. */
TEST(a_program_of_equal_launches_is_exact_from_a_few)
{
    UNUSED_STATE;
    struct sample s;
    struct sample_estimates e;
    struct sample_options o = options();
    sample_init(&s, &o, 2);
    for (u32 i = 0; i < 1000; i++)
        play(&s, &shape, 1000, 500);
    sample_estimate(&s, &e);
    expect_near(e.program.values[0].estimate, 500000, 1e-6);
    expect_near(e.program.values[0].half_width, 0, 1e-6);
    expect_near(e.program.values[1].estimate, 1000000, 1e-6);
    assert_int_equal(e.program.launches, 1000);
    assert_in_range(e.program.timed, 7 + 10 + 17, 7 + 10 + 18);
    assert_int_equal(e.kernel_count, 1);
    sample_estimates_fini(&e);
    sample_fini(&s);
}

/* Launches of 500 cycles that are equal have no sampling error. Of what is not timed 4 % are
 * unsure, with 24 degrees of freedom: t is 2.0639. The second value has no floor. */
TEST(a_floor_widens_the_interval_by_what_is_not_timed)
{
    UNUSED_STATE;
    static const double floors[] = {0.04, 0};
    struct sample s;
    struct sample_estimates e;
    struct sample_options o = options();
    sample_init(&s, &o, 2);
    s.floors = floors;
    s.floor_degrees = 24;
    for (u32 i = 0; i < 1000; i++)
        play(&s, &shape, 1000, 500);
    sample_estimate(&s, &e);
    double untimed = 500.0 * (1000 - (double)e.program.timed);
    expect_near(e.program.values[0].estimate, 500000, 1e-6);
    expect_near(e.program.values[0].half_width, 2.0639 * 0.04 * untimed, 0.001 * untimed);
    expect_near(e.kernels[0].values[0].half_width, e.program.values[0].half_width, 1e-6);
    expect_near(e.program.values[1].half_width, 0, 1e-6);
    sample_estimates_fini(&e);
    sample_fini(&s);
}

TEST(a_program_that_is_timed_whole_has_no_floor)
{
    UNUSED_STATE;
    static const double floors[] = {0.04, 0.04};
    struct sample s;
    struct sample_estimates e;
    struct sample_options o = options();
    o.first = 1000000;
    sample_init(&s, &o, 2);
    s.floors = floors;
    s.floor_degrees = 24;
    for (u32 i = 0; i < 100; i++)
        play(&s, &shape, 1000, 500);
    sample_estimate(&s, &e);
    assert_int_equal(e.program.timed, 100);
    expect_near(e.program.values[0].half_width, 0, 0);
    sample_estimates_fini(&e);
    sample_fini(&s);
}

/* Of a launch that fails nothing is measured: the others go on. */
TEST(a_drawn_launch_that_fails_is_left_out)
{
    UNUSED_STATE;
    struct sample s;
    struct sample_estimates e;
    struct sample_options o = options();
    sample_init(&s, &o, 2);
    for (u32 i = 0; i < 100; i++) {
        if (i == 2)
            sample_wants(&s, &shape); /* and never ends */
        else
            play(&s, &shape, 1000, 500);
    }
    sample_estimate(&s, &e);
    expect_near(e.program.values[0].estimate, 99 * 500, 1e-6);
    sample_estimates_fini(&e);
    sample_fini(&s);
}

TEST(a_short_program_is_timed_whole)
{
    UNUSED_STATE;
    struct sample s;
    struct sample_estimates e;
    struct sample_options o = options();
    o.first = 1000000;
    sample_init(&s, &o, 2);
    for (u32 i = 0; i < 900; i++)
        play(&s, &shape, 1000, 500 + i % 7);
    sample_estimate(&s, &e);
    assert_int_equal(e.program.timed, 900);
    expect_near(e.program.values[0].half_width, 0, 0);
    sample_estimates_fini(&e);
    sample_fini(&s);
}

/* A phase that comes late and is five times as long is found, as its launches tell themselves
 * apart. */
TEST(a_phase_that_is_told_by_its_signature_is_timed)
{
    UNUSED_STATE;
    struct sample s;
    struct sample_estimates e;
    struct sample_options o = options();
    sample_init(&s, &o, 2);
    for (u32 i = 0; i < 1010; i++)
        play(&s, &shape, i < 1000 ? 1000 : 5000, i < 1000 ? 500 : 2500);
    sample_estimate(&s, &e);
    expect_near(e.program.values[0].estimate, 525000, 1e-6);
    assert_int_equal(e.class_count, 4 + 2);
    sample_estimates_fini(&e);
    sample_fini(&s);
}

/* ---- intervals, where the truth is known ---- */

static double normal(struct rng *r)
{
    double sum = -6;
    for (u32 i = 0; i < 12; i++)
        sum += rng_unit(r);
    return sum;
}

/* Two kernels, one in two phases, one that grows; cycles vary by `noise` in 1. */
static double play_program(struct sample *s, struct rng *r, double noise)
{
    struct launch_shape other = shape;
    double truth = 0;
    other.kernel = "other";
    for (u32 i = 0; i < 600; i++) {
        double a = (i / 100 % 2 ? 4000 : 1500) * (1 + noise * normal(r));
        double b = (300 + 2.0 * (1000 + i)) * (1 + noise * normal(r));
        play(s, &shape, i / 100 % 2 ? 3000 : 1000, a);
        play(s, &other, 1000 + i, b);
        truth += a + b;
    }
    return truth;
}

/* 300 programs each: of their intervals 95 % hold, less three standard errors of 1.3 %. */
TEST(intervals_of_whole_programs_hold_for_noise_of_1_5_and_20_percent)
{
    UNUSED_STATE;
    static const double noises[] = {0.01, 0.05, 0.2};
    struct rng r;
    rng_init(&r, 1, "programs");
    for (u32 n = 0; n < ARRAY_LEN(noises); n++) {
        u32 held = 0;
        double worst = 0;
        for (u32 i = 0; i < 300; i++) {
            struct sample s;
            struct sample_estimates e;
            struct sample_options o = options();
            o.seed = i;
            sample_init(&s, &o, 2);
            double truth = play_program(&s, &r, noises[n]);
            sample_estimate(&s, &e);
            double error = fabs(e.program.values[0].estimate - truth);
            held += error <= e.program.values[0].half_width;
            worst = fmax(worst, error / truth);
            sample_estimates_fini(&e);
            sample_fini(&s);
        }
        if (held < 300 * 0.91 || worst > 0.06)
            fail_msg("noise %g: %u of 300 hold, worst %g", noises[n], held, worst);
    }
}

RUN_TESTS(T(runs_double_up_to_the_longest_and_each_draws_one),
          T(runs_stay_one_launch_long_while_what_is_measured_varies),
          T(a_launch_that_was_added_stands_for_itself_alone),
          T(launches_are_one_class_while_their_sizes_are_within_a_quarter),
          T(the_first_four_launches_are_for_themselves_and_do_not_disturb_the_others),
          T(other_code_lanes_or_access_patterns_are_other_classes),
          T(a_program_of_equal_launches_is_exact_from_a_few),
          T(a_floor_widens_the_interval_by_what_is_not_timed),
          T(a_program_that_is_timed_whole_has_no_floor), T(a_drawn_launch_that_fails_is_left_out),
          T(a_short_program_is_timed_whole), T(a_phase_that_is_told_by_its_signature_is_timed),
          T(intervals_of_whole_programs_hold_for_noise_of_1_5_and_20_percent))
