/* What a core and its private caches count. */
#include "cpu/cluster.h"

/* clang-format off */
#define SLOTS(X) \
    X(CORE_RETIRED, "retired", "an instruction retired") \
    X(CORE_BRANCH,  "branch",  "after a mispredicted branch") \
    X(CORE_TARGET,  "target",  "the target of a taken branch was known late") \
    X(CORE_ICACHE,  "icache",  "an L1I miss was outstanding") \
    X(CORE_FETCH,   "fetch",   "the front end delivered too few instructions") \
    X(CORE_EXECUTE, "execute", "the oldest instruction was executing") \
    X(CORE_UNITS,   "units",   "the oldest instruction waited for a unit or to issue") \
    X(CORE_L1D,     "l1d",     "the oldest waited for data from the L1D or an older store") \
    X(CORE_L2,      "l2",      "the oldest waited for data from the private L2") \
    X(CORE_LLC,     "llc",     "the oldest waited for data from the last-level cache") \
    X(CORE_DRAM,    "dram",    "the oldest waited for data from DRAM") \
    X(CORE_TLB,     "tlb",     "the oldest, or the front end, waited for the translation of an address") \
    X(CORE_MSHR,    "mshr",    "the oldest waited for an L1D MSHR") \
    X(CORE_STORES,  "stores",  "the store queue was full")

#define SLOT_NAME(id, name, text) [id] = name,
#define SLOT_MEANING(id, name, text) [id] = text,
const char *const core_slot_names[CORE_SLOTS] = {SLOTS(SLOT_NAME)};
const char *const core_slot_meanings[CORE_SLOTS] = {SLOTS(SLOT_MEANING)};

const struct stat_def core_stats[] = {
    S_COUNT(core_counts, cycles, "cycles", "with a program"),
    S_COUNT(core_counts, instructions, "instructions", "retired"),
    S_MEAN(core_counts, ipc, instructions, cycles, "instructions/cycle", "instructions retired per cycle"),
    S_MEAN(core_counts, cpi, cycles, instructions, "cycles/instruction", "cycles per instruction retired"),
    S_ARRAY(core_counts, slots, core_slot_names, CORE_SLOTS, "slots", "of retirement, in each cycle as many as can retire, each charged to one cause"),
    S_COUNT(core_counts, all_slots, "slots", "cycles times the width of retirement"),
    S_COUNT(core_counts, charged_slots, "slots", "that were charged"),
    S_LAW(charges, "charged_slots == all_slots", "every slot is charged once"),
    S_ARRAY(core_counts, classes, cpu_class_names, CPU_CLASS_COUNT, "instructions", "retired, by class"),
    S_COUNT(core_counts, loads, "accesses", "of loads"),
    S_COUNT(core_counts, stores, "accesses", "of stores"),
    S_COUNT(core_counts, forwards, "accesses", "of loads that a store in the queue answered"),
    S_COUNT(core_counts, fetch_blocks, "blocks", "predicted"),
    S_COUNT(core_counts, fetch_lines, "lines", "of blocks that were asked for"),
    S_COUNT(core_counts, line_buffer_hits, "lines", "of those, that a line buffer had or waited for"),
    S_COUNT(core_counts, programs, "programs", "that ended, each time that they did"),
    S_LAW(lines, "line_buffer_hits + l1i.accesses == fetch_lines", "a line comes from a buffer or from the L1I"),
    S_LAW(retirement, "instructions <= all_slots", "no more retire than can"),
    S_END,
};

const struct stat_def private_stats[] = {
    S_COUNT(private_counts, accesses, "requests", "looked up"),
    S_COUNT(private_counts, hits, "requests", "found their line"),
    S_COUNT(private_counts, misses, "requests", "took a new MSHR entry"),
    S_COUNT(private_counts, merges, "requests", "merged with an outstanding line"),
    S_RATIO(private_counts, miss_rate, misses, accesses, "new misses per access"),
    S_COUNT(private_counts, loads, "requests", "of those, loads of the core"),
    S_COUNT(private_counts, load_misses, "requests", "loads of the core that missed or merged"),
    S_COUNT(private_counts, fills, "lines", "that came"),
    S_COUNT(private_counts, evictions, "lines", "given up"),
    S_COUNT(private_counts, writebacks, "lines", "of those, newer than below, and sent there"),
    S_COUNT(private_counts, writebacks_in, "lines", "that the level above sent"),
    S_COUNT(private_counts, prefetches, "lines", "fetched ahead"),
    S_COUNT(private_counts, useful_prefetches, "lines", "of those, used once they were there"),
    S_COUNT(private_counts, late_prefetches, "lines", "of those, asked for while they were on their way"),
    S_COUNT(private_counts, answered, "requests", "answered from below the L2"),
    S_COUNT(private_counts, latency_cycles, "cycles", "from leaving the L2 to the answer, of all of them"),
    S_MEAN(private_counts, latency, latency_cycles, answered, "cycles", "from leaving the L2 to the answer"),
    S_COUNT(private_counts, llc_hits, "requests", "of those, that the last-level cache had"),
    S_COUNT(private_counts, llc_hit_latency_cycles, "cycles", "from leaving the L2 to the answer, of those"),
    S_LAW(outcome, "hits + misses + merges == accesses", "a lookup ends in one way"),
    S_LAW(use, "useful_prefetches + late_prefetches <= prefetches", "what is used was fetched"),
    S_END,
};

const struct stat_def touched_stats[] = {
    S_COUNT(touched_lines, compulsory, "requests", "misses of the L1I on lines that it had never had"),
    S_END,
};

const struct stat_def program_record_stats[] = {
    S_LEVEL(program_record, number, "programs", "that ended before it"),
    S_LEVEL(program_record, application, "programs", "of the mix before it"),
    S_LEVEL(program_record, first_core, "cores", "before its first"),
    S_LEVEL(program_record, cores, "cores", "that it ran on"),
    S_LEVEL(program_record, started, "cycle", "of the cores' clock in which it began"),
    S_LEVEL(program_record, ended, "cycle", "in which it ended for the first time"),
    S_COUNT(program_record, cycles, "cycles", "from its start to its end"),
    S_COUNT(program_record, core_cycles, "cycles", "of its cores until each had ended"),
    S_COUNT(program_record, instructions, "instructions", "retired"),
    S_ARRAY(program_record, slots, core_slot_names, CORE_SLOTS, "slots", "of retirement, each charged to one cause"),
    S_COUNT(program_record, branches, "instructions", "of all kinds"),
    S_COUNT(program_record, mispredicted, "instructions", "mispredicted branches"),
    S_COUNT(program_record, btb_misses, "instructions", "taken branches that the branch target buffer did not have"),
    S_COUNT(program_record, l1i_misses, "requests", "of the L1I"),
    S_COUNT(program_record, l1d_accesses, "requests", "to the L1D"),
    S_COUNT(program_record, l1d_misses, "requests", "of the L1D"),
    S_COUNT(program_record, l2_accesses, "requests", "to the private L2"),
    S_COUNT(program_record, l2_misses, "requests", "of the private L2"),
    S_COUNT(program_record, answered, "requests", "answered from below the private L2"),
    S_COUNT(program_record, latency_cycles, "cycles", "until those answers"),
    S_COUNT(program_record, llc_hits, "requests", "of those, that the last-level cache had"),
    S_END,
};

const struct stat_def cpu_cluster_stats[] = {
    S_LEVEL(cpu_cluster, pool_left, "requests", "that are still somewhere"),
    S_LAW(drained, "pool_left == 0", "no request is lost"),
    S_END,
};
/* clang-format on */
