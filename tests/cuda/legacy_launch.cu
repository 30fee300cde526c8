/*
 * Launches as before CUDA 4: shape, shared memory and arguments stay with the function until they
 * are set again. PyCUDA sets the shape of each block so.
 */
#define TEST "legacy_launch"
#include "check.h"

#include <cuda.h>

/* out[i] = 3 i + bias, rounded down; shared memory holds it on the way */
static const char text[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".extern .shared .align 4 .b8 room[];\n"
    ".visible .entry fill(.param .u32 factor, .param .f32 bias, .param .u64 out)\n"
    "{ .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .b64 %rd<5>;\n"
    "  ld.param.u64 %rd1, [out]; cvta.to.global.u64 %rd1, %rd1;\n"
    "  ld.param.u32 %r1, [factor]; ld.param.f32 %f1, [bias];\n"
    "  mov.u32 %r2, %ctaid.y; mov.u32 %r3, %nctaid.x; mov.u32 %r4, %ctaid.x;\n"
    "  mad.lo.u32 %r2, %r2, %r3, %r4; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "  mad.lo.u32 %r5, %r2, %r3, %r4; mul.lo.u32 %r6, %r5, %r1; cvt.rn.f32.u32 %f2, %r6;\n"
    "  add.f32 %f2, %f2, %f1; cvt.rzi.u32.f32 %r6, %f2; shl.b32 %r4, %r4, 2;\n"
    "  mov.u32 %r7, room; add.u32 %r7, %r7, %r4; st.shared.u32 [%r7], %r6; ld.shared.u32 %r6, [%r7];\n"
    "  mul.wide.u32 %rd2, %r5, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r6; ret; }\n";

static void must(CUresult got, CUresult want, const char *what, int line)
{
    if (got != want)
        fail("line %d: %s gave %d, expected %d", line, what, (int)got, (int)want);
    const char *name;
    (void)cuGetErrorName(got, &name); /* an expected error has been seen */
}
#define DRIVER(call) must((call), CUDA_SUCCESS, #call, __LINE__)
#define REFUSED(call, error) must((call), (error), #call, __LINE__)

static void check(unsigned *out, unsigned count, unsigned bias)
{
    CHECK(cudaDeviceSynchronize());
    std::vector<unsigned> got = host_copy(out, 6 * 32);
    for (unsigned i = 0; i < 6 * 32; i++)
        expect_equal("out", i, got[i], i < count ? 3 * i + bias : 0);
    CHECK(cudaMemset(out, 0, 6 * 32 * sizeof *out));
}

int main()
{
    CHECK(cudaFree(nullptr));
    CUmodule module;
    CUfunction f;
    DRIVER(cuModuleLoadData(&module, text));
    DRIVER(cuModuleGetFunction(&f, module, "fill"));
    unsigned *out = device_array<unsigned>(6 * 32);
    CHECK(cudaMemset(out, 0, 6 * 32 * sizeof *out));

    REFUSED(cuLaunch(f), CUDA_ERROR_INVALID_VALUE); /* no arguments yet */
    DRIVER(cuFuncSetBlockShape(f, 32, 1, 1));
    DRIVER(cuFuncSetSharedSize(f, 32 * sizeof(unsigned)));
    DRIVER(cuParamSeti(f, 0, 3));
    DRIVER(cuParamSetf(f, 4, 7.5f));
    DRIVER(cuParamSetv(f, 8, &out, sizeof out));
    DRIVER(cuParamSetSize(f, 16));
    DRIVER(cuLaunchGrid(f, 3, 2));
    check(out, 6 * 32, 7);

    /* what was set stays; arguments are taken at the launch */
    DRIVER(cuParamSetf(f, 4, 100));
    CUstream stream;
    DRIVER(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    DRIVER(cuLaunchGridAsync(f, 2, 1, stream));
    DRIVER(cuParamSetf(f, 4, 0));
    check(out, 2 * 32, 100);
    DRIVER(cuLaunch(f));
    check(out, 32, 0);

    REFUSED(cuFuncSetBlockShape(f, 0, 1, 1), CUDA_ERROR_INVALID_VALUE);
    REFUSED(cuFuncSetBlockShape(nullptr, 1, 1, 1), CUDA_ERROR_INVALID_HANDLE);
    REFUSED(cuParamSetv(f, 4090, &out, sizeof out), CUDA_ERROR_INVALID_VALUE);
    REFUSED(cuParamSetv(f, -4, &out, sizeof out), CUDA_ERROR_INVALID_VALUE);
    REFUSED(cuParamSetSize(f, 4097), CUDA_ERROR_INVALID_VALUE);
    REFUSED(cuLaunchGrid(f, 0, 1), CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuFuncSetBlockShape(f, 1024, 2, 1)); /* too many threads: found by the launch */
    REFUSED(cuLaunch(f), CUDA_ERROR_INVALID_VALUE);
    return pass();
}
