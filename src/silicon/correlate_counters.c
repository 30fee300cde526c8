/* What is compared: each counter as the GPU's profiler has it, and as the simulator does. */
#include "silicon/correlate.h"

#include <math.h>
#include <string.h>

#define SECTOR 32.0
/* Below these an amount is noise: other traffic of the GPU, instruction and constant caches.
 * Kernels that write nothing are seen to write 0.1 to 0.4 MB to DRAM (silicon/h200/capacity.csv):
 * ten times. */
#define FEW 1000.0
#define FEW_BYTES 4e6

#define SHARE(...) .under = {__VA_ARGS__}

/*
 * busy_cycles  on silicon the cycles in which the busiest SM holds warps; simulated, those behind
 *              the launch
 * occupancy    resident warps in cycles with any, of those that an SM can hold
 * l2_hit       of the sectors that SMs read from L2, those that DRAM did not have to bring. Not
 * what the GPU's own lookups say: an L2 of two halves counts a miss where the other half has the
 * line l2_lookup    the GPU's own: what the other half of the L2 has is a miss in the SM's half
 */
/* clang-format off */
const struct counter correlate_counters[] = {
    {"cycles", "cycles", COUNTER_AMOUNT, 0, 0,
     {.over = {"cycles"}}, {.over = {"cycles"}}},
    {"busy_cycles", "cycles without the launch", COUNTER_AMOUNT, 0, 0,
     {.over = {"active_cycles_max"}}, {.over = {"cycles", "-@launch_cycles"}}},
    {"warp_instructions", "warp instructions", COUNTER_AMOUNT, -1, 0,
     {.over = {"warp_insts"}}, {.over = {"warp_instructions"}}},
    {"thread_instructions", "thread instructions", COUNTER_AMOUNT, 0, 0,
     {.over = {"thread_insts"}}, {.over = {"thread_instructions"}}},
    {"registers", "registers per thread", COUNTER_AMOUNT, 0, 0,
     {.over = {"registers"}}, {.over = {"registers"}}},
    {"occupancy", "occupancy", COUNTER_PERCENT, 1, 0,
     {.over = {"occupancy_pct"}},
     {.over = {"warp_cycles"}, SHARE("core_slots.*", "-core_slots.no_warp"), .under_times = "warp_slots"}},
    {"load_sectors", "sectors loaded", COUNTER_AMOUNT, -1, FEW,
     {.over = {"ld_sectors"}}, {.over = {"l1_sectors"}}},
    {"l1_hit", "L1 hit rate", COUNTER_PERCENT, 1, 0,
     {.over = {"ld_sector_hits"}, SHARE("ld_sectors")},
     {.over = {"l1_sectors", "-l1_sectors_missed"}, SHARE("l1_sectors")}},
    {"l2_reads", "sectors read from L2", COUNTER_AMOUNT, -1, FEW,
     {.over = {"l2_rd_sectors"}}, {.over = {"l2_read_sectors"}}},
    {"l2_hit", "L2 hit rate", COUNTER_PERCENT, 1, 0,
     {.over = {"l2_rd_sectors", "-@dram_rd_sectors"}, SHARE("l2_rd_sectors")},
     {.over = {"l2_read_sectors", "-l2_read_sectors_missed"}, SHARE("l2_read_sectors")}},
    {"l2_lookup", "L2 lookups that hit", COUNTER_PERCENT, 0, 0,
     {.over = {"l2_rd_hits"}, SHARE("l2_rd_sectors")},
     {.over = {"l2_read_sectors", "-l2_read_sectors_missed", "-l2_read_sectors_across"}, SHARE("l2_read_sectors")}},
    {"dram_bytes", "DRAM bytes", COUNTER_AMOUNT, -1, FEW_BYTES,
     {.over = {"dram_rd_bytes", "dram_wr_bytes"}}, {.over = {"dram_read_bytes", "dram_written_bytes"}}},
    {"dram_read", "DRAM bytes read", COUNTER_AMOUNT, 0, FEW_BYTES,
     {.over = {"dram_rd_bytes"}}, {.over = {"dram_read_bytes"}}},
    {"dram_written", "DRAM bytes written", COUNTER_AMOUNT, 0, FEW_BYTES,
     {.over = {"dram_wr_bytes"}}, {.over = {"dram_written_bytes"}}},
    {"shared_instructions", "shared memory instructions", COUNTER_AMOUNT, 0, FEW,
     {.over = {"shared_ld_insts", "shared_st_insts"}}, {.over = {"shared_accesses"}}},
    {"shared_passes", "shared memory passes", COUNTER_AMOUNT, -1, FEW,
     {.over = {"shared_ld_wavefronts", "shared_st_wavefronts"}}, {.over = {"shared_passes"}}},
    {0},
};
/* clang-format on */
_Static_assert(ARRAY_LEN(correlate_counters) - 1 <= MOST_COUNTERS, "MOST_COUNTERS");

u32 counter_count(void)
{
    return (u32)ARRAY_LEN(correlate_counters) - 1;
}

u32 counter_find(const char *id)
{
    u32 i = 0;
    while (strcmp(correlate_counters[i].id, id) != 0)
        i++;
    return i;
}

/* A share is of at least FEW, in percent. More may come from DRAM than SMs read: 0 then. */
static double side_value(const struct measure *m, const struct measure_source *source)
{
    if (!m->under[0])
        return measure_value(m, source);
    struct measure whole = {.over_times = m->under_times};
    memcpy(whole.over, m->under, sizeof whole.over);
    if (!(measure_value(&whole, source) >= FEW))
        return NAN;
    double share = measure_value(m, source);
    return share < 0 ? 0 : 100 * share;
}

struct silicon_place {
    const struct silicon_table *table;
    const struct silicon_launch *launch;
};

static double silicon_number(const void *context, const char *name)
{
    const struct silicon_place *p = context;
    if (strcmp(name, "@dram_rd_sectors") == 0)
        return silicon_value(p->table, p->launch, "dram_rd_bytes") / SECTOR;
    return silicon_value(p->table, p->launch, name);
}

double counter_on_silicon(const struct counter *c, const struct silicon_table *t,
                          const struct silicon_launch *l)
{
    struct silicon_place p = {t, l};
    return side_value(&c->silicon, &(struct measure_source){silicon_number, &p, NULL});
}

static double simulated_number(const void *context, const char *name)
{
    const struct simulated_launch *l = context;
    if (strcmp(name, "@launch_cycles") == 0)
        return l->launch_cycles;
    return kernel_value(&l->kernel, name);
}

double counter_simulated(const struct counter *c, const struct simulated_launch *l)
{
    static const struct capacity rows[] = {{"warp_slots", "warps", "that an SM holds"}, {0}};
    struct capacities chip = {.rows = rows, .values = {l->warp_slots}};
    return side_value(&c->simulated, &(struct measure_source){simulated_number, l, &chip});
}

double counter_error(const struct counter *c, double silicon, double simulated)
{
    if (isnan(silicon) || isnan(simulated))
        return NAN;
    if (c->kind == COUNTER_PERCENT)
        return simulated - silicon;
    double base = fmax(silicon, c->floor);
    return base > 0 && fmax(silicon, simulated) >= c->floor ? 100 * (simulated - silicon) / base
                                                            : NAN;
}
