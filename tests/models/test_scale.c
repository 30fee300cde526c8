/* Chips divided by one factor: which ratios stay, and what is refused. */
#include "testing.h"

#include "machine/machine.h"
#include "run/run.h"
#include "models/scales.h"

static bool load(struct config *c, const char *chip, const char *const *sets, u32 count,
                 struct err *err)
{
    static char folder[4096];
    snprintf(folder, sizeof folder, "%s/chips", getenv("HEDDLE_SOURCE"));
    const char *folders[] = {folder, NULL};
    *err = ERR_INIT;
    return config_load(c,
                       &(struct config_request){.chip = chip,
                                                .folders = folders,
                                                .sets = sets,
                                                .set_count = count,
                                                .schemas = model_schemas},
                       err);
}

static double value(const struct config *c, const char *path)
{
    const struct config_value *v = config_find(c, path);
    assert_non_null(v);
    return v->param->type == PARAM_U32 ? *(const u32 *)v->field : (double)*(const u64 *)v->field;
}

/* Those that must stay: of what is divided, one by the other; and what is inside of a part. */
static const struct ratio {
    const char *chip, *scale, *over, *under;
    double by; /* over by under, of the whole chip */
} ratios[] = {
    {"fermi15", "scale=3", "sm.count", "dram.channels", 15.0 / 6},
    {"fermi15", "scale=3", "l2.size_bytes", "sm.count", 768.0 * 1024 / 15},
    {"fermi15", "scale=3", "l2.size_bytes", "dram.channels", 128.0 * 1024},
    {"fermi15", "scale=3", "sm.l1.size_bytes", "sm.l1.ways", 16.0 * 1024 / 4},
    {"green12", "scale=4", "l2.size_bytes", "sm.count", 4.0 * 1048576 / 12},
    {"green12", "scale=4", "regions.training_cycles", "regions.min_accesses", 100},
    {"apu46", "scale=2", "llc.size_bytes", "core.l2.size_bytes", 32},
    {"apu46", "scale=2", "llc.size_bytes", "dram.channels", 2.0 * 1048576},
    {"apu46", "scale=2", "policy.llc.ucp.interval", "policy.llc.pipp.interval", 1},
    {"apu46", "scale=2", "llc.size_bytes", "policy.llc.ucp.interval", 8.0 * 1048576 / 5000000},
    {"pascal64x4", "scale=2", "l2.size_bytes", "dram.channels", 4.0 * 1048576 / 32},
    {"pascal64x4", "scale=2", "dram.channels", "sockets.link.lane_bytes", 32.0 / 8},
    {"pascal64x4", "scale=2", "sm.count", "sockets.link.lane_bytes", 64.0 / 8},
    {"pascal64x4", "scale=2", "sockets.link.sample_cycles", "sockets.link.switch_cycles", 50},
};

TEST(ratios_of_what_is_divided_stay)
{
    UNUSED_STATE;
    for (size_t i = 0; i < ARRAY_LEN(ratios); i++) {
        const struct ratio *r = &ratios[i];
        struct config whole, part;
        struct err err;
        assert_true(load(&whole, r->chip, NULL, 0, &err));
        assert_true(load(&part, r->chip, &r->scale, 1, &err));
        double before = value(&whole, r->over) / value(&whole, r->under);
        double after = value(&part, r->over) / value(&part, r->under);
        assert_true(before == r->by);
        assert_true(after == r->by);
        config_fini(&whole);
        config_fini(&part);
    }
}

TEST(what_is_set_beside_the_scale_is_not_divided)
{
    UNUSED_STATE;
    static const char *const sets[] = {"scale=8", "sm.count=6", "dram.channels=4"};
    struct config c;
    struct err err;
    assert_true(load(&c, "apu46", sets, ARRAY_LEN(sets), &err));
    assert_int_equal(value(&c, "sm.count"), 6);
    assert_int_equal(value(&c, "llc.size_bytes"), 1048576);
    assert_int_equal(value(&c, "core.l2.size_bytes"), 32 * 1024);
    assert_int_equal(value(&c, "policy.llc.ucp.interval"), 625000);
    assert_int_equal(value(&c, "core.count"), 4);
    config_fini(&c);
}

/* A placement has a node for each SM and controller, so their counts are set beside the scale. */
TEST(a_chip_on_a_mesh_divides_its_cache_and_its_periods)
{
    UNUSED_STATE;
    static const char *const sets[] = {"scale=2", "sm.count=6", "dram.channels=4"};
    struct config c;
    struct err err;
    char words[800];
    assert_false(load(&c, "apu46-dvfs", sets, 1, &err));
    err_text(&err, words, sizeof words);
    assert_non_null(strstr(words, "placement has 6 times G, expected 3: one for each SM"));
    assert_true(load(&c, "apu46-dvfs", sets, ARRAY_LEN(sets), &err));
    assert_int_equal(value(&c, "llc.size_bytes"), 4194304);
    assert_int_equal(value(&c, "dvfs.period_ns"), 50000);
    assert_int_equal(value(&c, "dvfs.pll_ns"), 5000);
    assert_int_equal(value(&c, "policy.noc.fvcp.training_cycles"), 100000);
    assert_int_equal(value(&c, "policy.noc.fvcp.interval"), 175000);
    config_fini(&c);
}

TEST(what_is_no_multiple_of_the_scale_is_refused)
{
    UNUSED_STATE;
    static const char *const sets[] = {"scale=8"};
    struct config c;
    struct err err;
    char words[800];
    assert_false(load(&c, "apu46", sets, 1, &err));
    err_text(&err, words, sizeof words);
    assert_non_null(strstr(words, "gpus.gpu.sm.count is 6, expected a multiple of the scale, 8; "
                                  "to keep the value, set it together with the scale"));
    assert_int_equal(err.kind, ERR_INPUT);
}

TEST(a_scale_of_one_changes_nothing)
{
    UNUSED_STATE;
    static const char *const sets[] = {"scale=1"};
    struct config a = {0}, b = {0};
    struct err err;
    assert_true(load(&a, "apu46", NULL, 0, &err));
    assert_true(load(&b, "apu46", sets, 1, &err));
    for (u32 i = 0; i < a.value_count; i++) {
        char x[256], y[256];
        param_value_text(a.values[i].param, a.values[i].field, x, sizeof x);
        param_value_text(b.values[i].param, b.values[i].field, y, sizeof y);
        assert_string_equal(x, y);
    }
    config_fini(&a);
    config_fini(&b);
}

/* A row for a parameter that no chip has would be a mistake. */
TEST(every_row_of_the_table_is_of_some_parameter)
{
    UNUSED_STATE;
    static const char *const chips[] = {"fermi15", "cpu4", "apu46-dvfs"};
    for (const struct scale_row *r = chip_scales; r->path; r++) {
        u32 found = 0;
        for (size_t k = 0; k < ARRAY_LEN(chips); k++) {
            struct config c;
            struct err err;
            assert_true(load(&c, chips[k], NULL, 0, &err));
            for (u32 i = 0; i < c.value_count; i++)
                found += scale_row_is_of(r, c.values[i].path);
            config_fini(&c);
        }
        if (!found)
            fail_msg("no parameter is called %s", r->path);
    }
}

RUN_TESTS(T(ratios_of_what_is_divided_stay), T(what_is_set_beside_the_scale_is_not_divided),
          T(a_chip_on_a_mesh_divides_its_cache_and_its_periods),
          T(what_is_no_multiple_of_the_scale_is_refused), T(a_scale_of_one_changes_nothing),
          T(every_row_of_the_table_is_of_some_parameter))
