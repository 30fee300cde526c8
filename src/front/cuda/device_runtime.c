#include "front/cuda/device_runtime.h"

#include "front/cuda/conditional.h"
#include "isa/device_call.h"

#include <string.h>

static u64 argument(const struct device_call *call, u32 index, size_t bytes)
{
    u64 value = 0;
    memcpy(&value, call->argument[index], bytes);
    return value;
}

void cu_device_call(struct cu_op *op, struct device_call *call)
{
    (void)op;
    switch (call->number) {
    case DEVICE_CALL_GRAPH_CONDITION:
        cu_condition_set(argument(call, 0, 8), (u32)argument(call, 1, 4));
        break;
    default:
        call->result = CUDA_ERROR_NOT_SUPPORTED;
        break;
    }
}
