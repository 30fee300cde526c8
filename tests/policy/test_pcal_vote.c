/* PCAL's vote and climb on surfaces that are known: Poise spec, section 8. */
#include "testing.h"

#include "policy/surface.h"
#include "policy/warp/pcal_vote.h"

#define SMS 8u

typedef double surface(u32 n, u32 p);

static const struct vote_rules rules = {.gain = 0.01, .drop = 0.1, .utilisation = 0.9};

/* One window in which every SM achieves what the surface says. */
static void window(struct vote *v, surface *f, double utilisation)
{
    for (u32 sm = 0; sm < SMS; sm++)
        vote_hand_in(v, sm, f(vote_n(v), vote_p(v, sm)));
    vote_end(v, utilisation);
}

TEST(on_figure_2_it_stops_at_2_1_and_does_not_find_15_1)
{
    UNUSED_STATE;
    struct vote v = {0};
    vote_begin(&v, &rules, 2, 24);
    for (u32 i = 0; i < 50; i++) {
        window(&v, figure_2, 0.2);
        assert_true(vote_n(&v) <= 3);
    }
    assert_int_equal(v.phase, VOTE_HOLD);
    assert_int_equal(vote_n(&v), 2);
    assert_int_equal(vote_p(&v, 5), 1);
    assert_int_equal(v.steps, 1); /* (3,1) was tried, and undone */
    assert_int_equal(v.kept_steps, 0);
}

TEST(while_voting_sms_hold_different_p_and_afterwards_the_same)
{
    UNUSED_STATE;
    struct vote v = {0};
    vote_begin(&v, &rules, 3, 24);
    for (u32 sm = 0; sm < SMS; sm++)
        assert_int_equal(vote_p(&v, sm), 1 + sm % 3);
    assert_int_equal(vote_n(&v), 3);
    window(&v, figure_2, 0.2);
    for (u32 sm = 0; sm < SMS; sm++)
        assert_int_equal(vote_p(&v, sm), 1);
}

static double best_n, gain_each;

static double rising(u32 n, u32 p)
{
    (void)p;
    return 100 * (1 + gain_each * (n < best_n ? n : best_n));
}

TEST(steps_are_of_one_warp_and_the_first_that_does_not_pay_is_undone)
{
    UNUSED_STATE;
    struct vote v = {0};
    u32 last = 4, highest = 4;
    best_n = 9;
    gain_each = 0.05;
    vote_begin(&v, &rules, 4, 24);
    for (u32 i = 0; i < 30; i++) {
        window(&v, rising, 0.2);
        assert_true(vote_n(&v) <= last + 1 && vote_n(&v) + 1 >= last);
        highest = vote_n(&v) > highest ? vote_n(&v) : highest;
        last = vote_n(&v);
    }
    assert_int_equal(highest, 10);
    assert_int_equal(last, 9);
    assert_int_equal(v.steps, 6);
    assert_int_equal(v.kept_steps, 5);
}

TEST(a_busy_memory_and_the_limit_of_the_kernel_end_the_climb)
{
    UNUSED_STATE;
    struct vote v = {0};
    best_n = 24;
    gain_each = 0.05;
    vote_begin(&v, &rules, 4, 24);
    for (u32 i = 0; i < 30; i++)
        window(&v, rising, 0.9);
    assert_int_equal(vote_n(&v), 4);
    vote_begin(&v, &rules, 4, 7);
    for (u32 i = 0; i < 30; i++)
        window(&v, rising, 0.89);
    assert_int_equal(vote_n(&v), 7);
    assert_int_equal(v.phase, VOTE_HOLD);
}

TEST(one_sm_that_loses_a_tenth_calls_a_vote_and_n_stays)
{
    UNUSED_STATE;
    struct vote v = {0};
    best_n = 6;
    gain_each = 0.05;
    vote_begin(&v, &rules, 4, 24);
    while (v.phase != VOTE_HOLD)
        window(&v, rising, 0.2);
    assert_int_equal(vote_n(&v), 6);
    double usual = rising(6, 1);
    u32 votes = v.votes;
    for (u32 sm = 0; sm < SMS; sm++)
        vote_hand_in(&v, sm, sm == 3 ? 0.91 * usual : usual);
    vote_end(&v, 0.2);
    assert_int_equal(v.phase, VOTE_HOLD);
    for (u32 sm = 0; sm < SMS; sm++)
        vote_hand_in(&v, sm, sm == 3 ? 0.89 * usual : usual);
    vote_end(&v, 0.2);
    assert_int_equal(v.phase, VOTE_P);
    assert_int_equal(v.votes, votes + 1);
    assert_int_equal(vote_n(&v), 6);
    assert_int_equal(vote_p(&v, 5), 1 + 5 % 4); /* among the p up to the N it started from */
}

/* From 4 the climb reaches 6 and tries 7; then all lose a third, and a vote follows. */
static void climb_and_fall(struct vote *v, bool climbs_again)
{
    struct vote_rules own = rules;
    own.climbs_again = climbs_again;
    best_n = 6;
    gain_each = 0.05;
    vote_begin(v, &own, 4, 24);
    while (v->phase != VOTE_HOLD)
        window(v, rising, 0.2);
    assert_int_equal(v->steps, 3);
    assert_int_equal(v->kept_steps, 2);
    best_n = 12; /* from now on more warps would pay */
    for (u32 sm = 0; sm < SMS; sm++)
        vote_hand_in(v, sm, rising(4, 1) * 2 / 3);
    vote_end(v, 0.2);
    assert_int_equal(v->phase, VOTE_P);
    window(v, rising, 0.2);
    assert_int_equal(v->phase, VOTE_BASE);
    window(v, rising, 0.2);
}

TEST(a_climb_that_has_ended_is_not_taken_up_by_a_later_vote)
{
    UNUSED_STATE;
    struct vote v = {0};
    climb_and_fall(&v, false);
    assert_int_equal(v.phase, VOTE_HOLD);
    assert_int_equal(vote_n(&v), 6);
    assert_int_equal(v.votes, 2);
    assert_int_equal(v.steps, 3);
    vote_begin(&v, &rules, 4, 24); /* the next kernel has its own */
    window(&v, rising, 0.2);
    window(&v, rising, 0.2);
    assert_int_equal(v.phase, VOTE_CLIMB);
    assert_int_equal(vote_n(&v), 5);
}

TEST(it_is_taken_up_where_the_rules_say_so)
{
    UNUSED_STATE;
    struct vote v = {0};
    climb_and_fall(&v, true);
    assert_int_equal(v.phase, VOTE_CLIMB);
    for (u32 i = 0; i < 10; i++)
        window(&v, rising, 0.2);
    assert_int_equal(vote_n(&v), 12);
    assert_int_equal(v.steps, 3 + 7); /* 7 to 12 paid, 13 did not */
}

TEST(a_climb_that_a_busy_memory_kept_from_starting_starts_after_a_later_vote)
{
    UNUSED_STATE;
    struct vote v = {0};
    best_n = 6;
    gain_each = 0.05;
    vote_begin(&v, &rules, 4, 24);
    window(&v, rising, 0.95);
    window(&v, rising, 0.95);
    assert_int_equal(v.phase, VOTE_HOLD);
    for (u32 sm = 0; sm < SMS; sm++)
        vote_hand_in(&v, sm, rising(4, 1) / 2);
    vote_end(&v, 0.2);
    window(&v, rising, 0.2);
    window(&v, rising, 0.2);
    assert_int_equal(v.phase, VOTE_CLIMB);
    assert_int_equal(vote_n(&v), 5);
}

TEST(a_window_without_sms_decides_nothing)
{
    UNUSED_STATE;
    struct vote v = {0};
    vote_begin(&v, &rules, 4, 24);
    for (u32 i = 0; i < 5; i++)
        vote_end(&v, 0.2);
    assert_int_equal(v.phase, VOTE_P);
    assert_int_equal(vote_n(&v), 4);
}

TEST(without_a_start_the_mean_of_the_sms_is_it)
{
    UNUSED_STATE;
    struct vote v = {0};
    vote_begin(&v, &rules, 0, 24);
    assert_int_equal(vote_n(&v), 24);
    assert_int_equal(vote_p(&v, 1), 24);
    vote_hand_in(&v, 0, 3000);
    vote_hand_in(&v, 1, 6100); /* thousandths of warps: mean 4.55 */
    vote_end(&v, 0.2);
    assert_int_equal(v.phase, VOTE_P);
    assert_int_equal(vote_n(&v), 5);
}

RUN_TESTS(T(on_figure_2_it_stops_at_2_1_and_does_not_find_15_1),
          T(while_voting_sms_hold_different_p_and_afterwards_the_same),
          T(steps_are_of_one_warp_and_the_first_that_does_not_pay_is_undone),
          T(a_busy_memory_and_the_limit_of_the_kernel_end_the_climb),
          T(one_sm_that_loses_a_tenth_calls_a_vote_and_n_stays),
          T(a_climb_that_has_ended_is_not_taken_up_by_a_later_vote),
          T(it_is_taken_up_where_the_rules_say_so),
          T(a_climb_that_a_busy_memory_kept_from_starting_starts_after_a_later_vote),
          T(a_window_without_sms_decides_nothing), T(without_a_start_the_mean_of_the_sms_is_it))
