#include "cuda/core/memory.h"

#include "base/arena.h"
#include "cuda/graph/graph_memory.h"
#include "cuda/code/module.h"
#include "cuda/core/stream.h"

#include <stdlib.h>
#include <string.h>

#define PITCH_BYTES 512

static const char *const labels[CU_MEMORY_KINDS] = {
    [CU_MEMORY_DEVICE] = "cudaMalloc",       [CU_MEMORY_MANAGED] = "cudaMallocManaged",
    [CU_MEMORY_HOST] = "cudaMallocHost",     [CU_MEMORY_REGISTERED] = "cudaHostRegister",
    [CU_MEMORY_ARRAY] = "cudaMallocArray",   [CU_MEMORY_POOL] = "cudaMallocAsync",
    [CU_MEMORY_HEAP] = "malloc in a kernel", [CU_MEMORY_GRAPH] = "a graph's allocation",
    [CU_MEMORY_MAPPED] = "cuMemMap",         [CU_MEMORY_LAUNCH] = "a kernel's launch",
};

static bool counts_as_device(enum cu_memory_kind kind)
{
    return kind != CU_MEMORY_HOST && kind != CU_MEMORY_REGISTERED && kind != CU_MEMORY_MAPPED;
}

static struct cu_block *block_get(u64 start)
{
    u64 value;
    if (!map_get(&cu_core()->blocks, start, &value))
        return NULL;
    return (struct cu_block *)(uintptr_t)value;
}

static struct cu_block *block_add(CUcontext context, enum cu_memory_kind kind, u64 start, u64 bytes,
                                  u32 flags)
{
    struct cu_core *core = cu_core();
    struct cu_block *b = xrealloc(NULL, sizeof(*b));
    *b = (struct cu_block){.start = start,
                           .bytes = bytes,
                           .kind = kind,
                           .flags = flags,
                           .id = ++core->next_id,
                           .context = context};
    map_put(&core->blocks, start, (u64)(uintptr_t)b);
    if (counts_as_device(kind))
        core->device_used += bytes;
    core->host_sees |=
        kind == CU_MEMORY_MANAGED || kind == CU_MEMORY_HOST || kind == CU_MEMORY_REGISTERED;
    return b;
}

static void block_remove(struct cu_block *b)
{
    struct cu_core *core = cu_core();
    if (counts_as_device(b->kind))
        core->device_used -= b->bytes;
    if (b->kind == CU_MEMORY_HEAP)
        b->context->heap_bytes -= b->bytes;
    if (b->pool) {
        b->pool->used_bytes -= b->bytes;
        cu_pool_trim(b->pool, b->pool->threshold);
    }
    if (b->kind == CU_MEMORY_GRAPH)
        cu_graph_memory_count(b->bytes, false);
    if (b->kind == CU_MEMORY_GRAPH || b->kind == CU_MEMORY_MAPPED)
        memory_unmap(core->memory, b->start);
    else
        memory_free(core->memory, b->start);
    map_remove(&core->blocks, b->start);
    free(b);
}

CUresult cu_memory_alloc(CUcontext context, enum cu_memory_kind kind, u64 bytes, u32 flags,
                         u64 *address)
{
    struct cu_core *core = cu_core();
    if (!bytes)
        return CUDA_ERROR_INVALID_VALUE;
    if (counts_as_device(kind) && bytes > core->props.memory_bytes - core->device_used)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (kind == CU_MEMORY_HEAP &&
        bytes > context->limits[CU_LIMIT_MALLOC_HEAP_SIZE] - context->heap_bytes)
        return CUDA_ERROR_OUT_OF_MEMORY;
    u64 start = memory_alloc(core->memory, bytes, 256, labels[kind], (u32)kind);
    if (!start)
        return CUDA_ERROR_OUT_OF_MEMORY;
    block_add(context, kind, start, bytes, flags);
    if (kind == CU_MEMORY_HEAP)
        context->heap_bytes += bytes;
    *address = start;
    return CUDA_SUCCESS;
}

CUresult cu_memory_map(CUcontext context, enum cu_memory_kind kind, u64 start, u64 bytes, int file,
                       u64 offset)
{
    if (!memory_map(cu_core()->memory, start, bytes, file, offset, labels[kind], (u32)kind))
        return CUDA_ERROR_INVALID_VALUE;
    block_add(context, kind, start, bytes, 0);
    if (kind == CU_MEMORY_GRAPH)
        cu_graph_memory_count(bytes, true);
    return CUDA_SUCCESS;
}

CUresult cu_memory_alloc_pitched(CUcontext context, u64 width_bytes, u64 rows, u64 *pitch,
                                 u64 *address)
{
    u64 row = (width_bytes + PITCH_BYTES - 1) / PITCH_BYTES * PITCH_BYTES, bytes;
    if (!width_bytes || !rows || row < width_bytes)
        return CUDA_ERROR_INVALID_VALUE;
    if (__builtin_mul_overflow(row, rows, &bytes))
        return CUDA_ERROR_OUT_OF_MEMORY;
    *pitch = row;
    return cu_memory_alloc(context, CU_MEMORY_DEVICE, bytes, 0, address);
}

CUresult cu_memory_free(u64 address, u32 kinds)
{
    if (!address)
        return CUDA_SUCCESS;
    struct cu_graph_memory *of_graph = cu_graph_memory_find(address);
    if (of_graph) { /* what allocates it may still be queued */
        cu_wait_all(cu_context_get());
        of_graph->is_taken = false;
    }
    struct cu_block *b = block_get(address);
    if (!b || !(kinds >> b->kind & 1))
        return CUDA_ERROR_INVALID_VALUE;
    if (b->kind != CU_MEMORY_HEAP)
        cu_wait_all(b->context); /* work that uses it comes first */
    block_remove(b);
    return CUDA_SUCCESS;
}

void cu_memory_release(u64 address)
{
    struct cu_block *b = block_get(address);
    if (b)
        block_remove(b);
}

CUresult cu_memory_register(CUcontext context, void *start, u64 bytes, u32 flags)
{
    struct cu_core *core = cu_core();
    u64 address = (u64)(uintptr_t)start;
    if (!start || !bytes || address + bytes < address)
        return CUDA_ERROR_INVALID_VALUE;
    if (memory_find(core->memory, address) || memory_find(core->memory, address + bytes - 1) ||
        !memory_register(core->memory, address, bytes, labels[CU_MEMORY_REGISTERED],
                         CU_MEMORY_REGISTERED))
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    block_add(context, CU_MEMORY_REGISTERED, address, bytes, flags);
    return CUDA_SUCCESS;
}

CUresult cu_memory_unregister(void *start)
{
    if (!start)
        return CUDA_ERROR_INVALID_VALUE;
    struct cu_block *b = block_get((u64)(uintptr_t)start);
    if (!b || b->kind != CU_MEMORY_REGISTERED)
        return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    cu_wait_all(b->context);
    block_remove(b);
    return CUDA_SUCCESS;
}

void cu_memory_drop_all(CUcontext context)
{
    struct map *m = &cu_core()->blocks;
    /* map.h offers no iteration; removing shifts slots, so begin again until none is left. */
    for (bool again = true; again;) {
        again = false;
        for (u32 i = 0; m->slots && i <= m->mask; i++) {
            struct cu_block *b = (struct cu_block *)(uintptr_t)m->slots[i].value;
            if (m->used[i] && b->context == context) {
                block_remove(b);
                again = true;
            }
        }
    }
    context->heap_bytes = 0;
}

struct cu_block *cu_memory_find(u64 address)
{
    const struct allocation *a = memory_find(cu_core()->memory, address);
    return a ? block_get(a->start) : NULL;
}

bool cu_memory_is_shared(u64 address)
{
    const struct cu_block *b = cu_memory_find(address);
    if (b)
        return b->kind == CU_MEMORY_MANAGED || b->kind == CU_MEMORY_HOST ||
               b->kind == CU_MEMORY_REGISTERED;
    const struct allocation *a = memory_find(cu_core()->memory, address);
    return a && cu_module_is_managed(a->start);
}

bool cu_memory_holds(u64 address, u64 bytes)
{
    for (;;) { /* mappings may lie side by side */
        const struct allocation *a = memory_find(cu_core()->memory, address);
        u64 here = a ? a->bytes - (address - a->start) : 0;
        if (!a)
            return cu_graph_memory_holds(address, bytes);
        if (bytes <= here)
            return true;
        address += here;
        bytes -= here;
    }
}

void cu_memory_info(u64 *free_bytes, u64 *total_bytes)
{
    struct cu_core *core = cu_core();
    *total_bytes = core->props.memory_bytes;
    *free_bytes = core->props.memory_bytes - core->device_used;
}

struct cu_pointer cu_memory_describe(u64 address)
{
    struct cu_pointer p = {0};
    const struct allocation *a = memory_find(cu_core()->memory, address);
    if (!a)
        return p;
    p.type = CU_MEMORYTYPE_DEVICE;
    p.start = a->start;
    p.bytes = a->bytes;
    p.context = cu_context_get();
    struct cu_block *b = block_get(a->start);
    if (!b) {
        p.is_managed = cu_module_is_managed(a->start);
        return p;
    }
    p.is_managed = b->kind == CU_MEMORY_MANAGED;
    if (b->kind == CU_MEMORY_HOST || b->kind == CU_MEMORY_REGISTERED)
        p.type = CU_MEMORYTYPE_HOST;
    p.context = b->context;
    p.id = b->id;
    p.flags = b->flags;
    p.pool = b->pool;
    return p;
}

CUmemoryPool cu_pool_default(void)
{
    struct cu_core *core = cu_core();
    if (!core->default_pool)
        cu_pool_create(&core->default_pool);
    return core->default_pool;
}

CUresult cu_pool_create(CUmemoryPool *out)
{
    *out = cu_object_new(sizeof(**out), CU_KIND_POOL, NULL);
    (*out)->attribute[CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES] = 1;
    (*out)->attribute[CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC] = 1;
    (*out)->attribute[CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES] = 1;
    return CUDA_SUCCESS;
}

CUresult cu_pool_destroy(CUmemoryPool pool)
{
    struct cu_core *core = cu_core();
    if (pool == core->default_pool || pool->used_bytes)
        return CUDA_ERROR_INVALID_VALUE;
    if (core->pool == pool)
        core->pool = NULL;
    cu_object_delete(pool);
    return CUDA_SUCCESS;
}

CUresult cu_pool_attribute_get(CUmemoryPool pool, u32 key, void *value)
{
    u64 number;
    switch (key) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: {
        int flag = (int)pool->attribute[key];
        memcpy(value, &flag, sizeof(flag));
        return CUDA_SUCCESS;
    }
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        number = pool->threshold;
        break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
        number = pool->kept_bytes;
        break;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
        number = pool->used_bytes;
        break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
        number = pool->kept_high;
        break;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        number = pool->used_high;
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    memcpy(value, &number, sizeof(number));
    return CUDA_SUCCESS;
}

CUresult cu_pool_attribute_set(CUmemoryPool pool, u32 key, const void *value)
{
    u64 number = 0;
    int flag = 0;
    switch (key) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        memcpy(&flag, value, sizeof(flag));
        pool->attribute[key] = (u64)flag;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        memcpy(&pool->threshold, value, sizeof(pool->threshold));
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        memcpy(&number, value, sizeof(number));
        if (number)
            return CUDA_ERROR_INVALID_VALUE; /* it can only be reset */
        if (key == CU_MEMPOOL_ATTR_USED_MEM_HIGH)
            pool->used_high = pool->used_bytes;
        else
            pool->kept_high = pool->kept_bytes;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* Memory that is freed goes back at once, down to what the pool is to keep. */
void cu_pool_trim(CUmemoryPool pool, u64 keep_bytes)
{
    pool->kept_bytes = max_u64(pool->used_bytes, min_u64(pool->kept_bytes, keep_bytes));
}

/* A graph that allocates has memory of its own. */
static CUresult captured_alloc(u64 bytes, CUstream stream, u64 *address)
{
    struct cu_work work = {.kind = CU_WORK_ALLOC};
    CU_TRY(cu_graph_memory_new(bytes, &work.memory));
    *address = work.memory->address;
    return cu_submit(stream, &work);
}

CUresult cu_pool_alloc(CUmemoryPool pool, u64 bytes, CUstream stream, u64 *address)
{
    if (stream->capture)
        return captured_alloc(bytes, stream, address);
    CU_TRY(cu_memory_alloc(stream->object.context, CU_MEMORY_POOL, bytes, 0, address));
    struct cu_block *b = block_get(*address);
    b->pool = pool;
    pool->used_bytes += bytes;
    pool->used_high = max_u64(pool->used_high, pool->used_bytes);
    pool->kept_bytes = max_u64(pool->kept_bytes, pool->used_bytes);
    pool->kept_high = max_u64(pool->kept_high, pool->kept_bytes);
    return CUDA_SUCCESS;
}

CUresult cu_pool_free(u64 address, CUstream stream)
{
    struct cu_block *b = block_get(address);
    struct cu_graph_memory *of_graph = cu_graph_memory_find(address);
    if (!of_graph && (!address || !b || !(CU_FREE_DEVICE >> b->kind & 1)))
        return CUDA_ERROR_INVALID_VALUE;
    if (of_graph && !stream->capture)
        of_graph->is_taken = false;
    struct cu_work work = {.kind = CU_WORK_FREE, .address = address};
    return cu_submit(stream, &work);
}
