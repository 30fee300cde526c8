/* Attributes that programs give to streams and to kernel nodes of graphs, and ask back. */
#ifndef CUDA_CORE_ATTRIBUTES_H
#define CUDA_CORE_ATTRIBUTES_H

#include "cuda/core/export.h"
#include "base/types.h"

struct cu_attributes {
    CUlaunchAttribute *list;
    u32 count;
};

CU_SHARED CUresult cu_attributes_set(struct cu_attributes *a, u32 id,
                                     const CUlaunchAttributeValue *value);
/* One that was never set is zero. */
CU_SHARED CUresult cu_attributes_get(const struct cu_attributes *a, u32 id,
                                     CUlaunchAttributeValue *value);
CU_SHARED void cu_attributes_copy(struct cu_attributes *to, const struct cu_attributes *from);
void cu_attributes_fini(struct cu_attributes *a);

#endif
