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
