/* The rules that name a bound of a CPU program. */
#include "report/why_rules.h"

#include "cpu/rate.h"

#include <math.h>

#define WORTH 1.10 /* a gain below is no reason */
#define HELPS 1.05
#define HALF 0.5

static double gain(const struct why_view *v, const char *id)
{
    double g = why_gain(v->why, v->row, id);
    return isnan(g) ? 1 : g;
}

enum { IDEAL_MEMORY, IDEAL_L1D, IDEAL_L1I, IDEAL_BRANCHES, IDEALS };

/* What a part costs beyond those below it: an L1D that never misses needs no memory either. */
static double cost_of(const struct why_view *v, u32 part)
{
    double memory = gain(v, "perfect");
    switch (part) {
    case IDEAL_MEMORY:
        return memory;
    case IDEAL_L1D:
        return gain(v, "perfect-l1d") / memory;
    case IDEAL_L1I:
        return gain(v, "perfect-l1i");
    default:
        return gain(v, "perfect-branches");
    }
}

/* It costs most, and enough to be a reason. */
static bool ideal_is(const struct why_view *v, u32 part)
{
    for (u32 i = 0; i < IDEALS; i++) {
        if (cost_of(v, i) > cost_of(v, part))
            return false;
    }
    return cost_of(v, part) >= WORTH;
}

/* A rate of instructions per cycle stands for the back end: no slot, window or unit is there. */
static bool has_rate(const struct why_view *v)
{
    const struct config_value *backend = config_find(&v->why->chip, "core.backend");
    return backend && *(const u32 *)backend->field == BACKEND_RATE;
}

static bool is_rate(const struct why_view *v)
{
    return has_rate(v) && why_fact(v, "at_rate") >= 0.8;
}

static bool is_width(const struct why_view *v)
{
    return !has_rate(v) && why_fact(v, "retired") >= 0.8;
}

static bool is_memory(const struct why_view *v)
{
    return ideal_is(v, IDEAL_MEMORY);
}

static bool is_dram_bandwidth(const struct why_view *v)
{
    return is_memory(v) && why_fact(v, "dram_use") >= 0.6;
}

static bool is_mshrs(const struct why_view *v)
{
    return is_memory(v) && gain(v, "mshrs-x4") >= WORTH &&
           gain(v, "mshrs-x4") >= gain(v, "window-x2");
}

static bool is_window(const struct why_view *v)
{
    return is_memory(v) && gain(v, "window-x2") >= WORTH;
}

static bool is_branches(const struct why_view *v)
{
    return ideal_is(v, IDEAL_BRANCHES);
}

static bool is_code(const struct why_view *v)
{
    return ideal_is(v, IDEAL_L1I);
}

static bool is_l1d(const struct why_view *v)
{
    return ideal_is(v, IDEAL_L1D);
}

static bool is_units(const struct why_view *v)
{
    return gain(v, "units-x2") >= HELPS || why_fact(v, "units") >= HALF;
}

static bool is_chains(const struct why_view *v)
{
    return why_fact(v, "execute") + why_fact(v, "l1d") >= HALF;
}

/* clang-format off */
static const struct why_rule rules[] = {
    WHY_RULE("rate", is_rate, "the back end's rate: the front end seldom makes it wait", "at_rate", "ipc") BY_NOTHING,
    WHY_RULE("width", is_width, "width: nearly every slot retires an instruction", "retired", "ipc") BY_NOTHING,
    WHY_RULE("dram-bandwidth", is_dram_bandwidth, "DRAM bandwidth", "dram_use", "dram", "l2_mpki", "miss_latency") BY("dram-x4"),
    WHY_RULE("mshrs", is_mshrs, "MSHRs: too few misses can be under way to hide the latency of memory",
             "dram", "mshr", "l2_mpki", "miss_latency") BY("mshrs-x4"),
    WHY_RULE("window", is_window, "the window: too few instructions in it to hide the latency of memory",
             "dram", "llc", "l2_mpki", "miss_latency") BY("window-x2"),
    WHY_RULE("memory", is_memory, "latency of memory below the private L2: each miss waits for the one before it",
             "dram", "llc", "l2_mpki", "miss_latency", "llc_hits") BY("perfect"),
    WHY_RULE("branches", is_branches, "mispredicted branches", "mispredictions", "branch", "target")
        BY("perfect-branches", "tage"),
    WHY_RULE("code", is_code, "instruction cache misses", "icache", "l1i_mpki", "fetch") BY("perfect-l1i"),
    WHY_RULE("l1d", is_l1d, "L1D misses that the private L2 answers", "l2", "l1d_mpki", "l1d") BY("perfect-l1d"),
    WHY_RULE("units", is_units, "functional units", "units", "ipc") BY("units-x2"),
    WHY_RULE("chains", is_chains, "chains of dependent instructions: too little to do at the same time",
             "execute", "l1d", "ipc") BY_NOTHING,
    WHY_RULE("none-by-rate", has_rate, "nothing in particular", "at_rate", "ipc") BY_NOTHING,
    WHY_RULE("none", why_always, "nothing in particular", "retired", "ipc") BY_NOTHING,
};
/* clang-format on */

static const struct remark_rule remarks[] = {
    {"mispredictions", 10, true, "branches that depend on data could be computed instead"},
    {"l2_mpki", 20, true, "a smaller or better ordered working set would stay in the caches"},
    {"l1i_mpki", 5, true, "the code that is in use does not fit into the L1I"},
    {"tlb", 0.1, true, "larger pages would need fewer translations"},
    {0},
};

const struct why_words why_cpu_words = {
    .rules = rules, .remarks = remarks, .private = "private L2", .ladder = {NULL, NULL, "perfect"}};
