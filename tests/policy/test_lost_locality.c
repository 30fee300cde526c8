/* CCWS's scores, victim tags and ranking, worked out by hand: Poise spec, sections 3 and 8. */
#include "testing.h"

#include "policy/warp/lost_locality.h"

static const struct lost_locality_config config = {.vta_sets = 2,
                                                   .vta_ways = 8,
                                                   .base = 100,
                                                   .decay = 1,
                                                   .cutoff_per_warp = 100,
                                                   .k = 8,
                                                   .caps = true};
static struct warp_view view;
static struct lost_locality l;

/* Four warps, the lower the older. */
static void open_four(void)
{
    view = (struct warp_view){.schedulers = 1, .live = 0xf, .launched = 4};
    for (u32 slot = 0; slot < 4; slot++)
        view.age[slot] = slot;
    lost_locality_init(&l, &config, &view);
    lost_locality_rank(&l, 0);
}

static void issue(u32 slot, u32 count)
{
    while (count--)
        lost_locality_issued(&l, slot);
}

static bool loses(u32 slot, u64 line, cycle_t now)
{
    lost_locality_evicted(&l, slot, line);
    return lost_locality_missed(&l, slot, line, now);
}

TEST(without_victim_hits_all_may_load_always)
{
    UNUSED_STATE;
    open_four();
    for (u32 i = 0; i < 1000; i++) {
        issue(i % 4, 1);
        lost_locality_evicted(&l, i % 4, 128 * i);
        assert_false(lost_locality_missed(&l, i % 4, 128 * (i + 5000), i));
        lost_locality_rank(&l, i);
        assert_true(l.admitted == ~(u64)0);
        assert_true(l.wake == CYCLE_NEVER);
    }
}

TEST(a_victim_hit_is_only_of_a_tag_that_this_warp_lost_and_once)
{
    UNUSED_STATE;
    open_four();
    lost_locality_evicted(&l, 0, 1280);
    assert_false(lost_locality_missed(&l, 1, 1280, 10));
    assert_false(lost_locality_missed(&l, 0, 1408, 10));
    assert_true(lost_locality_missed(&l, 0, 1280, 10));
    assert_false(lost_locality_missed(&l, 0, 1280, 10));
}

TEST(eight_victims_of_a_set_are_remembered_and_the_oldest_forgotten)
{
    UNUSED_STATE;
    open_four();
    for (u32 i = 0; i < 9; i++)
        lost_locality_evicted(&l, 2, 256 * i); /* all in set 0 */
    lost_locality_evicted(&l, 2, 128);         /* in set 1 */
    assert_false(lost_locality_missed(&l, 2, 0, 5));
    for (u32 i = 1; i < 9; i++)
        assert_true(lost_locality_missed(&l, 2, 256 * i, 5));
    assert_true(lost_locality_missed(&l, 2, 128, 5));
}

TEST(a_score_rises_with_lost_locality_shuts_others_out_and_falls_by_one_a_cycle)
{
    UNUSED_STATE;
    open_four();
    issue(0, 10);
    assert_true(loses(0, 1280, 1000)); /* 1 hit / 10 instructions x 8 x 400 */
    assert_int_equal(lost_locality_score(&l, 0, 1000), 320);
    lost_locality_rank(&l, 1000);
    /* 320 + 100 reaches 400: warps 0 and 1; those that are not ranked keep the right */
    assert_int_equal(l.admitted & 0xf, 0x3);
    assert_int_equal(l.admitted >> 4, UINT64_MAX >> 4);
    assert_int_equal(l.wake, 1021); /* 299 + 100 does not */
    lost_locality_rank(&l, 1020);
    assert_int_equal(l.admitted & 0xf, 0x3);
    lost_locality_rank(&l, l.wake);
    assert_int_equal(l.admitted & 0xf, 0x7);
    assert_int_equal(l.wake, 1121); /* 199 + 200 */
    lost_locality_rank(&l, l.wake);
    assert_int_equal(l.admitted & 0xf, 0xf);
    assert_int_equal(lost_locality_score(&l, 0, 1219), 101);
    assert_int_equal(lost_locality_score(&l, 0, 1220), 100);
    assert_int_equal(lost_locality_score(&l, 0, 999999), 100);
}

TEST(between_wakes_the_set_is_what_ranking_every_cycle_gives)
{
    UNUSED_STATE;
    open_four();
    issue(0, 7);
    issue(3, 5);
    assert_true(loses(0, 1280, 0));
    assert_true(loses(3, 2560, 40));
    lost_locality_rank(&l, 40);
    struct lost_locality every = l;
    for (cycle_t now = 41; now < 2000; now++) {
        if (now == l.wake)
            lost_locality_rank(&l, now);
        lost_locality_rank(&every, now);
        assert_true(l.admitted == every.admitted);
    }
    assert_true(l.admitted == ~(u64)0);
}

TEST(a_score_is_the_rise_or_adds_up_and_never_below_its_base)
{
    UNUSED_STATE;
    struct lost_locality_config sums = config;
    sums.caps = false;
    open_four();
    issue(1, 100);
    assert_true(loses(1, 1280, 0)); /* 1/100 x 8 x 400 = 32 */
    assert_int_equal(lost_locality_score(&l, 1, 0), 100);
    open_four();
    l.config = &sums;
    issue(1, 100);
    assert_true(loses(1, 1280, 0));
    assert_int_equal(lost_locality_score(&l, 1, 0), 132);
    assert_true(loses(1, 1280, 10)); /* 122, and 2/100 x 8 x 400 */
    assert_int_equal(lost_locality_score(&l, 1, 10), 186);
}

TEST(counts_forget_a_warp_that_exits)
{
    UNUSED_STATE;
    open_four();
    issue(0, 1000);
    issue(1, 10);
    assert_true(loses(0, 1280, 0));
    view.live = 0xe;
    lost_locality_rank(&l, 1);
    assert_int_equal(l.all_issued, 10);
    assert_int_equal(l.all_hits, 0);
    lost_locality_evicted(&l, 1, 2560);
    assert_true(lost_locality_missed(&l, 1, 2560, 1)); /* 1/10 x 8 x 300 */
    assert_int_equal(lost_locality_score(&l, 1, 1), 240);
    /* another warp in the slot starts at nothing */
    view.live = 0xf;
    view.age[0] = view.launched++;
    lost_locality_rank(&l, 2);
    assert_false(lost_locality_missed(&l, 0, 1280, 2));
}

TEST(warps_at_barriers_are_not_ranked_so_that_nobody_waits_for_one_that_may_not_load)
{
    UNUSED_STATE;
    open_four();
    issue(0, 1);
    issue(1, 1);
    assert_true(loses(0, 1280, 0) && loses(1, 1280, 0)); /* 1600 each: alone above the cut-off */
    lost_locality_rank(&l, 0);
    assert_int_equal(__builtin_popcountll(l.admitted & 0xf), 1);
    view.waiting = 0x3;
    lost_locality_rank(&l, 1);
    assert_int_equal(l.admitted & 0xc, 0xc);
}

RUN_TESTS(T(without_victim_hits_all_may_load_always),
          T(a_victim_hit_is_only_of_a_tag_that_this_warp_lost_and_once),
          T(eight_victims_of_a_set_are_remembered_and_the_oldest_forgotten),
          T(a_score_rises_with_lost_locality_shuts_others_out_and_falls_by_one_a_cycle),
          T(between_wakes_the_set_is_what_ranking_every_cycle_gives),
          T(a_score_is_the_rise_or_adds_up_and_never_below_its_base),
          T(counts_forget_a_warp_that_exits),
          T(warps_at_barriers_are_not_ranked_so_that_nobody_waits_for_one_that_may_not_load))
