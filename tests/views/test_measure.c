/* What the models declare for people: every name in the tables is one that the machine has. */
#include "gpu/bed.h"

#include <math.h>

/* ---- of a run ---- */

static double is_clock(const struct bed *b, const char *name)
{
    for (u32 i = 0; i < b->sim.engine.domain_count; i++) {
        if (strcmp(b->sim.engine.domains[i].name, name) == 0)
            return 1;
    }
    return NAN;
}

static bool has_label(const struct stat_def *d, const char *label)
{
    for (u32 i = 0; i < d->label_count; i++) {
        if (strcmp(d->labels[i], label) == 0)
            return true;
    }
    return strcmp(label, "*") == 0;
}

static double in_tree(const void *context, const char *name)
{
    const struct bed *b = context;
    static const stat_node root = STAT_ROOT;
    char path[128];
    if (strcmp(name, "@cycles") == 0 || strcmp(name, "@seconds") == 0)
        return 1;
    if (strncmp(name, "@cycles.", 8) == 0)
        return is_clock(b, name + 8);
    snprintf(path, sizeof path, "%s", name);
    char *colon = strchr(path, ':');
    if (colon)
        *colon = '\0';
    struct arena scratch = {0};
    struct stat_scope found;
    const struct stat_def *d =
        stats_resolve(&b->sim.stats, (struct stat_scope){&root, 1}, path, &scratch, &found);
    bool good = d && (colon ? has_label(d, colon + 1) : d->kind == STAT_COUNT);
    arena_fini(&scratch);
    return good ? 1 : NAN;
}

/* ---- of a kernel ---- */

struct search {
    const char *name, *label;
    bool found;
};

static void match(void *context, const struct record_field *f)
{
    struct search *s = context;
    bool is_array = f->def->kind == STAT_ARRAY;
    if (strcmp(f->name, s->name) == 0)
        s->found = s->label ? is_array && has_label(f->def, s->label) : !is_array;
}

static double in_record(const void *context, const char *name)
{
    const struct model *model =
        context ? model_of(((const struct bed *)context)->config.schema) : model_named("gpu");
    char field[128];
    snprintf(field, sizeof field, "%s", name);
    char *dot = strchr(field, '.');
    if (dot)
        *dot = '\0';
    struct search s = {.name = field, .label = dot ? dot + 1 : NULL};
    record_visit(model->kernel_record, match, &s);
    return s.found ? 1 : NAN;
}

static void assert_known(const struct measure *list, const struct measure_source *source)
{
    for (const struct measure *m = list; m->id; m++) {
        const char *const *terms[] = {m->over, m->under};
        for (u32 i = 0; i < 2; i++) {
            for (const char *const *t = terms[i]; *t; t++) {
                if (isnan(source->number(source->context, **t == '-' ? *t + 1 : *t)))
                    fail_msg("%s: there is no %s", m->id, *t);
            }
        }
        const char *capacities[] = {m->over_times, m->under_times, m->peak};
        for (u32 i = 0; i < 3; i++) {
            if (capacities[i] && !(capacity_value(source->chip, capacities[i]) > 0))
                fail_msg("%s: the chip has no %s", m->id, capacities[i]);
        }
    }
}

TEST(measures_of_a_gpu_name_statistics_fields_and_capacities_that_are_there)
{
    UNUSED_STATE;
    struct bed b;
    struct capacities chip;
    const struct model *model = model_named("gpu");
    bed_open(&b, "fermi15", NULL);
    capacities_of(model, b.config.data, &chip);
    assert_known(model->measures, &(struct measure_source){in_tree, &b, &chip});
    assert_known(model->facts, &(struct measure_source){in_record, &b, &chip});
    assert_true(in_tree(&b, "sm.scheduler_slots:*") == 1);
    assert_true(capacity_value(&chip, model->stack->lanes) == 15 * 2);
    bed_close(&b);
}

/* A chip of any model, built and no more. */
static void open_any(struct bed *b, const char *chip)
{
    const char *const *folders = testing_chips();
    struct config_request r = {.chip = chip, .folders = folders, .schemas = model_schemas};
    struct err err = ERR_INIT;
    *b = (struct bed){0};
    if (!config_load(&b->config, &r, &err))
        bed_fail(&err);
    engine_init(&b->sim.engine, &b->sim.arena, &(struct engine_options){0});
    stats_init(&b->sim.stats, &b->sim.arena);
    if (!model_of(b->config.schema)->build(&b->sim, b->config.data, "", &err))
        bed_fail(&err);
}

TEST(measures_of_cpu_cores_name_statistics_fields_and_capacities_that_are_there)
{
    UNUSED_STATE;
    struct bed b;
    struct capacities chip;
    const struct model *model = model_named("cpu");
    open_any(&b, "cpu4");
    capacities_of(model, b.config.data, &chip);
    assert_known(model->measures, &(struct measure_source){in_tree, &b, &chip});
    assert_known(model->facts, &(struct measure_source){in_record, &b, &chip});
    assert_true(in_tree(&b, "core.slots:*") == 1);
    assert_true(capacity_value(&chip, model->stack->lanes) == 4 * 4);
    arena_fini(&b.sim.arena);
    config_fini(&b.config);
}

TEST(a_measure_is_a_sum_by_a_sum_times_capacities)
{
    UNUSED_STATE;
    static const struct capacity rows[] = {{"banks", "", ""}, {0}};
    struct capacities chip = {.rows = rows, .values = {4}};
    struct measure_source s = {.number = in_record, .chip = &chip}; /* 1, whatever is there */
    struct measure m = {"x", "x", "ratio", MEASURE_HITS, .over = {"l1_hits", "l1_loads"}};
    assert_true(measure_value(&m, &s) == 2);
    m.under[0] = "cycles";
    m.under_times = "banks";
    assert_true(measure_value(&m, &s) == 0.5);
    m.over[1] = "-l1_loads";
    assert_true(measure_value(&m, &s) == 0);
    m.over_times = "bans";
    assert_true(isnan(measure_value(&m, &s)));
    m.over_times = NULL;
    m.under[0] = "cycels";
    assert_true(isnan(measure_value(&m, &s)));
}

TEST(a_model_without_capacities_has_none)
{
    UNUSED_STATE;
    struct capacities chip;
    capacities_of(model_named("tandem"), NULL, &chip);
    assert_true(isnan(capacity_value(&chip, "sms")));
    assert_null(model_named("tandme"));
}

RUN_TESTS(T(measures_of_a_gpu_name_statistics_fields_and_capacities_that_are_there),
          T(measures_of_cpu_cores_name_statistics_fields_and_capacities_that_are_there),
          T(a_measure_is_a_sum_by_a_sum_times_capacities), T(a_model_without_capacities_has_none))
