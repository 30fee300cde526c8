/*
 * Contexts of the driver interface beside the runtime's: made with a zeroed structure of parameters
 * as CUDA 13 has it, pushed, popped and asked.
 */
#define TEST "contexts"
#include "check.h"

#include <cuda.h>

__global__ void add_one(int *x)
{
    x[threadIdx.x]++;
}

static void must(CUresult got, const char *what)
{
    if (got != CUDA_SUCCESS)
        fail("%s gave %d", what, (int)got);
}
#define DRIVER(call) must((call), #call)

int main()
{
    CUcontext own = nullptr, other = nullptr, now = nullptr;
    CUdevice device = -1;
    DRIVER(cuInit(0));
    DRIVER(cuDeviceGet(&device, 0));
    CUctxCreateParams params = {};
    DRIVER(cuCtxCreate_v4(&own, &params, CU_CTX_SCHED_BLOCKING_SYNC, device));
    DRIVER(cuCtxCreate_v4(&other, nullptr, 0, device));
    DRIVER(cuCtxGetCurrent(&now));
    EXPECT(now == other);
    unsigned flags = 0;
    DRIVER(cuCtxSetCurrent(own));
    DRIVER(cuCtxGetFlags(&flags));
    EXPECT((flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_BLOCKING_SYNC);
    unsigned long long id = 0, other_id = 0;
    DRIVER(cuCtxGetId(own, &id));
    DRIVER(cuCtxGetId(other, &other_id));
    EXPECT(id != other_id);

    /* the runtime uses what is current */
    int *x = device_array<int>(32);
    CHECK(cudaMemset(x, 0, 32 * sizeof(int)));
    add_one<<<1, 32>>>(x);
    wait_for_kernels();
    CUcontext of_x = nullptr;
    DRIVER(cuPointerGetAttribute(&of_x, CU_POINTER_ATTRIBUTE_CONTEXT, (CUdeviceptr)x));
    EXPECT(of_x == own);
    std::vector<int> got = host_copy(x, 32);
    for (size_t i = 0; i < got.size(); i++)
        expect_equal("x", i, got[i], 1);

    DRIVER(cuCtxPushCurrent(other));
    DRIVER(cuCtxPopCurrent(&now));
    EXPECT(now == other);
    DRIVER(cuCtxSynchronize());
    DRIVER(cuCtxDestroy(other));
    DRIVER(cuCtxDestroy(own));
    DRIVER(cuCtxSetCurrent(nullptr));
    DRIVER(cuCtxGetCurrent(&now));
    EXPECT(now == nullptr);

    /* the primary context, counted */
    unsigned primary_flags = 0;
    int active = -1;
    DRIVER(cuDevicePrimaryCtxGetState(device, &primary_flags, &active));
    EXPECT(active == 0);
    CHECK(cudaFree(nullptr));
    DRIVER(cuDevicePrimaryCtxGetState(device, &primary_flags, &active));
    EXPECT(active == 1);
    CUcontext primary = nullptr;
    DRIVER(cuDevicePrimaryCtxRetain(&primary, device));
    DRIVER(cuCtxGetCurrent(&now));
    EXPECT(now == primary);
    DRIVER(cuDevicePrimaryCtxRelease(device));
    return pass();
}
