#include "views/cpu_measures.h"

#include "cpu/chip_config.h"
#include "cpu/core.h"

/* clang-format off */
#define CAPACITIES(X) \
    X(cores,        "cores",              "of the chip") \
    X(lanes,        "slots",              "retirement slots per cycle of all cores; each is charged with every cycle") \
    X(clock_hz,     "Hz",                 "of the cores") \
    X(thousand,     "",                   "scale of misses per thousand instructions") \
    X(line_bytes,   "bytes",              "of a line") \
    X(dram_bytes_per_cycle, "bytes",      "moved by the data pins per core cycle") \
    X(peak_retire,  "instructions/cycle", "peak of all cores") \
    X(peak_dram,    "bytes/s",            "of the data pins")

#define CAPACITY_ROW(id, u, text) {#id, u, text},
const struct capacity cpu_capacities[] = {CAPACITIES(CAPACITY_ROW){0}};
#define CAPACITY_ID(id, u, text) CAP_##id,
enum { CAPACITIES(CAPACITY_ID) CAPACITY_COUNT };
_Static_assert(CAPACITY_COUNT <= MOST_CAPACITIES, "MOST_CAPACITIES");
/* clang-format on */

void cpu_capacity_values(const void *config, double *out)
{
    const struct cpu_config *c = config;
    struct dram_timing dram;
    dram_resolve(&c->dram, &dram);
    out[CAP_cores] = c->core.count;
    out[CAP_lanes] = (double)c->core.count * c->core.window.retire_width;
    out[CAP_clock_hz] = (double)c->core.clock_hz;
    out[CAP_thousand] = 1000;
    out[CAP_line_bytes] = c->line_bytes;
    out[CAP_dram_bytes_per_cycle] = dram_peak_bytes_per_second(&dram) / (double)c->core.clock_hz;
    out[CAP_peak_retire] = out[CAP_lanes];
    out[CAP_peak_dram] = dram_peak_bytes_per_second(&dram);
}

/* A back end by rate has no slots: they are those of cycles that were charged as a whole. "": no
 * cycle is. */
static const char *const rate_meanings[CORE_SLOTS] = {
    [CORE_RETIRED] = "the back end worked at its rate",
    [CORE_BRANCH] = "after a mispredicted branch, or a target that was known late",
    [CORE_TARGET] = "",
    [CORE_ICACHE] = "an I-cache miss was outstanding",
    [CORE_FETCH] =
        "the front end delivered too few instructions, or a line waited for an instruction "
        "bus",
    [CORE_EXECUTE] = "",
    [CORE_UNITS] = "",
    [CORE_L1D] = "",
    [CORE_L2] = "",
    [CORE_LLC] = "",
    [CORE_DRAM] = "",
    [CORE_TLB] = "",
    [CORE_MSHR] = "",
    [CORE_STORES] = "",
};

static const struct cycle_stack rate_cycle_stack = {.statistic = "core.slots",
                                                    .field = "slots",
                                                    .lanes = "lanes",
                                                    .words = "cycles of cores",
                                                    .causes = core_slot_names,
                                                    .meanings = rate_meanings,
                                                    .count = CORE_SLOTS};

const struct cycle_stack cpu_cycle_stack = {.statistic = "core.slots",
                                            .field = "slots",
                                            .lanes = "lanes",
                                            .words = "retirement slots",
                                            .causes = core_slot_names,
                                            .meanings = core_slot_meanings,
                                            .count = CORE_SLOTS,
                                            .when = "core.backend",
                                            .is = "rate",
                                            .then = &rate_cycle_stack};

/* clang-format off */
#define MPKI(id, label, misses) {id, label, "misses/1000", MEASURE_HITS, .over = {misses}, .under = {"core.instructions"}, .over_times = "thousand"}

const struct measure cpu_measures[] = {
    {"ipc", "instructions per cycle of a core with a program", "instructions/cycle", MEASURE_WORK, .over = {"core.instructions"}, .under = {"core.cycles"}},
    MPKI("branch_mpki", "mispredicted branches per thousand instructions", "core.branch.mispredicted"),
    MPKI("l1i_mpki", "L1I misses per thousand instructions", "core.l1i.misses"),
    MPKI("l1d_mpki", "L1D misses per thousand instructions", "core.l1d.misses"),
    MPKI("l2_mpki", "private L2 misses per thousand instructions", "core.l2.misses"),
    MPKI("llc_mpki", "last-level cache misses per thousand instructions", "llc.load_misses"),
    {"l1d_hit_rate", "L1D hit rate", "ratio", MEASURE_HITS, .over = {"core.l1d.hits"}, .under = {"core.l1d.accesses"}},
    {"private_l2_hit_rate", "private L2 hit rate", "ratio", MEASURE_HITS, .over = {"core.l2.hits"}, .under = {"core.l2.accesses"}},
    {"llc_hit_rate", "last-level cache hit rate", "ratio", MEASURE_HITS, .over = {"llc.hits"}, .under = {"llc.accesses"}},
    {"direction_miss_rate", "conditional branches with a mispredicted direction", "ratio", MEASURE_HITS, .over = {"core.branch.direction_misses"}, .under = {"core.branch.conditional"}},
    {"btb_miss_rate", "taken branches with an unknown target", "ratio", MEASURE_HITS, .over = {"core.branch.btb_misses"}, .under = {"core.branch.btb_lookups"}},
    {"row_hit_rate", "DRAM row hits", "ratio", MEASURE_HITS, .over = {"dram.row_hits"}, .under = {"dram.served"}},

    {"memory_latency", "latency of a private L2 miss", "cycles", MEASURE_LATENCY, .over = {"core.l2.latency_cycles"}, .under = {"core.l2.answered"}},
    {"llc_hit_latency", "latency of a private L2 miss that hits in the last-level cache", "cycles", MEASURE_LATENCY, .over = {"core.l2.llc_hit_latency_cycles"}, .under = {"core.l2.llc_hits"}},

    {"llc_queue_full", "access queues of the last-level cache full, when in use", "ratio", MEASURE_QUEUES, .over = {"llc.access_queue:full"}, .under = {"llc.access_queue:*"}},
    {"dram_queue_full", "DRAM queues full, when in use", "ratio", MEASURE_QUEUES, .over = {"dram.queue_occupancy:full"}, .under = {"dram.queue_occupancy:*"}},

    {"retire", "instructions retired", "instructions/cycle", MEASURE_BANDWIDTH, .over = {"core.instructions"}, .under = {"@cycles"}, .peak = "peak_retire"},
    {"dram_bytes", "DRAM", "bytes/s", MEASURE_BANDWIDTH, .over = {"dram.bytes_read", "dram.bytes_written"}, .under = {"@seconds"}, .peak = "peak_dram"},
    {"dram_efficiency", "DRAM bus busy while requests are pending", "ratio", MEASURE_BANDWIDTH, .over = {"dram.bus_busy_cycles"}, .under = {"dram.pending_cycles"}},

    {"instructions", "instructions", "instructions", MEASURE_WORK, .over = {"core.instructions"}},
    {"branches", "branches", "instructions", MEASURE_WORK, .over = {"core.branch.branches"}},
    {"loads", "loads", "accesses", MEASURE_WORK, .over = {"core.loads"}},
    {"stores", "stores", "accesses", MEASURE_WORK, .over = {"core.stores"}},
    {"dram_traffic", "DRAM traffic", "bytes", MEASURE_WORK, .over = {"dram.bytes_read", "dram.bytes_written"}},
    {0},
};

#define SLOT(cause, words) {cause, "of retirement slots: " words, "ratio", MEASURE_WORK, .over = {"slots." cause}, .under = {"slots.*"}}
#define PER_1000(id, label, misses) {id, label " per 1000 instructions", "", MEASURE_HITS, .over = {misses}, .under = {"instructions"}, .over_times = "thousand"}

const struct measure cpu_facts[] = {
    SLOT("retired", "an instruction retired"),
    {"at_rate", "of cycles: the back end got as many instructions as its rate", "ratio", MEASURE_WORK, .over = {"slots.retired"}, .under = {"slots.*"}},
    SLOT("branch", "after a mispredicted branch"),
    SLOT("target", "the target of a taken branch was known late"),
    SLOT("icache", "an L1I miss was outstanding"),
    SLOT("fetch", "the front end delivered too few instructions"),
    SLOT("execute", "the oldest instruction was executing"),
    SLOT("units", "the oldest instruction waited for a unit or to issue"),
    SLOT("l1d", "the oldest waited for data from the L1D or an older store"),
    SLOT("l2", "the oldest waited for data from the private L2"),
    SLOT("llc", "the oldest waited for data from the last-level cache"),
    SLOT("dram", "the oldest waited for data from DRAM"),
    SLOT("tlb", "the oldest waited for address translation"),
    SLOT("mshr", "the oldest waited for an L1D MSHR"),
    SLOT("stores", "the store queue was full"),
    PER_1000("mispredictions", "mispredicted branches", "mispredicted"),
    PER_1000("l1i_mpki", "misses of the L1I", "l1i_misses"),
    PER_1000("l1d_mpki", "misses of the L1D", "l1d_misses"),
    PER_1000("l2_mpki", "misses of the private L2", "l2_misses"),
    {"ipc", "instructions per cycle", "", MEASURE_WORK, .over = {"instructions"}, .under = {"core_cycles"}},
    {"miss_latency", "latency of a private L2 miss", "cycles", MEASURE_LATENCY, .over = {"latency_cycles"}, .under = {"answered"}},
    {"llc_hits", "of those answers came from the last-level cache", "ratio", MEASURE_HITS, .over = {"llc_hits"}, .under = {"answered"}},
    {"dram_use", "of the DRAM's peak bandwidth was used by its reads", "ratio", MEASURE_BANDWIDTH, .over = {"answered", "-llc_hits"}, .over_times = "line_bytes", .under = {"cycles"}, .under_times = "dram_bytes_per_cycle"},
    {0},
};
/* clang-format on */
