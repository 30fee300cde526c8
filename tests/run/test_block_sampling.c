/* When the waves of a kernel agree, and what follows for the rest: by hand. */
#include "testing.h"

#include "run/block_sampling.h"

#include <math.h>

/* Waves of 100 instructions and so many cycles. */
static void make(struct wave_mark *marks, const u64 cycles[WAVES])
{
    marks[0] = (struct wave_mark){.instructions = 1000, .numbers.cycles = 5000};
    for (u32 i = 0; i < WAVES; i++) {
        marks[i + 1] = marks[i];
        marks[i + 1].instructions += 100;
        marks[i + 1].numbers.cycles += cycles[i];
    }
}

static const u32 cycles_value = offsetof(struct gpu_counters, cycles) / sizeof(u64);

/* 198, 202, 199, 201: mean 200, squares 4 + 4 + 1 + 1 over 3, relative to 200^2. */
TEST(the_rate_is_the_mean_of_the_waves_and_the_variance_that_of_one)
{
    UNUSED_STATE;
    struct wave_mark marks[WAVES + 1];
    double rate, variance;
    make(marks, (u64[]){198, 202, 199, 201});
    waves_rate(marks, cycles_value, &rate, &variance);
    assert_true(fabs(rate - 2) < 1e-12);
    assert_true(fabs(variance - 10.0 / 3 / 40000) < 1e-12);
}

/* The same: one wave is off by 0.91 %; of 10 left t(3) 0.91 % sqrt(100 / 4 + 10) = 17 % of a wave,
 * 1.7 % of ten. */
TEST(waves_agree_within_two_percent_and_not_within_one)
{
    UNUSED_STATE;
    struct wave_mark marks[WAVES + 1];
    make(marks, (u64[]){198, 202, 199, 201});
    assert_true(waves_agree(marks, 10, 0.02));
    assert_false(waves_agree(marks, 10, 0.01));
}

TEST(waves_that_still_grow_do_not_agree)
{
    UNUSED_STATE;
    struct wave_mark marks[WAVES + 1];
    make(marks, (u64[]){190, 195, 205, 210});
    assert_false(waves_agree(marks, 10000, 0.03));
    make(marks, (u64[]){200, 200, 200, 200});
    assert_true(waves_agree(marks, 10000, 0.001));
}

/* Sectors of 32 bytes: before the kernel 100 had come in. At the first mark there are 300, and 50
 * more with each wave: 6,400 bytes before the waves, 12,800 after them and 1,600 for each to come.
 */
TEST(waves_begin_after_the_cache_was_filled_unless_it_never_will_be)
{
    UNUSED_STATE;
    struct wave_mark marks[WAVES + 1] = {0};
    for (u32 i = 0; i <= WAVES; i++) {
        marks[i].numbers.l2_read_sectors_missed = 200 + 20 * i;
        marks[i].numbers.l2_write_sectors = 100 + 30 * i;
    }
    assert_true(waves_fill(marks, 3200, 10, 6400));
    assert_false(waves_fill(marks, 3200, 10, 6401));
    assert_false(waves_fill(marks, 3200, 10, 28800));
    assert_true(waves_fill(marks, 3200, 10, 28801));
}

RUN_TESTS(T(waves_begin_after_the_cache_was_filled_unless_it_never_will_be),
          T(the_rate_is_the_mean_of_the_waves_and_the_variance_that_of_one),
          T(waves_agree_within_two_percent_and_not_within_one),
          T(waves_that_still_grow_do_not_agree))
