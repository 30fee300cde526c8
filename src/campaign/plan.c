#include "campaign/plan.h"

#include "base/map.h"
#include "base/units.h"
#include "run/run.h"
#include "campaign/sha256.h"
#include "campaign/where.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_CANDIDATES 1000000u /* before conditions */

/* One choice of a value on every axis. */
struct combination {
    const struct plan_setting *settings;
    const struct plan_config *config; /* NULL until a run needs it */
};

struct expander {
    struct plan *plan;
    const struct sweep_file *file;
    const struct study_host *host;
    struct arena *arena;
    struct err *err;
    bool record;
    struct plan_workload *workloads;
    u32 combination_count, setting_count, room;
    struct plan_point **points; /* own storage each: recordings are pointed at */
    const struct plan_point **recordings;
    u32 recording_count;
    struct strmap keys;        /* of the points so far */
    struct strmap built;       /* chips that can be built: what their policies depend on */
    struct strmap known_texts; /* values repeat from chip to chip: kept once */
    const char **texts;
    u32 text_count, text_room;
    /* of the chip being expanded */
    const char *chip;
    const char *chip_name;
    struct config base;
    struct combination *combinations;
    const char *const *paths;
};

static const char *keep_text(struct expander *e, const char *s)
{
    u32 i;
    if (strmap_get(&e->known_texts, s, &i))
        return e->texts[i];
    if (e->text_count == e->text_room) {
        e->text_room = e->text_room ? 2 * e->text_room : 256;
        e->texts = xrealloc((void *)(uintptr_t)e->texts, e->text_room * sizeof *e->texts);
    }
    e->texts[e->text_count] = arena_strdup(e->arena, s);
    strmap_put(&e->known_texts, e->texts[e->text_count], e->text_count);
    return e->texts[e->text_count++];
}

/* ---- parameters against the chip's table ---- */

static bool unknown_param(struct expander *e, struct sweep_text name)
{
    const char **names = ARENA_ARRAY(e->arena, const char *, e->base.value_count + 1);
    for (u32 i = 0; i < e->base.value_count; i++)
        names[i] = e->base.values[i].path;
    char noun[128];
    snprintf(noun, sizeof noun, "parameter of chip %s", e->base.name);
    return err_unknown(e->err, name.at, noun, name.text, names, e->base.value_count,
                       "heddle list params");
}

static bool check_param(struct expander *e, const struct sweep_param *p)
{
    union {
        u64 whole;
        double real;
        const char *text;
    } scratch;
    const struct config_value *v = config_find(&e->base, p->name.text);
    if (!v)
        return unknown_param(e, p->name);
    for (u32 i = 0; i < p->value_count; i++) {
        if (!param_set(v->param, &scratch, p->name.text, p->values[i].text, p->values[i].at,
                       e->err))
            return false;
    }
    return true;
}

static bool check_params(struct expander *e)
{
    for (u32 i = 0; i < e->file->set_count; i++) {
        if (!check_param(e, &e->file->set[i]))
            return false;
    }
    for (u32 w = 0; w < e->file->workload_count; w++) {
        for (u32 i = 0; i < e->file->workloads[w].set_count; i++) {
            if (!check_param(e, &e->file->workloads[w].set[i]))
                return false;
        }
    }
    for (u32 a = 0; a < e->file->axis_count; a++) {
        for (u32 i = 0; i < e->file->axes[a].param_count; i++) {
            if (!check_param(e, &e->file->axes[a].params[i]))
                return false;
        }
    }
    return true;
}

/* ---- combinations ---- */

/* A parameter that names a file names it as seen from the sweep file. */
static struct plan_setting setting_of(struct expander *e, const struct sweep_param *p, u32 value,
                                      bool is_swept)
{
    const struct config_value *v = config_find(&e->base, p->name.text);
    const char *text = p->values[value].text;
    if (v && v->param->is_file && text[0]) {
        const char *path = plan_path(text, e->file->path, e->arena);
        text = access(path, R_OK) == 0 ? path : text;
    }
    return (struct plan_setting){p->name.text, text, is_swept};
}

/* The settings of combination `number`: those of the workload, `set`, then the axes, the first of
 * them slowest. */
static const struct plan_setting *settings_of(struct expander *e, const struct sweep_workload *w,
                                              u32 number)
{
    const struct sweep_file *f = e->file;
    u32 count = w->set_count + e->setting_count, rest = number;
    struct plan_setting *s = ARENA_ARRAY(e->arena, struct plan_setting, count + 1);
    for (u32 a = f->axis_count; a-- > 0;) {
        const struct sweep_axis *axis = &f->axes[a];
        u32 value = rest % axis->value_count;
        rest /= axis->value_count;
        for (u32 i = axis->param_count; i-- > 0;)
            s[--count] = setting_of(e, &axis->params[i], value, true);
    }
    for (u32 i = f->set_count; i-- > 0;)
        s[--count] = setting_of(e, &f->set[i], 0, false);
    for (u32 i = w->set_count; i-- > 0;)
        s[--count] = setting_of(e, &w->set[i], 0, false);
    return s;
}

/* What a file says is what matters, not where it lies: its name, and a hash of its content. */
static void file_value_text(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    char hex[SHA256_HEX + 1];
    struct err none = ERR_INIT;
    if (path[0] && access(path, R_OK) == 0 && sha256_file(path, hex, &none))
        snprintf(out, size, "%s %.16s", slash ? slash + 1 : path, hex);
}

static const struct plan_config *keep_config(struct expander *e, const struct config *c)
{
    struct plan_config *kept = ARENA_NEW(e->arena, struct plan_config);
    const char **values = ARENA_ARRAY(e->arena, const char *, c->value_count + 1);
    const char **paths = ARENA_ARRAY(e->arena, const char *, c->value_count + 1);
    u32 count = 0;
    for (u32 i = 0; i < c->value_count; i++) {
        char value[256];
        if (!config_matters(c, &c->values[i]))
            continue;
        param_value_text(c->values[i].param, c->values[i].field, value, sizeof value);
        if (c->values[i].param->is_file)
            file_value_text(*(const char *const *)c->values[i].field, value, sizeof value);
        paths[count] = e->paths[i];
        values[count++] = keep_text(e, value);
    }
    *kept = (struct plan_config){
        .model = c->schema->model, .paths = paths, .values = values, .count = count};
    plan_config_set_id(kept);
    return kept;
}

/* What a policy refuses is known once it is there: it sees the SM or the L2 and its own parameters,
 * so one chip is built for all combinations that have these in common. */
static bool check_build(struct expander *e, const struct config_request *request, struct err *why)
{
    struct run run;
    u32 known;
    const char *parts = request->chip;
    for (u32 i = 0; i < request->set_count; i++) {
        const char *set = request->sets[i];
        if (strncmp(set, "sm.", 3) == 0 || strncmp(set, "l2.", 3) == 0 ||
            strncmp(set, "policy.", 7) == 0)
            parts = arena_printf(e->arena, "%s\n%s", parts, set);
    }
    if (strmap_get(&e->built, parts, &known))
        return true;
    strmap_put(&e->built, parts, 1);
    bool ok = run_open(&run, &(struct run_request){.chip = *request}, why);
    run_close(&run);
    return ok;
}

/* The chip with `count` settings; NULL where they do not make one. */
static const struct plan_config *resolve(struct expander *e, const struct plan_setting *settings,
                                         u32 count)
{
    struct arena scratch = {0};
    const char **sets = ARENA_ARRAY(&scratch, const char *, count + 1);
    for (u32 i = 0; i < count; i++)
        sets[i] = arena_printf(&scratch, "%s=%s", settings[i].name, settings[i].value);
    struct config_request request = {.chip = e->chip,
                                     .folders = e->host->chip_folders,
                                     .sets = sets,
                                     .set_count = count,
                                     .schemas = model_schemas};
    struct config config;
    struct err why = ERR_INIT;
    const struct plan_config *kept = NULL;
    if (config_load(&config, &request, &why)) {
        if (check_build(e, &request, &why))
            kept = keep_config(e, &config);
        config_fini(&config);
    }
    if (!kept) {
        char text[400];
        err_text(&why, text, sizeof text);
        err_at(e->err, (struct src_pos){e->file->path, 0, 0},
               "a combination does not make a chip (`where:` can leave it out): %s", text);
    }
    arena_fini(&scratch);
    return kept;
}

/* ---- conditions ---- */

static struct where_value value_in_condition(const struct expander *e, const struct plan_setting *s)
{
    const struct config_value *v = config_find(&e->base, s->name);
    struct where_value w = {.name = s->name, .text = s->value};
    bool is_number = v && (v->param->type == PARAM_U32 || v->param->type == PARAM_U64 ||
                           v->param->type == PARAM_DOUBLE);
    if (is_number && quantity_double(s->value, v->param->unit, &w.number) == QUANTITY_OK)
        w.text = NULL;
    if (v && v->param->type == PARAM_BOOL)
        w = (struct where_value){.name = s->name, .number = s->value[0] == 't'};
    return w;
}

static bool is_wanted(struct expander *e, const struct plan_setting *settings,
                      const struct plan_workload *w, u64 seed, bool *wanted)
{
    settings += w->as_written->set_count; /* conditions speak of what the file gives */
    struct where_value values[264] = {
        {.name = "chip", .text = e->chip_name},
        {.name = "workload", .text = w->name},
        {.name = "size", .text = w->size},
        {.name = "seed", .number = (double)seed},
    };
    u32 count = 4;
    *wanted = true;
    for (u32 i = 0; e->file->where_count && i < e->setting_count; i++)
        values[count++] = value_in_condition(e, &settings[i]);
    for (u32 i = 0; i < e->file->where_count; i++) {
        bool holds;
        if (!where_holds(e->file->where[i], values, count, &holds, e->err))
            return false;
        *wanted &= holds;
    }
    return true;
}

/* ---- points ---- */

/* Two ways of writing one run are one run. */
static struct plan_point *add_point(struct expander *e, struct plan_point point)
{
    u32 index, kind = point.workload->kind;
    /* what is executed, and not replayed */
    if ((kind == WORKLOAD_BUNDLED || kind == WORKLOAD_PROGRAM) && point.mode == POINT_DIRECT)
        point.sample = e->file->sample;
    point_set_key(e->plan, &point);
    if (strmap_get(&e->keys, point.key, &index))
        return e->points[index];
    if (e->plan->count == MOST_POINTS) {
        err_at(e->err, (struct src_pos){e->file->path, 0, 0},
               "the sweep has more than %u runs, expected fewer", MOST_POINTS);
        return NULL;
    }
    if (e->plan->count == e->room) {
        e->room = e->room ? 2 * e->room : 64;
        e->points = xrealloc(e->points, e->room * sizeof *e->points);
    }
    struct plan_point *kept = ARENA_NEW(e->arena, struct plan_point);
    *kept = point;
    strmap_put(&e->keys, kept->key, e->plan->count);
    e->points[e->plan->count++] = kept;
    return kept;
}

static bool can_record(const struct plan_workload *w)
{
    return w->kind == WORKLOAD_BUNDLED || w->kind == WORKLOAD_PROGRAM;
}

/* The run that the others replay: on the first chip, with what `set` says. */
static const struct plan_point *recording_of(struct expander *e, const struct plan_workload *w,
                                             u64 seed)
{
    for (u32 i = 0; i < e->recording_count; i++) {
        if (e->recordings[i]->workload == w && e->recordings[i]->seed == seed)
            return e->recordings[i];
    }
    const struct plan_setting *settings = settings_of(e, w->as_written, 0);
    u32 count = w->as_written->set_count + e->file->set_count;
    const struct plan_config *config = resolve(e, settings, count);
    struct plan_point p = {.mode = POINT_RECORD,
                           .chip = e->chip,
                           .chip_name = e->chip_name,
                           .workload = w,
                           .seed = seed,
                           .settings = settings,
                           .setting_count = count,
                           .config = config};
    const struct plan_point *kept = config ? add_point(e, p) : NULL;
    if (!kept)
        return NULL;
    e->recordings = xrealloc((void *)(uintptr_t)e->recordings,
                             (e->recording_count + 1) * sizeof *e->recordings);
    e->recordings[e->recording_count++] = kept;
    return kept;
}

/* Its programs find the SMs that they name. */
static bool place_mix(struct expander *e, const struct plan_point *p)
{
    struct arena scratch = {0};
    struct config config = {0};
    struct config_request request = point_chip(p, e->host->chip_folders, &scratch);
    request.schemas = model_schemas;
    bool ok = config_load(&config, &request, e->err) &&
              mix_place(p->workload->mix, model_of(config.schema), &config, &scratch, e->err);
    config_fini(&config);
    arena_fini(&scratch);
    return ok;
}

static bool expand_one(struct expander *e, u32 number, const struct plan_workload *w, u64 seed)
{
    struct combination *c = &e->combinations[number];
    u32 count = w->as_written->set_count + e->setting_count;
    bool wanted;
    if (!c->settings)
        c->settings = settings_of(e, w->as_written, number);
    if (!is_wanted(e, c->settings, w, seed, &wanted) || !wanted)
        return e->err->kind == ERR_NONE;
    if (!c->config && !(c->config = resolve(e, c->settings, count)))
        return false;
    struct plan_point p = {.chip = e->chip,
                           .chip_name = e->chip_name,
                           .workload = w,
                           .seed = seed,
                           .settings = c->settings,
                           .setting_count = count,
                           .config = c->config};
    if (w->mix && !place_mix(e, &p))
        return false;
    if (e->record && can_record(w)) {
        p.mode = POINT_REPLAY;
        p.recording = recording_of(e, w, seed);
        if (!p.recording)
            return false;
    }
    return add_point(e, p) != NULL;
}

static bool expand_workload(struct expander *e, const struct plan_workload *w)
{
    const struct sweep_workload *a = w->as_written;
    const u64 *seeds = a->has_seed ? &a->seed : e->file->seeds;
    u32 seed_count = a->has_seed ? 1 : e->file->seed_count;
    struct combination *shared = e->combinations;
    if (a->set_count)
        e->combinations = ARENA_ARRAY(e->arena, struct combination, e->combination_count);
    bool ok = true;
    for (u32 c = 0; ok && c < e->combination_count; c++) {
        for (u32 s = 0; ok && s < seed_count; s++)
            ok = expand_one(e, c, w, seeds[s]);
    }
    e->combinations = shared;
    return ok;
}

/* ---- chips ---- */

static bool check_model(struct expander *e, const struct plan_workload *w)
{
    const struct model *model = model_of(e->base.schema);
    bool fits = model && model->runs_programs && w->kind != WORKLOAD_MODEL &&
                (w->kind == WORKLOAD_MIX || (w->kind == WORKLOAD_CPU) == model->runs_cpu_traces);
    for (const struct model_workload *own = model ? model->workloads : NULL; own && own->name;
         own++)
        fits |= w->kind == WORKLOAD_MODEL && strcmp(own->name, w->path) == 0;
    return fits || err_at(e->err, w->as_written->name.at,
                          "workload %s does not run on chip %s, which is of model %s",
                          w->as_written->name.text, e->base.name, e->base.schema->model);
}

static bool open_chip(struct expander *e, struct sweep_text chip)
{
    size_t n = strlen(chip.text);
    bool is_file = strchr(chip.text, '/') || (n > 5 && strcmp(chip.text + n - 5, ".yaml") == 0);
    e->chip = is_file ? plan_path(chip.text, e->file->path, e->arena) : chip.text;
    if (is_file && !strchr(e->chip, '/'))
        e->chip = arena_printf(e->arena, "./%s", e->chip);
    struct config_request request = {
        .chip = e->chip, .folders = e->host->chip_folders, .schemas = model_schemas};
    struct err why = ERR_INIT;
    if (!config_load(&e->base, &request, &why)) {
        bool is_ours = strcmp(why.file, "--chip") == 0;
        *e->err = why;
        if (is_ours) { /* the name is unknown: say where it was written */
            snprintf(e->err->file, sizeof e->err->file, "%s", chip.at.file);
            e->err->line = chip.at.line;
            e->err->column = chip.at.column;
        }
        return false;
    }
    e->chip_name = arena_strdup(e->arena, e->base.name);
    const char **paths = ARENA_ARRAY(e->arena, const char *, e->base.value_count + 1);
    for (u32 i = 0; i < e->base.value_count; i++)
        paths[i] = keep_text(e, e->base.values[i].path);
    e->paths = paths;
    e->combinations = ARENA_ARRAY(e->arena, struct combination, e->combination_count);
    return true;
}

static bool expand_chip(struct expander *e, struct sweep_text chip)
{
    if (!open_chip(e, chip))
        return false;
    bool ok = check_params(e);
    for (u32 i = 0; ok && i < e->file->workload_count; i++)
        ok = check_model(e, &e->workloads[i]) && expand_workload(e, &e->workloads[i]);
    config_fini(&e->base);
    return ok;
}

static bool count_combinations(struct expander *e)
{
    u64 count = 1, all = (u64)e->file->chip_count * e->file->workload_count * e->file->seed_count;
    e->setting_count = e->file->set_count;
    for (u32 a = 0; a < e->file->axis_count; a++) {
        e->setting_count += e->file->axes[a].param_count;
        count *= e->file->axes[a].value_count;
        if (count * all > MOST_CANDIDATES)
            break;
    }
    e->combination_count = (u32)count;
    return count * all <= MOST_CANDIDATES ||
           err_at(e->err, (struct src_pos){e->file->path, 0, 0},
                  "the sweep has more than %u combinations before conditions, expected fewer",
                  MOST_CANDIDATES);
}

static bool expand(struct expander *e)
{
    const struct sweep_file *f = e->file;
    if (!count_combinations(e))
        return false;
    e->workloads = ARENA_ARRAY(e->arena, struct plan_workload, f->workload_count);
    for (u32 i = 0; i < f->workload_count; i++) {
        struct sweep_workload *w = ARENA_NEW(e->arena, struct sweep_workload);
        *w = f->workloads[i];
        w->threads = (u32)f->threads;
        if (f->sample && (w->launches || w->resume.text))
            return err_at(e->err, w->name.at, "sample and %s are given, expected one of them",
                          w->launches ? "launches" : "resume");
        if (!plan_find_workload(&e->workloads[i], w, f->path, e->host, e->arena, e->err))
            return false;
    }
    for (u32 i = 0; i < f->chip_count; i++) {
        if (!expand_chip(e, f->chips[i]))
            return false;
    }
    return e->plan->count > 0 || err_at(e->err, (struct src_pos){f->path, 0, 0},
                                        "no run is left: the conditions exclude all of them");
}

bool plan_expand(struct plan *plan, const struct sweep_file *file, const struct study_host *host,
                 bool record, struct arena *arena, struct err *err)
{
    struct expander e = {.plan = plan,
                         .file = file,
                         .host = host,
                         .arena = arena,
                         .err = err,
                         .record = record || file->record};
    *plan = (struct plan){.file = file};
    bool ok = !file->sample || !e.record ||
              err_at(err, (struct src_pos){file->path, 0, 0},
                     "sample and record are given, expected one of them: a recording is replayed "
                     "whole");
    ok = ok && expand(&e);
    const struct plan_point **points = ARENA_ARRAY(arena, const struct plan_point *, plan->count);
    assert(e.points || !plan->count);
    for (u32 i = 0; i < plan->count; i++)
        points[i] = e.points[i];
    plan->points = points;
    strmap_fini(&e.keys);
    strmap_fini(&e.built);
    strmap_fini(&e.known_texts);
    free((void *)(uintptr_t)e.texts);
    free((void *)(uintptr_t)e.recordings);
    free(e.points);
    return ok;
}
