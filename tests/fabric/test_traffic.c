/* Bytes by time in slices that grow longer. */
#include "testing.h"

#include "fabric/traffic.h"

/* 256 cycles are 256 slices; at cycle 1000 two foldings have made slices of 4. */
TEST(slices_become_longer_and_lose_nothing)
{
    UNUSED_STATE;
    static struct traffic t;
    for (cycle_t now = 0; now < 256; now++)
        traffic_add(&t, now, 32);
    assert_int_equal(t.shift, 0);
    assert_int_equal(t.bytes[255], 32);
    traffic_add(&t, 1000, 64);
    assert_int_equal(t.shift, 2);
    assert_int_equal(t.bytes[0], 4 * 32);
    assert_int_equal(t.bytes[63], 4 * 32);
    assert_int_equal(t.bytes[64], 0);
    assert_int_equal(t.bytes[250], 64);
}

/* 60 cycles are twenty parts of three: part 1 has cycles 3 to 5. */
TEST(parts_of_the_time_have_what_came_in_them)
{
    UNUSED_STATE;
    static struct traffic t;
    u64 parts[TRAFFIC_PARTS] = {0};
    traffic_add(&t, 3, 32);
    traffic_add(&t, 5, 64);
    traffic_add(&t, 6, 100);
    traffic_share(&t, 60, parts);
    assert_int_equal(parts[0], 0);
    assert_int_equal(parts[1], 96);
    assert_int_equal(parts[2], 100);
    assert_int_equal(parts[19], 0);
}

/* Slices of 64 cycles; 10,000 cycles are parts of 500. The slice of cycle 500 begins at 448: of its
 * 6,400 bytes the first part has those of 52 cycles, 5,200. What came at the end is in the last. */
TEST(a_slice_across_two_parts_is_spread_evenly)
{
    UNUSED_STATE;
    static struct traffic t;
    u64 parts[TRAFFIC_PARTS] = {0}, sum = 0;
    traffic_add(&t, 500, 6400);
    traffic_add(&t, 10000, 7);
    assert_int_equal(t.shift, 6);
    traffic_share(&t, 10000, parts);
    assert_int_equal(parts[0], 5200);
    assert_int_equal(parts[1], 1200);
    for (u32 i = 0; i < TRAFFIC_PARTS; i++)
        sum += parts[i];
    assert_int_equal(sum, 6407);
}

RUN_TESTS(T(slices_become_longer_and_lose_nothing), T(parts_of_the_time_have_what_came_in_them),
          T(a_slice_across_two_parts_is_spread_evenly))
