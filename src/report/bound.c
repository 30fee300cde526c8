/* The rules of chip/gpu_summary.c, on a result file. */
#include "report/measure.h"

#include <math.h>
#include <stdio.h>

#define DRAM_LIMIT 0.7 /* the share of its peak at which DRAM is taken to be the limit */
#define ISSUE_LIMIT 0.8
#define SHARED_LIMIT 0.5 /* passes per SM cycle */

struct cause {
    const char *label, *words;
};

/* The largest of an array's elements, or NULL when all are zero or absent. */
static const struct cause *largest(const struct result *r, const char *array,
                                   const struct cause *causes)
{
    const struct cause *best = NULL;
    double most = 0;
    for (; causes->label; causes++) {
        char name[128];
        snprintf(name, sizeof name, "%s:%s", array, causes->label);
        double v = result_total(r, name);
        if (v > most) {
            most = v;
            best = causes;
        }
    }
    return best;
}

static const struct cause slots[] = {
    {"fetch", "instruction fetch"},
    {"data_mem", "memory latency: too few independent instructions to hide it"},
    {"data_alu", "arithmetic latency: too few independent instructions to hide it"},
    {"structural_mem", NULL},
    {"structural_alu", "execution units"},
    {"barrier", "barriers"},
    {NULL, NULL},
};
static const struct cause l1_causes[] = {
    {"cache", "sets of the L1 whose lines are all reserved"},
    {"mshr", "MSHRs of the L1: more misses than it can track"},
    {"bp_l2", NULL},
    {NULL, NULL},
};
static const struct cause l2_causes[] = {
    {"bp_icnt", "bandwidth of the reply network: L2 banks wait for it"},
    {"bp_dram", "DRAM: L2 miss queues are full"},
    {"port", "data ports of the L2 banks"},
    {"cache", "sets of the L2 whose lines are all reserved"},
    {"mshr", "MSHRs of the L2"},
    {NULL, NULL},
};

static const char *memory_bound(const struct result *r)
{
    double passes = result_total(r, "sm.shared_passes");
    if (passes > SHARED_LIMIT * result_total(r, "sm.cycles"))
        return passes > 1.5 * result_total(r, "sm.shared_accesses")
                   ? "bank conflicts of shared memory"
                   : "shared memory throughput";
    const struct cause *l1 = largest(r, "sm.l1.stall", l1_causes);
    if (l1 && l1->words)
        return l1->words;
    const struct cause *l2 = largest(r, "l2.stall", l2_causes);
    return l2 ? l2->words : "bandwidth between L1 and L2";
}

const char *bound_by(const struct result *r, const struct machine *chip)
{
    double all = result_total(r, "sm.scheduler_cycles");
    double no_warp = result_total(r, "sm.scheduler_slots:no_warp");
    double issued = result_total(r, "sm.scheduler_slots:issued");
    if (!chip->is_gpu || isnan(all + no_warp + issued))
        return "";
    double live = all - no_warp;
    if (no_warp > live)
        return "parallelism: most scheduler cycles have no warp";
    double dram = measure_value(measure_find("dram_bytes"), r, chip);
    if (dram > DRAM_LIMIT * chip->peak_dram)
        return "DRAM bandwidth";
    if (issued > ISSUE_LIMIT * (chip->one_issue ? live / chip->schedulers : live))
        return "instruction throughput";
    const struct cause *why = largest(r, "sm.scheduler_slots", slots);
    if (!why)
        return "barriers";
    return why->words ? why->words : memory_bound(r);
}
