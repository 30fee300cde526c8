/* Calls that programs may import and heddle does not have: each says its name and fails. */
#include "cuda/driver/driver.h"
#include "cuda/driver/stubs.h"

static CUresult not_supported(const char *name)
{
    cu_say("%s is not supported", name);
    return CUDA_ERROR_NOT_SUPPORTED;
}

#define STUB(name)                                                                                 \
    CU_SHARED CUresult name(void);                                                                 \
    CUresult name(void)                                                                            \
    {                                                                                              \
        return not_supported(#name);                                                               \
    }
DRIVER_STUBS(STUB)
