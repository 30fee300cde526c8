#include "study/study_names.h"

#include "run/run.h"
#include "run/sampled.h"
#include "stats/output.h"
#include "campaign/ingest_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void study_names_fini(struct study_names *n)
{
    strmap_fini(&n->chips);
    strmap_fini(&n->known);
    free((void *)(uintptr_t)n->names);
}

struct adding {
    struct study_names *names;
    const char *id;
};

static bool add_name(void *context, const char *name, const json_t *value, const json_t *definition)
{
    const struct adding *a = context;
    struct study_names *n = a->names;
    (void)value;
    (void)definition;
    if (n->count == n->room) {
        n->room = n->room ? 2 * n->room : 1024;
        n->names = xrealloc((void *)(uintptr_t)n->names, n->room * sizeof *n->names);
    }
    const char *key = arena_printf(n->arena, "%s %s", a->id, name);
    n->names[n->count++] = key + strlen(a->id) + 1;
    strmap_put(&n->known, key, 1);
    return true;
}

static bool add_chip(struct study_names *n, const struct plan_point *p, struct err *err)
{
    u32 known;
    if (strmap_get(&n->chips, p->config->id, &known))
        return true;
    struct run run;
    struct run_request request = {.chip = point_chip(p, n->study->chip_folders, n->arena)};
    json_t *result = json_object();
    struct adding adding = {n, p->config->id};
    n->count = 0;
    bool ok = run_open(&run, &request, err) && stats_to_json(&run.sim.stats, result, NULL, err) &&
              ingest_each_stat(result, add_name, &adding);
    if (ok)
        strmap_put(&n->chips, p->config->id, 1);
    json_decref(result);
    run_close(&run);
    return ok;
}

/* What the database has of a run of which a part was timed: ingest_each_stat. */
static bool is_estimate(const char *name)
{
    static const char *const parts[] = {".estimate", ".half_width"};
    char total[160];
    if (strcmp(name, "sampling.timed_share") == 0)
        return true;
    const char *dot = strrchr(name, '.');
    if (strncmp(name, "sampling.", 9) != 0 || dot < name + 9 ||
        (size_t)(dot - name) - 9 >= sizeof total)
        return false;
    snprintf(total, sizeof total, "%.*s", (int)(dot - name) - 9, name + 9);
    return sampled_is_total(total) && (strcmp(dot, parts[0]) == 0 || strcmp(dot, parts[1]) == 0);
}

bool study_names_check(struct study_names *n, const struct study_run *run, const char *name,
                       struct src_pos at, struct err *err)
{
    const struct plan *plan = &run->plan;
    u32 found;
    if (plan->count && plan->file->sample)
        return is_estimate(name) ||
               err_at(err, at,
                      "'%s' is not known of a sampled run, expected sampling.TOTAL.estimate or "
                      ".half_width (docs/howto/sampling.md) or sampling.timed_share",
                      name);
    for (u32 i = 0; i < plan->count; i++) {
        const struct plan_point *p = plan->points[i];
        if (!add_chip(n, p, err))
            return false;
        if (strmap_get(&n->known, arena_printf(n->arena, "%s %s", p->config->id, name), &found))
            return true;
    }
    /* a set of the quick variant may have no program, so no chip */
    return !plan->count ||
           err_unknown(err, at, "statistic", name, n->names, n->count, "heddle list stats");
}
