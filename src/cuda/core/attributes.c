#include "cuda/core/attributes.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#define LAST_ATTRIBUTE CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING

CUresult cu_attributes_set(struct cu_attributes *a, u32 id, const CUlaunchAttributeValue *value)
{
    if (!value || !id || id > LAST_ATTRIBUTE)
        return CUDA_ERROR_INVALID_VALUE;
    u32 i = 0;
    while (i < a->count && a->list[i].id != id)
        i++;
    if (i == a->count) {
        a->list = xrealloc(a->list, (i + 1) * sizeof(*a->list));
        memset(&a->list[i], 0, sizeof(*a->list));
        a->list[i].id = id;
        a->count++;
    }
    a->list[i].value = *value;
    return CUDA_SUCCESS;
}

CUresult cu_attributes_get(const struct cu_attributes *a, u32 id, CUlaunchAttributeValue *value)
{
    if (!value || !id || id > LAST_ATTRIBUTE)
        return CUDA_ERROR_INVALID_VALUE;
    memset(value, 0, sizeof(*value));
    for (u32 i = 0; i < a->count; i++) {
        if (a->list[i].id == id)
            *value = a->list[i].value;
    }
    return CUDA_SUCCESS;
}

void cu_attributes_fini(struct cu_attributes *a)
{
    free(a->list);
    *a = (struct cu_attributes){0};
}

void cu_attributes_copy(struct cu_attributes *to, const struct cu_attributes *from)
{
    if (to == from)
        return;
    cu_attributes_fini(to);
    for (u32 i = 0; i < from->count; i++)
        cu_attributes_set(to, from->list[i].id, &from->list[i].value);
}
