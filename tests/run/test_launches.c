/* Which launches are timed. */
#include "testing.h"

#include "run/launches.h"

static struct arena arena;

static struct launches read(const char *text)
{
    struct launches l;
    struct err err = ERR_INIT;
    assert_true(launches_read(&l, text, &arena, &err));
    return l;
}

TEST(a_number_is_so_many_of_the_first_launches)
{
    UNUSED_STATE;
    struct launches l = read("3");
    assert_true(launches_has(&l, 0));
    assert_true(launches_has(&l, 2));
    assert_false(launches_has(&l, 3));
    arena_fini(&arena);
}

TEST(a_list_has_numbers_and_ranges)
{
    UNUSED_STATE;
    struct launches l = read("0,4,7-9");
    static const bool is_timed[] = {1, 0, 0, 0, 1, 0, 0, 1, 1, 1, 0};
    for (u32 i = 0; i < ARRAY_LEN(is_timed); i++)
        assert_int_equal(launches_has(&l, i), is_timed[i]);
    l = read("7-7");
    assert_true(launches_has(&l, 7));
    assert_false(launches_has(&l, 0));
    arena_fini(&arena);
}

TEST(without_a_list_every_launch_is_timed)
{
    UNUSED_STATE;
    struct launches all = {0};
    assert_true(launches_has(&all, 0));
    assert_true(launches_has(&all, 1000000));
}

TEST(what_is_no_list_is_refused)
{
    UNUSED_STATE;
    static const char *const wrong[] = {"", "0", "a", "3-1", "1,", ",1", "1-", "-1", "1 2", "1,,2"};
    for (u32 i = 0; i < ARRAY_LEN(wrong); i++) {
        struct launches l;
        struct err err = ERR_INIT;
        assert_false(launches_read(&l, wrong[i], &arena, &err));
        assert_non_null(strstr(err.expected, "how many of the first, or a list"));
    }
    arena_fini(&arena);
}

RUN_TESTS(T(a_number_is_so_many_of_the_first_launches), T(a_list_has_numbers_and_ranges),
          T(without_a_list_every_launch_is_timed), T(what_is_no_list_is_refused))
