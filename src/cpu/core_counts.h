/* What a core counts, and the causes to which it charges slots of retirement. */
#ifndef CPU_CORE_COUNTS_H
#define CPU_CORE_COUNTS_H

#include "cpu_trace/instruction.h"
#include "stats/def.h"

/* Where the slots of retirement went: each of retire_width in every cycle is charged to one. */
enum core_slot {
    CORE_RETIRED,
    CORE_BRANCH,  /* front end waits for a branch predicted wrong, and fills up again */
    CORE_TARGET,  /* the target of a taken branch was known late */
    CORE_ICACHE,  /* an L1I miss was outstanding */
    CORE_FETCH,   /* the front end otherwise */
    CORE_EXECUTE, /* the oldest instruction works */
    CORE_UNITS,   /* it waits for a unit, or for its turn to issue */
    CORE_L1D,     /* it waits for data: of the L1D or of a store */
    CORE_L2,
    CORE_LLC,
    CORE_DRAM,
    CORE_TLB,
    CORE_MSHR,   /* its access waits for a free MSHR of the L1D */
    CORE_STORES, /* the queue of stores is full */
    CORE_SLOTS,
};
extern const char *const core_slot_names[CORE_SLOTS], *const core_slot_meanings[CORE_SLOTS];

struct core_counts {
    u64 cycles, instructions; /* while a program runs */
    u64 slots[CORE_SLOTS], charged_slots, all_slots;
    u64 classes[CPU_CLASS_COUNT];
    u64 loads, stores, forwards; /* accesses; those answered by a store in the queue */
    u64 fetch_blocks, fetch_lines, line_buffer_hits;
    u64 programs; /* that ended */
};

extern const struct stat_def core_stats[];

#endif
