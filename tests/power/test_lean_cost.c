/* Published and derived points of Milic 2017, chapter 5 (hpc-cores spec 2.6). */
#include "testing.h"

#include "power/lean_cost.h"

static const struct lean_shape private = {.cores = 8,
                                          .caches = 8,
                                          .sharers = 1,
                                          .cache_bytes = 32768,
                                          .line_buffers = 4,
                                          .buses = 1,
                                          .bus_bytes = 32};
static const struct lean_shape shared = {.cores = 8,
                                         .caches = 1,
                                         .sharers = 8,
                                         .cache_bytes = 16384,
                                         .line_buffers = 4,
                                         .buses = 2,
                                         .bus_bytes = 32};

static void assert_about(double value, double expected, double digits)
{
    if (!(value > expected - digits / 2 && value < expected + digits / 2))
        fail_msg("%g, expected %g", value, expected);
}

TEST(buses_have_the_published_areas)
{
    UNUSED_STATE;
    /* 8 x (256 x 205 nm)^2 = 8 x 52.48 um x 52.48 um = 0.02203 mm2 */
    assert_about(lean_bus_mm2(8, 1, 32), 0.022, 0.001);
    assert_about(lean_bus_mm2(8, 2, 32), 0.088, 0.001);
    assert_about(lean_bus_mm2(8, 2, 32) / lean_bus_mm2(8, 1, 32), 4, 1e-9);
    /* half of a cache of 16 KB, about: 0.088 / 0.14 */
    assert_about(lean_bus_mm2(8, 2, 32) / 0.14, 0.63, 0.01);
}

TEST(eight_cores_have_the_published_areas)
{
    UNUSED_STATE;
    assert_about(lean_cost_area(&private).all, 19.92, 0.01);
    assert_about(lean_cost_area(&shared).all, 17.67, 0.01);
    assert_about(100 * (1 - lean_cost_area(&shared).all / lean_cost_area(&private).all), 11.3, 0.1);
}

TEST(a_ninth_core_fits_into_the_area_of_eight_private_ones)
{
    UNUSED_STATE;
    /* 17.67 + 2.18 = 19.85 */
    assert_true(lean_cost_area(&shared).all + 2.18 < lean_cost_area(&private).all);
}

TEST(line_buffers_add_area)
{
    UNUSED_STATE;
    struct lean_shape more = shared;
    more.line_buffers = 8;
    /* 8 x 4 x 512 flip-flops of 4 um2 = 0.0655 mm2 */
    assert_about(lean_cost_area(&more).all - lean_cost_area(&shared).all, 0.0655, 0.0001);
}

TEST(eight_busy_cores_have_the_published_powers)
{
    UNUSED_STATE;
    /* a second of 1 GHz in which each core looks up 0.05625 lines a cycle */
    struct lean_work w = {.seconds = 1, .hz = 1e9, .busy_cycles = 8e9, .lookups = 8 * 0.05625e9};
    assert_about(lean_cost_energy(&private, &w).all, 6.8, 0.001);
    /* 8 x 0.775 + 0.049 x (0.5 + 0.5 x 8) + 0.34 x 0.088 with buses that are always busy */
    w.bus_cycles = 2e9;
    assert_about(lean_cost_energy(&shared, &w).all, 6.2 + 0.2205 + 0.03, 0.001);
    /* 5 % less */
    assert_about(1 - lean_cost_energy(&shared, &w).all / lean_cost_energy(&private, &w).all, 0.05,
                 0.005);
}

TEST(nominal_power_is_that_of_cores_and_buses_that_are_always_busy)
{
    UNUSED_STATE;
    assert_about(lean_cost_power(&private).all, 6.8, 0.001);
    assert_about(lean_cost_power(&shared).all, 6.2 + 0.2205 + 0.03, 0.001);
}

TEST(what_waits_takes_static_power_alone)
{
    UNUSED_STATE;
    struct lean_work w = {.seconds = 2, .hz = 1e9};
    assert_about(lean_cost_energy(&private, &w).all, 6.8, 0.001);
}

RUN_TESTS(T(buses_have_the_published_areas), T(eight_cores_have_the_published_areas),
          T(a_ninth_core_fits_into_the_area_of_eight_private_ones), T(line_buffers_add_area),
          T(eight_busy_cores_have_the_published_powers),
          T(nominal_power_is_that_of_cores_and_buses_that_are_always_busy),
          T(what_waits_takes_static_power_alone))
