/* A kernel's record as columns of the results database. */
#include "testing.h"

#include "campaign/kernel_values.h"

#include <math.h>

TEST(a_member_an_element_and_the_sum_of_an_array_are_found_by_their_names_in_the_record)
{
    UNUSED_STATE;
    static const char *const columns[] = {"cycles", "l1_stall_mshr", "l1_stall_cache",
                                          "l1_stalled"};
    static const double values[] = {100, 3, 4, 1000};
    const struct kernel_values k = {columns, values, ARRAY_LEN(columns)};
    assert_true(kernel_value(&k, "cycles") == 100);
    assert_true(kernel_value(&k, "l1_stall.cache") == 4);
    assert_true(kernel_value(&k, "l1_stall.*") == 3 + 4);
    assert_true(isnan(kernel_value(&k, "l1_stall")));
    assert_true(isnan(kernel_value(&k, "l1_stall.port")));
    assert_true(isnan(kernel_value(&k, "l2_stall.*")));
}

RUN_TESTS(T(a_member_an_element_and_the_sum_of_an_array_are_found_by_their_names_in_the_record))
