/* Snapshots of a chip with three SMs, each with an L1, and one DRAM channel. */
#include "testing.h"

#include "stats/record.h"
#include "stats/snapshot.h"

struct l1_counts {
    u64 hits, misses, stall[2], fills;
    u64 now;
};

struct dram_counts {
    u64 bytes;
};

static const char *const stall_names[] = {"mshr", "queue"};

/* clang-format off */
static const struct stat_def l1_stats[] = {
    S_COUNT(l1_counts, hits, "requests", "found"),
    S_COUNT(l1_counts, misses, "requests", "not found"),
    S_ARRAY(l1_counts, stall, stall_names, 2, "cycles", "by cause"),
    S_COUNT(l1_counts, fills, "lines", "filled"),
    S_LEVEL(l1_counts, now, "entries", "inside"),
    S_RATIO(l1_counts, hit_rate, hits, misses, "hits per miss"),
    S_LAW(holds, "hits == hits", "always"),
    S_END,
};
static const struct stat_def dram_stats[] = {
    S_COUNT(dram_counts, bytes, "bytes", "moved"),
    S_END,
};
/* clang-format on */

enum { L1, DRAM, RING, PARTS };
static const struct snapshot_part parts[PARTS] = {
    [L1] = {"sm.l1", l1_stats, PART_ALWAYS},
    [DRAM] = {"dram", dram_stats, PART_ALWAYS},
    [RING] = {"ring", dram_stats, PART_OR_ZERO},
};

static const struct snapshot_row rows[] = {
    {"l1_misses", L1, "misses", 0, 1},
    {"l1_stall", L1, "stall", 1, 2},
    {NULL, L1, "fills", 3, 1},
    {"bytes.dram", DRAM, "bytes", 4, 1},
    {"bytes.ring", RING, "bytes", 5, 1},
    {"l1_hits", L1, "hits", 6, 1},
    {NULL, L1, NULL, 7, 1},
};

#define SIZE 8
static const struct snapshot_def def = {parts, rows, PARTS, ARRAY_LEN(rows), SIZE};

struct bed {
    struct arena arena;
    struct stats stats;
    struct l1_counts l1[3];
    struct dram_counts dram;
    struct snapshot_plan plan;
};

static void bed_init(struct bed *b)
{
    *b = (struct bed){0};
    stats_init(&b->stats, &b->arena);
    for (u32 i = 0; i < 3; i++) {
        stat_node sm = stats_add(&b->stats, STAT_ROOT, "sm", i, NULL, NULL);
        stats_add(&b->stats, sm, "l1", STAT_NO_INDEX, l1_stats, &b->l1[i]);
    }
    stats_add(&b->stats, STAT_ROOT, "dram", 0, dram_stats, &b->dram);
}

static bool plan(struct bed *b, const struct snapshot_def *d, struct err *err)
{
    return snapshot_plan_init(&b->plan, d, &b->stats, STAT_ROOT, &b->arena, err);
}

static void bed_open(struct bed *b)
{
    struct err err = ERR_INIT;
    bed_init(b);
    assert_true(plan(b, &def, &err));
}

static void bed_close(struct bed *b)
{
    arena_fini(&b->arena);
}

TEST(a_number_is_the_sum_over_all_instances_of_its_part)
{
    UNUSED_STATE;
    struct bed b;
    u64 out[SIZE];
    bed_open(&b);
    for (u32 i = 0; i < 3; i++)
        b.l1[i] = (struct l1_counts){.hits = 1, .misses = 10, .stall = {i, 5}, .fills = 100 * i};
    b.dram.bytes = 64;
    snapshot_take(&b.plan, out);
    static const u64 want[SIZE] = {30, 0 + 1 + 2, 15, 300, 64, 0, 3, 0};
    assert_memory_equal(out, want, sizeof want);
    bed_close(&b);
}

TEST(a_part_of_a_run_is_the_difference_of_two_snapshots)
{
    UNUSED_STATE;
    struct bed b;
    u64 before[SIZE], after[SIZE];
    bed_open(&b);
    b.l1[1].misses = 7;
    b.l1[2].stall[1] = 3;
    snapshot_take(&b.plan, before);
    b.l1[1].misses = 9;
    b.l1[0].misses = 4;
    b.l1[2].stall[1] = 30;
    snapshot_take(&b.plan, after);
    snapshot_subtract(after, before, SIZE);
    static const u64 want[SIZE] = {2 + 4, 0, 27};
    assert_memory_equal(after, want, sizeof want);
    snapshot_add(after, after, SIZE);
    assert_int_equal(after[0], 12);
    bed_close(&b);
}

TEST(a_name_with_an_index_is_one_instance)
{
    UNUSED_STATE;
    struct bed b;
    u64 out[SIZE];
    struct err err = ERR_INIT;
    struct snapshot_part one[PARTS];
    memcpy(one, parts, sizeof one);
    one[L1].path = "sm1.l1";
    struct snapshot_def d = def;
    d.parts = one;
    bed_init(&b);
    assert_true(plan(&b, &d, &err));
    b.l1[0].hits = 1;
    b.l1[1].hits = 20;
    snapshot_take(&b.plan, out);
    assert_int_equal(out[6], 20);
    bed_close(&b);
}

static void assert_refused(const struct snapshot_part *p, struct snapshot_row row,
                           const char *words)
{
    struct bed b;
    struct err err = ERR_INIT;
    struct snapshot_def d = {p, &row, PARTS, 1, SIZE};
    bed_init(&b);
    assert_false(plan(&b, &d, &err));
    char text[1600];
    err_text(&err, text, sizeof text);
    if (!strstr(text, words))
        fail_msg("no '%s' in: %s", words, text);
    bed_close(&b);
}

TEST(what_the_tree_does_not_have_is_refused_with_the_nearest_name)
{
    UNUSED_STATE;
    struct snapshot_part wrong[PARTS];
    memcpy(wrong, parts, sizeof wrong);
    assert_refused(parts, (struct snapshot_row){"x", L1, "mises", 0, 1},
                   "sm.l1: unknown statistic 'mises', expected hits, misses, stall or fills "
                   "(nearest: misses)");
    assert_refused(parts, (struct snapshot_row){"x", L1, "holds", 0, 1},
                   "unknown statistic 'holds'");
    assert_refused(parts, (struct snapshot_row){"x", RING, "byte", 0, 1}, "nearest: bytes");
    wrong[L1].path = "sm.l2";
    assert_refused(wrong, (struct snapshot_row){"x", L1, "hits", 0, 1}, "nearest: sm.l1");
    wrong[L1] = (struct snapshot_part){"sm.l1", dram_stats, PART_ALWAYS};
    assert_refused(wrong, (struct snapshot_row){"x", L1, "bytes", 0, 1},
                   "unknown part of the statistics 'sm.l1'");
}

TEST(only_what_grows_has_differences)
{
    UNUSED_STATE;
    assert_refused(
        parts, (struct snapshot_row){"x", L1, "now", 0, 1},
        "'sm.l1.now' is of kind level with 1 numbers, expected a count or an array with 1");
    assert_refused(parts, (struct snapshot_row){"x", L1, "hit_rate", 0, 1}, "of kind ratio");
    assert_refused(parts, (struct snapshot_row){"x", L1, "stall", 0, 3},
                   "is of kind array with 2 numbers, expected a count or an array with 3");
}

TEST(a_row_more_in_the_table_is_a_number_more_in_the_record)
{
    UNUSED_STATE;
    struct bed b;
    u64 out[SIZE];
    bed_open(&b);
    b.l1[0] = (struct l1_counts){.hits = 1, .misses = 2, .stall = {3, 4}, .fills = 5};
    b.dram.bytes = 64;
    snapshot_take(&b.plan, out);
    json_t *o = json_object();
    record_put_numbers(o, &b.plan, out);
    char *text = json_dumps(o, JSON_COMPACT);
    assert_string_equal(text, "{\"l1_misses\":2,\"l1_stall\":{\"mshr\":3,\"queue\":4},"
                              "\"bytes\":{\"dram\":64,\"ring\":0},\"l1_hits\":1}");
    free(text);
    json_decref(o);

    struct snapshot_row more[ARRAY_LEN(rows)];
    memcpy(more, rows, sizeof more);
    more[2].name = "l1_fills";
    struct snapshot_def d = def;
    d.rows = more;
    const struct record_table tables[] = {{.numbers = &d}, {NULL, NULL}};
    struct err err = ERR_INIT;
    assert_true(plan(&b, &d, &err));
    o = json_object();
    record_put_numbers(o, &b.plan, out);
    assert_int_equal(json_integer_value(json_object_get(o, "l1_fills")), 5);
    json_decref(o);
    o = record_definitions(tables);
    const json_t *row = json_object_get(o, "l1_fills");
    assert_string_equal(json_string_value(json_object_get(row, "unit")), "lines");
    assert_string_equal(json_string_value(json_object_get(row, "statistic")), "sm.l1.fills");
    assert_null(json_object_get(json_object_get(o, "fills"), "unit"));
    assert_non_null(json_object_get(o, "bytes.ring")); /* also where the machine lacks the part */
    json_decref(o);
    bed_close(&b);
}

TEST(a_struct_is_put_into_a_record_by_its_table)
{
    UNUSED_STATE;
    const struct dram_counts counts = {.bytes = 12};
    json_t *o = json_object();
    record_put_stats(o, dram_stats, &counts);
    assert_int_equal(json_integer_value(json_object_get(o, "bytes")), 12);
    json_decref(o);
}

RUN_TESTS(T(a_number_is_the_sum_over_all_instances_of_its_part),
          T(a_part_of_a_run_is_the_difference_of_two_snapshots),
          T(a_name_with_an_index_is_one_instance),
          T(what_the_tree_does_not_have_is_refused_with_the_nearest_name),
          T(only_what_grows_has_differences),
          T(a_row_more_in_the_table_is_a_number_more_in_the_record),
          T(a_struct_is_put_into_a_record_by_its_table))
