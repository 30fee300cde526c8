#include "testing.h"

#include "base/rng.h"
#include "base/wheel.h"

TEST(a_wheel_has_a_power_of_two_of_spokes_and_room_for_the_farthest_entry)
{
    UNUSED_STATE;
    struct arena a = {0};
    struct wheel w;
    wheel_init(&w, &a, 1);
    assert_int_equal(wheel_cycles(&w), 64);
    wheel_init(&w, &a, 63);
    assert_int_equal(wheel_cycles(&w), 64);
    wheel_init(&w, &a, 64);
    assert_int_equal(wheel_cycles(&w), 128);
    arena_fini(&a);
}

TEST(nothing_is_next_on_an_empty_wheel)
{
    UNUSED_STATE;
    struct arena a = {0};
    struct wheel w;
    wheel_init(&w, &a, 1000);
    assert_true(wheel_next(&w, 12345) == CYCLE_NEVER);
    wheel_use(&w, wheel_spoke(&w, 12346));
    wheel_clear(&w, wheel_spoke(&w, 12346));
    assert_true(wheel_next(&w, 12345) == CYCLE_NEVER);
    arena_fini(&a);
}

TEST(every_distance_is_found_from_every_place_on_the_wheel)
{
    UNUSED_STATE;
    static const u32 sizes[] = {63, 127, 511};
    for (u32 i = 0; i < ARRAY_LEN(sizes); i++) {
        struct arena a = {0};
        struct wheel w;
        wheel_init(&w, &a, sizes[i]);
        for (cycle_t now = 0; now < wheel_cycles(&w); now++) {
            for (u32 ahead = 1; ahead < wheel_cycles(&w); ahead += 1 + ahead / 16) {
                wheel_use(&w, wheel_spoke(&w, now + ahead));
                assert_true(wheel_next(&w, now) == now + ahead);
                wheel_clear(&w, wheel_spoke(&w, now + ahead));
            }
        }
        arena_fini(&a);
    }
}

TEST(the_nearest_of_several_is_next)
{
    UNUSED_STATE;
    struct arena a = {0};
    struct wheel w;
    wheel_init(&w, &a, 255);
    wheel_use(&w, wheel_spoke(&w, 1000 + 200));
    wheel_use(&w, wheel_spoke(&w, 1000 + 70));
    wheel_use(&w, wheel_spoke(&w, 1000 + 255));
    assert_true(wheel_next(&w, 1000) == 1070);
    assert_true(wheel_next(&w, 1070) == 1200);
    assert_true(wheel_next(&w, 1200) == 1255);
    arena_fini(&a);
}

RUN_TESTS(T(a_wheel_has_a_power_of_two_of_spokes_and_room_for_the_farthest_entry),
          T(nothing_is_next_on_an_empty_wheel),
          T(every_distance_is_found_from_every_place_on_the_wheel),
          T(the_nearest_of_several_is_next))
