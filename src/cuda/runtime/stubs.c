/* Calls that programs may import and heddle does not have: each says its name and fails. */
#include "cuda/runtime/runtime.h"
#include "cuda/runtime/stubs.h"

static cudaError_t not_supported(const char *name)
{
    cu_say("%s is not supported", name);
    return rt_result(cudaErrorNotSupported);
}

#define STUB(name)                                                                                 \
    RT(name, void)                                                                                 \
    {                                                                                              \
        return not_supported(#name);                                                               \
    }
RUNTIME_STUBS(STUB)
