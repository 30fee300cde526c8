/* RUN:storage.NAME in a formula: what a warp policy keeps on the chip of a set of runs, by the
 * count of `heddle list storage`. */
#include "policy/warp/storage.h"
#include "study/study.h"

#include <string.h>

static const struct {
    const char *name;
    u32 table;        /* of storage_of */
    bool with_extras; /* what the source leaves out too */
} names[] = {
    {"storage.poise", 0, false},
    {"storage.poise_all", 0, true},
    {"storage.poise_thesis", 1, false},
    {"storage.ccws", 2, false},
};

static const char *const units[] = {"_bits", "_bytes", "_chip_bytes"};

bool study_storage(const struct study *s, const struct study_run *run, const char *name,
                   double *out, struct src_pos at, struct arena *arena, struct err *err)
{
    struct config chip;
    struct storage tables[STORAGE_TABLES];
    const char *known[ARRAY_LEN(names) * ARRAY_LEN(units)];
    u32 count = 0;
    if (!study_load_chip(&chip, s, run, at, arena, err))
        return false;
    const struct gpu_config *gpu = chip.data;
    storage_of(gpu, tables);
    *out = -1;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        double bits = (double)storage_bits(&tables[names[i].table], names[i].with_extras);
        const double values[] = {bits, bits / 8, bits / 8 * gpu->sm.count};
        for (size_t u = 0; u < ARRAY_LEN(units); u++) {
            known[count] = arena_printf(arena, "%s%s", names[i].name, units[u]);
            if (strcmp(known[count++], name) == 0)
                *out = values[u];
        }
    }
    config_fini(&chip);
    return *out >= 0 || err_unknown(err, at, "statistic", name, known, count, NULL);
}
