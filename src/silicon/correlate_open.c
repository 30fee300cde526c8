/* Which programs are compared, and the runs that takes. */
#include "silicon/correlate.h"
#include "campaign/sha256.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define QUICK_PER_HALF 6u

const char *const half_names[HALF_COUNT] = {"tune", "test", "both"};

enum correlate_half correlate_half_of(const char *program)
{
    char hex[SHA256_HEX + 1];
    struct sha256 h;
    sha256_init(&h);
    sha256_add(&h, program, strlen(program));
    sha256_end(&h, hex);
    return hex[0] < '8' ? HALF_TUNE : HALF_TEST;
}

/* ---- programs ---- */

/* An executable that was named, or lies in the folder of those; NULL: it is bundled. */
static const char *executable_of(const struct correlate *c, u32 program)
{
    const struct correlate_request *r = &c->request;
    if (r->program)
        return strchr(r->program[0], '/') ? r->program[0]
                                          : arena_printf(c->arena, "./%s", r->program[0]);
    return r->executables
               ? arena_printf(c->arena, "%s/%s", r->executables, c->silicon.programs[program])
               : NULL;
}

static struct sweep_workload workload_of(const struct correlate *c, u32 program)
{
    const struct correlate_request *r = &c->request;
    const char *file = executable_of(c, program);
    struct sweep_workload w = {.name.text = file ? file : c->silicon.programs[program],
                               .is_program = file != NULL,
                               .size = file ? "" : r->size,
                               .launches = r->launches,
                               .bounds = r->bounds};
    if (r->program_words > 1) {
        w.arg_count = r->program_words - 1;
        w.args = ARENA_ARRAY(c->arena, const char *, w.arg_count);
        memcpy(w.args, r->program + 1, w.arg_count * sizeof *w.args);
    }
    return w;
}

static bool check_bundled(const struct correlate *c, u32 program, struct err *err)
{
    const struct silicon_table *t = &c->silicon;
    for (u32 i = 0; i < c->host.bundled_count; i++) {
        if (strcmp(c->host.bundled[i], t->programs[program]) == 0)
            return true;
    }
    return err_unknown(err, (struct src_pos){t->path, t->program_lines[program], 1}, "workload",
                       t->programs[program], c->host.bundled, c->host.bundled_count,
                       "heddle list workloads");
}

static bool choose_named(struct correlate *c, const char *name, struct err *err)
{
    const struct silicon_table *t = &c->silicon;
    u32 i = 0;
    while (i < t->program_count && strcmp(t->programs[i], name) != 0)
        i++;
    if (i == t->program_count)
        return err_unknown(err, (struct src_pos){"--programs", 0, 0}, "program of the table", name,
                           t->programs, t->program_count, t->path);
    for (u32 k = 0; k < c->program_count; k++) {
        if (c->programs[k] == i)
            return true;
    }
    c->programs[c->program_count++] = i;
    return true;
}

/* What there is to execute, for an order; those without a launch that counts come last. */
static double work_of(const struct correlate *c, u32 program)
{
    const struct silicon_table *t = &c->silicon;
    double work = 0;
    bool counts = false;
    for (u32 i = 0; i < t->count; i++) {
        const struct silicon_launch *l = &t->launches[i];
        if (l->program != program)
            continue;
        double cycles = silicon_value(t, l, "cycles"), insts = silicon_value(t, l, "warp_insts");
        work += isnan(insts) ? cycles : insts;
        counts |= cycles > c->request.least_cycles;
    }
    return counts ? work : INFINITY;
}

/* The programs of each half that are soonest run. */
static void keep_quick(struct correlate *c)
{
    double *work = ARENA_ARRAY(c->arena, double, c->program_count);
    u32 kept = 0;
    for (u32 i = 0; i < c->program_count; i++)
        work[i] = work_of(c, c->programs[i]);
    for (u32 i = 0; i < c->program_count; i++) {
        u32 before = 0;
        enum correlate_half half = correlate_half_of(c->silicon.programs[c->programs[i]]);
        for (u32 k = 0; k < c->program_count; k++)
            before += correlate_half_of(c->silicon.programs[c->programs[k]]) == half &&
                      (work[k] < work[i] || (!(work[k] > work[i]) && k < i));
        if (before < QUICK_PER_HALF && isfinite(work[i]))
            c->programs[c->program_count + kept++] = c->programs[i];
    }
    memmove(c->programs, c->programs + c->program_count, kept * sizeof *c->programs);
    c->program_count = kept;
}

bool correlate_open(struct correlate *c, const struct correlate_request *request,
                    const struct study_host *host, struct arena *arena, struct err *err)
{
    *c = (struct correlate){.request = *request, .host = *host, .arena = arena, .seed = 1};
    const char *path =
        request->table ? request->table
                       : arena_printf(arena, "%s/kernels-%s.csv", request->folder, request->size);
    if (!silicon_table_read(&c->silicon, path, request->size, arena, err))
        return false;
    const char *stalls = arena_printf(arena, "%s/stalls-%s.csv", request->folder, request->size);
    if (!request->table && access(stalls, F_OK) == 0 &&
        !silicon_stalls_read(&c->stalls, stalls, arena, err))
        return false;
    if (request->program && c->silicon.program_count > 1)
        return err_at(
            err, (struct src_pos){path, 0, 0},
            "the table has %u programs (%s, %s, ...), one is given; expected --executables and "
            "a folder that has them",
            c->silicon.program_count, c->silicon.programs[0], c->silicon.programs[1]);
    c->programs = ARENA_ARRAY(arena, u32, 2 * c->silicon.program_count);
    for (u32 i = 0; i < request->program_count; i++) {
        if (!choose_named(c, request->programs[i], err))
            return false;
    }
    for (u32 i = 0; !request->program_count && i < c->silicon.program_count; i++)
        c->programs[c->program_count++] = i;
    if (request->quick)
        keep_quick(c);
    for (u32 i = 0; i < c->program_count; i++) {
        if (!executable_of(c, c->programs[i]) && !check_bundled(c, c->programs[i], err))
            return false;
    }
    return true;
}

const char *correlate_workload(const struct correlate *c, u32 program)
{
    return workload_of(c, program).name.text;
}

/* ---- runs ---- */

static bool make_sets(struct sweep_file *f, const char *const *sets, u32 count, struct arena *arena,
                      struct err *err)
{
    f->set = ARENA_ARRAY(arena, struct sweep_param, count + 1);
    for (u32 i = 0; i < count; i++) {
        const char *equals = strchr(sets[i], '=');
        if (!equals)
            return err_found(err, (struct src_pos){0}, "--set", sets[i], "PARAM=VALUE");
        struct sweep_param p = {.value_count = 1,
                                .values = ARENA_NEW(arena, struct sweep_text),
                                .name.text =
                                    arena_printf(arena, "%.*s", (int)(equals - sets[i]), sets[i])};
        p.values->text = equals + 1;
        p.name.at.file = p.values->at.file = "--set";
        u32 k = 0; /* the last one counts */
        while (k < f->set_count && strcmp(f->set[k].name.text, p.name.text) != 0)
            k++;
        f->set[k] = p;
        f->set_count += k == f->set_count;
    }
    return true;
}

bool correlate_plan(const struct correlate *c, enum correlate_half half, const char *const *sets,
                    u32 set_count, struct plan **plan, struct err *err)
{
    struct sweep_file *f = ARENA_NEW(c->arena, struct sweep_file);
    *plan = ARENA_NEW(c->arena, struct plan);
    *f = (struct sweep_file){
        .path = "",
        .name = arena_printf(c->arena, "correlate %s", c->request.name),
        .chips = ARENA_NEW(c->arena, struct sweep_text),
        .chip_count = 1,
        .workloads = ARENA_ARRAY(c->arena, struct sweep_workload, c->program_count + 1),
        .seeds = &c->seed,
        .seed_count = 1,
        .max_cycles = UINT64_MAX,
        .watchdog = UINT64_MAX,
    };
    *f->chips = (struct sweep_text){.text = c->request.chip, .at.file = "--chip"};
    for (u32 i = 0; i < c->program_count; i++) {
        const char *name = c->silicon.programs[c->programs[i]];
        if (half == HALF_BOTH || correlate_half_of(name) == half)
            f->workloads[f->workload_count++] = workload_of(c, c->programs[i]);
    }
    (*plan)->file = f;
    return make_sets(f, sets, set_count, c->arena, err) &&
           (!f->workload_count || plan_expand(*plan, f, &c->host, false, c->arena, err));
}
