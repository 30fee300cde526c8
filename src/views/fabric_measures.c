#include "views/fabric_measures.h"

#include "fabric/tile.h"

/* clang-format off */
#define CAPACITIES(X) \
    X(elements,     "elements",     "of the chip, including those that are off") \
    X(clock_hz,     "Hz",           "of the elements") \
    X(dram_bytes_per_cycle, "bytes", "moved by the data pins per cycle of the elements") \
    X(peak_issue,   "operations/cycle", "peak of all elements") \
    X(peak_dram,    "bytes/s",      "of the data pins")

#define CAPACITY_ROW(id, u, text) {#id, u, text},
const struct capacity fabric_capacities[] = {CAPACITIES(CAPACITY_ROW){0}};
#define CAPACITY_ID(id, u, text) CAP_##id,
enum { CAPACITIES(CAPACITY_ID) CAPACITY_COUNT };
_Static_assert(CAPACITY_COUNT <= MOST_CAPACITIES, "MOST_CAPACITIES");
/* clang-format on */

void fabric_capacity_values(const void *config, double *out)
{
    const struct fabric_config *c = config;
    struct dram_timing dram;
    dram_resolve(&c->dram, &dram);
    out[CAP_elements] = (double)c->tile.count * c->tile.elements;
    out[CAP_clock_hz] = (double)c->tile.clock_hz;
    out[CAP_dram_bytes_per_cycle] = dram_peak_bytes_per_second(&dram) / (double)c->tile.clock_hz;
    out[CAP_peak_issue] = out[CAP_elements];
    out[CAP_peak_dram] = dram_peak_bytes_per_second(&dram);
}

const struct cycle_stack fabric_cycle_stack = {.statistic = "tile.states",
                                               .field = "states",
                                               .lanes = "elements",
                                               .words = "cycles of elements",
                                               .causes = element_state_names,
                                               .meanings = element_state_meanings,
                                               .count = ELEMENT_STATE_COUNT};

/* clang-format off */
const struct measure fabric_measures[] = {
    {"rl1_hit_rate", "first-level hit rate", "ratio", MEASURE_HITS, .over = {"tile.rl1.hits", "tile.rl1.store_allocations"}, .under = {"tile.rl1.accesses"}},
    {"rl2_hit_rate", "second-level hit rate", "ratio", MEASURE_HITS, .over = {"rl2.hits"}, .under = {"rl2.accesses"}},
    {"row_hit_rate", "DRAM row hits", "ratio", MEASURE_HITS, .over = {"dram.row_hits"}, .under = {"dram.served"}},
    {"issue", "operations issued", "operations/cycle", MEASURE_BANDWIDTH, .over = {"tile.operations"}, .under = {"@cycles"}, .peak = "peak_issue"},
    {"dram_bytes", "DRAM", "bytes/s", MEASURE_BANDWIDTH, .over = {"dram.bytes_read", "dram.bytes_written"}, .under = {"@seconds"}, .peak = "peak_dram"},
    {"operations", "operations", "operations", MEASURE_WORK, .over = {"tile.operations"}},
    {"loads", "loads", "accesses", MEASURE_WORK, .over = {"tile.loads"}},
    {"stores", "stores", "accesses", MEASURE_WORK, .over = {"tile.stores"}},
    {"scratchpad", "accesses to scratchpad banks", "accesses", MEASURE_WORK, .over = {"tile.rl1.bank_accesses"}},
    {"gated", "cycles of elements that were off", "ratio", MEASURE_WORK, .over = {"tile.states:gated"}, .under = {"tile.element_cycles"}},
    {"dram_traffic", "DRAM traffic", "bytes", MEASURE_WORK, .over = {"dram.bytes_read", "dram.bytes_written"}},
    {0},
};

#define STATE(cause, words) {cause, "of cycles of elements: " words, "ratio", MEASURE_WORK, .over = {"states." cause}, .under = {"element_cycles"}}
const struct measure fabric_facts[] = {
    STATE("issue", "an operation was issued"),
    STATE("loads", "waited for loads or atomics"),
    STATE("scratchpad", "accesses to a scratchpad"),
    STATE("mshr", "no MSHR was free"),
    STATE("gated", "off"),
    {"dram_use", "of the DRAM's peak bandwidth was used", "ratio", MEASURE_BANDWIDTH, .over = {"dram_read_bytes", "dram_written_bytes"}, .under = {"cycles"}, .under_times = "dram_bytes_per_cycle"},
    {0},
};
/* clang-format on */
