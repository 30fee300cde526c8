/*
 * What every test program starts from.
 *
 * TEST(claim) defines a test; the name is the claim. A program lists its tests
 * once, in RUN_TESTS(T(claim), ...).
 */
#ifndef TESTING_H
#define TESTING_H

/* cmocka wants these first */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/types.h"

/* Folders of the source tree's chips, those that studies keep for themselves last; ends with NULL.
 */
static inline const char *const *testing_chips(void)
{
    static char text[3][4096];
    static const char *const names[3] = {"chips", "studies/bandwidth/chips", "studies/ccn/chips"};
    static const char *const folders[] = {text[0], text[1], text[2], NULL};
    const char *source = getenv("HEDDLE_SOURCE");
    for (u32 i = 0; i < 3; i++)
        snprintf(text[i], sizeof text[i], "%s/%s", source ? source : ".", names[i]);
    return folders;
}

#define TEST(claim) static void claim(void **state)
#define T(claim) cmocka_unit_test(claim)
#define UNUSED_STATE (void)state
#define RUN_TESTS(...)                                                                             \
    int main(void)                                                                                 \
    {                                                                                              \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                           \
        return cmocka_run_group_tests(tests, NULL, NULL);                                          \
    }

#endif
