#include "testing.h"

#include "campaign/where.h"

static const struct where_value values[] = {
    {.name = "chip", .text = "kepler8"},  {.name = "sm.poise.p", .number = 3},
    {.name = "sm.poise.n", .number = 24}, {.name = "sm.l1.size_bytes", .number = 32768},
    {.name = "sm.l1.ways", .number = 4},  {.name = "l2.ways", .number = 8},
};

static bool holds(const char *condition)
{
    struct err err = ERR_INIT;
    bool result = false;
    struct sweep_text t = {condition, {"w", 1, 1}};
    assert_true(where_holds(t, values, ARRAY_LEN(values), &result, &err));
    return result;
}

static void refused(const char *condition, const char *because)
{
    struct err err = ERR_INIT;
    bool result;
    struct sweep_text t = {condition, {"w", 1, 1}};
    assert_false(where_holds(t, values, ARRAY_LEN(values), &result, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_non_null(strstr(err.what, because));
}

TEST(numbers_compare_and_compute)
{
    UNUSED_STATE;
    assert_true(holds("p <= n"));
    assert_false(holds("p > n"));
    assert_true(holds("p * 8 == n"));
    assert_true(holds("n / p - 2 * 3 == 2"));
    assert_true(holds("-p + 4 >= 1 and -p < 0"));
    assert_true(holds("size_bytes == 32KiB"));
    assert_true(holds("1.4GHz == 1400000000"));
    assert_true(holds("n != 23"));
}

TEST(and_binds_tighter_than_or_and_not_tighter_than_both)
{
    UNUSED_STATE;
    assert_true(holds("p == 3 or p == 4 and p == 5"));
    assert_false(holds("(p == 3 or p == 4) and p == 5"));
    assert_true(holds("not p == 4 and not n == 3"));
    assert_true(holds("not (p == 4 or n == 3)"));
    assert_true(holds("not not true"));
    assert_false(holds("false"));
}

TEST(texts_compare_for_equality_alone)
{
    UNUSED_STATE;
    assert_true(holds("chip == 'kepler8'"));
    assert_true(holds("chip != \"fermi15\""));
    refused("chip < 'z'", "texts compare only with == and !=");
    refused("chip == 3", "a text is compared with a number");
    refused("chip", "found text, expected a number");
}

TEST(the_last_part_of_a_path_does_where_it_is_unambiguous)
{
    UNUSED_STATE;
    assert_true(holds("sm.l1.ways == 4 and l2.ways == 8"));
    refused("ways == 4", "the name fits several parameters");
    refused("pp == 4", "unknown name in a condition");
}

TEST(a_mistake_is_found_on_either_side_of_or)
{
    UNUSED_STATE;
    refused("true or nn == 3", "unknown name");
    refused("p == 3 or", "a name or number is missing");
    refused("(p == 3", "expected ')'");
    refused("p == 'x", "a quote is not closed");
    refused("p == 3ns", "only sizes and frequencies take a unit");
    refused("p / 0 == 1", "a division by zero");
    refused("(((((((((((((((((((((((((((((((((((((((((((((p))))))))))))))))))))))))))))))))))))))))"
            ")))))",
            "too deep");
}

RUN_TESTS(T(numbers_compare_and_compute), T(and_binds_tighter_than_or_and_not_tighter_than_both),
          T(texts_compare_for_equality_alone),
          T(the_last_part_of_a_path_does_where_it_is_unambiguous),
          T(a_mistake_is_found_on_either_side_of_or))
