#include "source/synthetic/kernel.h"

#include "source/synthetic/layout.h"

#define WEIGHT 1000000u

static const char *const cache_operators[] = {"ca", "cg", "cs", "cv", NULL};

/* clang-format off */
static const struct param mix_params[] = {
    P_U32(synthetic_mix, integer,      0, 0, WEIGHT, "parts", "integer additions", "assumed"),
    P_U32(synthetic_mix, fp32,         0, 0, WEIGHT, "parts", "single-precision multiply-adds", "assumed"),
    P_U32(synthetic_mix, fp64,         0, 0, WEIGHT, "parts", "double-precision multiply-adds", "assumed"),
    P_U32(synthetic_mix, fp16,         0, 0, WEIGHT, "parts", "half-precision multiply-adds", "assumed"),
    P_U32(synthetic_mix, sfu,          0, 0, WEIGHT, "parts", "special functions", "assumed"),
    P_U32(synthetic_mix, tensor,       0, 0, WEIGHT, "parts", "matrix multiply-adds", "assumed"),
    P_U32(synthetic_mix, load,         0, 0, WEIGHT, "parts", "global loads", "assumed"),
    P_U32(synthetic_mix, store,        0, 0, WEIGHT, "parts", "global stores", "assumed"),
    P_U32(synthetic_mix, atomic,       0, 0, WEIGHT, "parts", "global atomics that return a value", "assumed"),
    P_U32(synthetic_mix, shared_load,  0, 0, WEIGHT, "parts", "shared-memory loads", "assumed"),
    P_U32(synthetic_mix, shared_store, 0, 0, WEIGHT, "parts", "shared-memory stores", "assumed"),
    P_U32(synthetic_mix, branch,       0, 0, WEIGHT, "parts", "branches that may split the warp, besides the loop's own", "assumed"),
    P_END,
};

static const struct param access_params[] = {
    P_U32(synthetic_access, stream,        0, 0, WEIGHT, "parts", "the next lines of a region that is the warp's own", "assumed"),
    P_U32(synthetic_access, private_reuse, 0, 0, WEIGHT, "parts", "sweeps over a footprint that is the warp's own", "assumed"),
    P_U32(synthetic_access, shared_reuse,  0, 0, WEIGHT, "parts", "sweeps over a footprint that all warps of the block share, and other blocks as block_offset_bytes says", "assumed"),
    P_U32(synthetic_access, random,        0, 0, WEIGHT, "parts", "anywhere in a footprint that the whole grid shares", "assumed"),
    P_U32(synthetic_access, chase,         0, 0, WEIGHT, "parts", "as random, but each load waits for the previous one", "assumed"),
    P_U64(synthetic_access, footprint_bytes, 16384, 128, (u64)1 << 36, "bytes", "size of each footprint", "assumed"),
    P_U64(synthetic_access, stride_bytes, 128, 128, (u64)1 << 30, "bytes", "distance between two lines of a stream or sweep, a multiple of 128", "assumed"),
    P_U64(synthetic_access, block_offset_bytes, 0, 0, (u64)1 << 36, "bytes", "distance between the shared footprints of neighbouring blocks; 0: all blocks share one; less than the footprint: neighbours overlap", "assumed"),
    P_DOUBLE(synthetic_access, neighbour_fraction, 0, 0, 1, "", "share of a block's accesses to shared footprints that go to the next block's", "assumed"),
    P_U32(synthetic_access, run_lines, 1, 1, 1024, "lines", "neighbouring lines that random accesses take in order before the next jump: row locality", "assumed"),
    P_U32(synthetic_access, requests_per_load, 1, 1, 32, "lines", "different 128-byte lines that a full warp touches", "assumed"),
    P_U32(synthetic_access, lane_bytes, 4, 1, 16, "bytes", "access size of a lane: 1, 2, 4, 8 or 16", "assumed"),
    P_CHOICE(synthetic_access, cache_operator, CACHE_ALL, cache_operators, "cache operator of all global accesses", "assumed"),
    P_END,
};

const struct param synthetic_phase_params[] = {
    P_U64(synthetic_phase, instructions, 4096, 1, (u64)1 << 40, "instructions", "instructions executed by each warp, rounded up to whole iterations of the loop", "assumed"),
    P_U32(synthetic_phase, code_bytes, 512, 16, 1u << 20, "bytes", "code size of the loop, which is unrolled to fill it (8 bytes per instruction)", "assumed"),
    P_U32(synthetic_phase, dependence_distance, 4, 0, SYNTHETIC_MOST_DISTANCE, "instructions", "distance, in results, to the instruction that wrote a source (1: the last one with a result; 0: no dependences)", "assumed"),
    P_U32(synthetic_phase, barrier_every, 0, 0, 1u << 17, "instructions", "instructions between two barriers of the block (0: none)", "assumed"),
    P_U32(synthetic_phase, shared_conflicts, 1, 1, 32, "lanes", "lanes of a shared-memory access that fall into one bank", "assumed"),
    P_DOUBLE(synthetic_phase, divergence, 0, 0, 1, "", "share of the executions of branches that split the warp", "assumed"),
    P_U32(synthetic_phase, active_lanes, 16, 1, 32, "lanes", "lanes that take one side of a split; the rest take the other side afterwards", "assumed"),
    P_GROUP(synthetic_phase, mix, mix_params, NULL, "shares of the kinds of instructions"),
    P_GROUP(synthetic_phase, access, access_params, NULL, "where global accesses go"),
    P_END,
};

const struct param synthetic_kernel_params[] = {
    P_STRING(synthetic_kernel, name, "synthetic", "name of the kernel in results", "assumed"),
    P_U64(synthetic_kernel, blocks, 64, 1, (u64)1 << 32, "blocks", "blocks in the grid", "assumed"),
    P_U32(synthetic_kernel, threads_per_block, 256, 1, 1024, "threads", "threads in a block", "assumed"),
    P_U32(synthetic_kernel, registers_per_thread, 32, 1, 255, "registers", "registers of a thread", "assumed"),
    P_U32(synthetic_kernel, shared_bytes, 0, 0, 1u << 20, "bytes", "shared memory of a block", "assumed"),
    P_U64(synthetic_kernel, stream, 0, 0, UINT64_MAX, "", "kernels of one stream follow each other", "assumed"),
    P_END,
};
/* clang-format on */

static void set_initial(const struct param *table, u8 *base)
{
    for (; table->type != PARAM_END; table++) {
        if (table->type == PARAM_GROUP)
            set_initial(table->group, base + table->offset);
        else
            param_set_initial(table, base + table->offset);
    }
}

struct synthetic_kernel synthetic_kernel_initial(void)
{
    struct synthetic_kernel k = {0};
    set_initial(synthetic_kernel_params, (u8 *)&k);
    return k;
}

struct synthetic_phase synthetic_phase_initial(void)
{
    struct synthetic_phase p = {0};
    set_initial(synthetic_phase_params, (u8 *)&p);
    return p;
}

static bool check_sweep(const struct synthetic_access *a, struct src_pos at, struct err *err)
{
    if (a->footprint_bytes % a->stride_bytes ||
        a->footprint_bytes / a->stride_bytes < a->requests_per_load)
        return err_at(err, at,
                      "access.footprint_bytes is %llu, expected a multiple of stride_bytes = %llu "
                      "with room for requests_per_load = %u of them",
                      (unsigned long long)a->footprint_bytes, (unsigned long long)a->stride_bytes,
                      a->requests_per_load);
    return true;
}

static bool check_random(const struct synthetic_access *a, struct src_pos at, struct err *err)
{
    if (a->run_lines % a->requests_per_load && a->requests_per_load % a->run_lines)
        return err_at(err, at,
                      "access.run_lines is %u, expected a multiple or a divisor of "
                      "requests_per_load = %u",
                      a->run_lines, a->requests_per_load);
    u64 lines = max_u64(a->run_lines, a->requests_per_load);
    if (a->footprint_bytes / SYNTHETIC_LINE_BYTES < lines)
        return err_at(err, at, "access.footprint_bytes is %llu, expected at least %llu lines of %u",
                      (unsigned long long)a->footprint_bytes, (unsigned long long)lines,
                      SYNTHETIC_LINE_BYTES);
    return true;
}

static bool check_access(const struct synthetic_access *a, struct src_pos at, struct err *err)
{
    if (!a->stream && !a->private_reuse && !a->shared_reuse && !a->random && !a->chase)
        return err_at(err, at, "access has no pattern with a share above 0");
    if (a->lane_bytes & (a->lane_bytes - 1))
        return err_at(err, at, "access.lane_bytes is %u, expected 1, 2, 4, 8 or 16", a->lane_bytes);
    if (a->stride_bytes % SYNTHETIC_LINE_BYTES)
        return err_at(err, at, "access.stride_bytes is %llu, expected a multiple of %u",
                      (unsigned long long)a->stride_bytes, SYNTHETIC_LINE_BYTES);
    if ((a->private_reuse || a->shared_reuse) && !check_sweep(a, at, err))
        return false;
    return !(a->random || a->chase) || check_random(a, at, err);
}

static bool check_mix(const struct synthetic_mix *m, struct src_pos at, struct err *err)
{
    if (m->integer || m->fp32 || m->fp64 || m->fp16 || m->sfu || m->tensor || m->load || m->store ||
        m->atomic || m->shared_load || m->shared_store || m->branch)
        return true;
    return err_at(err, at, "mix has no kind of instruction with a share above 0");
}

bool synthetic_phase_check(const struct synthetic_phase *p, u32 shared_bytes, struct src_pos at,
                           struct err *err)
{
    const struct synthetic_mix *m = &p->mix;
    u32 results = synthetic_results(p), slots = p->code_bytes / INSTRUCTION_BYTES;
    if (!check_mix(m, at, err))
        return false;
    if (p->dependence_distance > results)
        return err_at(err, at,
                      "dependence_distance is %u, expected at most %u, the instructions with a "
                      "result in a loop of code_bytes = %u",
                      p->dependence_distance, results, p->code_bytes);
    if (p->barrier_every >= slots)
        return err_at(err, at, "barrier_every is %u, expected less than %u, the size of the loop",
                      p->barrier_every, slots);
    u32 conflict_bytes = 128 * p->shared_conflicts;
    if ((m->shared_load || m->shared_store) && shared_bytes < conflict_bytes)
        return err_at(err, at,
                      "shared_bytes is %u, expected at least %u for shared-memory accesses with "
                      "shared_conflicts = %u",
                      shared_bytes, conflict_bytes, p->shared_conflicts);
    return !(m->load || m->store || m->atomic) || check_access(&p->access, at, err);
}
