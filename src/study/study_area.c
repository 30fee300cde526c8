/* RUN:area.NAME in a formula: what the chip of a set of runs costs beyond that of `base`; of array
 * tables: what they cost by themselves. */
#include "machine/model.h"
#include "power/area.h"
#include "power/context_cost.h"
#include "study/study.h"

#include <string.h>

#define TABLES_MM2 "area.array_tables_mm2"
#define TABLES_W "area.array_tables_w"

static const char *const names[] = {
    "area.storage_kib", "area.storage_mm2", "area.wire_mm2", "area.mm2",
    "area.die_percent", TABLES_MM2,         TABLES_W};

bool study_load_chip(struct config *config, const struct study *s, const struct study_run *run,
                     struct src_pos at, struct arena *arena, struct err *err)
{
    const struct plan_point *p = run->plan.points[0];
    struct config_request request = point_chip(p, s->chip_folders, arena);
    if (!config_load(config, &request, err))
        return false;
    if (config->schema->params == gpu_params)
        return true;
    config_fini(config);
    return err_at(err, at, "%s: chip %s has no area, expected one of model gpu", run->name,
                  p->chip);
}

static bool tables_area(const struct study *s, const struct study_run *run, const char *name,
                        double *out, struct src_pos at, struct arena *arena, struct err *err)
{
    struct config chip;
    if (!study_load_chip(&chip, s, run, at, arena, err))
        return false;
    struct context_cost cost = context_cost(chip.data);
    *out = strcmp(name, TABLES_MM2) == 0 ? cost.tables_mm2 : cost.tables_w;
    config_fini(&chip);
    return true;
}

bool study_area(const struct study *s, const struct study_run *run, const char *name, double *out,
                struct src_pos at, struct arena *arena, struct err *err)
{
    if (strcmp(name, TABLES_MM2) == 0 || strcmp(name, TABLES_W) == 0)
        return tables_area(s, run, name, out, at, arena, err);
    const struct study_run *base = s->runs;
    while (base < s->runs + s->run_count && strcmp(base->name, "base") != 0)
        base++;
    if (base == s->runs + s->run_count)
        return err_at(err, at,
                      "area is relative to the chip of the set of runs `base`, which is missing");
    struct config a, b;
    if (!study_load_chip(&a, s, base, at, arena, err))
        return false;
    if (!study_load_chip(&b, s, run, at, arena, err)) {
        config_fini(&a);
        return false;
    }
    struct area_constants constants;
    struct area area;
    area_constants_initial(&constants);
    area_compare(a.data, b.data, &constants, &area);
    config_fini(&a);
    config_fini(&b);
    const double values[] = {(double)area.storage_bytes / 1024, area.storage_mm2, area.wire_mm2,
                             area.mm2, 100 * area.die_share};
    for (size_t i = 0; i < ARRAY_LEN(values); i++) {
        if (strcmp(names[i], name) == 0) {
            *out = values[i];
            return true;
        }
    }
    return err_unknown(err, at, "statistic", name, names, ARRAY_LEN(names), NULL);
}
