#include "cuda/graph/conditional.h"

#include "base/arena.h"
#include "cuda/graph/graph.h"

#include <stdlib.h>

struct cu_condition {
    u32 value, default_value;
    bool assigns_default;
};

static struct cu_condition *condition_find(u64 handle)
{
    return handle && handle <= cu_core()->conditions.count ? &cu_core()->conditions.all[handle - 1]
                                                           : NULL;
}

CUresult cu_condition_create(u32 default_value, u32 flags, u64 *handle)
{
    if (flags & ~CU_GRAPH_COND_ASSIGN_DEFAULT)
        return CUDA_ERROR_INVALID_VALUE;
    cu_core()->conditions.all = xrealloc(
        cu_core()->conditions.all, (cu_core()->conditions.count + 1) * sizeof(struct cu_condition));
    cu_core()->conditions.all[cu_core()->conditions.count++] =
        (struct cu_condition){.default_value = default_value, .assigns_default = flags != 0};
    *handle = cu_core()->conditions.count;
    return CUDA_SUCCESS;
}

void cu_condition_set(u64 handle, u32 value)
{
    struct cu_condition *c = condition_find(handle);
    if (c)
        c->value = value;
}

void cu_condition_begin(u64 handle)
{
    struct cu_condition *c = condition_find(handle);
    if (c && c->assigns_default)
        c->value = c->default_value;
}

CUresult cu_conditional_new(u64 handle, int type, u32 count, struct cu_conditional **out)
{
    static const u32 most[] = {[CU_GRAPH_COND_TYPE_IF] = 2,
                               [CU_GRAPH_COND_TYPE_WHILE] = 1,
                               [CU_GRAPH_COND_TYPE_SWITCH] = UINT32_MAX};
    if (!condition_find(handle) || type < 0 || type > CU_GRAPH_COND_TYPE_SWITCH || !count ||
        count > most[type])
        return CUDA_ERROR_INVALID_VALUE;
    struct cu_conditional *c = xrealloc(NULL, sizeof(*c));
    *c = (struct cu_conditional){.handle = handle, .type = type, .count = count};
    c->bodies = xrealloc(NULL, count * sizeof(CUgraph));
    for (u32 i = 0; i < count; i++) {
        c->bodies[i] = cu_graph_create();
        c->bodies[i]->is_child = true;
    }
    *out = c;
    return CUDA_SUCCESS;
}

struct cu_conditional *cu_conditional_clone(const struct cu_conditional *c)
{
    struct cu_conditional *copy = xrealloc(NULL, sizeof(*copy));
    *copy = *c;
    copy->bodies = xrealloc(NULL, c->count * sizeof(CUgraph));
    for (u32 i = 0; i < c->count; i++) {
        copy->bodies[i] = cu_graph_clone(c->bodies[i]);
        copy->bodies[i]->is_child = true;
    }
    return copy;
}

void cu_conditional_delete(struct cu_conditional *c)
{
    for (u32 i = 0; i < c->count; i++)
        cu_graph_destroy(c->bodies[i]);
    free(c->bodies);
    free(c);
}

CUgraph cu_conditional_body(const struct cu_conditional *c)
{
    u32 value = condition_find(c->handle)->value;
    u32 index = c->type == CU_GRAPH_COND_TYPE_SWITCH ? value : value ? 0 : 1;
    return index < c->count ? c->bodies[index] : NULL;
}
