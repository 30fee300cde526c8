#include "gpu/config.h"

#include "base/arena.h"
#include "config/config.h"
#include "gpu/gpu.h"
#include "gpu/sm/warp_policy.h"

static const char *const allocations[] = {"on_miss", "on_fill", NULL};
static const char *const write_hits[] = {"evict", "update", "back", NULL};
static const char *const write_misses[] = {"around", "allocate", NULL};
static const char *const bypass_bytes[] = {"line", "coalesced", NULL};
static const char *const lsu_units[] = {"requests", "instructions", NULL};
static const char *const launch_caches[] = {"warm", "cold", NULL};
static const char *const shared_carves[] = {"units", "hopper", NULL};
static const char *const machine_codes[] = {"ptx", "lowered", NULL};

/* clang-format off */
#define THESIS_3_1 "Dublish 2018, table 3.1"
#define THESIS_3_3 "Dublish 2018, table 3.3"
#define GTX480 "GPGPU-Sim v3.2.2 GTX480"

/* name, pipes, five latencies, five intervals */
#define UNIT_TABLE(name, n, l0, l1, l2, l3, l4, i0, i1, i2, i3, i4, src)                                                          \
    static const struct param name##_params[] = {                                                                                 \
        P_U32(unit_config, pipes, n, 0, 16, "pipes", "pipes of the SM, or of each scheduler with sub_cores; 0: done by fp32", src),     \
        P_U32(unit_config, simple_latency, l0, 1, 1000, "cycles", "latency of an add or a logical operation", src),               \
        P_U32(unit_config, select_latency, l1, 1, 1000, "cycles", "latency of min and max", src),                               \
        P_U32(unit_config, multiply_latency, l2, 1, 1000, "cycles", "latency of a multiply", src),                               \
        P_U32(unit_config, multiply_add_latency, l3, 1, 1000, "cycles", "latency of a multiply-add", src),                   \
        P_U32(unit_config, divide_latency, l4, 1, 1000, "cycles", "latency of a divide, remainder or root", src),             \
        P_U32(unit_config, simple_interval, i0, 1, 1000, "cycles", "interval between two such instructions in a pipe", src),       \
        P_U32(unit_config, select_interval, i1, 1, 1000, "cycles", "interval between two min and max instructions in a pipe", src),                              \
        P_U32(unit_config, multiply_interval, i2, 1, 1000, "cycles", "interval between two multiply instructions in a pipe", src),                              \
        P_U32(unit_config, multiply_add_interval, i3, 1, 1000, "cycles", "interval between two multiply-add instructions in a pipe", src),                  \
        P_U32(unit_config, divide_interval, i4, 1, 1000, "cycles", "interval between two divide, remainder or root instructions in a pipe", src),            \
        P_END,                                                                                                                    \
    }
UNIT_TABLE(integer, 1, 4, 13, 4, 5, 145, 1, 2, 2, 1, 8, GTX480);
UNIT_TABLE(fp32, 1, 4, 13, 4, 5, 39, 1, 2, 1, 1, 4, GTX480);
UNIT_TABLE(fp64, 1, 8, 19, 8, 8, 330, 8, 16, 8, 8, 130, GTX480);
UNIT_TABLE(fp16, 1, 4, 13, 4, 5, 39, 1, 2, 1, 1, 4, "assumed: as fp32");
UNIT_TABLE(sfu, 1, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, "assumed: 4 lanes, one warp in 8 cycles");
UNIT_TABLE(tensor, 1, 16, 16, 16, 16, 16, 4, 4, 4, 4, 4, "assumed");

static const struct param units_params[] = {
    P_BOOL(units_config, integer_on_fp32, true, "integer instructions use the fp32 pipes: one set of SIMD lanes", THESIS_3_1 ": 32 lanes per SM"),
    P_BOOL(units_config, fp16_on_fp32, true, "fp16 instructions use the fp32 pipes", "assumed"),
    P_U32(units_config, wide_latency, 0, 0, 1000, "cycles", "latency of an integer product with 64 bits, or of its upper half, in machine code; 0: as a multiply-add", "assumed"),
    P_U32(units_config, wide_interval, 0, 0, 1000, "cycles", "interval between two integer products with 64 bits, or of upper halves, in a pipe, in machine code; 0: as a multiply-add", "assumed"),
    P_GROUP(units_config, integer, integer_params, NULL, "integer and logic, conversions, moves, control"),
    P_GROUP(units_config, fp32, fp32_params, NULL, "single precision"),
    P_GROUP(units_config, fp64, fp64_params, NULL, "double precision"),
    P_GROUP(units_config, fp16, fp16_params, NULL, "half precision, packed"),
    P_GROUP(units_config, sfu, sfu_params, NULL, "reciprocals, roots, sines, exponentials"),
    P_GROUP(units_config, tensor, tensor_params, NULL, "matrix products"),
    P_END,
};

static const struct param operand_params[] = {
    P_BOOL(operand_config, enabled, false, "model conflicts between register banks", "assumed: PTX registers are virtual"),
    P_U32(operand_config, banks, 16, 1, 64, "banks", "register banks of an SM", GTX480),
    P_U32(operand_config, collectors, 6, 1, 64, "instructions", "operand collectors per scheduler", GTX480),
    P_END,
};

static const struct param fetch_params[] = {
    P_U32(fetch_config, width, 2, 1, 16, "instructions", "instructions per fetch", GTX480),
    P_U32(fetch_config, per_cycle, 1, 1, 4, "fetches", "fetches per cycle and SM", GTX480),
    P_U32(fetch_config, buffer_entries, 4, 1, 16, "instructions", "instructions buffered per warp", "assumed: enough for one warp to issue every cycle"),
    P_U32(fetch_config, cycles, 2, 1, 100, "cycles", "fetch and decode, until a warp can issue", "assumed"),
    P_U32(fetch_config, jump_cycles, 0, 0, 1000, "cycles", "time from a taken branch until its warp issues again", "assumed: only fetch and decode"),
    P_U32(fetch_config, instruction_bytes, 8, 4, 32, "bytes", "bytes of one instruction in the instruction cache", "Fermi: 64-bit instructions"),
    P_U32(fetch_config, l0_bytes, 0, 0, 1048576, "bytes", "size of the L0 instruction cache, from which code is fetched at full speed (0: none)", "assumed: none"),
    P_U32(fetch_config, l0_ways, 8, 1, 64, "lines", "lines per set of the L0", "assumed"),
    P_U32(fetch_config, l0_cycles, 1, 1, 1000, "cycles", "latency of the first line from the instruction cache", "assumed"),
    P_U32(fetch_config, l0_line_cycles, 1, 1, 1000, "cycles", "interval between two lines", "assumed"),
    P_U32(fetch_config, l0_ahead, 0, 0, 64, "lines", "lines fetched ahead of a warp", "assumed"),
    P_U32(fetch_config, launch_bytes, 0, 0, 131072, "bytes", "bytes of a kernel's code that are in the instruction cache when its first block starts; with l0_bytes", "assumed"),
    P_END,
};

#define SIDE_TABLE(name, size, assoc, hit, src)                                                                        \
    static const struct param name##_params[] = {                                                                      \
        P_U32(ro_cache_config, size_bytes, size, 128, 16777216, "bytes", "capacity", src),                                 \
        P_U32(ro_cache_config, ways, assoc, 1, 64, "lines", "lines per set", src),                                         \
        P_U32(ro_cache_config, line_bytes, 128, 32, 128, "bytes", "one line", src),                                        \
        P_U32(ro_cache_config, hit_cycles, hit, 1, 1000, "cycles", "time until a dependent instruction can issue", "assumed"),  \
        P_U32(ro_cache_config, mshrs, 8, 1, 1024, "entries", "lines on their way", "assumed"),                             \
        P_U32(ro_cache_config, merge_limit, 64, 1, 1024, "requests", "requests that can wait for one line", "assumed"),                 \
        P_U32(ro_cache_config, word_cycles, 0, 0, 64, "cycles", "time for each different address in a load of constants (0: all addresses in a line at once)", "assumed: a line at once"), \
        P_U32(ro_cache_config, word_latency, 0, 0, 1000, "cycles", "additional latency of each further address, if that is more than word_cycles", "assumed: as word_cycles"), \
        P_U32(ro_cache_config, prefetch_lines, 0, 0, 64, "lines", "lines after the missing one that are fetched too", "assumed"), \
        P_BOOL(ro_cache_config, prefetch_on, false, "instructions, with sm.fetch.l0_bytes: a hit also fetches the following lines", "assumed"), \
        P_END,                                                                                                         \
    }
SIDE_TABLE(instruction, 2048, 4, 1, GTX480);
SIDE_TABLE(constant, 8192, 2, 8, GTX480);
SIDE_TABLE(texture, 12288, 24, 120, GTX480);

static const struct param lsu_params[] = {
    P_U32(lsu_config, buffer_entries, 10, 1, 1024, "entries", "memory pipeline width: entries that wait for L1, in units of buffer_unit", THESIS_3_3),
    P_CHOICE(lsu_config, buffer_unit, LSU_REQUESTS, lsu_units, "an entry is a coalesced request, or a warp's instruction with all its requests as in GPGPU-Sim", "assumed: bandwidth-and-ccn spec section 5 item 10"),
    P_U32(lsu_config, pending_instructions, 1024, 1, 65536, "instructions", "most outstanding memory instructions of an SM", "assumed: not a limit"),
    P_END,
};

static const struct param transfer_params[] = {
    P_U32(transfer_config, cycles, 200, 1, 100000, "cycles", "time from the instruction to the request for its first line", "assumed"),
    P_U32(transfer_config, interval, 1, 1, 1000, "cycles", "time from one line's request to the next", "assumed"),
    P_U32(transfer_config, box_interval, 43, 0, 1000, "cycles", "least time of each copy", "measured on an H200: 16 copies of 128 bytes take 978"),
    P_U32(transfer_config, arrival_cycles, 40, 0, 100000, "cycles", "time from the last line to a warp that waits at its mbarrier", "assumed"),
    P_END,
};

static const struct param group_params[] = {
    P_U32(group_config, interval, 4, 1, 1000, "cycles", "time that a sub-core's tensor core takes for eight columns of a product", "H100 data sheet: 2,048 f16 multiply-adds per cycle and SM"),
    P_U32(group_config, operand_bytes, 128, 0, 4096, "bytes", "bytes shared memory delivers to a product per cycle: 32 bytes of each of 64 rows of A and of each column of B (0: no limit)", "measured on an H200: products of 8, 16, 32, 64 columns every 18, 20, 24, 32 cycles, wider ones every N/2"),
    P_U32(group_config, operand_cycles, 10, 0, 1000, "cycles", "additional latency if A is in shared memory", "measured on an H200"),
    P_U32(group_config, cycles, 51, 1, 1000, "cycles", "latency from the last column of a product until its sums are ready", "measured on an H200: a product of N columns and a wait for it take 53 + N/2, 63 + N/2 with A in shared memory"),
    P_END,
};

static const struct param shared_params[] = {
    P_U32(shared_config, bytes, 49152, 0, 16777216, "bytes", "shared memory of an SM", THESIS_3_1),
    P_U32(shared_config, unit_bytes, 128, 1, 65536, "bytes", "granularity in which shared memory is given to a block", "CUDA occupancy calculator, Fermi"),
    P_U32(shared_config, banks, 32, 1, 128, "banks", "banks, each 4 bytes wide", "CUDA programming guide"),
    P_U32(shared_config, cycles, 24, 1, 1000, "cycles", "latency of an access without bank conflicts", "assumed"),
    P_U32(shared_config, conflict_cycles, 1, 1, 100, "cycles", "additional latency of each further pass through the banks", "assumed: as long as it keeps them"),
    P_U32(shared_config, atomic_cycles, 0, 0, 1000, "cycles", "additional latency of an atomic", "assumed"),
    P_U32(shared_config, swap_passes, 1, 1, 16, "passes", "passes of a compare-and-swap for each of another atomic", "assumed: as other atomics"),
    P_U32(shared_config, swap_cycles, 0, 0, 1000, "cycles", "latency that a compare-and-swap adds to another atomic's", "assumed: as other atomics"),
    P_U32(shared_config, try_cycles, 0, 0, 1000, "cycles", "latency that a compare-and-swap adds in the loop that the machine makes of float and 64-bit atomics (sm.machine_code: lowered)", "assumed: as outside loops"),
    P_U32(shared_config, shuffle_cycles, 0, 0, 1000, "cycles", "latency of a shuffle, which takes a pass as an access without conflicts does (0: it is an integer instruction)", "assumed: an integer instruction"),
    P_U32(shared_config, reserved_bytes, 0, 0, 65536, "bytes", "bytes reserved per block in addition to its own", "CUDA programming guide: none before 8.0"),
    P_U32(shared_config, carve_bytes, 1, 1, 1048576, "bytes", "granularity of shared memory within the array that it shares with L1", "assumed: to the byte"),
    P_BOOL(shared_config, joins_lanes, false, "passes of wide accesses: with 8 bytes per lane, as many as the busiest bank has words for the whole warp; with 16 bytes, the same for each half warp. false: half and quarter warps are served one after the other. Loads in an L1 with banks follow the same rule", "assumed: one by one"),
    P_CHOICE(shared_config, carve, CARVE_UNITS, shared_carves, "how shared memory and L1 divide their array: units, in multiples of carve_bytes; hopper, like the driver of an H200", "assumed: units"),
    P_END,
};

static const struct param l1_params[] = {
    P_BOOL(l1_config, enabled, true, "L1 caches loads from global memory", THESIS_3_1),
    P_U32(l1_config, size_bytes, 16384, 512, 67108864, "bytes", "capacity", THESIS_3_1),
    P_U32(l1_config, ways, 4, 1, 64, "lines", "lines per set", THESIS_3_1),
    P_BOOL(l1_config, sectored, false, "fetch and keep sectors of 32 bytes instead of whole lines", THESIS_3_1),
    P_CHOICE(l1_config, set_index, SET_LINEAR, set_index_names, "how the set of a line is chosen", "bandwidth-and-ccn spec 5 item 15"),
    P_STRING(l1_config, replacement, "lru", "which line of a set is evicted", THESIS_3_1),
    P_U32(l1_config, mshrs, 32, 1, 65536, "entries", "lines on their way", THESIS_3_1),
    P_U32(l1_config, merge_limit, 8, 1, 1024, "requests", "requests that can wait for one line", GTX480),
    P_U32(l1_config, miss_entries, 8, 2, 4096, "requests", "miss queue, towards the network", THESIS_3_1),
    P_U32(l1_config, hit_cycles, 20, 1, 1000, "cycles", "time from the access to a dependent instruction", "assumed: bandwidth-and-ccn spec 1.1 leaves it open"),
    P_U32(l1_config, accesses_per_cycle, 1, 1, 16, "requests", "requests looked up per cycle", "assumed"),
    P_U32(l1_config, fills_per_cycle, 1, 1, 64, "answers", "answers taken from the network per cycle", "assumed"),
    P_U32(l1_config, banks, 0, 0, 128, "banks", "4-byte banks of the data array: an instruction occupies it for as many cycles as its busiest bank has different words (0: one cycle per line)", "assumed"),
    P_U32(l1_config, conflict_cycles, 1, 0, 100, "cycles", "delay of the data for each further word of the busiest bank", "assumed"),
    P_U32(l1_config, store_passes, 1, 1, 16, "passes", "passes of a store through the banks for each of a load", "assumed: as a load"),
    P_U32(l1_config, store_entries, 0, 0, L1_STORE_ENTRIES, "lines", "stores that wait to go below, a sector a cycle and a cycle more where bytes are missing; a store to a line that waits joins it (0: they go one by one)", "assumed: one by one"),
    P_CHOICE(l1_config, allocate, L1_ALLOCATE_ON_MISS, allocations, "a miss allocates its line at once, or when the data arrives", THESIS_3_1),
    P_CHOICE(l1_config, write_hit, L1_WRITE_EVICT, write_hits, "a global store that hits: writes through and evicts or updates its line; or (back) stays in the L1 until the line is evicted, like stores of whole sectors for which write_miss allocates", THESIS_3_1),
    P_CHOICE(l1_config, write_miss, L1_WRITE_AROUND, write_misses, "a store of whole sectors to global memory that misses: is written around, or allocates a line too", THESIS_3_1),
    P_BOOL(l1_config, local_write_back, true, "stores to local memory that hit stay in L1 until evicted", THESIS_3_1),
    P_BOOL(l1_config, flush_at_kernel_end, false, "a kernel starts with an empty L1", GTX480),
    P_BOOL(l1_config, flush_at_fence, false, "a fence wider than the block empties L1 (software coherence)", "assumed"),
    P_BOOL(l1_config, reuse_oracle, false, "count at every load miss whether another L1 has the line (statistics sm.reuse; no effect on timing)", "Dublish 2018, 4.2"),
    P_BOOL(l1_config, bypass_hits_touch, true, "a hit makes its line recent even if the warp policy lets its warp take none", "assumed: Poise spec 2 item 6"),
    P_BOOL(l1_config, bypass_takes_mshr, true, "a miss takes an MSHR even if the warp policy lets its warp take no line", "assumed: Poise spec 2 item 5"),
    P_CHOICE(l1_config, bypass_bytes, L1_BYPASS_LINE, bypass_bytes, "bytes requested by a miss that may not allocate: the whole line, or the 32, 64 or 128 bytes its lanes share (sectored L1s always request sectors)", "assumed: not published, Poise spec 2 item 5"),
    P_BOOL(l1_config, merge_keeps, true, "a load that may take a line and joins a miss that may not takes one then", "assumed: Poise spec 2 item 5"),
    P_U32(l1_config, unified_bytes, 0, 0, 67108864, "bytes", "size of the array shared by L1 and shared memory: L1 gets what a kernel's blocks leave, up to size_bytes (0: separate arrays)", "assumed"),
    P_END,
};

const struct param sm_params[] = {
    P_U32(sm_config, count, 15, 1, CROSSBAR_MOST_LINES, "SMs", "streaming multiprocessors", THESIS_3_1),
    P_U64(sm_config, clock_hz, 1400000000, 1000000, 100000000000, "Hz", "core clock", THESIS_3_1),
    P_U32(sm_config, warps, 48, 1, MOST_SM_WARPS, "warps", "warps resident on an SM", THESIS_3_1),
    P_U32(sm_config, blocks, 8, 1, 64, "blocks", "blocks resident on an SM", GTX480),
    P_U32(sm_config, registers, 32768, 1024, 1048576, "registers", "32-bit registers of an SM", THESIS_3_1),
    P_U32(sm_config, register_unit, 64, 1, 4096, "registers", "granularity of a warp's registers", "CUDA occupancy calculator, Fermi"),
    P_U32(sm_config, most_registers, 63, 16, 255, "registers", "most registers of a thread", "CUDA programming guide, Fermi"),
    P_U32(sm_config, least_registers, 0, 0, 255, "registers", "fewest registers that a thread gets", "assumed: no least"),
    P_U32(sm_config, schedulers, 2, 1, 4, "schedulers", "warp schedulers; warps are dealt out to them in turn", GTX480),
    P_U32(sm_config, issue_width, 1, 1, 4, "instructions", "instructions issued per scheduler and cycle", GTX480),
    P_U32(sm_config, issue_interval, 1, 1, 64, "cycles", "cycles from one instruction of a scheduler to the next: more than 1 where a warp runs on fewer lanes than it has threads", GTX480),
    P_U32(sm_config, lanes, 32, 32, 512, "lanes", "SIMD lanes of an SM: with k x 32 it has k times the pipes, issue slots, fetches and L1 and shared memory accesses per cycle that the other parameters say", "Dublish 2018, figure 4.15"),
    P_BOOL(sm_config, sub_cores, false, "every scheduler has its own execution units", "Fermi: no"),
    P_U32(sm_config, barrier_cycles, 1, 1, 1000, "cycles", "time from the last arrival to the next issue", "assumed"),
    P_U32(sm_config, barrier_interval, 0, 0, 1000, "cycles", "time between warps that leave a barrier, the last of the block first (0: all leave at once)", "assumed"),
    P_U32(sm_config, cluster_cycles, 330, 1, 100000, "cycles", "time until an SM knows of an arrival at a barrier on another SM of its cluster", "measured on an H200, 343 per barrier.cluster"),
    P_U32(sm_config, remote_cycles, 180, 0, 100000, "cycles", "additional latency of shared memory of another SM of the cluster", "assumed: Luo et al. 2024 have 180 on an H800"),
    P_U32(sm_config, try_wait_cycles, 7760, 0, 1000000000, "cycles", "longest time for which mbarrier.try_wait suspends a warp while its phase is incomplete (0: not at all, the program polls)", "measured on an H200, 7,764"),
    P_U32(sm_config, branch_cycles, 0, 0, 1000, "cycles", "additional wait of a branch for its predicate", "assumed"),
    P_U32(sm_config, guard_cycles, 0, 0, 1000, "cycles", "additional latency of a comparison in machine code until it can guard an instruction or decide a branch", "assumed: none"),
    P_U32(sm_config, fence_cycles, 0, 0, 100000, "cycles", "time of a fence after its warp's stores are acknowledged; fences of a block then wait for nothing, and L1 is emptied (0: any fence waits only for the stores)", "assumed"),
    P_U32(sm_config, fence_load_cycles, 0, 0, 100000, "cycles", "shortest wait of such a fence if the warp has loaded since its last fence", "assumed"),
    P_CHOICE(sm_config, machine_code, MACHINE_PTX, machine_codes, "instructions that warps execute: those of PTX, one by one, or the machine instructions an assembler makes from PTX (docs/mechanisms/lowering.md); recordings keep the setting they were made with", "assumed: PTX"),
    P_STRING(sm_config, warp_policy, "gto", "which ready warp issues", THESIS_3_1),
    P_GROUP(sm_config, fetch, fetch_params, NULL, "instruction fetch"),
    P_GROUP(sm_config, operands, operand_params, NULL, "operand collection"),
    P_GROUP(sm_config, units, units_params, NULL, "execution units"),
    P_GROUP(sm_config, lsu, lsu_params, NULL, "load and store unit"),
    P_GROUP(sm_config, shared, shared_params, NULL, "shared memory"),
    P_GROUP(sm_config, transfer, transfer_params, NULL, "the unit that carries bulk and tensor copies"),
    P_GROUP(sm_config, group, group_params, NULL, "tensor cores under warp-group products"),
    P_GROUP(sm_config, l1, l1_params, NULL, "L1 data cache"),
    P_GROUP(sm_config, instruction, instruction_params, NULL, "instruction cache"),
    P_GROUP(sm_config, constant, constant_params, NULL, "constant cache"),
    P_GROUP(sm_config, texture, texture_params, NULL, "texture cache"),
    P_BOOL(sm_config, texture_in_l1, false, "texture loads go through L1", "Fermi: no"),
    P_BOOL(sm_config, block_phases, false, "find phases of blocks, and how alike they are from launch to launch (statistics phases; no timing)", "context-management spec 2.1"),
    P_BOOL(sm_config, block_use, false, "count what blocks use and how irregular they are (statistics sm.blocks; no effect on timing)", "context-management spec 2.1"),
    P_END,
};

const struct param launch_params[] = {
    P_U32(launch_config, cycles, 0, 0, 10000000, "core cycles", "time from a launch to its first block, counted as part of the kernel", "GPGPU-Sim v3.2.2: none"),
    P_U32(launch_config, device_cycles, 0, 0, 10000000, "core cycles", "additional latency from a launch by a kernel to its first block", "assumed"),
    P_DOUBLE(launch_config, blocks_per_cycle, 0, 0, 1000, "blocks", "blocks dispatched per cycle on the whole chip (0: one to each SM)", "assumed"),
    P_STRING(launch_config, dispatch, "round_robin", "which SM gets the next block", GTX480),
    P_U32(launch_config, gpc_sms, 0, 0, 1024, "SMs", "least number of SMs of a GPC, within which a cluster of blocks stays; pairs of SMs belong to the GPCs in turn (0: clusters go anywhere)", "assumed"),
    P_U32(launch_config, concurrent, 16, 1, 128, "kernels", "kernels that run at once", "CUDA programming guide, Fermi"),
    P_U64(launch_config, copy_bytes_per_second, 8000000000, 1000000, (u64)1 << 50, "bytes/s", "bandwidth between host and device", "PCIe 2.0 x16"),
    P_CHOICE(launch_config, caches, CACHES_WARM, launch_caches, "caches at each launch: as earlier copies and launches left them, or empty, as under a profiler (unless another kernel is running)", "assumed"),
    P_U32(launch_config, copy_latency_ns, 1000, 0, 1000000000, "ns", "latency of a copy, whatever its size", "assumed"),
    P_END,
};

const struct param device_params[] = {
    P_STRING(device_config, name, "heddle GPU", "name reported by cudaGetDeviceProperties", "assumed"),
    P_STRING(device_config, compared, "", "measurements of silicon that the chip was compared with: results then name the features of a kernel that are not validated (docs/internals/fidelity.md)", "none"),
    P_U32(device_config, compute_capability, 90, 10, 999, "", "compute capability as 10 x major + minor; programs choose their code by it", "assumed: runs what today's nvcc builds"),
    P_U64(device_config, memory_bytes, (u64)4 << 30, 1048576, (u64)1 << 42, "bytes", "size of device memory", "assumed"),
    P_END,
};

static const struct param context_params[] = {
    P_DOUBLE(context_config, bytes_per_cycle, 7.03, 0, 100000, "bytes", "bytes that an SM saves or restores per cycle (0: limited by its miss queue)", "context-management spec 2.3: 900 GB/s / 80 SMs / 1.6 GHz"),
    P_BOOL(context_config, cacheable, false, "contexts go through L1 and L2 like local memory instead of bypassing them", "context-management spec 2.3"),
    P_BOOL(context_config, reduced, false, "leave out of contexts what is dead or can be recomputed: dead and regular registers, shared memory that was never written or is a copy; of executed programs, whose values are known", "context-management spec 2.7"),
    P_BOOL(context_config, compress_in_transit, true, "registers that are not in the compressed register cache pass the compressor on their way out, too", "context-management spec 2.7"),
    P_U32(context_config, register_cache_bytes, 2048, 0, 1048576, "bytes", "size of an SM's compressed register cache, 67 bits per register", "context-management spec 1.1"),
    P_U32(context_config, array_entries, 128, 0, 4096, "entries", "entries of an SM's array table: runs of shared memory that were written or copied from memory (0: no table, shared memory is saved whole)", "context-management spec 1.1"),
    P_BOOL(context_config, atomics_clear_block, false, "an atomic or fence makes copies of its own block doubtful, not of all on its SM", "context-management spec 2.7: all"),
    P_DOUBLE(context_config, share, 1, 0.001, 1, "", "share of a context that is saved where values are not known: traces, recordings", "context-management spec 2.7: 0.37"),
    P_U32(context_config, buffers, 8, 0, 1024, "buffers", "buffers for contexts of shuffled blocks: ways of the L2, which is smaller by them if the block policy shuffles", "context-management spec 2.8"),
    P_U32(context_config, buffer_bytes, 65536, 0, 16777216, "bytes", "size of one buffer; larger contexts go to memory", "context-management spec 2.8"),
    P_U32(context_config, fabric_bytes_per_cycle, 128, 1, 65536, "bytes", "bandwidth between an SM and a buffer", "context-management spec 2.8"),
    P_U32(context_config, fabric_setup_cycles, 10, 0, 100000, "cycles", "time to switch the path to a buffer", "context-management spec 2.8"),
    P_U32(context_config, most_restarts, 3, 1, 1000000, "times", "most often that a block is dropped and started again (flush); from then on it is switched instead, so that it ends", "assumed"),
    P_U32(context_config, victims, 1024, 0, 65535, "blocks", "blocks that can be stopped at once (0: none is ever stopped)", "context-management spec 1.1"),
    P_U32(context_config, victim_wait_us, 1000, 0, 1000000000, "us", "time after which a stopped block continues wherever it fits (0: never for that reason)", "context-management spec 4 item 12"),
    P_END,
};

const struct param gpu_params[] = {
    P_U32(gpu_config, scale, 1, 1, 1024, "", "divisor of sizes, counts, bandwidths and periods of the base chip (docs/howto/scale.md)", "your choice"),
    P_U32(gpu_config, line_bytes, 128, 32, 256, "bytes", "a line of every data cache", THESIS_3_1),
    P_GROUP(gpu_config, device, device_params, NULL, "device properties reported to programs"),
    P_GROUP(gpu_config, launch, launch_params, NULL, "kernels and copies"),
    P_GROUP(gpu_config, context, context_params, NULL, "blocks that are stopped and continued later"),
    P_GROUP(gpu_config, sm, sm_params, NULL, "streaming multiprocessors"),
    P_GROUP(gpu_config, ideal, ideal_params, NULL, "an idealised memory system for limit studies"),
    P_GROUP(gpu_config, ccn, ccn_params, ccn_check, "cooperative caching between L1 caches"),
    P_GROUP(gpu_config, regions, regions_params, NULL, "a kernel's buffers, told apart in the caches"),
    P_GROUP(gpu_config, network, network_params, NULL, "the two networks"),
    P_GROUP(gpu_config, l2, l2_params, NULL, "the shared cache, per bank"),
    P_GROUP(gpu_config, dram, dram_params, dram_check, "device memory"),
    P_GROUP(gpu_config, energy, energy_params, energy_check, "energy of each event and static power"),
    P_GROUP(gpu_config, sockets, sockets_params, sockets_check, "several such GPUs that work as one"),
    P_END,
};
/* clang-format on */

u32 unit_latency(const struct unit_config *u, enum op_cost cost)
{
    const u32 rows[COST_COUNT] = {
        u->simple_latency, u->select_latency, u->multiply_latency, u->multiply_add_latency,
        u->divide_latency, u->select_latency, u->simple_latency,   u->multiply_add_latency};
    return rows[cost];
}

u32 unit_interval(const struct unit_config *u, enum op_cost cost)
{
    const u32 rows[COST_COUNT] = {
        u->simple_interval, u->select_interval, u->multiply_interval, u->multiply_add_interval,
        u->divide_interval, u->select_interval, u->simple_interval,   u->multiply_add_interval};
    return rows[cost];
}

struct memory_config gpu_memory_config(const struct gpu_config *c)
{
    return (struct memory_config){.line_bytes = c->line_bytes,
                                  .core_hz = c->sm.clock_hz,
                                  .cache_name = "l2",
                                  .network = &c->network,
                                  .l2 = &c->l2,
                                  .dram = &c->dram,
                                  .ideal = &c->ideal};
}

const struct gpu_config *gpu_with_buffers(const struct gpu_config *c, struct arena *arena,
                                          struct err *err)
{
    u64 bytes = (u64)c->context.buffers * c->context.buffer_bytes;
    u64 way = c->l2.size_bytes / c->l2.ways, ways = (bytes + way - 1) / way;
    if (ways >= c->l2.ways) {
        err_at(err, (struct src_pos){0},
               "context.buffers is %u of %u bytes each, which are ways of the L2, expected at most "
               "%llu: l2.size_bytes is %llu in %u ways, and one must stay a cache",
               c->context.buffers, c->context.buffer_bytes,
               (unsigned long long)((c->l2.ways - 1) * way / c->context.buffer_bytes),
               (unsigned long long)c->l2.size_bytes, c->l2.ways);
        return NULL;
    }
    struct gpu_config *less = ARENA_NEW(arena, struct gpu_config);
    *less = *c;
    less->l2.ways -= (u32)ways;
    less->l2.size_bytes -= (u32)(ways * way);
    return less;
}

const struct gpu_config *gpu_with_lanes(const struct gpu_config *c, struct arena *arena)
{
    u32 times = c->sm.lanes / 32;
    if (times == 1)
        return c;
    struct gpu_config *wide = ARENA_NEW(arena, struct gpu_config);
    *wide = *c;
    struct units_config *u = &wide->sm.units;
    struct unit_config *units[] = {&u->integer, &u->fp32, &u->fp64, &u->fp16, &u->sfu, &u->tensor};
    for (u32 i = 0; i < ARRAY_LEN(units); i++)
        units[i]->pipes *= times;
    wide->sm.issue_width *= times;
    wide->sm.fetch.per_cycle *= times;
    wide->sm.l1.accesses_per_cycle *= times;
    return wide;
}

static u64 round_up(u64 value, u64 unit)
{
    return (value + unit - 1) / unit * unit;
}

u64 sm_shared_per_block(const struct sm_config *c, const struct grid_source *g)
{
    return round_up(g->shared_bytes_per_block + c->shared.reserved_bytes, c->shared.unit_bytes);
}

u32 sm_blocks_that_fit(const struct sm_config *c, const struct grid_source *g)
{
    u64 registers = round_up((u64)g->registers_per_thread * 32, c->register_unit);
    u64 shared = sm_shared_per_block(c, g);
    u64 part = c->sub_cores ? c->schedulers : 1; /* a sub-core has its share of the registers */
    u64 warps = registers ? c->registers / part / registers * part : c->warps;
    u64 blocks = min_u64(c->blocks, min_u64(c->warps, warps) / g->warps_per_block);
    return (u32)(shared ? min_u64(blocks, c->shared.bytes / shared) : blocks);
}

static bool is_power_of_two(u64 x)
{
    return x && !(x & (x - 1));
}

static bool check_unified(const struct config *config, const struct l1_config *c, struct err *err)
{
    if (c->unified_bytes && c->unified_bytes < c->size_bytes)
        return err_at(err, config_pos(config, &c->unified_bytes),
                      "sm.l1.unified_bytes is %u, expected 0 or at least sm.l1.size_bytes = %u",
                      c->unified_bytes, c->size_bytes);
    return true;
}

/* As many pipes as an SM keeps track of. */
static bool check_lanes(const struct config *config, const struct sm_config *c, struct err *err)
{
    const struct unit_config *units[] = {&c->units.integer, &c->units.fp32, &c->units.fp64,
                                         &c->units.fp16,    &c->units.sfu,  &c->units.tensor};
    u32 most = 16;
    for (u32 i = 0; i < ARRAY_LEN(units); i++)
        most = units[i]->pipes ? (u32)min_u64(most, 16 / units[i]->pipes) : most;
    if (c->lanes % 32 || c->lanes / 32 > most)
        return err_at(err, config_pos(config, &c->lanes),
                      "sm.lanes is %u, expected a multiple of 32 up to %u", c->lanes, 32 * most);
    return true;
}

/* Requests have 32-bit numbers, and room for all of them is set aside. */
static bool check_requests(const struct config *config, const struct gpu_config *g,
                           const struct dram_timing *timing, struct err *err)
{
    struct arena arena = {0};
    const struct gpu_config *wide = gpu_with_lanes(g, &arena);
    u64 all = gpu_most_requests(wide, timing), sms = g->sm.count * sm_most_requests(wide);
    bool is_sms = sms > all / 2;
    arena_fini(&arena);
    if (all <= GPU_MOST_REQUESTS)
        return true;
    return err_at(
        err, config_pos(config, is_sms ? &g->sm.l1.mshrs : &g->l2.mshrs),
        "%llu requests could be outstanding at once, most of them in %s, expected at most "
        "%u: fewer MSHRs, merged requests or cycles",
        (unsigned long long)all,
        is_sms ? "the SMs (sm.l1.mshrs x sm.l1.merge_limit each)"
               : "the L2 and DRAM (l2.mshrs x l2.merge_limit in each bank)",
        GPU_MOST_REQUESTS);
}

/* What L1s that answer each other need of the rest of the chip. */
static bool check_cooperation(const struct config *config, const struct gpu_config *g,
                              struct err *err)
{
    u32 mode = g->ccn.mode, model = g->ideal.model;
    const char *name = ccn_mode_names[mode];
    if (mode == CCN_NONE)
        return true;
    if (g->sm.count < 2 || g->sm.count > RING_MOST_NODES)
        return err_at(err, config_pos(config, &g->sm.count),
                      "sm.count is %u with ccn.mode %s, expected 2 to %u", g->sm.count, name,
                      RING_MOST_NODES);
    if (g->sm.l1.sectored)
        return err_at(err, config_pos(config, &g->sm.l1.sectored),
                      "sm.l1.sectored is true with ccn.mode %s, expected whole lines (false)",
                      name);
    if (model == MEMORY_FIXED || (model != MEMORY_REAL && mode == CCN_TRACKER))
        return err_at(err, config_pos(config, &g->ideal.model),
                      "ideal.model is %s with ccn.mode %s, expected real%s",
                      model == MEMORY_FIXED ? "fixed" : "infinite", name,
                      mode == CCN_TRACKER ? "" : " or infinite");
    return true;
}

/* Requests bypass plain banks only. */
static bool check_regions(const struct config *config, const struct gpu_config *g, struct err *err)
{
    if (g->regions.mode != REGIONS_BYPASS || (!g->l2.far_cycles && g->ccn.mode != CCN_TRACKER))
        return true;
    return err_at(err, config_pos(config, &g->regions.mode),
                  "regions.mode is bypass with %s, expected neither halves of L2 nor a tracker",
                  g->l2.far_cycles ? "l2.far_cycles" : "ccn.mode tracker");
}

bool gpu_check(const void *group, const struct config *config, struct err *err)
{
    const struct gpu_config *g = group;
    const struct sm_config *sm = &g->sm;
    u64 l1_unit = (u64)g->line_bytes * sm->l1.ways;
    struct dram_timing timing;
    dram_resolve(&g->dram, &timing);
    if (!is_power_of_two(g->line_bytes))
        return err_at(err, config_pos(config, &g->line_bytes),
                      "line_bytes is %u, expected a power of two", g->line_bytes);
    struct memory_config memory = gpu_memory_config(g);
    if (!memory_check(&memory, sm->count, config, err))
        return false;
    if (sm->warps % sm->schedulers)
        return err_at(err, config_pos(config, &sm->warps),
                      "sm.warps is %u, expected a multiple of the %u schedulers", sm->warps,
                      sm->schedulers);
    if (sm->fetch.width > sm->fetch.buffer_entries)
        return err_at(err, config_pos(config, &sm->fetch.width),
                      "sm.fetch.width is %u, expected at most the %u buffer_entries",
                      sm->fetch.width, sm->fetch.buffer_entries);
    if (!cache_check_sets(config, &sm->l1.size_bytes, "sm.l1.size_bytes", sm->l1.size_bytes,
                          l1_unit, err) ||
        !check_unified(config, &sm->l1, err) || !check_lanes(config, sm, err) ||
        !cache_check_index(config, &sm->l1.set_index, sm->l1.size_bytes / l1_unit, err))
        return false;
    const struct ro_cache_config *sides[] = {&sm->instruction, &sm->constant, &sm->texture};
    static const char *const names[] = {"sm.instruction.size_bytes", "sm.constant.size_bytes",
                                        "sm.texture.size_bytes"};
    for (u32 i = 0; i < ARRAY_LEN(sides); i++) {
        if (!cache_check_sets(config, &sides[i]->size_bytes, names[i], sides[i]->size_bytes,
                              (u64)sides[i]->line_bytes * sides[i]->ways, err))
            return false;
    }
    if (sm->fetch.l0_bytes &&
        !cache_check_sets(config, &sm->fetch.l0_bytes, "sm.fetch.l0_bytes", sm->fetch.l0_bytes,
                          (u64)sm->instruction.line_bytes * sm->fetch.l0_ways, err))
        return false;
    return sockets_check_memory(&g->sockets, &memory, sm->l1.ways, config, err) &&
           check_requests(config, g, &timing, err) && check_cooperation(config, g, err) &&
           check_regions(config, g, err);
}
