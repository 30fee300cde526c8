/* who ticks which task of a round */
#include "testing.h"

#include "sim/threads/work_stealing.h"

TEST(a_word_of_an_earlier_round_stands_for_a_whole_list)
{
    UNUSED_STATE;
    struct claim left = claim_left(0, 1, 7);
    assert_int_equal(left.next, 0);
    assert_int_equal(left.end, 7);
    left = claim_left(claim_word(41, (struct claim){7, 7}), 42, 5);
    assert_int_equal(left.next, 0);
    assert_int_equal(left.end, 5);
}

TEST(a_word_of_this_round_says_what_is_left_whatever_the_list_has)
{
    UNUSED_STATE;
    struct claim left = claim_left(claim_word(42, (struct claim){3, 6}), 42, 100);
    assert_int_equal(left.next, 3);
    assert_int_equal(left.end, 6);
    left = claim_left(claim_word(42, (struct claim){0, MOST_TASKS}), 42, 1);
    assert_int_equal(left.next, 0);
    assert_int_equal(left.end, MOST_TASKS);
}

TEST(who_comes_too_late_for_a_round_finds_nothing)
{
    UNUSED_STATE;
    /* the round has ended, and its list to the end; then the next has begun */
    struct claim left = claim_left(claim_word(42, (struct claim){4, 4}), 42, 9);
    assert_int_equal(left.end - left.next, 0);
    left = claim_left(claim_word(43, (struct claim){1, 9}), 42, 9);
    assert_int_equal(left.end - left.next, 0);
}

TEST(rounds_are_told_apart_for_a_year)
{
    UNUSED_STATE;
    u64 last = ((u64)1 << 40) - 1; /* a round of 30 us, for a year */
    struct claim left = claim_left(claim_word(last - 1, (struct claim){2, 2}), last, 3);
    assert_int_equal(left.end, 3);
    left = claim_left(claim_word(last, (struct claim){1, 3}), last, 3);
    assert_int_equal(left.next, 1);
}

RUN_TESTS(T(a_word_of_an_earlier_round_stands_for_a_whole_list),
          T(a_word_of_this_round_says_what_is_left_whatever_the_list_has),
          T(who_comes_too_late_for_a_round_finds_nothing), T(rounds_are_told_apart_for_a_year))
