#include "cuda/core/occupancy.h"

#include "cuda/code/module.h"

static u64 round_up(u64 value, u64 unit)
{
    return (value + unit - 1) / unit * unit;
}

static u32 attribute(const struct cuda_device_props *p, CUdevice_attribute key)
{
    return (u32)p->attribute[key];
}

/* Warps whose registers fit into an SM. */
static u32 warps_by_registers(const struct cuda_device_props *p, u32 registers)
{
    u32 warp = attribute(p, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    u64 per_warp = round_up((u64)(registers ? registers : 1) * warp, p->register_unit);
    u32 file = attribute(p, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
    return (u32)(file / p->sub_cores / per_warp) * p->sub_cores;
}

u32 cu_occupancy_of(const struct cuda_device_props *p, const struct cu_occupancy_need *need)
{
    u32 warp = attribute(p, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    u32 warps = (need->block_threads + warp - 1) / warp;
    if (!warps || need->block_threads > attribute(p, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK))
        return 0;
    u64 blocks = attribute(p, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
    u32 sm_warps = attribute(p, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / warp;
    blocks = min_u64(blocks, sm_warps / warps);
    blocks = min_u64(blocks, warps_by_registers(p, need->registers) / warps);
    u64 shared = round_up(attribute(p, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK) +
                              (u64)need->shared_static + need->shared_dynamic,
                          p->shared_unit);
    if (shared)
        blocks =
            min_u64(blocks, attribute(p, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR) /
                                shared);
    return (u32)blocks;
}

u32 cu_occupancy_blocks(CUfunction function, u32 block_threads, u64 shared_dynamic)
{
    const struct kernel_info *info = cu_function_info(function);
    struct cu_occupancy_need need = {.block_threads = block_threads,
                                     .registers = cu_function_registers(function),
                                     .shared_static = info->shared_bytes,
                                     .shared_dynamic = shared_dynamic};
    if (shared_dynamic > function->max_dynamic_shared)
        return 0;
    return cu_occupancy_of(&cu_core()->props, &need);
}

/* Clusters lie within a GPC, which has so many SMs; SMs left over in one hold none. */
#define SMS_OF_GPC 16u

u32 cu_occupancy_clusters(CUfunction function, u32 block_threads, u64 shared_dynamic,
                          u32 cluster_blocks)
{
    u32 sms = attribute(&cu_core()->props, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    u32 blocks = cu_occupancy_blocks(function, block_threads, shared_dynamic), clusters = 0;
    for (u32 first = 0; first < sms; first += SMS_OF_GPC) {
        u32 here = sms - first < SMS_OF_GPC ? sms - first : SMS_OF_GPC;
        clusters += here * blocks / (cluster_blocks ? cluster_blocks : 1);
    }
    return clusters;
}

u32 cu_occupancy_cluster_size(CUfunction function, u32 block_threads, u64 shared_dynamic)
{
    u32 size = function->non_portable_cluster ? 16 : 8;
    while (size > 1 && !cu_occupancy_clusters(function, block_threads, shared_dynamic, size))
        size /= 2;
    return size;
}

u32 cu_occupancy_max_threads(CUfunction function)
{
    const struct cuda_device_props *p = &cu_core()->props;
    const struct kernel_info *info = cu_function_info(function);
    u32 by_registers = warps_by_registers(p, cu_function_registers(function)) *
                       attribute(p, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    u64 threads = min_u64(attribute(p, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK), by_registers);
    return (u32)(info->max_threads ? min_u64(threads, info->max_threads) : threads);
}

/* As an H200's driver answers: what the system reserves is not taken off. */
u64 cu_occupancy_shared(CUfunction function, u32 blocks)
{
    const struct cuda_device_props *p = &cu_core()->props;
    u64 fixed = cu_function_info(function)->shared_bytes;
    u64 all = attribute(p, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    u64 each = all / (blocks ? blocks : 1) / p->shared_unit * p->shared_unit;
    return each > fixed ? min_u64(each - fixed, function->max_dynamic_shared) : 0;
}

void cu_occupancy_best(CUfunction function, CUoccupancyB2DSize shared_of_block, u64 shared_dynamic,
                       u32 limit, u32 *block, u32 *grid)
{
    const struct cuda_device_props *p = &cu_core()->props;
    u32 warp = attribute(p, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    u32 most = cu_occupancy_max_threads(function), best = 0;
    if (limit && limit < most)
        most = limit;
    *block = *grid = 0;
    /* Large blocks first, as CUDA's own helper does, so that they win a tie. */
    for (u32 threads = (u32)round_up(most, warp); threads; threads -= warp) {
        u32 size = threads < most ? threads : most;
        u64 shared = shared_of_block ? shared_of_block((int)size) : shared_dynamic;
        u32 blocks = cu_occupancy_blocks(function, size, shared);
        if (blocks * size > best) {
            best = blocks * size;
            *block = size;
            *grid = blocks * attribute(p, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
        }
    }
}
