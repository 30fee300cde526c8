/* What statistics are of a part of a run. */
#include "testing.h"

#include "stats/series.h"
#include "stats/window.h"

struct counts {
    u64 hits, lookups, stall[2], quota[2], inside;
    struct histogram latency;
};

static const char *const names[] = {"a", "b"};
/* clang-format off */
static const struct stat_def table[] = {
    S_COUNT(counts, hits, "requests", "found"),
    S_COUNT(counts, lookups, "requests", "all"),
    S_RATIO(counts, hit_rate, hits, lookups, "hits per lookup"),
    S_ARRAY(counts, stall, names, 2, "cycles", "by cause"),
    S_LEVELS(counts, quota, names, 2, "ways", "now"),
    S_LEVEL(counts, inside, "entries", "now"),
    S_HISTOGRAM(counts, latency, "cycles", "each"),
    S_END,
};
/* clang-format on */

struct bed {
    struct arena arena;
    struct stats stats;
    struct counts counts[2];
};

static void bed_init(struct bed *b)
{
    *b = (struct bed){0};
    stats_init(&b->stats, &b->arena);
    for (u32 i = 0; i < 2; i++) {
        histogram_init_linear(&b->counts[i].latency, &b->arena, 4, 10);
        stats_add(&b->stats, STAT_ROOT, "l1", i, table, &b->counts[i]);
    }
}

/* Two nodes of one struct: each number is subtracted once. */
TEST(a_window_has_what_counts_grew_by)
{
    UNUSED_STATE;
    struct bed b;
    bed_init(&b);
    stats_add(&b.stats, STAT_ROOT, "again", STAT_NO_INDEX, table, &b.counts[0]);
    b.counts[0] = (struct counts){10, 40, {1, 2}, {3, 4}, 5, b.counts[0].latency};
    struct stats_window w = {0};
    stats_window_begin(&w, &b.stats);
    b.counts[0] = (struct counts){13, 46, {1, 9}, {2, 6}, 7, b.counts[0].latency};
    b.counts[1].hits = 2;
    stats_window_end(&w, &b.stats);
    assert_int_equal(b.counts[0].hits, 3);
    assert_int_equal(b.counts[0].lookups, 6);
    assert_int_equal(b.counts[0].stall[0], 0);
    assert_int_equal(b.counts[0].stall[1], 7);
    assert_int_equal(b.counts[1].hits, 2);
    double rate;
    struct err err = ERR_INIT;
    assert_true(stats_number(&b.stats, "l10.hit_rate", &rate, &err));
    assert_float_equal(rate, 0.5, 1e-12);
    arena_fini(&b.arena);
}

TEST(levels_of_a_window_are_those_of_its_end)
{
    UNUSED_STATE;
    struct bed b;
    bed_init(&b);
    b.counts[0].inside = 5;
    b.counts[0].quota[1] = 4;
    struct stats_window w = {0};
    stats_window_begin(&w, &b.stats);
    b.counts[0].inside = 2;
    b.counts[0].quota[1] = 3;
    stats_window_end(&w, &b.stats);
    assert_int_equal(b.counts[0].inside, 2);
    assert_int_equal(b.counts[0].quota[1], 3);
    arena_fini(&b.arena);
}

TEST(a_histogram_of_a_window_has_its_own_extremes)
{
    UNUSED_STATE;
    struct bed b;
    bed_init(&b);
    struct histogram *h = &b.counts[0].latency;
    histogram_add(h, 1);
    histogram_add(h, 39);
    struct stats_window w = {0};
    stats_window_begin(&w, &b.stats);
    histogram_add(h, 12);
    histogram_add(h, 17);
    stats_window_end(&w, &b.stats);
    assert_int_equal(h->samples, 2);
    assert_int_equal(h->sum, 29);
    assert_int_equal(h->bins[0], 0);
    assert_int_equal(h->bins[1], 2);
    assert_int_equal(h->bins[3], 0);
    assert_int_equal(h->smallest, 12);
    assert_int_equal(h->largest, 17);
    arena_fini(&b.arena);
}

/* An array of levels was shown as differences. */
TEST(a_series_of_levels_by_label_shows_levels)
{
    UNUSED_STATE;
    static const char *const columns[] = {"l10.quota[b]", "l10.stall[b]"};
    struct bed b;
    struct series s;
    struct err err = ERR_INIT;
    bed_init(&b);
    assert_true(series_init(&s, &b.stats, columns, 2, 10, 8, &b.arena, &err));
    b.counts[0].quota[1] = b.counts[0].stall[1] = 8;
    series_sample(&s, 0);
    b.counts[0].quota[1] = 7;
    b.counts[0].stall[1] = 9;
    series_sample(&s, 10);
    assert_int_equal(series_value(&s, 1, 0).integer, 7);
    assert_int_equal(series_value(&s, 1, 1).integer, 1);
    arena_fini(&b.arena);
}

RUN_TESTS(T(a_window_has_what_counts_grew_by), T(levels_of_a_window_are_those_of_its_end),
          T(a_histogram_of_a_window_has_its_own_extremes),
          T(a_series_of_levels_by_label_shows_levels))
