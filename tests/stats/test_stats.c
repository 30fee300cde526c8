#include "testing.h"

#include "stats/expr.h"
#include "stats/json_text.h"
#include "stats/output.h"
#include "stats/series.h"
#include "stats/tree.h"

#include <math.h>

struct cache_counts {
    u64 lookups, hits, misses;
    u64 stalls[2];
    u64 level;
    struct histogram wait;
};

struct chip_counts {
    u64 cycles;
};

static const char *const stall_names[] = {"mshr", "queue"};

/* clang-format off */
static const struct stat_def cache_stats[] = {
    S_COUNT(cache_counts, lookups, "requests", "tag lookups"),
    S_COUNT(cache_counts, hits, "requests", "found"),
    S_COUNT(cache_counts, misses, "requests", "not found"),
    S_RATIO(cache_counts, miss_rate, misses, lookups, "misses per lookup"),
    S_ARRAY(cache_counts, stalls, stall_names, 2, "cycles", "why, in \"words\""),
    S_LEVEL(cache_counts, level, "entries", "now inside"),
    S_HISTOGRAM(cache_counts, wait, "cycles", "from miss to fill"),
    S_FORMULA(rate, "lookups / cycles", "requests/cycle", "bandwidth"),
    S_FORMULA(double_rate, "2 * rate", "requests/cycle", "a formula of a formula"),
    S_FORMULA(queue_rate, "stalls[queue] / lookups", "ratio", "one element of an array"),
    S_FORMULA(stall_rate, "stalls / lookups", "ratio", "all of them"),
    S_LAW(sum, "hits + misses == lookups", "every lookup hits or misses"),
    S_END,
};
static const struct stat_def chip_stats[] = {
    S_COUNT(chip_counts, cycles, "cycles", "run time"),
    S_LAW(bound, "sm.l1.lookups <= 3 * cycles", "at most one lookup per cycle and SM"),
    S_END,
};
/* clang-format on */

struct bed {
    struct arena arena;
    struct stats stats;
    struct chip_counts chip;
    struct cache_counts l1[3];
};

static void bed_init(struct bed *b)
{
    *b = (struct bed){0};
    stats_init(&b->stats, &b->arena);
    b->chip.cycles = 100;
    b->stats.nodes[STAT_ROOT].table = chip_stats;
    b->stats.nodes[STAT_ROOT].data = &b->chip;
    for (u32 i = 0; i < 3; i++) {
        struct cache_counts *c = &b->l1[i];
        histogram_init_linear(&c->wait, &b->arena, 4, 10);
        c->lookups = 10 * (i + 1);
        c->hits = 7 * (i + 1);
        c->misses = 3 * (i + 1);
        c->stalls[0] = i;
        c->stalls[1] = 100;
        histogram_add(&c->wait, 5 + 10 * i);
        stat_node sm = stats_add(&b->stats, STAT_ROOT, "sm", i, NULL, NULL);
        stats_add(&b->stats, sm, "l1", STAT_NO_INDEX, cache_stats, c);
    }
}

static double number(const struct bed *b, const char *name)
{
    double v = -1;
    struct err err = ERR_INIT;
    assert_true(stats_number(&b->stats, name, &v, &err));
    return v;
}

TEST(a_name_with_an_index_is_one_unit_and_without_it_the_sum)
{
    UNUSED_STATE;
    struct bed b;
    bed_init(&b);
    assert_true(number(&b, "sm1.l1.lookups") == 20);
    assert_true(number(&b, "sm.l1.lookups") == 60);
    assert_true(number(&b, "cycles") == 100);
    /* ratios take sums first: (3+6+9)/(10+20+30) */
    assert_true(number(&b, "sm.l1.miss_rate") == 0.3);
    assert_true(number(&b, "sm.l1.rate") == 0.6);
    assert_true(number(&b, "sm0.l1.double_rate") == 0.2);
    arena_fini(&b.arena);
}

TEST(a_formula_may_take_one_element_of_an_array_or_their_sum)
{
    UNUSED_STATE;
    struct bed b;
    struct arena arena = {0};
    struct stat_value v;
    struct err err = ERR_INIT;
    bed_init(&b);
    /* sm1: 20 lookups, stalls {1, 100}; all: 60 and {0 + 1 + 2, 300} */
    assert_true(number(&b, "sm1.l1.queue_rate") == 5);
    assert_true(number(&b, "sm1.l1.stall_rate") == 5.05);
    assert_true(number(&b, "sm.l1.queue_rate") == 5);
    assert_true(number(&b, "sm.l1.stall_rate") == 5.05);
    static const char *const wrong[] = {"sm.l1.stalls[que]", "sm.l1.stalls[queue", "cycles[queue]",
                                        "sm.l1.stalls[]"};
    const stat_node top = STAT_ROOT;
    const struct stat_scope root = {&top, 1};
    for (u32 i = 0; i < ARRAY_LEN(wrong); i++) {
        err = ERR_INIT;
        assert_false(expr_evaluate(&b.stats, root, wrong[i], &arena, &v, &err));
        assert_non_null(strstr(err.what, "unknown label"));
    }
    err = ERR_INIT;
    assert_true(expr_evaluate(&b.stats, root, "sm.l1.stalls[mshr] == 3", &arena, &v, &err));
    arena_fini(&arena);
    arena_fini(&b.arena);
}

TEST(an_undefined_ratio_is_not_zero)
{
    UNUSED_STATE;
    struct bed b;
    bed_init(&b);
    b.l1[0].lookups = b.l1[0].hits = b.l1[0].misses = 0;
    b.chip.cycles = 0;
    assert_true(isnan(number(&b, "sm0.l1.miss_rate")));
    assert_true(isnan(number(&b, "sm0.l1.double_rate")));
    arena_fini(&b.arena);
}

TEST(an_unknown_statistic_suggests_the_nearest)
{
    UNUSED_STATE;
    struct bed b;
    bed_init(&b);
    double v;
    struct err err = ERR_INIT;
    assert_false(stats_number(&b.stats, "sm.l1.mises", &v, &err));
    assert_string_equal(err.nearest, "sm.l1.misses");
    err = ERR_INIT;
    assert_false(stats_number(&b.stats, "sm9.l1.misses", &v, &err));
    err = ERR_INIT;
    assert_false(stats_number(&b.stats, "sm.l1.wait", &v, &err));
    arena_fini(&b.arena);
}

TEST(a_broken_law_fails_with_its_numbers)
{
    UNUSED_STATE;
    struct bed b;
    bed_init(&b);
    struct err err = ERR_INIT;
    assert_true(stats_check_laws(&b.stats, &err));
    b.l1[1].hits++;
    assert_false(stats_check_laws(&b.stats, &err));
    assert_int_equal(err.kind, ERR_INVARIANT);
    assert_string_equal(err.what, "sm1.l1: hits + misses == lookups does not hold: "
                                  "15 + 6 == 20 (every lookup hits or misses)");
    b.l1[1].hits--;
    b.chip.cycles = 19;
    err = ERR_INIT;
    assert_false(stats_check_laws(&b.stats, &err));
    arena_fini(&b.arena);
}

/* 2^60 + 1 and 2^60 are the same double: a law must still tell them apart. */
TEST(laws_compare_large_counters_exactly)
{
    UNUSED_STATE;
    struct bed b;
    bed_init(&b);
    b.chip.cycles = UINT64_MAX / 4;
    b.l1[0].lookups = ((u64)1 << 60) + 1;
    b.l1[0].hits = (u64)1 << 60;
    b.l1[0].misses = 0;
    struct err err = ERR_INIT;
    assert_false(stats_check_laws(&b.stats, &err));
    arena_fini(&b.arena);
}

TEST(a_histogram_puts_values_where_its_bins_say)
{
    UNUSED_STATE;
    struct arena a = {0};
    struct histogram h;
    histogram_init_log(&h, &a, 5);
    static const u64 values[] = {0, 1, 2, 3, 4, 7, 8, 1000};
    static const u64 bins[] = {1, 1, 2, 2, 2};
    for (size_t i = 0; i < ARRAY_LEN(values); i++)
        histogram_add(&h, values[i]);
    assert_memory_equal(h.bins, bins, sizeof bins);
    assert_true(h.samples == 8 && h.sum == 1025 && h.smallest == 0 && h.largest == 1000);
    assert_int_equal(histogram_bin_start(&h, 4), 8);
    histogram_init_linear(&h, &a, 3, 10);
    histogram_add_many(&h, 25, 7);
    histogram_add(&h, 99);
    assert_int_equal(h.bins[2], 8);
    assert_int_equal(histogram_bin_start(&h, 2), 20);
    arena_fini(&a);
}

TEST(units_as_text_are_those_of_the_tree_to_the_byte)
{
    UNUSED_STATE;
    struct bed b;
    bed_init(&b);
    struct err err = ERR_INIT;
    struct text units = {0}, with = {0}, without = {0};
    json_t *tree = json_object(), *rest = json_object();
    assert_true(stats_to_json(&b.stats, tree, NULL, &err));
    assert_true(stats_to_json(&b.stats, rest, &units, &err));
    assert_int_equal(json_object_size(json_object_get(rest, "units")), 0);
    json_text_append(&without, tree);
    json_text_append_with(&with, rest, "units", &units);
    assert_string_equal(with.data, without.data);
    text_fini(&units);
    text_fini(&with);
    text_fini(&without);
    json_decref(tree);
    json_decref(rest);
    arena_fini(&b.arena);
}

TEST(json_holds_totals_units_and_definitions)
{
    UNUSED_STATE;
    struct bed b;
    bed_init(&b);
    json_t *root = json_object();
    struct err err = ERR_INIT;
    assert_true(stats_to_json(&b.stats, root, NULL, &err));
    json_t *totals = json_object_get(root, "totals");
    assert_int_equal(json_integer_value(json_object_get(totals, "sm.l1.misses")), 18);
    json_t *stalls = json_object_get(totals, "sm.l1.stalls");
    assert_int_equal(json_integer_value(json_object_get(stalls, "mshr")), 3);
    assert_int_equal(json_integer_value(json_object_get(stalls, "queue")), 300);
    json_t *wait = json_object_get(totals, "sm.l1.wait");
    assert_int_equal(json_integer_value(json_object_get(wait, "samples")), 3);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(wait, "bins"), 1)), 1);
    json_t *unit = json_object_get(json_object_get(root, "units"), "sm2.l1");
    assert_int_equal(json_integer_value(json_object_get(unit, "misses")), 9);
    json_t *def = json_object_get(json_object_get(root, "definitions"), "sm.l1.miss_rate");
    assert_string_equal(json_string_value(json_object_get(def, "unit")), "ratio");
    assert_null(json_object_get(json_object_get(root, "definitions"), "sm.l1.sum"));
    json_decref(root);
    arena_fini(&b.arena);
}

TEST(csv_has_one_line_per_value_and_quotes_meanings)
{
    UNUSED_STATE;
    struct bed b;
    bed_init(&b);
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    struct err err = ERR_INIT;
    assert_true(stats_to_csv(&b.stats, f, &err));
    fclose(f);
    assert_non_null(strstr(text, "\nsm.l1.misses,18,requests,count,\"not found\"\n"));
    assert_non_null(strstr(text, "\nsm2.l1.misses,9,requests,count,"));
    assert_non_null(
        strstr(text, "\nsm.l1.stalls[queue],300,cycles,array,\"why, in \"\"words\"\"\"\n"));
    assert_non_null(strstr(text, "\nsm.l1.wait[20],1,cycles,histogram,"));
    free(text);
    arena_fini(&b.arena);
}

TEST(a_series_samples_growth_levels_and_ratios)
{
    UNUSED_STATE;
    struct bed b;
    bed_init(&b);
    static const char *const names[] = {"sm.l1.lookups", "sm1.l1.level", "sm.l1.miss_rate"};
    struct series s;
    struct err err = ERR_INIT;
    assert_true(series_init(&s, &b.stats, names, 3, 10, 4, &b.arena, &err));
    cycle_t next = series_sample(&s, 0);
    assert_int_equal(next, 10);
    b.l1[0].lookups += 5;
    b.l1[2].lookups += 3;
    b.l1[2].misses += 2;
    b.l1[1].level = 7;
    series_sample(&s, 10);
    assert_int_equal(series_value(&s, 1, 0).integer, 8);
    assert_int_equal(series_value(&s, 1, 1).integer, 7);
    assert_true(series_value(&s, 1, 2).number == 0.25);
    series_sample(&s, 20);
    assert_false(series_value(&s, 2, 2).defined); /* no lookup in between */
    assert_int_equal(series_value(&s, 2, 0).integer, 0);
    series_sample(&s, 30);
    /* full at 4 rows: halves to 0 and 20, and goes on every 20 */
    b.l1[0].lookups += 9;
    assert_int_equal(series_sample(&s, 40), 60);
    assert_int_equal(s.row_count, 3);
    assert_int_equal(series_cycle(&s, 1), 20);
    assert_int_equal(series_cycle(&s, 2), 40);
    assert_int_equal(series_value(&s, 1, 0).integer, 8);
    assert_int_equal(series_value(&s, 2, 0).integer, 9);
    arena_fini(&b.arena);
}

TEST(an_array_of_levels_is_sampled_as_levels_and_says_so)
{
    UNUSED_STATE;
    static const char *const labels[] = {"a", "b"}, *const names[] = {"plan.quota[b]"};
    struct plan_counts {
        u64 quota[2];
    } plan = {{31, 1}};
    const struct stat_def table[] = {
        S_LEVELS(plan_counts, quota, labels, 2, "ways", "of the last plan"), S_END};
    struct arena arena = {0};
    struct stats stats;
    struct series s;
    struct err err = ERR_INIT;
    stats_init(&stats, &arena);
    stats_add(&stats, STAT_ROOT, "plan", STAT_NO_INDEX, table, &plan);
    assert_true(series_init(&s, &stats, names, 1, 10, 4, &arena, &err));
    series_sample(&s, 0);
    plan.quota[1] = 24;
    series_sample(&s, 10);
    series_sample(&s, 20);
    assert_int_equal(series_value(&s, 1, 0).integer, 24);
    assert_int_equal(series_value(&s, 2, 0).integer, 24);
    json_t *result = json_object();
    assert_true(stats_to_json(&stats, result, NULL, &err));
    const json_t *d = json_object_get(json_object_get(result, "definitions"), "plan.quota");
    assert_string_equal(json_string_value(json_object_get(d, "kind")), "levels");
    json_decref(result);
    arena_fini(&arena);
}

TEST(a_series_refuses_what_has_no_growth)
{
    UNUSED_STATE;
    struct bed b;
    bed_init(&b);
    static const char *const names[] = {"sm.l1.wait"};
    struct series s;
    struct err err = ERR_INIT;
    assert_false(series_init(&s, &b.stats, names, 1, 10, 4, &b.arena, &err));
    assert_string_equal(err.what, "statistic 'sm.l1.wait' is a histogram, expected a count, "
                                  "level, ratio or name[label]");
    arena_fini(&b.arena);
}

RUN_TESTS(
    T(a_name_with_an_index_is_one_unit_and_without_it_the_sum),
    T(a_formula_may_take_one_element_of_an_array_or_their_sum), T(an_undefined_ratio_is_not_zero),
    T(an_unknown_statistic_suggests_the_nearest), T(a_broken_law_fails_with_its_numbers),
    T(laws_compare_large_counters_exactly), T(a_histogram_puts_values_where_its_bins_say),
    T(units_as_text_are_those_of_the_tree_to_the_byte), T(json_holds_totals_units_and_definitions),
    T(csv_has_one_line_per_value_and_quotes_meanings), T(a_series_samples_growth_levels_and_ratios),
    T(an_array_of_levels_is_sampled_as_levels_and_says_so), T(a_series_refuses_what_has_no_growth))
