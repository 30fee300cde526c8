/* What Poise costs in storage: Poise spec, sections 5 and 8. */
#include "gpu/bed.h"

#include "policy/warp/storage.h"

static void count(const char *chip, struct storage *tables, u32 *sms)
{
    struct bed b;
    bed_open(&b, chip, NULL);
    assert_int_equal(storage_of(b.gpu->config, tables), STORAGE_TABLES);
    *sms = b.gpu->config->sm.count;
    bed_close(&b);
}

TEST(the_paper_s_sum_is_326_bits_per_sm_and_1304_bytes_per_chip)
{
    UNUSED_STATE;
    struct storage t[STORAGE_TABLES];
    u32 sms;
    count("kepler32", t, &sms);
    assert_int_equal(storage_bits(&t[0], false), 326); /* 40.75 bytes */
    assert_int_equal(storage_bits(&t[0], false) * sms, 1304 * 8);
}

TEST(the_thesis_s_sum_is_536_bytes_per_chip)
{
    UNUSED_STATE;
    struct storage t[STORAGE_TABLES];
    u32 sms;
    count("kepler32", t, &sms);
    assert_int_equal(storage_bits(&t[1], false) * sms, 536 * 8);
}

TEST(what_both_leave_out_has_96_bytes_for_the_lines_of_the_l1)
{
    UNUSED_STATE;
    struct storage t[STORAGE_TABLES];
    u32 sms;
    count("kepler32", t, &sms);
    const struct storage_part *lines = &t[0].parts[t[0].count - 1];
    assert_int_equal(lines->count * lines->bits, 96 * 8);
    assert_true(lines->is_extra);
}

TEST(another_chip_has_another_sum)
{
    UNUSED_STATE;
    struct storage t[STORAGE_TABLES];
    u32 sms;
    count("volta80", t, &sms); /* 64 warps: 32 bits more than with 48 */
    assert_int_equal(storage_bits(&t[0], false), 326 + 2 * 16);
    assert_int_equal(sms, 80);
}

RUN_TESTS(T(the_paper_s_sum_is_326_bits_per_sm_and_1304_bytes_per_chip),
          T(the_thesis_s_sum_is_536_bytes_per_chip),
          T(what_both_leave_out_has_96_bytes_for_the_lines_of_the_l1),
          T(another_chip_has_another_sum))
