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
    S_COUNT(core_counts, cycles, "cycles", "cycles in which the core had a program"),
    S_COUNT(core_counts, instructions, "instructions", "instructions retired"),
    S_MEAN(core_counts, ipc, instructions, cycles, "instructions/cycle", "instructions retired per cycle"),
    S_MEAN(core_counts, cpi, cycles, instructions, "cycles/instruction", "cycles per instruction retired"),
    S_ARRAY(core_counts, slots, core_slot_names, CORE_SLOTS, "slots", "retirement slots (the retirement width in each cycle), each charged to one cause"),
    S_COUNT(core_counts, all_slots, "slots", "retirement slots: cycles times the retirement width"),
    S_COUNT(core_counts, charged_slots, "slots", "retirement slots charged to a cause"),
    S_LAW(charges, "charged_slots == all_slots", "every slot is charged once"),
    S_ARRAY(core_counts, classes, cpu_class_names, CPU_CLASS_COUNT, "instructions", "instructions retired, by class"),
    S_COUNT(core_counts, loads, "accesses", "load accesses"),
    S_COUNT(core_counts, stores, "accesses", "store accesses"),
    S_COUNT(core_counts, forwards, "accesses", "load accesses answered by an older store in the queue"),
    S_COUNT(core_counts, fetch_blocks, "blocks", "fetch blocks predicted"),
    S_COUNT(core_counts, fetch_lines, "lines", "lines fetched for blocks"),
    S_COUNT(core_counts, line_buffer_hits, "lines", "lines found in a line buffer, or already on their way to it"),
    S_COUNT(core_counts, programs, "programs", "completed program runs"),
    S_LAW(lines, "line_buffer_hits + l1i.accesses == fetch_lines", "a line comes from a buffer or from the L1I"),
    S_LAW(retirement, "instructions <= all_slots", "no more retire than can"),
    S_END,
};

const struct stat_def private_stats[] = {
    S_COUNT(private_counts, accesses, "requests", "lookups"),
    S_COUNT(private_counts, hits, "requests", "lookups that found the line"),
    S_COUNT(private_counts, misses, "requests", "lookups that took a new MSHR"),
    S_COUNT(private_counts, merges, "requests", "lookups merged with an outstanding line"),
    S_RATIO(private_counts, miss_rate, misses, accesses, "new misses per access"),
    S_COUNT(private_counts, loads, "requests", "lookups for loads of the core"),
    S_COUNT(private_counts, load_misses, "requests", "loads of the core that missed or merged"),
    S_COUNT(private_counts, fills, "lines", "lines filled"),
    S_COUNT(private_counts, evictions, "lines", "lines evicted"),
    S_COUNT(private_counts, writebacks, "lines", "evicted dirty lines written to the level below"),
    S_COUNT(private_counts, writebacks_in, "lines", "dirty lines received from the level above"),
    S_COUNT(private_counts, prefetches, "lines", "lines prefetched"),
    S_COUNT(private_counts, useful_prefetches, "lines", "prefetched lines used after they arrived"),
    S_COUNT(private_counts, late_prefetches, "lines", "prefetched lines requested while on their way"),
    S_COUNT(private_counts, answered, "requests", "requests answered from below the L2"),
    S_COUNT(private_counts, latency_cycles, "cycles", "total cycles from leaving the L2 to the answer"),
    S_MEAN(private_counts, latency, latency_cycles, answered, "cycles", "mean cycles from leaving the L2 to the answer"),
    S_COUNT(private_counts, llc_hits, "requests", "requests answered by a hit in the last-level cache"),
    S_COUNT(private_counts, llc_hit_latency_cycles, "cycles", "total cycles from leaving the L2 to the answer of last-level cache hits"),
    S_LAW(outcome, "hits + misses + merges == accesses", "a lookup ends in one way"),
    S_LAW(use, "useful_prefetches + late_prefetches <= prefetches", "what is used was fetched"),
    S_END,
};

const struct stat_def touched_stats[] = {
    S_COUNT(touched_lines, compulsory, "requests", "L1I misses on lines the L1I had never held"),
    S_END,
};

const struct stat_def program_record_stats[] = {
    S_LEVEL(program_record, number, "programs", "index of the record: programs that ended before it"),
    S_LEVEL(program_record, application, "programs", "index of the program in the mix"),
    S_LEVEL(program_record, first_core, "cores", "index of the first core of the program"),
    S_LEVEL(program_record, cores, "cores", "cores the program ran on"),
    S_LEVEL(program_record, started, "cycle", "core clock cycle in which the program began"),
    S_LEVEL(program_record, ended, "cycle", "core clock cycle in which the program first ended"),
    S_COUNT(program_record, cycles, "cycles", "cycles from start to end of the program"),
    S_COUNT(program_record, core_cycles, "cycles", "total cycles of the program's cores until each had ended"),
    S_COUNT(program_record, instructions, "instructions", "instructions retired"),
    S_ARRAY(program_record, slots, core_slot_names, CORE_SLOTS, "slots", "retirement slots, each charged to one cause"),
    S_COUNT(program_record, branches, "instructions", "branches of all kinds"),
    S_COUNT(program_record, mispredicted, "instructions", "mispredicted branches"),
    S_COUNT(program_record, btb_misses, "instructions", "taken branches not in the branch target buffer"),
    S_COUNT(program_record, l1i_misses, "requests", "L1I misses"),
    S_COUNT(program_record, l1d_accesses, "requests", "L1D accesses"),
    S_COUNT(program_record, l1d_misses, "requests", "L1D misses"),
    S_COUNT(program_record, l2_accesses, "requests", "private L2 accesses"),
    S_COUNT(program_record, l2_misses, "requests", "private L2 misses"),
    S_COUNT(program_record, answered, "requests", "answered from below the private L2"),
    S_COUNT(program_record, latency_cycles, "cycles", "total cycles from leaving the private L2 to the answer"),
    S_COUNT(program_record, llc_hits, "requests", "requests answered by a hit in the last-level cache"),
    S_END,
};

const struct stat_def cpu_cluster_stats[] = {
    S_LEVEL(cpu_cluster, pool_left, "requests", "requests still outstanding"),
    S_LAW(drained, "pool_left == 0", "no request is lost"),
    S_END,
};
/* clang-format on */
