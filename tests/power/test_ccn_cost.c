/* The cost of the CCN against the numbers that were published (spec S19). */
#include "gpu/bed.h"

#include "power/ccn_cost.h"

static void costs(const char *l1_bytes, struct ccn_cost_row rows[CCN_COST_ROWS])
{
    const char *sets[] = {l1_bytes, NULL};
    struct bed b;
    bed_open(&b, "fermi15-ccn", sets);
    ccn_cost(b.config.data, rows);
    bed_close(&b);
}

static double row(const struct ccn_cost_row *rows, const char *what)
{
    for (u32 i = 0; i < CCN_COST_ROWS; i++) {
        if (strcmp(rows[i].what, what) == 0)
            return rows[i].value;
    }
    fail_msg("no row '%s'", what);
    return 0;
}

/* 48 KB / 128 B / 4 ways = 96 sets of 4 x (24 + 1) bits = 1200 B; 15 of them 17.58 KiB, which is
 * printed as 17.5. */
TEST(shadow_tags_for_48_kilobytes_take_1200_bytes_in_an_sm_and_17_5_kilobytes_in_all)
{
    UNUSED_STATE;
    struct ccn_cost_row rows[CCN_COST_ROWS];
    costs("sm.l1.size_bytes=48KiB", rows);
    assert_near(row(rows, "shadow tags of an SM"), 1200, 0);
    assert_int_equal((u32)(row(rows, "shadow tags of the chip") * 10), 175);
}

/* 8 x 30 bits twice, and 8 lines of 128 B with 4 bits of core: 30 + 30 + 1028. */
TEST(the_queues_of_an_sm_take_1088_bytes)
{
    UNUSED_STATE;
    struct ccn_cost_row rows[CCN_COST_ROWS];
    costs("sm.l1.size_bytes=16KiB", rows);
    assert_near(row(rows, "queues of an SM"), 1088, 0);
    assert_near(row(rows, "shadow tags of an SM"), 400, 0);
}

TEST(the_area_is_9_2_square_millimetres_or_1_3_percent)
{
    UNUSED_STATE;
    struct ccn_cost_row rows[CCN_COST_ROWS];
    costs("sm.l1.size_bytes=16KiB", rows);
    assert_near(row(rows, "together"), 9.2, 1e-9);
    assert_int_equal((u32)(row(rows, "of the die") * 1000), 13);
}

RUN_TESTS(T(shadow_tags_for_48_kilobytes_take_1200_bytes_in_an_sm_and_17_5_kilobytes_in_all),
          T(the_queues_of_an_sm_take_1088_bytes),
          T(the_area_is_9_2_square_millimetres_or_1_3_percent))
