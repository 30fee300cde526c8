#include "power/core_cost.h"

#include <math.h>
#include <stddef.h>

#define TABLE "Milic 2017, table 4.3 (40 nm)"
#define KIB_BITS 8192.0
#define BTB_ENTRY_BITS 96.0
#define STATIC_SHARE 0.5 /* hpc-cores spec 2.4 */

const char *const core_part_names[CORE_PARTS] = {"icache", "predictor", "btb", "rest", "l2"};

/* clang-format off */
const struct core_cost_row core_cost_rows[] = {
    {PART_ICACHE, 16 * KIB_BITS, 0.14, 0.049, 0.25, "I-cache, 16 KiB in lines of 128 bytes", TABLE},
    {PART_ICACHE, 32 * KIB_BITS, 0.31, 0.075, 0.25, "I-cache, 32 KiB in lines of 64 bytes", TABLE},
    {PART_PREDICTOR, 11264 + 4096, 0.04, 0.011, 0.1, "tournament of 2 KB with 64 loops", TABLE},
    {PART_PREDICTOR, 131072, 0.14, 0.032, 0.1, "tournament of 16 KB", TABLE},
    {PART_BTB, 256 * BTB_ENTRY_BITS, 0.022, 0.002, 0.08, "branch target buffer, 256 entries", TABLE},
    {PART_BTB, 2048 * BTB_ENTRY_BITS, 0.125, 0.017, 0.08, "branch target buffer, 2048 entries", TABLE},
    {PART_REST, 0, 1.9115, 0.727, 1, "the rest of the core", TABLE ": 2.49 and 2.11 mm2, 0.85 and 0.79 W less the rows above, between the two"},
    {PART_L2, 256 * KIB_BITS, 1.0, 0.10, 0.01, "private L2, 256 KiB", "power: hpc-cores spec 1.1; area assumed: 2 Mbit of cells of 0.3 um2, of which the array is 60 %"},
    {0},
};

const struct stat_def core_cost_stats[] = {
    S_LEVELS(core_cost_counts, core_um2, core_part_names, CORE_PARTS, "um2", "area of all cores, by part"),
    S_ARRAY(core_cost_counts, static_pj, core_part_names, CORE_PARTS, "pJ", "static power times time, by part"),
    S_ARRAY(core_cost_counts, dynamic_pj, core_part_names, CORE_PARTS, "pJ", "energy of activity, by part"),
    S_LEVEL(core_cost_counts, um2, "um2", "area of all cores, L2 excluded"),
    S_LEVEL(core_cost_counts, um2_with_l2, "um2", "area of all cores, L2 included"),
    S_COUNT(core_cost_counts, pj, "pJ", "energy of all cores, L2 excluded"),
    S_COUNT(core_cost_counts, pj_with_l2, "pJ", "energy of all cores, L2 included"),
    S_COUNT(core_cost_counts, all_static_pj, "pJ", "static energy of all cores, L2 included"),
    S_COUNT(core_cost_counts, all_dynamic_pj, "pJ", "dynamic energy of all cores, L2 included"),
    S_COUNT(core_cost_counts, time_fs, "fs", "simulated time"),
    S_FORMULA(watts, "1000 * pj / time_fs", "W", "average power of all cores, L2 excluded"),
    S_FORMULA(watts_with_l2, "1000 * pj_with_l2 / time_fs", "W", "average power of all cores, L2 included"),
    S_FORMULA(delay_product, "(pj_with_l2 / 1000000000000) * (time_fs / 1000000000000000)", "J s", "energy times time (ED), L2 included"),
    S_LAW(sum, "all_static_pj + all_dynamic_pj == pj_with_l2", "energy is static or by activity"),
    S_END,
};
/* clang-format on */

/* Through the one or two published sizes of a part. */
static double value_at(enum core_part part, double bits, size_t field)
{
    double at[2] = {0}, value[2] = {0};
    u32 count = 0;
    for (const struct core_cost_row *r = core_cost_rows; r->what; r++) {
        if (r->part != part)
            continue;
        at[count] = r->bits;
        value[count++] = *(const double *)(const void *)((const u8 *)r + field);
    }
    if (count == 1) /* in proportion, or of no size */
        return at[0] > 0 ? value[0] * bits / at[0] : value[0];
    double slope = log(value[1] / value[0]) / log(at[1] / at[0]);
    return value[0] * pow(bits / at[0], slope);
}

struct core_cost core_cost_of(const struct core_config *c, u64 predictor_bits)
{
    const double bits[CORE_PARTS] = {
        [PART_ICACHE] = 8 * (double)c->l1i.size_bytes,
        [PART_PREDICTOR] = (double)predictor_bits,
        [PART_BTB] = BTB_ENTRY_BITS * c->branch.btb_entries,
        [PART_L2] = 8 * (double)c->l2.size_bytes,
    };
    struct core_cost out;
    for (u32 p = 0; p < CORE_PARTS; p++) {
        out.mm2[p] = value_at((enum core_part)p, bits[p], offsetof(struct core_cost_row, mm2));
        out.watts[p] = value_at((enum core_part)p, bits[p], offsetof(struct core_cost_row, watts));
    }
    return out;
}

double core_cost_sum(const double of[CORE_PARTS], bool with_l2)
{
    double sum = 0;
    for (u32 p = 0; p < (with_l2 ? CORE_PARTS : CORE_OWN_PARTS); p++)
        sum += of[p];
    return sum;
}

static double nominal_events(enum core_part part)
{
    const struct core_cost_row *r = core_cost_rows;
    while (r->part != part)
        r++;
    return r->events;
}

/* What each part of a core did. */
static void events_of(const struct core *k, double events[CORE_PARTS])
{
    events[PART_ICACHE] = (double)k->caches.l1i.counts.accesses;
    events[PART_PREDICTOR] = (double)k->branch.counts.conditional;
    events[PART_BTB] = (double)k->branch.counts.btb_lookups;
    events[PART_REST] = (double)k->counts.instructions;
    events[PART_L2] = (double)k->caches.l2.counts.accesses;
}

static void count_core(const struct core *k, u64 time_fs, double clock_hz,
                       struct core_cost_counts *out)
{
    struct core_cost cost = core_cost_of(k->config, k->branch.counts.storage_bits);
    double events[CORE_PARTS], seconds = (double)time_fs * 1e-15;
    events_of(k, events);
    for (u32 p = 0; p < CORE_PARTS; p++) {
        double watts = cost.watts[p];
        double busy_seconds = events[p] / nominal_events((enum core_part)p) / clock_hz;
        out->core_um2[p] += (u64)llround(cost.mm2[p] * 1e6);
        out->static_pj[p] += (u64)llround(STATIC_SHARE * watts * seconds * 1e12);
        out->dynamic_pj[p] += (u64)llround((1 - STATIC_SHARE) * watts * busy_seconds * 1e12);
    }
}

void core_cost_count(const struct cpu_cluster *c, u64 time_fs, struct core_cost_counts *out)
{
    *out = (struct core_cost_counts){.time_fs = time_fs};
    for (u32 i = 0; i < c->config->count; i++)
        count_core(&c->cores[i], time_fs, (double)c->config->clock_hz, out);
    for (u32 p = 0; p < CORE_PARTS; p++) {
        u64 pj = out->static_pj[p] + out->dynamic_pj[p];
        out->all_static_pj += out->static_pj[p];
        out->all_dynamic_pj += out->dynamic_pj[p];
        out->pj_with_l2 += pj;
        out->um2_with_l2 += out->core_um2[p];
        out->pj += p < CORE_OWN_PARTS ? pj : 0;
        out->um2 += p < CORE_OWN_PARTS ? out->core_um2[p] : 0;
    }
}
