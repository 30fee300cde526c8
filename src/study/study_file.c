/* study.yaml: programs, groups and runs; study_checks.c reads the rest. */
#include "base/map.h"
#include "base/units.h"
#include "study/study_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool study_is_map(struct study_reader *r, const struct yaml_node *n, const char *what)
{
    return n->kind == YAML_MAP ||
           err_found(r->err, n->at, what, yaml_kind_name(n->kind), "a mapping");
}

const char *study_text_under(const struct yaml_node *n, const char *key)
{
    const struct yaml_node *c = yaml_child(n, key);
    return c ? c->text : "";
}

static bool read_line(struct study_reader *r, const struct yaml_node *n, const char **out)
{
    *out = n->text;
    return (n->kind == YAML_SCALAR && n->text[0]) ||
           err_found(r->err, n->at, n->key, yaml_kind_name(n->kind), "one line of text");
}

static bool is_bundled(const struct study_host *host, const char *name)
{
    for (u32 i = 0; i < host->bundled_count; i++) {
        if (strcmp(host->bundled[i], name) == 0)
            return true;
    }
    return false;
}

/* ---- sections: read in any order, worked on once all are known ---- */

static bool read_key(struct study_reader *r, const struct yaml_node *n);

/* `programs: [...]` of quick: of the study's workloads these, with their inputs. */
static bool keep_named(struct study_reader *r, const struct yaml_node *n)
{
    struct sweep_file *f = &r->common;
    struct sweep_text *names;
    u32 count, at;
    if (!sweep_read_texts(n, n->key, &names, &count, r->arena, r->err))
        return false;
    struct sweep_workload *kept = ARENA_ARRAY(r->arena, struct sweep_workload, count + 1);
    for (u32 i = 0; i < count; i++) {
        for (at = 0; at < f->workload_count; at++) {
            if (strcmp(sweep_workload_called(&f->workloads[at]), names[i].text) == 0)
                break;
        }
        if (at == f->workload_count)
            return err_unknown(r->err, names[i].at, "program of the study", names[i].text,
                               r->study->programs, r->study->program_count, NULL);
        kept[i] = f->workloads[at];
    }
    f->workloads = kept;
    f->workload_count = count;
    return true;
}

/* `runs: [...]` of quick: sets of the study. */
static bool check_sets(struct study_reader *r)
{
    const struct yaml_node *runs = r->runs;
    u32 count = runs ? runs->child_count : 0;
    const char **names = ARENA_ARRAY(r->arena, const char *, count + 1);
    for (u32 i = 0; i < count; i++)
        names[i] = runs->children[i].key;
    for (u32 i = 0; i < r->only_count; i++) {
        u32 k = 0;
        while (k < count && (!names[k] || strcmp(names[k], r->only[i].text) != 0))
            k++;
        if (k == count)
            return err_unknown(r->err, r->only[i].at, "set of runs", r->only[i].text, names, count,
                               NULL);
    }
    return true;
}

static bool read_quick(struct study_reader *r, const struct yaml_node *n)
{
    if (!study_is_map(r, n, "quick"))
        return false;
    for (u32 i = 0; i < n->child_count; i++) {
        const struct yaml_node *c = &n->children[i];
        struct sweep_text *only = NULL;
        if (strcmp(c->key, "runs") == 0) {
            if (!sweep_read_texts(c, "runs", &only, &r->only_count, r->arena, r->err))
                return false;
            r->only = only;
        } else if (strcmp(c->key, "programs") == 0) {
            if (!keep_named(r, c))
                return false;
        } else if (strcmp(c->key, "size") != 0 && strcmp(c->key, "workloads") != 0) {
            static const char *const names[] = {"programs", "runs", "size", "workloads"};
            return err_unknown(r->err, c->key_at, "key of quick", c->key, names, ARRAY_LEN(names),
                               NULL);
        } else if (!read_key(r, c)) {
            return false;
        }
    }
    return check_sets(r);
}

/* The variant that is not asked for must be right all the same. */
static bool check_quick(struct study_reader *r, const struct yaml_node *n)
{
    struct study_reader other = *r;
    struct plan_workload found;
    if (!read_quick(&other, n))
        return false;
    for (u32 i = 0; i < other.common.workload_count; i++) {
        struct sweep_workload w = other.common.workloads[i];
        if (!*w.size && !w.is_program && other.size && is_bundled(r->host, w.name.text))
            w.size = other.size;
        if (!plan_find_workload(&found, &w, r->study->path, r->host, r->arena, r->err))
            return false;
    }
    return true;
}

/* `accepted: FILE`: the GPU programs that its mixes may hold, beside study.yaml. */
static bool read_accepted(struct study_reader *r, const struct yaml_node *n)
{
    const char *file;
    struct study_host *host = ARENA_NEW(r->arena, struct study_host);
    *host = *r->host;
    if (!read_line(r, n, &file))
        return false;
    host->accepted = plan_path(file, r->study->path, r->arena);
    r->host = host;
    return access(host->accepted, R_OK) == 0 ||
           err_at(r->err, n->at, "file %s cannot be read", host->accepted);
}

/* `traces: SCRIPT`: what makes the folder of that name beside study.yaml. */
static bool read_traces(struct study_reader *r, const struct yaml_node *n)
{
    const char *script, *path;
    if (!read_line(r, n, &script))
        return false;
    path = plan_path(script, r->study->path, r->arena);
    if (access(path, R_OK) != 0)
        return err_at(r->err, n->at, "file %s cannot be read", path);
    return access(plan_path("traces", r->study->path, r->arena), R_OK) == 0 ||
           err_at(r->err, n->at, "the traces of this study are missing, run `%s` first", path);
}

/* `judged: VALUE`: the programs for which it holds; others are shown and in no mean. */
static bool read_judged(struct study_reader *r, const struct yaml_node *n)
{
    r->study->judged.at = n->at;
    return read_line(r, n, &r->study->judged.text);
}

static bool read_key(struct study_reader *r, const struct yaml_node *n)
{
    const struct {
        const char *name;
        const struct yaml_node **node;
    } sections[] = {{"runs", &r->runs},     {"values", &r->values},     {"groups", &r->groups},
                    {"expect", &r->expect}, {"figures", &r->figures},   {"tables", &r->tables},
                    {"notes", &r->notes},   {"data", &r->data},         {"shown", &r->shown},
                    {"since", &r->since},   {"headline", &r->headline}, {"ordering", &r->ordering}};
    for (size_t i = 0; i < ARRAY_LEN(sections); i++) {
        if (strcmp(sections[i].name, n->key) == 0) {
            *sections[i].node = n;
            return true;
        }
    }
    if (strcmp(n->key, "about") == 0)
        return read_line(r, n, &r->study->about);
    if (strcmp(n->key, "document") == 0)
        return read_line(r, n, &r->study->document);
    if (strcmp(n->key, "size") == 0)
        return read_line(r, n, &r->size);
    if (strcmp(n->key, "accepted") == 0)
        return read_accepted(r, n);
    if (strcmp(n->key, "traces") == 0)
        return read_traces(r, n);
    if (strcmp(n->key, "judged") == 0)
        return read_judged(r, n);
    if (strcmp(n->key, "system") == 0)
        return read_line(r, n, &r->study->system);
    if (strcmp(n->key, "quick") == 0)
        return true; /* last: it comes before what stands beside it */
    static const char *const names[] = {"about",     "document", "headline", "size",   "traces",
                                        "accepted",  "judged",   "shown",    "since",  "quick",
                                        "runs",      "values",   "groups",   "expect", "notes",
                                        "tables",    "data",     "figures",  "system", "ordering",
                                        "workloads", "mixes",    "timeout",  "record", "warm"};
    for (size_t i = ARRAY_LEN(names) - 5; i < ARRAY_LEN(names); i++) {
        if (strcmp(names[i], n->key) == 0)
            return sweep_file_read_key(&r->common, n, r->arena, r->err);
    }
    return err_unknown(r->err, n->key_at, "key of a study", n->key, names, ARRAY_LEN(names),
                       "docs/howto/studies.md");
}

/* ---- programs and groups ---- */

static bool read_programs(struct study_reader *r)
{
    struct sweep_file *f = &r->common;
    const char **names = ARENA_ARRAY(r->arena, const char *, f->workload_count + 1);
    if (!f->workload_count)
        return err_at(r->err, (struct src_pos){r->study->path, 0, 0},
                      "`workloads:` or `mixes:` is missing, expected a list");
    for (u32 i = 0; i < f->workload_count; i++)
        names[i] = sweep_workload_called(&f->workloads[i]);
    r->study->programs = names;
    r->study->program_count = f->workload_count;
    return true;
}

/* Members that a quick variant leaves out are no mistake, so any bundled name will do. */
static bool read_members(struct study_reader *r, const struct yaml_node *n, u8 *members)
{
    struct sweep_text *names;
    u32 count;
    const struct study *s = r->study;
    if (!sweep_read_texts(n, n->key, &names, &count, r->arena, r->err))
        return false;
    for (u32 i = 0; i < count; i++) {
        bool known = is_bundled(r->host, names[i].text);
        for (u32 k = 0; k < s->program_count; k++) {
            if (strcmp(s->programs[k], names[i].text) != 0)
                continue;
            members[k] = 1;
            known = true;
        }
        if (!known)
            return err_unknown(r->err, names[i].at, "program of the study", names[i].text,
                               s->programs, s->program_count, NULL);
    }
    return true;
}

static bool read_groups(struct study_reader *r)
{
    struct study *s = r->study;
    if (!r->groups)
        return true;
    if (!study_is_map(r, r->groups, "groups"))
        return false;
    s->groups = ARENA_ARRAY(r->arena, struct study_group, r->groups->child_count);
    for (u32 i = 0; i < r->groups->child_count; i++) {
        const struct yaml_node *n = &r->groups->children[i];
        u8 *members = ARENA_ARRAY(r->arena, u8, s->program_count);
        if (!read_members(r, n, members))
            return false;
        s->groups[s->group_count++] = (struct study_group){n->key, members};
    }
    return true;
}

/* ---- runs ---- */

static bool is_wanted(const struct study_reader *r, const char *run)
{
    for (u32 i = 0; i < r->only_count; i++) {
        if (strcmp(r->only[i].text, run) == 0)
            return true;
    }
    return r->only_count == 0;
}

/* Which program of the study a workload is; UINT32_MAX: none. */
static u32 program_index(const struct study *s, const char *name)
{
    for (u32 i = 0; i < s->program_count; i++) {
        if (strcmp(s->programs[i], name) == 0)
            return i;
    }
    return UINT32_MAX;
}

/* Every program must have the same points: they are the columns of a table. */
static bool arrange_points(const struct study *s, struct study_run *run, struct src_pos at,
                           struct arena *arena, struct err *err)
{
    const struct plan *plan = &run->plan;
    u32 *have = ARENA_ARRAY(arena, u32, s->program_count + 1);
    u32 timed = 0;
    for (u32 i = 0; i < plan->count; i++)
        timed += plan->points[i]->mode != POINT_RECORD;
    run->points = timed / run->file.workload_count;
    run->by_program =
        ARENA_ARRAY(arena, const struct plan_point *, (size_t)s->program_count * run->points + 1);
    for (u32 i = 0; i < plan->count; i++) {
        const struct plan_point *p = plan->points[i];
        u32 program = program_index(s, sweep_workload_called(p->workload->as_written));
        if (p->mode == POINT_RECORD)
            continue;
        if (program == UINT32_MAX || have[program] == run->points)
            return err_at(err, at, "runs %s: the programs do not all have the same points",
                          run->name);
        run->by_program[program * run->points + have[program]++] = p;
    }
    return true;
}

double study_number(const char *text)
{
    static const char *const units[] = {"", "Hz", "B", "s"};
    double number;
    for (size_t i = 0; i < ARRAY_LEN(units); i++) {
        if (quantity_double(text, units[i], &number) == QUANTITY_OK)
            return number;
    }
    return NAN;
}

/* The points of the first program name the axis: what is swept, or the chip. */
static void name_points(struct study_run *run, struct arena *arena)
{
    const char **labels = ARENA_ARRAY(arena, const char *, run->points);
    double *at = ARENA_ARRAY(arena, double, run->points);
    const struct plan_point **points = run->by_program;
    while (!points[0])
        points += run->points;
    struct text name = {0};
    for (u32 k = 0; k < run->points; k++) {
        struct text label = {0};
        const struct plan_point *p = points[k];
        u32 swept = 0;
        for (u32 i = 0; i < p->setting_count; i++) {
            if (!p->settings[i].is_swept)
                continue;
            text_printf(&label, "%s%s", swept ? " " : "", p->settings[i].value);
            if (k == 0)
                text_printf(&name, "%s%s", swept ? " " : "", p->settings[i].name);
            /* parameters that move together are one axis: its first is where a point lies */
            double where = study_number(p->settings[i].value);
            at[k] = !swept++ ? where : run->file.axis_count == 1 ? at[k] : NAN;
        }
        if (run->file.chip_count > 1 || !swept)
            text_printf(&label, "%s%s", swept ? " " : "", p->chip_name);
        labels[k] = arena_strdup(arena, label.data);
        at[k] = swept ? at[k] : NAN;
        text_fini(&label);
    }
    run->axis = (struct formula_axis){arena_strdup(arena, name.data ? name.data : "chip"), labels,
                                      at, run->points};
    text_fini(&name);
}

bool study_place_points(const struct study *s, struct study_run *run, struct src_pos at,
                        struct arena *arena, struct err *err)
{
    if (!arrange_points(s, run, at, arena, err))
        return false;
    name_points(run, arena);
    return true;
}

/* `programs: GROUP`: the study's workloads that are in it. */
static bool keep_group(struct study_reader *r, struct sweep_file *f, const struct yaml_node *n)
{
    const struct study *s = r->study;
    const char **names = ARENA_ARRAY(r->arena, const char *, s->group_count + 1), *name;
    u32 group = 0, count = 0;
    if (!read_line(r, n, &name))
        return false;
    for (u32 i = 0; i < s->group_count; i++)
        names[i] = s->groups[i].name;
    while (group < s->group_count && strcmp(names[group], name) != 0)
        group++;
    if (group == s->group_count)
        return err_unknown(r->err, n->at, "group of programs", name, names, s->group_count, NULL);
    struct sweep_workload *kept = ARENA_ARRAY(r->arena, struct sweep_workload, f->workload_count);
    for (u32 i = 0; i < f->workload_count; i++) {
        u32 program = program_index(s, sweep_workload_called(&f->workloads[i]));
        if (program != UINT32_MAX && s->groups[group].members[program])
            kept[count++] = f->workloads[i];
    }
    f->workloads = kept;
    f->workload_count = count;
    return true;
}

/* `workloads_of: SET`: those of a set that stands above, with their inputs. */
static bool share_workloads(struct study_reader *r, struct sweep_file *f, const struct yaml_node *n)
{
    const struct study *s = r->study;
    const char **names = ARENA_ARRAY(r->arena, const char *, s->run_count + 1), *name;
    if (!read_line(r, n, &name))
        return false;
    for (u32 i = 0; i < s->run_count; i++) {
        names[i] = s->runs[i].name;
        if (strcmp(names[i], name) == 0) {
            f->workloads = s->runs[i].file.workloads;
            f->workload_count = s->runs[i].file.workload_count;
            return true;
        }
    }
    return err_unknown(r->err, n->at, "set of runs above this one", name, names, s->run_count,
                       NULL);
}

/* Of a group that has no program in the quick variant: nothing to run, nothing measured. */
static void add_empty_run(struct study_reader *r, struct study_run *run)
{
    run->is_left_out = true;
    run->points = 1;
    run->by_program = ARENA_ARRAY(r->arena, const struct plan_point *, r->study->program_count + 1);
    r->study->run_count++;
}

static bool read_run(struct study_reader *r, const struct yaml_node *n)
{
    struct study_run *run = &r->study->runs[r->study->run_count];
    *run = (struct study_run){.name = n->key, .file = r->common};
    run->file.name = n->key;
    run->file.workloads =
        ARENA_ARRAY(r->arena, struct sweep_workload, r->common.workload_count + 1);
    memcpy(run->file.workloads, r->common.workloads,
           r->common.workload_count * sizeof *run->file.workloads);
    if (!study_is_map(r, n, "a set of runs"))
        return false;
    for (u32 i = 0; i < n->child_count; i++) {
        const struct yaml_node *c = &n->children[i];
        bool ok = strcmp(c->key, "programs") == 0 ? keep_group(r, &run->file, c)
                  : strcmp(c->key, "workloads_of") == 0
                      ? share_workloads(r, &run->file, c)
                      : sweep_file_read_key(&run->file, c, r->arena, r->err);
        if (!ok)
            return false;
    }
    for (u32 i = 0; i < run->file.workload_count; i++) {
        struct sweep_workload *w = &run->file.workloads[i];
        if (!*w->size && !w->is_program && r->size && is_bundled(r->host, w->name.text))
            w->size = r->size;
    }
    run->is_left_out = !is_wanted(r, n->key);
    if (r->study->quick && !run->file.workload_count) {
        add_empty_run(r, run);
        return true;
    }
    if (!sweep_file_check(&run->file, n->at, r->arena, r->err) ||
        !plan_expand(&run->plan, &run->file, r->host, false, r->arena, r->err) ||
        !study_place_points(r->study, run, n->at, r->arena, r->err))
        return false;
    r->study->run_count++;
    return true;
}

static bool read_runs(struct study_reader *r)
{
    if (!r->runs)
        return true; /* a study of arithmetic alone */
    if (!study_is_map(r, r->runs, "runs"))
        return false;
    r->study->runs = ARENA_ARRAY(r->arena, struct study_run, r->runs->child_count);
    for (u32 i = 0; i < r->runs->child_count; i++) {
        if (!read_run(r, &r->runs->children[i]))
            return false;
    }
    return true;
}

void study_merge_plans(struct study *s, struct arena *arena)
{
    struct strmap known = {0};
    u32 room = 0, at;
    for (u32 i = 0; i < s->run_count; i++)
        room += s->runs[i].plan.count;
    const struct plan_point **points = ARENA_ARRAY(arena, const struct plan_point *, room + 1);
    s->plan = (struct plan){.file = &s->merged};
    for (u32 i = 0; i < s->run_count; i++) {
        for (u32 k = 0; k < s->runs[i].plan.count && !s->runs[i].is_left_out; k++) {
            const struct plan_point *p = s->runs[i].plan.points[k];
            if (strmap_get(&known, p->key, &at))
                continue;
            strmap_put(&known, p->key, s->plan.count);
            points[s->plan.count++] = p;
        }
    }
    strmap_fini(&known);
    s->plan.points = points;
}

bool study_read(struct study *study, const char *folder, bool quick, const struct study_host *host,
                struct arena *arena, struct err *err)
{
    const char *slash = strrchr(folder, '/');
    *study = (struct study){.name = slash ? slash + 1 : folder,
                            .folder = folder,
                            .path = arena_printf(arena, "%s/study.yaml", folder),
                            .about = "",
                            .document = "",
                            .chip_folders = host->chip_folders,
                            .quick = quick};
    struct study_reader r = {.study = study, .host = host, .arena = arena, .err = err};
    sweep_file_init(&r.common, study->path, study->name, arena);
    struct yaml_node *root = yaml_read_file(arena, study->path, err);
    if (!root || !study_is_map(&r, root, "a study"))
        return false;
    for (u32 i = 0; i < root->child_count; i++) {
        if (!read_key(&r, &root->children[i]))
            return false;
    }
    const struct yaml_node *variant = yaml_child(root, "quick");
    if (quick && !variant)
        return err_at(err, root->at, "the study has no quick variant, expected `quick:`");
    if (!read_programs(&r) || (variant && !(quick ? read_quick : check_quick)(&r, variant)) ||
        !read_groups(&r) || !read_runs(&r) || !study_read_data(&r) || !study_read_checks(&r))
        return false;
    study->host = r.host;
    study->merged = r.common;
    study->merged.name = arena_printf(arena, "study %s%s", study->name, quick ? " --quick" : "");
    study_merge_plans(study, arena);
    return true;
}
