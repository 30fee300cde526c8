#include "testing.h"

#include "study/study_own.h"

#include <string.h>

/* Set `ucp` becomes `mine`; the value one_ucp speaks of it. */
static const char *about(const char *formula, struct arena *arena)
{
    static const char *const from[] = {"one_ucp"}, *const to[] = {"one_mine"};
    struct study_renaming r = {
        .set = "ucp", .own_set = "mine", .stats = "llc.policy", .from = from, .to = to, .count = 1};
    return study_formula_about(&r, formula, arena);
}

#define ASSERT_ABOUT(formula, expected)                                                            \
    do {                                                                                           \
        struct arena arena = {0};                                                                  \
        const char *made = about(formula, &arena);                                                 \
        assert_non_null(made);                                                                     \
        assert_string_equal(made, expected);                                                       \
        arena_fini(&arena);                                                                        \
    } while (0)

static void assert_silent(const char *formula)
{
    struct arena arena = {0};
    assert_null(about(formula, &arena));
    arena_fini(&arena);
}

TEST(runs_of_the_set_become_runs_of_the_policy_and_others_stay)
{
    UNUSED_STATE;
    ASSERT_ABOUT("ucp:first.ipc[0] / lru:first.ipc[0]", "mine:first.ipc[0] / lru:first.ipc[0]");
    ASSERT_ABOUT("tap_ucp:cycles / ucp:cycles", "tap_ucp:cycles / mine:cycles");
}

TEST(values_that_speak_of_the_set_are_exchanged_as_whole_words)
{
    UNUSED_STATE;
    ASSERT_ABOUT("gmean(one_tap_ucp, one) > gmean(one_ucp, one)",
                 "gmean(one_tap_ucp, one) > gmean(one_mine, one)");
    ASSERT_ABOUT("2*one_ucp", "2*one_mine");
}

TEST(names_of_statistics_are_no_values_and_no_sets)
{
    UNUSED_STATE;
    ASSERT_ABOUT("ucp:llc.one_ucp + lru:one_ucp.ucp", "mine:llc.one_ucp + lru:one_ucp.ucp");
}

TEST(a_formula_that_does_not_speak_of_the_set_has_no_twin)
{
    UNUSED_STATE;
    assert_silent("tap_ucp:cycles / lru:cycles");
    assert_silent("ucp + 1"); /* a value of that name, which is not one of those exchanged */
    assert_silent("lru:ucp.hits");
}

TEST(what_only_the_sets_own_policy_has_has_no_twin)
{
    UNUSED_STATE;
    assert_silent("ucp:param.policy.llc.ucp.interval");
    assert_silent("ucp:llc.policy.held / ucp:cycles");
    assert_silent("ucp:plan.policy.bits");
    assert_silent("ucp:storage.poise_bits");
    ASSERT_ABOUT("ucp:llc.load_hits / tap_ucp:llc.policy.held",
                 "mine:llc.load_hits / tap_ucp:llc.policy.held");
}

RUN_TESTS(T(runs_of_the_set_become_runs_of_the_policy_and_others_stay),
          T(values_that_speak_of_the_set_are_exchanged_as_whole_words),
          T(names_of_statistics_are_no_values_and_no_sets),
          T(a_formula_that_does_not_speak_of_the_set_has_no_twin),
          T(what_only_the_sets_own_policy_has_has_no_twin))
