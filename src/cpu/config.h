/*
 * A CPU core in a chip file: front end, window, units, load and store queues, private caches,
 * TLBs.
 */
#ifndef CPU_CONFIG_H
#define CPU_CONFIG_H

#include "cpu/branch.h"
#include "cpu/rate.h"

struct core_fetch_config {
    u32 targets, block_bytes; /* of the fetch-target queue */
    u32 line_buffers, lines_per_cycle;
    u32 width, bytes; /* extracted in a cycle */
    u32 queue_entries, decode_cycles;
};

struct core_window_config {
    bool in_order;
    u32 dispatch_width, rob_entries, scheduler_entries, issue_width, retire_width;
};

/* Of one class of instructions (cpu_trace/instruction.h). */
struct unit_row {
    u32 pipes, latency, interval;
};

struct core_units_config {
    struct unit_row alu, mul, div, fp_add, fp_mul, fp_div, fp_fma, simd, load, store, branch,
        system;
};

enum loads_wait { LOADS_WAIT_CONFLICTS, LOADS_WAIT_STORES, LOADS_WAIT_ORDER };

struct lsq_config {
    u32 load_entries, store_entries;
    u32 loads_wait; /* enum loads_wait */
    u32 address_cycles, forward_cycles;
};

struct private_config {
    u64 size_bytes;
    u32 ways, hit_cycles, ports, mshrs;
    u32 set_index;
    const char *replacement, *prefetcher;
    bool perfect;
};

struct tlb_config {
    bool enabled;
    u32 page_bytes;
    u32 entries, ways, l2_entries, l2_ways, l2_cycles, walk_cycles;
};

/* Core 0 where it has a front end of its own: the core of an asymmetric chip that the thread runs
 * on with which a program begins. */
struct first_core_config {
    bool enabled;
    struct branch_config branch; /* its predictor is NAME,PARAMETER=VALUE,... */
    struct private_config l1i;
};

enum icache_network { ICACHE_BUS, ICACHE_CROSSBAR };

/* Of I-caches that several cores share. */
struct sharing_config {
    u32 cores_per_cache; /* 1: each core has its own */
    bool with_first;     /* core 0 takes part too */
    u32 network;         /* enum icache_network */
    u32 buses, bus_bytes, bus_cycles;
};

struct vector_config {
    u32 bits;      /* of a vector; 0: 128, and nothing is modelled of scalable ones */
    u32 registers; /* 0: as many as can be in flight */
    u32 bus_bytes; /* 0: a line */
};

/* The last cores of a cluster, which differ from the others in this. */
struct little_config {
    u32 count;
    u32 width; /* of dispatch, issue and retirement */
    u32 vector_bits;
};

/* When a program that is executed as it runs goes from one core to another. */
struct move_config {
    u32 policy; /* enum move_policy (cpu/mover.h) */
    u64 period_ns, disable_big_ns;
    u32 activity_below, stalls_above; /* percent */
    bool enforced;
};

struct core_config {
    u32 count;
    u64 clock_hz;
    bool openmp;
    bool cost;
    u32 backend; /* enum core_backend */
    struct core_fetch_config fetch;
    struct branch_config branch;
    struct core_window_config window;
    struct core_units_config units;
    struct lsq_config lsq;
    struct private_config l1i, l1d, l2;
    struct tlb_config tlb;
    struct first_core_config first;
    struct rate_config rate;
    struct sharing_config sharing;
    struct vector_config vector;
    struct little_config little;
    struct move_config move;
};

/* Caches that are shared; cores of one of them, and its first core. */
u32 sharing_groups(const struct core_config *c);
u32 sharing_group_cores(const struct core_config *c);
u32 sharing_first_core(const struct core_config *c, u32 group);
/* Cycles that a line takes on a bus. */
u32 sharing_line_cycles(const struct sharing_config *s, u32 line_bytes);
/* Cores, and what else asks the memory system. */
u32 core_agents(const struct core_config *c);

#define CORE_MOST 64u /* cores of a cluster */

extern const struct param core_params[];
bool core_check(const struct core_config *c, u32 line_bytes, const struct config *config,
                struct err *err);

#endif
