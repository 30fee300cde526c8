/* The analytical model of Poise: Poise spec, sections 4.1 and 8. */
#include "testing.h"

#include "base/rng.h"
#include "policy/warp/goodness.h"

#include <math.h>

static void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not within %g of %.17g", value, tolerance, expected);
}

static const struct goodness_inputs usual = {.n = 24,
                                             .p = 4,
                                             .pipe_cycles = 2,
                                             .mshrs = 32,
                                             .work = 10,
                                             .h_o = 0.2,
                                             .latency_o = 500,
                                             .h_p = 0.8,
                                             .h_np = 0.1,
                                             .latency = 600};

TEST(times_are_those_of_the_equations)
{
    UNUSED_STATE;
    struct goodness_times before = goodness_before(&usual), after = goodness_after(&usual);
    near(before.memory, 500, 1e-9); /* 19.2 misses take one turn of the MSHRs */
    near(before.busy, 96, 1e-9);    /* 24 x 0.2 x 10 x 2 */
    near(before.stall, 404, 1e-9);
    near(after.memory, 600, 1e-9); /* 20 x 0.9 + 4 x 0.2 = 18.8 */
    near(after.busy, 104, 1e-9);   /* (4 x 0.8 + 20 x 0.1) x 20 */
    struct goodness_inputs g = usual;
    g.mshrs = 16;
    near(goodness_before(&g).memory, 1000, 1e-9); /* two turns */
    g.work = 1000;
    near(goodness_before(&g).stall, 0, 0);
}

TEST(when_nothing_changes_no_time_does)
{
    UNUSED_STATE;
    struct goodness_inputs g = usual;
    g.p = g.n;
    g.h_p = g.h_o;
    g.latency = g.latency_o;
    struct goodness_parts t = goodness_parts(&g);
    near(t.busy_p, 0, 0);
    near(t.busy_np, 0, 0);
    near(t.memory_p, 0, 0);
    near(t.memory_np, 0, 0);
    near(goodness_after(&g).stall, goodness_before(&g).stall, 1e-9);
}

TEST(equation_11_is_the_quotient_of_its_parts)
{
    UNUSED_STATE;
    struct rng r;
    rng_init(&r, 1, "goodness");
    for (u32 k = 0; k < 10000; k++) {
        u32 n = 2 + (u32)rng_below(&r, 23);
        struct goodness_inputs g = {.n = n,
                                    .p = 1 + (double)rng_below(&r, n - 1),
                                    .pipe_cycles = 1 + rng_unit(&r),
                                    .mshrs = 32,
                                    .work = 1 + 50 * rng_unit(&r),
                                    .h_o = rng_unit(&r),
                                    .latency_o = 100 + 1000 * rng_unit(&r),
                                    .h_p = rng_unit(&r),
                                    .h_np = rng_unit(&r),
                                    .latency = 100 + 1000 * rng_unit(&r)};
        struct goodness_parts t = goodness_parts(&g);
        double parts = t.busy_p / t.memory_np;
        near(goodness_p_np(&g), parts, 1e-12 * fabs(parts));
        struct goodness_inputs twice = g;
        twice.work *= 2;
        near(goodness_p_np(&twice), 2 * goodness_p_np(&g), 1e-12 * fabs(parts));
    }
}

TEST(both_classes_together_are_equation_9)
{
    UNUSED_STATE;
    /* busy: 4 x 0.6 x 20 - 20 x 0.1 x 20 = 8; memory: (4 x (120 - 400) + 20 x (540 - 400)) / 32 */
    near(goodness(&usual), 8 / 52.5, 1e-12);
}

RUN_TESTS(T(times_are_those_of_the_equations), T(when_nothing_changes_no_time_does),
          T(equation_11_is_the_quotient_of_its_parts), T(both_classes_together_are_equation_9))
