/* What array tables cost: the published sizes, what is between them, a whole chip (spec T28). */
#include "testing.h"

#include "power/context_cost.h"

#include <math.h>

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-6)

static struct context_cost cost(u32 entries, u32 sms, bool reduced)
{
    struct gpu_config c = {0};
    c.context.reduced = reduced;
    c.context.array_entries = entries;
    c.context.register_cache_bytes = 2048;
    c.context.victims = 1024;
    c.sm.count = sms;
    return context_cost(&c);
}

TEST(published_tables_cost_what_was_published)
{
    UNUSED_STATE;
    static const struct {
        u32 entries;
        double um2, mw;
    } rows[] = {{16, 17902, 18.5}, {32, 36236, 36}, {64, 72789, 74}, {128, 165310, 149}};
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct context_cost c = cost(rows[i].entries, 1, true);
        NEAR(c.table_um2, rows[i].um2);
        NEAR(c.table_mw, rows[i].mw);
    }
}

/* Half way from 32 to 64; half of 16; twice 128. */
TEST(other_sizes_are_on_straight_lines)
{
    UNUSED_STATE;
    NEAR(cost(48, 1, true).table_um2, (36236 + 72789) / 2.0);
    NEAR(cost(48, 1, true).table_mw, 55);
    NEAR(cost(8, 1, true).table_um2, 8951);
    NEAR(cost(256, 1, true).table_mw, 298);
    NEAR(cost(0, 1, true).table_um2, 0);
}

TEST(eighty_tables_of_128_entries_take_13_square_millimetres_and_12_watts)
{
    UNUSED_STATE;
    struct context_cost c = cost(128, 80, true);
    NEAR(c.tables_mm2, 13.2248);
    NEAR(c.tables_w, 11.92);
    assert_int_equal(c.cache_bytes, 80 * 2048);
    assert_int_equal(c.queue_bytes, 4096);
    NEAR(cost(128, 80, false).tables_mm2, 0);
}

RUN_TESTS(T(published_tables_cost_what_was_published), T(other_sizes_are_on_straight_lines),
          T(eighty_tables_of_128_entries_take_13_square_millimetres_and_12_watts))
