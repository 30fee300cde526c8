/*
 * What a chip file of model `gpu` can say; every field is a row of a table in
 * config.c with its default (the Fermi-class chip of Dublish 2018) and source.
 */
#ifndef GPU_CONFIG_H
#define GPU_CONFIG_H

#include "ccn/config.h"
#include "gpu/energy_config.h"
#include "gpu/observe/regions.h"
#include "source/warp_instruction.h"
#include "memsys/config.h"
#include "memsys/sockets.h"

/* An execution unit: latency until a dependent instruction can issue, and cycles from one
 * warp instruction to the next in one pipe, both by the kind of work (enum op_cost). */
struct unit_config {
    u32 pipes;
    u32 simple_latency, select_latency, multiply_latency, multiply_add_latency, divide_latency;
    u32 simple_interval, select_interval, multiply_interval, multiply_add_interval, divide_interval;
};

struct units_config {
    struct unit_config integer, fp32, fp64, fp16, sfu, tensor;
    u32 wide_latency, wide_interval; /* of COST_WIDE in integer; 0: as a multiply-add */
    bool integer_on_fp32;            /* one set of lanes does both */
    bool fp16_on_fp32;
};

#define MOST_SCHEDULERS 4u /* of an SM */

struct operand_config {
    bool enabled;
    u32 banks, collectors;
};

struct fetch_config {
    u32 width, per_cycle, buffer_entries, cycles;
    u32 instruction_bytes;
    u32 jump_cycles;
    u32 l0_bytes, l0_ways, l0_cycles, l0_line_cycles, l0_ahead; /* gpu/sm/l0_icache.h */
    u32 launch_bytes;
};

/* A small read-only cache: instructions, constants, textures. */
struct ro_cache_config {
    u32 size_bytes, ways, line_bytes;
    u32 hit_cycles, mshrs, merge_limit;
    u32 word_cycles; /* constants: for each different address of a load; 0: any of a line at once */
    u32 word_latency;   /* of each further one */
    u32 prefetch_lines; /* that a miss asks for besides its own */
    bool prefetch_on;   /* and who comes to a line that is there: with fetch.l0_bytes */
};

/* How much of the memory that L1 and shared memory divide is shared memory during a kernel: what
 * its blocks need in units of carve_bytes, or as the H200's driver chooses. */
enum shared_carve { CARVE_UNITS, CARVE_HOPPER };

struct shared_config {
    u32 bytes, unit_bytes, banks, cycles;
    u32 conflict_cycles, atomic_cycles, reserved_bytes, carve_bytes;
    u32 swap_passes, swap_cycles; /* compare-and-swap */
    u32 try_cycles;               /* one in a loop */
    u32 shuffle_cycles;           /* 0: shuffles are integer instructions */
    u32 carve;                    /* enum shared_carve */
    bool joins_lanes;
};

/* The unit of bulk and tensor copies: see gpu/sm/transfers.h. */
struct transfer_config {
    u32 cycles, interval, box_interval, arrival_cycles;
};

/* Warp-group products: see gpu/sm/group_mma.h. */
struct group_config {
    u32 cycles, interval, operand_cycles, operand_bytes;
};

enum l1_allocate { L1_ALLOCATE_ON_MISS, L1_ALLOCATE_ON_FILL };
enum l1_write_hit { L1_WRITE_EVICT, L1_WRITE_UPDATE, L1_WRITE_BACK };
enum l1_write_miss { L1_WRITE_AROUND, L1_WRITE_ALLOCATE };
/* What a miss that takes no line asks for. */
enum l1_bypass_bytes { L1_BYPASS_LINE, L1_BYPASS_COALESCED };

#define L1_STORE_ENTRIES 32u

struct l1_config {
    bool enabled;
    u32 size_bytes, ways;
    bool sectored;
    u32 set_index;
    const char *replacement;
    u32 mshrs, merge_limit, miss_entries;
    u32 hit_cycles, accesses_per_cycle, fills_per_cycle;
    u32 banks, conflict_cycles; /* of the data array; 0: words do not matter, only lines */
    u32 store_passes, store_entries;
    u32 allocate, write_hit, write_miss;
    bool local_write_back, flush_at_kernel_end, flush_at_fence, reuse_oracle;
    bool bypass_hits_touch, bypass_takes_mshr, merge_keeps;
    u32 bypass_bytes;  /* enum l1_bypass_bytes */
    u32 unified_bytes; /* L1 and shared memory together; 0: each has its own */
};

/* What an entry of the load/store unit's buffer is. */
enum lsu_unit { LSU_REQUESTS, LSU_INSTRUCTIONS };

struct lsu_config {
    u32 buffer_entries, pending_instructions;
    u32 buffer_unit; /* enum lsu_unit */
};

/* What an SM executes of a PTX program. */
enum machine_code {
    MACHINE_PTX,     /* each PTX instruction as one of its own */
    MACHINE_LOWERED, /* what ptx/lower makes of them */
};

struct sm_config {
    u32 count;
    u64 clock_hz;
    u32 warps, blocks, registers, register_unit, most_registers, least_registers;
    u32 schedulers, issue_width, issue_interval, lanes;
    bool sub_cores;
    u32 barrier_cycles, barrier_interval, try_wait_cycles, cluster_cycles, remote_cycles,
        branch_cycles, guard_cycles;
    u32 fence_cycles, fence_load_cycles;
    u32 machine_code; /* enum machine_code */
    const char *warp_policy;
    struct fetch_config fetch;
    struct operand_config operands;
    struct units_config units;
    struct lsu_config lsu;
    struct shared_config shared;
    struct transfer_config transfer;
    struct group_config group;
    struct l1_config l1;
    struct ro_cache_config instruction, constant, texture;
    bool texture_in_l1;
    bool block_use, block_phases;
};

/* What a launch finds in the caches. */
enum launch_caches { CACHES_WARM, CACHES_COLD };

struct launch_config {
    u32 cycles, concurrent;
    u32 device_cycles, gpc_sms;
    const char *dispatch;
    double blocks_per_cycle;
    u64 copy_bytes_per_second;
    u32 copy_latency_ns;
    u32 caches; /* enum launch_caches */
};

/* Blocks that are stopped and go on later: what their contexts cost. */
struct context_config {
    u32 most_restarts;
    double bytes_per_cycle;
    bool cacheable;
    u32 victims, victim_wait_us;
    double share;
    bool reduced, compress_in_transit, atomics_clear_block;
    u32 array_entries, register_cache_bytes;
    u32 buffers, buffer_bytes, fabric_bytes_per_cycle, fabric_setup_cycles;
};

struct device_config {
    const char *name;
    const char *compared; /* the folder of silicon/ that the chip was compared with; empty: none */
    u32 compute_capability;
    u64 memory_bytes;
};

struct gpu_config {
    u32 scale; /* that it has been divided by */
    u32 line_bytes;
    struct device_config device;
    struct launch_config launch;
    struct context_config context;
    struct sm_config sm;
    struct ideal_config ideal;
    struct ccn_config ccn;
    struct regions_config regions;
    struct network_config network;
    struct l2_config l2;
    struct dram_config dram;
    struct energy_config energy;
    struct sockets_config sockets;
    const void
        *policies; /* parameters of all policies; NULL: their defaults (models/gpu_model.c) */
};

extern const struct param gpu_params[], device_params[], launch_params[], sm_params[];
param_check gpu_check;

/* The memory system's part of it. */
struct memory_config gpu_memory_config(const struct gpu_config *c);

/* The rows of a unit by enum op_cost. */
u32 unit_latency(const struct unit_config *u, enum op_cost cost);
u32 unit_interval(const struct unit_config *u, enum op_cost cost);
/* The same chip with all that grows with sm.lanes grown: pipes, issue slots, fetches and L1
 * accesses per cycle (bandwidth-and-ccn spec S17). Allocates only if something does. */
const struct gpu_config *gpu_with_lanes(const struct gpu_config *c, struct arena *arena);
/* A copy whose L2 has lent ways to the buffers of shuffled blocks; NULL: it has too few. */
const struct gpu_config *gpu_with_buffers(const struct gpu_config *c, struct arena *arena,
                                          struct err *err);
/* Shared memory that a block takes, with what the machine keeps for itself. */
u64 sm_shared_per_block(const struct sm_config *c, const struct grid_source *g);
/* Warps of a block of this shape that fit on an SM, as blocks; 0: not even one. */
u32 sm_blocks_that_fit(const struct sm_config *c, const struct grid_source *g);
/* Bytes that are shared memory while a kernel has the SM; the rest is L1's. */
u32 shared_carved(const struct sm_config *c, const struct grid_source *grid);

#endif
