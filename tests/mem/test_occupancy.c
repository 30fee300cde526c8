#include "testing.h"

#include "base/rng.h"
#include "mem/occupancy.h"

TEST(a_queue_that_stays_empty_reports_nothing)
{
    UNUSED_STATE;
    struct occupancy o;
    occupancy_init(&o, 8);
    occupancy_set(&o, 100, 0);
    occupancy_close(&o, 1000);
    assert_int_equal(occupancy_cycles(&o), 0);
}

/* (0,25), [25,50), [50,75), [75,100), 100 % of 8 entries: 1, 2-3, 4-5, 6-7, 8 */
TEST(each_level_falls_in_the_bin_of_its_share)
{
    UNUSED_STATE;
    static const u32 bin_of[] = {0, 0, 1, 1, 2, 2, 3, 3, 4};
    for (u32 level = 1; level <= 8; level++) {
        struct occupancy o;
        occupancy_init(&o, 8);
        occupancy_set(&o, 5, level);
        occupancy_set(&o, 12, 0);
        assert_int_equal(o.bins[bin_of[level]], 7);
        assert_int_equal(occupancy_cycles(&o), 7);
    }
}

TEST(the_only_entry_of_a_queue_of_one_fills_it)
{
    UNUSED_STATE;
    struct occupancy o;
    occupancy_init(&o, 1);
    occupancy_set(&o, 0, 1);
    occupancy_close(&o, 3);
    assert_int_equal(o.bins[OCCUPANCY_BINS - 1], 3);
}

TEST(closing_counts_up_to_now_and_only_once)
{
    UNUSED_STATE;
    struct occupancy o;
    occupancy_init(&o, 4);
    occupancy_set(&o, 10, 2);
    occupancy_close(&o, 15);
    occupancy_close(&o, 15);
    occupancy_close(&o, 12); /* a level that begins with the next cycle */
    assert_int_equal(o.bins[2], 5);
    occupancy_set(&o, 20, 0);
    assert_int_equal(o.bins[2], 10);
}

TEST(time_between_changes_equals_a_sample_every_cycle)
{
    UNUSED_STATE;
    struct occupancy o;
    occupancy_init(&o, 13);
    struct rng rng;
    rng_init(&rng, 1, "occupancy");
    u64 sampled[OCCUPANCY_BINS] = {0};
    u32 level = 0;
    for (cycle_t now = 0; now < 10000; now++) {
        if (rng_below(&rng, 5) == 0)
            occupancy_set(&o, now, level = (u32)rng_below(&rng, 14));
        if (level)
            sampled[level == 13 ? 4 : level * 100 / 13 / 25]++;
    }
    occupancy_close(&o, 10000);
    assert_memory_equal(o.bins, sampled, sizeof sampled);
}

RUN_TESTS(T(a_queue_that_stays_empty_reports_nothing), T(each_level_falls_in_the_bin_of_its_share),
          T(the_only_entry_of_a_queue_of_one_fills_it), T(closing_counts_up_to_now_and_only_once),
          T(time_between_changes_equals_a_sample_every_cycle))
