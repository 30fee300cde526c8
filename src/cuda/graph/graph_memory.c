#include "cuda/graph/graph_memory.h"

#include "base/arena.h"
#include "cuda/graph/graph_types.h"
#include "cuda/core/memory.h"

#include <stdlib.h>

CUresult cu_graph_memory_new(u64 bytes, struct cu_graph_memory **out)
{
    if (!bytes)
        return CUDA_ERROR_INVALID_VALUE;
    u64 address = memory_reserve(cu_core()->memory, bytes, 0, 0);
    if (!address)
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct cu_graph_memory *m = xrealloc(NULL, sizeof(*m));
    *m = (struct cu_graph_memory){
        .next = cu_core()->graph_memory.all, .address = address, .bytes = bytes, .references = 1};
    cu_core()->graph_memory.all = m;
    *out = m;
    return CUDA_SUCCESS;
}

struct cu_graph_memory *cu_graph_memory_find(u64 address)
{
    for (struct cu_graph_memory *m = cu_core()->graph_memory.all; m; m = m->next) {
        if (m->address == address)
            return m;
    }
    return NULL;
}

bool cu_graph_memory_holds(u64 address, u64 bytes)
{
    for (const struct cu_graph_memory *m = cu_core()->graph_memory.all; m; m = m->next) {
        if (address - m->address < m->bytes)
            return bytes <= m->bytes - (address - m->address);
    }
    return false;
}

bool cu_graph_memory_is_missing(u64 address)
{
    return cu_graph_memory_holds(address, 1) && !memory_find(cu_core()->memory, address);
}

/* Memory that is still in use outlives the graph that made it; its addresses are then kept. */
void cu_graph_memory_release(struct cu_graph_memory *memory)
{
    if (--memory->references)
        return;
    struct cu_graph_memory **link = &cu_core()->graph_memory.all;
    if (!memory_unreserve(cu_core()->memory, memory->address))
        return;
    while (*link != memory)
        link = &(*link)->next;
    *link = memory->next;
    free(memory);
}

void cu_graph_memory_take(CUcontext context, const struct cu_graph_memory *memory)
{
    cu_memory_map(context, CU_MEMORY_GRAPH, memory->address, memory->bytes, -1, 0);
}

void cu_graph_memory_count(u64 bytes, bool came)
{
    cu_core()->graph_memory.used =
        came ? cu_core()->graph_memory.used + bytes : cu_core()->graph_memory.used - bytes;
    cu_core()->graph_memory.used_high =
        max_u64(cu_core()->graph_memory.used_high, cu_core()->graph_memory.used);
    cu_core()->graph_memory.reserved =
        max_u64(cu_core()->graph_memory.reserved, cu_core()->graph_memory.used);
    cu_core()->graph_memory.reserved_high =
        max_u64(cu_core()->graph_memory.reserved_high, cu_core()->graph_memory.reserved);
}

CUresult cu_graph_memory_get(u32 attribute, u64 *value)
{
    const u64 values[] = {cu_core()->graph_memory.used, cu_core()->graph_memory.used_high,
                          cu_core()->graph_memory.reserved, cu_core()->graph_memory.reserved_high};
    if (attribute >= ARRAY_LEN(values))
        return CUDA_ERROR_INVALID_VALUE;
    *value = values[attribute];
    return CUDA_SUCCESS;
}

/* The high marks can be reset, to zero. */
CUresult cu_graph_memory_set(u32 attribute, u64 value)
{
    if (value)
        return CUDA_ERROR_INVALID_VALUE;
    if (attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH)
        cu_core()->graph_memory.used_high = cu_core()->graph_memory.used;
    else if (attribute == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)
        cu_core()->graph_memory.reserved_high = cu_core()->graph_memory.reserved;
    else
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

void cu_graph_memory_trim(void)
{
    cu_core()->graph_memory.reserved = cu_core()->graph_memory.used;
}
