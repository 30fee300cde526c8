/* How long a run of a sweep may take. */
#include "testing.h"

#include "campaign/sweep_parts.h"

TEST(a_run_has_a_day_unless_the_file_or_the_option_says_otherwise)
{
    UNUSED_STATE;
    struct sweep_options options = {0};
    struct sweep_file file = {0};
    struct plan plan = {.file = &file};
    struct sweep sweep = {.options = &options, .plan = &plan};
    assert_true(sweep_timeout_s(&sweep) == 86400);
    file.timeout_s = 600;
    assert_true(sweep_timeout_s(&sweep) == 600);
    options.timeout_s = 0.3;
    assert_true(sweep_timeout_s(&sweep) == 0.3);
}

RUN_TESTS(T(a_run_has_a_day_unless_the_file_or_the_option_says_otherwise))
