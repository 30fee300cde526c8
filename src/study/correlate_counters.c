/* What is compared: each counter as the GPU's profiler has it, and as the simulator does. */
#include "study/correlate.h"

#include <math.h>
#include <string.h>

#define SECTOR 32.0
/* Below these an amount is noise: other traffic of the GPU, instruction and constant caches.
 * Kernels that write nothing are seen to write 0.1 to 0.4 MB to DRAM (silicon/h200/capacity.csv):
 * ten times. */
#define FEW 1000.0
#define FEW_BYTES 4e6

double kernel_value(const struct kernel_values *k, const char *column)
{
    for (u32 i = 0; i < k->count; i++) {
        if (strcmp(k->columns[i], column) == 0)
            return k->values[i];
    }
    return NAN;
}

static double share(double part, double whole)
{
    return whole >= FEW ? 100 * part / whole : NAN;
}

/* Counters of one name on each side. */
#define SAME(id, of_silicon, of_simulator)                                                         \
    static double silicon_##id(const struct silicon_table *t, const struct silicon_launch *l)      \
    {                                                                                              \
        return silicon_value(t, l, of_silicon);                                                    \
    }                                                                                              \
    static double simulated_##id(const struct kernel_values *k)                                    \
    {                                                                                              \
        return kernel_value(k, of_simulator);                                                      \
    }

/* The sum of two columns of silicon. */
#define SUM(id, first, second, of_simulator)                                                       \
    static double silicon_##id(const struct silicon_table *t, const struct silicon_launch *l)      \
    {                                                                                              \
        return silicon_value(t, l, first) + silicon_value(t, l, second);                           \
    }                                                                                              \
    static double simulated_##id(const struct kernel_values *k)                                    \
    {                                                                                              \
        return kernel_value(k, of_simulator);                                                      \
    }

SAME(cycles, "cycles", "cycles")
SAME(warp_instructions, "warp_insts", "warp_instructions")
SAME(thread_instructions, "thread_insts", "thread_instructions")
SAME(registers, "registers", "registers")
SAME(load_sectors, "ld_sectors", "l1_sectors")
SAME(l2_reads, "l2_rd_sectors", "l2_read_sectors")
SAME(dram_read, "dram_rd_bytes", "dram_read_bytes")
SAME(dram_written, "dram_wr_bytes", "dram_written_bytes")
SUM(shared_instructions, "shared_ld_insts", "shared_st_insts", "shared_accesses")
SUM(shared_passes, "shared_ld_wavefronts", "shared_st_wavefronts", "shared_passes")

/* On silicon the cycles in which the busiest SM holds warps; simulated, those behind the launch. */
static double silicon_busy_cycles(const struct silicon_table *t, const struct silicon_launch *l)
{
    return silicon_value(t, l, "active_cycles_max");
}

static double simulated_busy_cycles(const struct kernel_values *k)
{
    return kernel_value(k, "cycles") - k->launch_cycles;
}

static double silicon_occupancy(const struct silicon_table *t, const struct silicon_launch *l)
{
    return silicon_value(t, l, "occupancy_pct");
}

/* Resident warps in cycles with any, of those that an SM can hold. */
static double simulated_occupancy(const struct kernel_values *k)
{
    double active = 0;
    char column[64] = "core_slots_";
    size_t prefix = strlen(column);
    for (u32 i = 0; i < SLOT_NO_WARP; i++) {
        memcpy(column + prefix, slot_names[i], strlen(slot_names[i]) + 1);
        active += kernel_value(k, column);
    }
    return 100 * kernel_value(k, "warp_cycles") / (active * k->warp_slots);
}

static double silicon_l1_hit(const struct silicon_table *t, const struct silicon_launch *l)
{
    return share(silicon_value(t, l, "ld_sector_hits"), silicon_value(t, l, "ld_sectors"));
}

static double simulated_l1_hit(const struct kernel_values *k)
{
    double sectors = kernel_value(k, "l1_sectors");
    return share(sectors - kernel_value(k, "l1_sectors_missed"), sectors);
}

/* Of the sectors that SMs read from L2, those that DRAM did not have to bring. Not what the GPU's
 * own lookups say: an L2 of two halves counts a miss where the other half has the line. */
static double silicon_l2_hit(const struct silicon_table *t, const struct silicon_launch *l)
{
    double sectors = silicon_value(t, l, "l2_rd_sectors");
    return share(fmax(0, sectors - silicon_value(t, l, "dram_rd_bytes") / SECTOR), sectors);
}

static double simulated_l2_hit(const struct kernel_values *k)
{
    double sectors = kernel_value(k, "l2_read_sectors");
    return share(sectors - kernel_value(k, "l2_read_sectors_missed"), sectors);
}

static double silicon_l2_lookup(const struct silicon_table *t, const struct silicon_launch *l)
{
    return share(silicon_value(t, l, "l2_rd_hits"), silicon_value(t, l, "l2_rd_sectors"));
}

/* The GPU's own: what the other half of the L2 has is a miss in the SM's half. */
static double simulated_l2_lookup(const struct kernel_values *k)
{
    double sectors = kernel_value(k, "l2_read_sectors");
    return share(sectors - kernel_value(k, "l2_read_sectors_missed") -
                     kernel_value(k, "l2_read_sectors_across"),
                 sectors);
}

static double silicon_dram_bytes(const struct silicon_table *t, const struct silicon_launch *l)
{
    return silicon_dram_read(t, l) + silicon_dram_written(t, l);
}

static double simulated_dram_bytes(const struct kernel_values *k)
{
    return simulated_dram_read(k) + simulated_dram_written(k);
}

#define ROW(id, words, kind, helps, floor)                                                         \
    {                                                                                              \
#id, words, kind, helps, floor, silicon_##id, simulated_##id                               \
    }

/* clang-format off */
const struct counter correlate_counters[] = {
    ROW(cycles, "cycles", COUNTER_AMOUNT, 0, 0),
    ROW(busy_cycles, "cycles without the launch", COUNTER_AMOUNT, 0, 0),
    ROW(warp_instructions, "warp instructions", COUNTER_AMOUNT, -1, 0),
    ROW(thread_instructions, "thread instructions", COUNTER_AMOUNT, 0, 0),
    ROW(registers, "registers per thread", COUNTER_AMOUNT, 0, 0),
    ROW(occupancy, "occupancy", COUNTER_PERCENT, 1, 0),
    ROW(load_sectors, "sectors loaded", COUNTER_AMOUNT, -1, FEW),
    ROW(l1_hit, "L1 hit rate", COUNTER_PERCENT, 1, 0),
    ROW(l2_reads, "sectors read from L2", COUNTER_AMOUNT, -1, FEW),
    ROW(l2_hit, "L2 hit rate", COUNTER_PERCENT, 1, 0),
    ROW(l2_lookup, "L2 lookups that hit", COUNTER_PERCENT, 0, 0),
    ROW(dram_bytes, "DRAM bytes", COUNTER_AMOUNT, -1, FEW_BYTES),
    ROW(dram_read, "DRAM bytes read", COUNTER_AMOUNT, 0, FEW_BYTES),
    ROW(dram_written, "DRAM bytes written", COUNTER_AMOUNT, 0, FEW_BYTES),
    ROW(shared_instructions, "shared memory instructions", COUNTER_AMOUNT, 0, FEW),
    ROW(shared_passes, "shared memory passes", COUNTER_AMOUNT, -1, FEW),
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
