/* What-ifs are relative to the chip that they are asked for. */
#include "campaign/bed.h"

#include "machine/model.h"
#include "gpu/config.h"
#include "why/whatif.h"

#include <math.h>

struct asked {
    struct config chip;
    struct arena arena;
    struct whatif_settings settings;
    struct config_request request;
    const char *sets[MOST_WHATIF_CHANGES];
};

static const struct whatif *whatif_named(const char *id)
{
    for (const struct whatif *w = whatifs; w->id; w++) {
        if (strcmp(w->id, id) == 0)
            return w;
    }
    fail_msg("no what-if %s", id);
    return NULL;
}

static void ask(struct asked *a, const char *name, const char *id)
{
    struct err err = ERR_INIT;
    struct config chip;
    struct config_request request = {
        .chip = name, .folders = testing_chips(), .schemas = model_schemas};
    if (!config_load(&chip, &request, &err)) {
        print_message("%s\n", err.what);
        abort();
    }
    *a = (struct asked){.chip = chip, .request = request};
    whatif_settings(whatif_named(id), &a->chip, &a->request, &a->arena, &a->settings);
}

static void done(struct asked *a)
{
    config_fini(&a->chip);
    arena_fini(&a->arena);
}

static const char *value(const struct asked *a, const char *path)
{
    for (u32 i = 0; i < a->settings.count; i++) {
        if (strcmp(a->settings.settings[i].path, path) == 0)
            return a->settings.settings[i].value;
    }
    return "unchanged";
}

/* The chip with its settings applied. */
static void apply(struct asked *a, struct config *out)
{
    struct err err = ERR_INIT;
    for (u32 i = 0; i < a->settings.count; i++)
        a->sets[i] = arena_printf(&a->arena, "%s=%s", a->settings.settings[i].path,
                                  a->settings.settings[i].value);
    a->request.sets = a->sets;
    a->request.set_count = a->settings.count;
    if (!config_load(out, &a->request, &err)) {
        print_message("%s\n", err.what);
        abort();
    }
}

TEST(four_times_means_four_times_the_chips_own_value)
{
    UNUSED_STATE;
    static const struct {
        const char *chip, *whatif, *path, *value;
    } rows[] = {
        {"fermi15", "l1-x4", "sm.l1.mshrs", "128"},          /* 32 */
        {"fermi15", "l1-x4", "sm.lsu.buffer_entries", "40"}, /* 10 */
        {"fermi15", "l1-ways", "sm.l1.ways", "16"},          /* 4 */
        {"fermi15", "l1-ways", "sm.l1.size_bytes", "unchanged"},
        {"fermi15", "l1-index", "sm.l1.set_index", "folded"}, /* linear */
        {"kepler8", "l1-index", "sm.l1.set_index", "unchanged"},
        {"fermi15", "replies-dram", "dram.clock_hz", "3696MHz"},
        {"fermi15", "replies-dram", "network.request.flit_bytes", "unchanged"},
        {"fermi15", "l2-dram-x4", "l2.mshrs", "128"},                 /* 32 */
        {"fermi15", "l2-dram-x4", "dram.queue_entries", "64"},        /* 16 */
        {"volta80", "l2-x4", "l2.mshrs", "768"},                      /* 192 */
        {"volta80", "l2-x4", "l2.access_entries", "256"},             /* 64 */
        {"volta80", "l2-x4", "l2.banks_per_channel", "8"},            /* 2 */
        {"volta80", "replies-x2", "network.reply.flit_bytes", "80B"}, /* 40 */
        {"fermi15", "replies-x2", "network.reply.flit_bytes", "64B"}, /* 32 */
        {"volta80", "cost-effective", "network.request.flit_bytes", "20B"},
        {"volta80", "cost-effective", "network.reply.flit_bytes", "60B"},
        {"volta80", "dram-x4", "dram.clock_hz", "3508MHz"}, /* 877 */
        {"volta80", "dram-x4", "dram.banks", "64"},         /* 16, from the preset */
        {"volta80", "dram-x4", "dram.rcd", "48"},           /* 12, from the preset */
        {"fermi15", "fixed-dram", "dram.model", "fixed"},
        {"fermi15", "infinite", "ideal.model", "infinite"},
        {"fermi15", "perfect", "ideal.model", "fixed"},
    };
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct asked a;
        ask(&a, rows[i].chip, rows[i].whatif);
        assert_string_equal(value(&a, rows[i].path), rows[i].value);
        done(&a);
    }
}

/* Every value of both, one after the other. */
static void assert_same_chip(const struct config *a, const struct config *b)
{
    assert_int_equal(a->value_count, b->value_count);
    for (u32 i = 0; i < a->value_count; i++) {
        char x[256], y[256];
        param_value_text(a->values[i].param, a->values[i].field, x, sizeof x);
        param_value_text(b->values[i].param, b->values[i].field, y, sizeof y);
        if (strcmp(x, y) != 0)
            fail_msg("%s is %s and %s", a->values[i].path, x, y);
    }
}

TEST(on_fermi15_they_are_the_chips_of_table_3_3)
{
    UNUSED_STATE;
    static const char *const rows[][2] = {
        {"l1-x4", "fermi15-4x-l1"},
        {"l2-x4", "fermi15-4x-l2"},
        {"cost-effective", "fermi15-ce-16-48"},
        {"infinite", "fermi15-infinite"},
        {"fixed-dram", "fermi15-fixed-dram"},
        {"perfect", "fermi15-perfect"},
    };
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct asked a, named;
        struct config applied;
        ask(&a, "fermi15", rows[i][0]);
        apply(&a, &applied);
        ask(&named, rows[i][1], "base");
        assert_same_chip(&applied, &named.chip);
        assert_false(a.settings.is_limited);
        config_fini(&applied);
        done(&a);
        done(&named);
    }
}

/* On any kind of DRAM: a quarter of the time for a burst, the same nanoseconds from a row to data.
 */
TEST(dram_x4_is_four_times_the_peak_at_the_same_latency)
{
    UNUSED_STATE;
    static const char *const chips[] = {"fermi15", "kepler8", "volta80", "turing", "ampere"};
    for (u32 i = 0; i < ARRAY_LEN(chips); i++) {
        struct asked a;
        struct config applied;
        struct dram_timing before, after;
        ask(&a, chips[i], "dram-x4");
        apply(&a, &applied);
        dram_resolve(&((const struct gpu_config *)a.chip.data)->dram, &before);
        dram_resolve(&((const struct gpu_config *)applied.data)->dram, &after);
        double ratio = dram_peak_bytes_per_second(&after) / dram_peak_bytes_per_second(&before);
        assert_true(fabs(ratio - 4) < 1e-9);
        assert_int_equal(after.config.rcd + after.config.cl,
                         4 * (before.config.rcd + before.config.cl));
        assert_int_equal(after.config.clock_hz, 4 * before.config.clock_hz);
        assert_int_equal(after.config.ccdl, before.config.ccd);
        assert_int_equal(after.burst_bytes, before.burst_bytes);
        config_fini(&applied);
        done(&a);
    }
}

TEST(banks_grow_as_far_as_the_crossbar_has_lines)
{
    UNUSED_STATE;
    struct asked a;
    ask(&a, "ampere", "l2-x4"); /* 80 banks: 320 are too many, 160 are not */
    assert_true(a.settings.is_limited);
    const struct gpu_config *c = a.chip.data;
    char want[16];
    snprintf(want, sizeof want, "%u", 2 * c->l2.banks_per_channel);
    assert_string_equal(value(&a, "l2.banks_per_channel"), want);
    done(&a);
}

TEST(a_range_that_ends_sooner_is_said_to_limit)
{
    UNUSED_STATE;
    struct asked a;
    ask(&a, "volta80", "dram-x4"); /* the queue has its most, 64 */
    assert_true(a.settings.is_limited);
    assert_string_equal(value(&a, "dram.queue_entries"), "unchanged");
    done(&a);
}

TEST(a_chip_that_is_ideal_already_has_nothing_to_change)
{
    UNUSED_STATE;
    struct asked a;
    ask(&a, "fermi15-infinite", "infinite");
    assert_int_equal(a.settings.count, 0);
    done(&a);
    ask(&a, "fermi15", "base");
    assert_int_equal(a.settings.count, 0);
    done(&a);
}

TEST(every_whatif_makes_a_chip_of_every_gpu)
{
    UNUSED_STATE;
    static const char *const chips[] = {"fermi15", "kepler32", "kepler8", "volta80",
                                        "volta8",  "turing",   "ampere"};
    for (u32 i = 0; i < ARRAY_LEN(chips); i++) {
        for (const struct whatif *w = whatifs; w->id; w++) {
            struct asked a;
            struct config applied;
            ask(&a, chips[i], w->id);
            apply(&a, &applied);
            /* Kepler's L1 finds its sets by a hash, which is for as many sets as it has; later ones
             * have 64 ways and more */
            bool is_l1 = strcmp(w->id, "l1-index") == 0 || strcmp(w->id, "l1-ways") == 0;
            assert_true(w->kind == WHATIF_BASE || is_l1 || a.settings.count > 0);
            config_fini(&applied);
            done(&a);
        }
    }
}

RUN_TESTS(T(four_times_means_four_times_the_chips_own_value),
          T(on_fermi15_they_are_the_chips_of_table_3_3),
          T(dram_x4_is_four_times_the_peak_at_the_same_latency),
          T(banks_grow_as_far_as_the_crossbar_has_lines),
          T(a_range_that_ends_sooner_is_said_to_limit),
          T(a_chip_that_is_ideal_already_has_nothing_to_change),
          T(every_whatif_makes_a_chip_of_every_gpu))
