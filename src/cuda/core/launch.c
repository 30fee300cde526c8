#include "cuda/core/launch.h"

#include "base/arena.h"
#include "base/console.h"
#include "cuda/core/device_runtime.h"
#include "cuda/core/event.h"
#include "cuda/core/memory.h"
#include "cuda/code/module.h"
#include "cuda/core/occupancy.h"
#include "cuda/core/texture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool dimension_fits(const char *of, u32 axis, u32 value, int most)
{
    if (value && value <= (u32)most)
        return true;
    cu_say("a launch is refused: %s.%c is %u, expected 1 to %d", of, "xyz"[axis], value, most);
    return false;
}

bool cu_launch_fits(const u32 grid[3], const u32 block[3])
{
    const int *a = cu_core()->props.attribute;
    u64 threads = 1;
    for (u32 i = 0; i < 3; i++) {
        if (!dimension_fits("gridDim", i, grid[i], a[CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + i]) ||
            !dimension_fits("blockDim", i, block[i], a[CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i]))
            return false;
        threads *= block[i];
    }
    if (threads <= (u64)a[CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK])
        return true;
    cu_say("a launch is refused: its blocks have %llu threads, expected at most %d",
           (unsigned long long)threads, a[CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK]);
    return false;
}

/* A kernel triggers the one when its blocks say so, the other when they have started. Here a kernel
 * has to end first, which no program can tell from a GPU that is slow. */
static CUresult take_event(struct cu_launch *l, u32 i, CUevent event, u32 flags)
{
    if (!cu_object_is(event, CU_KIND_EVENT))
        return CUDA_ERROR_INVALID_HANDLE;
    l->events[i] = event;
    l->event_flags[i] = flags;
    return CUDA_SUCCESS;
}

CUresult cu_launch_attributes(struct cu_launch *l, const CUlaunchAttribute *attributes, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        const CUlaunchAttributeValue *v = &attributes[i].value;
        if (attributes[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
            l->cooperative = v->cooperative != 0;
        else if (attributes[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            memcpy(l->cluster, (const u32[]){v->clusterDim.x, v->clusterDim.y, v->clusterDim.z},
                   sizeof l->cluster);
        else if (attributes[i].id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT)
            CU_TRY(take_event(l, 0, v->programmaticEvent.event, (u32)v->programmaticEvent.flags));
        else if (attributes[i].id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT)
            CU_TRY(take_event(l, 1, v->launchCompletionEvent.event,
                              (u32)v->launchCompletionEvent.flags));
        /* the others are hints */
    }
    return CUDA_SUCCESS;
}

/* The clusters of a launch: as the kernel was compiled, or as the launch says. All zeros: none. */
static CUresult cluster_size(const struct cu_launch *l, const struct kernel_info *info, u32 of[3])
{
    const u32 *from = l->cluster[0] ? l->cluster : info->cluster;
    u64 blocks = (u64)from[0] * from[1] * from[2];
    u32 most = l->function->non_portable_cluster ? 16 : 8;
    memcpy(of, from, 3 * sizeof *of);
    if (!from[0] && !from[1] && !from[2])
        return CUDA_SUCCESS;
    if (info->cluster[0] && memcmp(from, info->cluster, 3 * sizeof *of) != 0) {
        cu_say("kernel %s is refused: clusters of %ux%ux%u blocks, expected %ux%ux%u "
               "(.reqnctapercluster)",
               info->name, from[0], from[1], from[2], info->cluster[0], info->cluster[1],
               info->cluster[2]);
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    }
    if (!blocks || blocks > most) {
        cu_say("kernel %s is refused: clusters of %ux%ux%u blocks, expected 1 to %u%s", info->name,
               from[0], from[1], from[2], most,
               most == 8 ? " (16 with cudaFuncAttributeNonPortableClusterSizeAllowed)" : "");
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    }
    return CUDA_SUCCESS;
}

/* The same, with a grid that they divide. */
static CUresult cluster_take(const struct cu_launch *l, const struct kernel_info *info, u32 of[3])
{
    CU_TRY(cluster_size(l, info, of));
    for (u32 i = 0; i < 3; i++) {
        if (!of[0] || l->grid[i] % of[i] == 0)
            continue;
        cu_say("kernel %s is refused: gridDim.%c is %u, expected a multiple of the cluster's %u",
               info->name, "xyz"[i], l -> grid[i], of[i]);
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    }
    return CUDA_SUCCESS;
}

CUresult cu_launch_cluster_blocks(const struct cu_launch *l, u32 *blocks)
{
    u32 of[3];
    CU_TRY(cluster_size(l, cu_function_info(l->function), of));
    *blocks = of[0] ? of[0] * of[1] * of[2] : 1;
    return CUDA_SUCCESS;
}

static CUresult params_collect(const struct cu_launch *l, const struct kernel_info *info, u8 *out)
{
    if (l->params) {
        for (u32 i = 0; i < info->param_count; i++) {
            if (!l->params[i])
                return CUDA_ERROR_INVALID_VALUE;
            memcpy(out + info->params[i].offset, l->params[i], info->params[i].bytes);
        }
        return CUDA_SUCCESS;
    }
    const void *buffer = NULL;
    size_t bytes = 0;
    for (void **e = l->extra; e && *e != CU_LAUNCH_PARAM_END; e += 2) {
        if (*e == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = e[1];
        else if (*e == CU_LAUNCH_PARAM_BUFFER_SIZE)
            bytes = *(const size_t *)e[1];
        else
            return CUDA_ERROR_INVALID_VALUE;
    }
    if (info->param_count && (!buffer || bytes < info->params[info->param_count - 1].offset +
                                                     info->params[info->param_count - 1].bytes))
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(out, buffer ? buffer : "", info->param_bytes < bytes ? info->param_bytes : bytes);
    return CUDA_SUCCESS;
}

/* What the kernel itself says about the shape of its blocks. */
static CUresult kernel_allows(const struct cu_launch *l, const struct kernel_info *info,
                              u32 threads)
{
    if (info->max_threads && threads > info->max_threads) {
        cu_say("kernel %s is refused: a block of %u threads, expected at most %u "
               "(__launch_bounds__)",
               info->name, threads, info->max_threads);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (l->shared_bytes > l->function->max_dynamic_shared) {
        cu_say("kernel %s is refused: %llu bytes of dynamic shared memory, expected at most %u "
               "(cudaFuncAttributeMaxDynamicSharedMemorySize)",
               info->name, (unsigned long long)l->shared_bytes, l->function->max_dynamic_shared);
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (u32 i = 0; i < 3 && info->required_threads[0]; i++) {
        if (l->block[i] == info->required_threads[i])
            continue;
        cu_say("kernel %s is refused: blockDim.%c is %u, expected %u (.reqntid)", info->name,
               "xyz"[i], l -> block[i], info -> required_threads[i]);
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

static CUresult refuse_block(const struct cu_launch *l, const struct kernel_info *info, u32 threads)
{
    cu_say("kernel %s is refused: a block of %u threads with %u registers each and %llu bytes of "
           "shared memory does not fit on an SM",
           info->name, threads, cu_function_registers(l->function),
           (unsigned long long)info->shared_bytes + (unsigned long long)l->shared_bytes);
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
}

/* The blocks of a cluster start together, within a GPC. */
static CUresult cluster_has_room(const struct cu_launch *l, const struct kernel_info *info,
                                 u32 threads, const u32 of[3])
{
    u32 blocks = of[0] * of[1] * of[2];
    if (!blocks || cu_occupancy_clusters(l->function, threads, l->shared_bytes, blocks))
        return CUDA_SUCCESS;
    cu_say("kernel %s is refused: the %u blocks of a cluster, of %u threads with %llu bytes of "
           "shared memory each, do not fit on the SMs of a GPC at once",
           info->name, blocks, threads,
           (unsigned long long)info->shared_bytes + (unsigned long long)l->shared_bytes);
    return CUDA_ERROR_INVALID_CLUSTER_SIZE;
}

CUresult cu_launch_make(const struct cu_launch *l, struct cu_work *work)
{
    const struct cuda_device_props *p = &cu_core()->props;
    if (!cu_object_is(l->function, CU_KIND_FUNCTION))
        return CUDA_ERROR_INVALID_HANDLE;
    const struct kernel_info *info = cu_function_info(l->function);
    if (!cu_launch_fits(l->grid, l->block))
        return CUDA_ERROR_INVALID_VALUE;
    u32 threads = l->block[0] * l->block[1] * l->block[2];
    u32 cluster[3];
    CU_TRY(kernel_allows(l, info, threads));
    CU_TRY(cluster_take(l, info, cluster));
    u32 resident = cu_occupancy_blocks(l->function, threads, l->shared_bytes);
    if (!resident)
        return refuse_block(l, info, threads);
    CU_TRY(cluster_has_room(l, info, threads, cluster));
    u64 blocks = (u64)l->grid[0] * l->grid[1] * l->grid[2];
    u64 room = (u64)resident * (u64)p->attribute[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT];
    if (l->cooperative && blocks > room) {
        cu_say("kernel %s is refused: a cooperative launch of %llu blocks, expected at most the "
               "%llu that are resident at once",
               info->name, (unsigned long long)blocks, (unsigned long long)room);
        return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    }

    u8 *params = xrealloc(NULL, info->param_bytes ? info->param_bytes : 1);
    memset(params, 0, info->param_bytes);
    CUresult status = params_collect(l, info, params);
    if (status != CUDA_SUCCESS) {
        free(params);
        return status;
    }
    *work = (struct cu_work){
        .kind = CU_WORK_KERNEL,
        .kernel = {.function = l->function,
                   .grid = {l->grid[0], l->grid[1], l->grid[2]},
                   .block = {l->block[0], l->block[1], l->block[2]},
                   .cluster = {cluster[0], cluster[1], cluster[2]},
                   .shared_bytes = (u32)l->shared_bytes,
                   .cooperative = l->cooperative,
                   .params = params},
    };
    return CUDA_SUCCESS;
}

CUresult cu_launch(const struct cu_launch *l, CUstream stream)
{
    struct cu_work work;
    CU_TRY(cu_launch_make(l, &work));
    CU_TRY(cu_submit(stream, &work));
    for (u32 i = 0; i < ARRAY_LEN(l->events); i++) {
        if (l->events[i])
            CU_TRY(cu_event_record(l->events[i], stream, l->event_flags[i]));
    }
    return CUDA_SUCCESS;
}

/* ---- what a running kernel asks for ---- */

static void kernel_print(void *context, const char *text, size_t length)
{
    (void)context;
    text_append(&cu_core()->printed, text, length);
}

static void kernel_assert(void *context, const char *text, size_t length)
{
    (void)context;
    cu_print_flush();
    console_text(text, length);
}

static u64 kernel_malloc(void *context, u64 bytes)
{
    u64 address = 0;
    const struct cu_op *op = context;
    return cu_memory_alloc(op->stream->object.context, CU_MEMORY_HEAP, bytes, 0, &address) ==
                   CUDA_SUCCESS
               ? address
               : 0;
}

static void kernel_free(void *context, u64 address)
{
    (void)context;
    cu_memory_free(address, 1u << CU_MEMORY_HEAP);
}

static const struct texture *kernel_texture(void *context, u64 handle)
{
    (void)context;
    return cu_texture_lookup(handle);
}

static void kernel_runtime(void *context, struct device_call *call)
{
    cu_device_call(context, call);
}

void cu_launch_prepare(struct cu_op *op)
{
    const struct cu_kernel_work *k = &op->work.kernel;
    const struct cuda_device_props *p = &cu_core()->props;
    CUcontext context = op->stream->object.context;
    u32 sms = (u32)p->attribute[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT];
    u32 threads = k->block[0] * k->block[1] * k->block[2];
    op->host = (struct launch_host){.context = op,
                                    .print = kernel_print,
                                    .assert_failed = kernel_assert,
                                    .heap_alloc = kernel_malloc,
                                    .heap_free = kernel_free,
                                    .texture = kernel_texture,
                                    .runtime = kernel_runtime};
    op->launch = (struct launch){
        .kernel = k->function->kernel,
        .grid = {k->grid[0], k->grid[1], k->grid[2]},
        .block = {k->block[0], k->block[1], k->block[2]},
        .cluster = {k->cluster[0], k->cluster[1], k->cluster[2]},
        .dynamic_shared_bytes = k->shared_bytes,
        .stack_bytes = (u32)context->limits[CU_LIMIT_STACK_SIZE],
        .params = k->params,
        .memory = cu_core()->memory,
        .host = &op->host,
        .resident_blocks = sms * cu_occupancy_blocks(k->function, threads, k->shared_bytes),
        .sm_count = sms,
        .grid_id = ++context->grids,
        .cooperative = k->cooperative,
        .is_nested = k->is_nested,
        .graph_exec = (u64)(uintptr_t)op->graph_exec,
    };
    if (!op->launch.resident_blocks)
        op->launch.resident_blocks = 1;
}

void cu_launch_failed(CUcontext context, enum launch_fault fault, const struct err *err)
{
    static const CUresult codes[] = {
        [FAULT_NONE] = CUDA_ERROR_LAUNCH_FAILED,
        [FAULT_ADDRESS] = CUDA_ERROR_ILLEGAL_ADDRESS,
        [FAULT_MISALIGNED] = CUDA_ERROR_MISALIGNED_ADDRESS,
        [FAULT_TRAP] = CUDA_ERROR_LAUNCH_FAILED,
        [FAULT_ASSERT] = CUDA_ERROR_ASSERT,
        [FAULT_INSTRUCTION] = CUDA_ERROR_ILLEGAL_INSTRUCTION,
        [FAULT_STACK] = CUDA_ERROR_ILLEGAL_ADDRESS,
        [FAULT_DEADLOCK] = CUDA_ERROR_LAUNCH_TIMEOUT,
        [FAULT_LIMIT] = CUDA_ERROR_LAUNCH_TIMEOUT,
        [FAULT_RESOURCES] = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
    };
    cu_print_flush();
    cu_complain(err);
    context->sticky = codes[fault];
    cu_stream_drop_all(context);
}
