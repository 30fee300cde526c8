#include "why/why.h"

#include "machine/model.h"
#include "sampling/sample.h"

#include <string.h>

static bool open_chip(struct why *why, const struct config_request *request, struct err *err)
{
    if (!config_load(&why->chip, request, err))
        return false;
    return whatifs_of(&why->chip) ||
           err_at(err, (struct src_pos){0},
                  "chip %s is of model %s, expected one of model gpu or cpu", why->chip.name,
                  why->chip.schema->model);
}

static void choose_variants(struct why *why, const struct config_request *request, bool is_quick)
{
    for (const struct whatif *w = whatifs_of(&why->chip); w->id; w++) {
        struct why_variant *v = &why->variants[why->variant_count];
        if (is_quick && w->kind == WHATIF_CHANGE)
            continue;
        why->variant_count++;
        v->whatif = w;
        v->error = "";
        whatif_settings(w, &why->chip, request, &why->arena, &v->settings);
    }
}

/* Runs are the base, which a recording is, and what changes anything. */
static bool is_point(const struct why *why, u32 variant)
{
    const struct why_variant *v = &why->variants[variant];
    return v->whatif->kind == WHATIF_BASE ? !why->is_replayed : v->settings.count > 0;
}

static const struct whatif_setting *setting_of(const struct why_variant *v, const char *path)
{
    for (u32 i = 0; i < v->settings.count; i++) {
        if (strcmp(v->settings.settings[i].path, path) == 0)
            return &v->settings.settings[i];
    }
    return NULL;
}

/* A parameter that some variant changes: its value in each of them. */
static void add_param(struct why *why, struct sweep_axis *axis, const struct whatif_setting *s)
{
    for (u32 i = 0; i < axis->param_count; i++) {
        if (strcmp(axis->params[i].name.text, s->path) == 0)
            return;
    }
    struct sweep_param *p = &axis->params[axis->param_count++];
    *p = (struct sweep_param){.name.text = s->path,
                              .values = ARENA_ARRAY(&why->arena, struct sweep_text, MOST_WHATIFS)};
    for (u32 i = 0; i < why->variant_count; i++) {
        const struct whatif_setting *own = setting_of(&why->variants[i], s->path);
        if (is_point(why, i))
            p->values[p->value_count++].text = own ? own->value : s->before;
    }
}

static struct sweep_axis *make_axis(struct why *why)
{
    struct sweep_axis *axis = ARENA_NEW(&why->arena, struct sweep_axis);
    axis->params = ARENA_ARRAY(&why->arena, struct sweep_param, MOST_WHATIFS * MOST_WHATIF_CHANGES);
    for (u32 i = 0; i < why->variant_count; i++) {
        axis->value_count += is_point(why, i);
        for (u32 k = 0; k < why->variants[i].settings.count; k++)
            add_param(why, axis, &why->variants[i].settings.settings[k]);
    }
    return axis;
}

static bool make_sets(struct why *why, const struct why_request *r, struct err *err)
{
    struct sweep_file *f = &why->file;
    f->set = ARENA_ARRAY(&why->arena, struct sweep_param, r->set_count + 1);
    for (u32 i = 0; i < r->set_count; i++) {
        const char *equals = strchr(r->sets[i], '=');
        if (!equals)
            return err_found(err, (struct src_pos){0}, "--set", r->sets[i], "PARAM=VALUE");
        struct sweep_param *p = &f->set[f->set_count++];
        p->values = ARENA_NEW(&why->arena, struct sweep_text);
        p->value_count = 1;
        p->name.text = arena_printf(&why->arena, "%.*s", (int)(equals - r->sets[i]), r->sets[i]);
        p->values->text = arena_strdup(&why->arena, equals + 1);
        p->name.at.file = p->values->at.file = "--set";
    }
    return true;
}

/* The same as a sweep file would say. */
static bool make_file(struct why *why, const struct why_request *r, struct err *err)
{
    struct sweep_text *chip = ARENA_NEW(&why->arena, struct sweep_text);
    struct sweep_workload *workload = ARENA_NEW(&why->arena, struct sweep_workload);
    *chip = (struct sweep_text){.text = r->chip};
    *workload = r->workload;
    why->file = (struct sweep_file){
        .path = "",
        .name = arena_printf(&why->arena, "why %s on %s", r->workload.name.text, why->chip.name),
        .chips = chip,
        .chip_count = 1,
        .workloads = workload,
        .workload_count = 1,
        .axes = make_axis(why),
        .axis_count = 1,
        .seeds = &why->seed,
        .seed_count = 1,
        .record = why->is_replayed,
        .sample = r->sample,
        .max_cycles = UINT64_MAX,
        .watchdog = UINT64_MAX,
    };
    return make_sets(why, r, err);
}

/* Points come in the order of the variants, behind the recording. */
static bool match_points(struct why *why, struct err *err)
{
    u32 next = 0;
    for (u32 i = 0; i < why->variant_count; i++) {
        bool is_base = why->variants[i].whatif->kind == WHATIF_BASE;
        if ((is_base || is_point(why, i)) && next < why->plan.count)
            why->variants[i].point = why->plan.points[next++];
    }
    return next == why->plan.count ||
           err_kind(err, ERR_INTERNAL, "two what-ifs of %s lead to the same run", why->chip.name);
}

/* A recording is of what a program does; other workloads are read at every point. */
static bool can_record(const struct why_request *r, const struct study_host *host)
{
    bool is_program = r->workload.is_program;
    for (u32 i = 0; i < host->bundled_count; i++)
        is_program |= strcmp(host->bundled[i], r->workload.name.text) == 0;
    return is_program && !r->execute && !r->sample;
}

bool why_plan(struct why *why, const struct why_request *r, const struct study_host *host,
              struct err *err)
{
    struct sample_options ignored;
    *why = (struct why){
        .seed = r->seed, .is_replayed = can_record(r, host), .is_sampled = r->sample != NULL};
    if (r->sample && !sample_read(&ignored, r->sample, err))
        return false;
    struct config_request request = {.chip = r->chip,
                                     .folders = host->chip_folders,
                                     .sets = r->sets,
                                     .set_count = r->set_count,
                                     .schemas = model_schemas};
    if (!open_chip(why, &request, err))
        return false;
    choose_variants(why, &request, r->is_quick);
    return make_file(why, r, err) &&
           plan_expand(&why->plan, &why->file, host, false, &why->arena, err) &&
           match_points(why, err);
}

void why_fini(struct why *why)
{
    if (why->chip.schema)
        config_fini(&why->chip);
    arena_fini(&why->arena);
    *why = (struct why){0};
}
