/* RUN:area.NAME in a formula: what the chip of a set of runs costs beyond that of `base`. */
#include "chip/model.h"
#include "power/area.h"
#include "study/study.h"

#include <string.h>

static const char *const names[] = {"area.storage_kib", "area.storage_mm2", "area.wire_mm2",
                                    "area.mm2", "area.die_percent"};

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

bool study_area(const struct study *s, const struct study_run *run, const char *name, double *out,
                struct src_pos at, struct arena *arena, struct err *err)
{
    const struct study_run *base = s->runs;
    while (base < s->runs + s->run_count && strcmp(base->name, "base") != 0)
        base++;
    if (base == s->runs + s->run_count)
        return err_at(err, at, "area is beyond the chip of the runs `base`, expected such a set");
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
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (strcmp(names[i], name) == 0) {
            *out = values[i];
            return true;
        }
    }
    return err_unknown(err, at, "statistic", name, names, ARRAY_LEN(names), NULL);
}
