/*
 * A CUDA program whose host sees what its kernels do without asking for a copy:
 * checkpoint_program managed|pinned|device [wait].
 *
 * Six launches add 3 to a number and print it; the host reads it after each, and writes another one
 * that the next launch adds as well. With `wait` a stream waits for a value in memory.
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAUNCHES 6
#define WAIT_VALUE_EQ 1

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr at, unsigned value, unsigned flags);

static const char ptx[] =
    ".version 8.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 arguments);\n"
    ".global .align 1 .b8 format[11] = {107, 101, 114, 110, 101, 108, 32, 37, 117, 10, 0};\n"
    ".visible .entry step(.param .u64 at)\n"
    "{\n"
    "    .local .align 8 .b8 arguments[8];\n"
    "    .reg .b64 %rd<6>;\n    .reg .b32 %r<6>;\n"
    "    ld.param.u64 %rd1, [at];\n"
    "    ld.global.u32 %r1, [%rd1];\n"
    "    ld.global.u32 %r2, [%rd1+4];\n"
    "    add.u32 %r3, %r1, %r2;\n"
    "    add.u32 %r4, %r3, 3;\n"
    "    st.global.u32 [%rd1], %r4;\n"
    "    mov.u64 %rd2, arguments;\n"
    "    cvta.local.u64 %rd3, %rd2;\n"
    "    st.local.u32 [%rd2], %r4;\n"
    "    mov.u64 %rd4, format;\n"
    "    cvta.global.u64 %rd5, %rd4;\n"
    "    {\n"
    "        .param .b64 a;\n        .param .b64 b;\n        .param .b32 c;\n"
    "        st.param.b64 [a], %rd5;\n        st.param.b64 [b], %rd3;\n"
    "        call.uni (c), vprintf, (a, b);\n"
    "        ld.param.b32 %r5, [c];\n"
    "    }\n"
    "    ret;\n"
    "}\n";

static void check(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS)
        return;
    printf("%s gave %d\n", what, (int)result);
    exit(1);
}

#define CHECK(call) check(call, #call)

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction step;
    CUdeviceptr at = 0;
    unsigned *seen = NULL, there[2] = {0, 0};
    const char *kind = argc > 1 ? argv[1] : "device";
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuCtxCreate(&context, 0, device));
    CHECK(cuModuleLoadData(&module, ptx));
    CHECK(cuModuleGetFunction(&step, module, "step"));
    if (strcmp(kind, "managed") == 0) {
        CHECK(cuMemAllocManaged(&at, 8, CU_MEM_ATTACH_GLOBAL));
        seen = (unsigned *)(size_t)at;
    } else if (strcmp(kind, "pinned") == 0) {
        CHECK(cuMemHostAlloc((void **)&seen, 8, 0));
        at = (CUdeviceptr)(size_t)seen;
    } else {
        CHECK(cuMemAlloc(&at, 8));
    }
    if (seen)
        memcpy(seen, there, sizeof there);
    else
        CHECK(cuMemcpyHtoD(at, there, sizeof there));
    if (argc > 2) {
        CUstream stream;
        CHECK(cuStreamCreate(&stream, 0));
        CHECK(cuStreamWaitValue32(stream, at, 0, WAIT_VALUE_EQ));
    }
    for (unsigned i = 0; i < LAUNCHES; i++) {
        void *arguments[] = {&at};
        CHECK(cuLaunchKernel(step, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
        CHECK(cuCtxSynchronize());
        if (seen) {
            printf("host %u\n", seen[0]);
            seen[1] = seen[0] % 5;
        } else {
            CHECK(cuMemcpyDtoH(there, at, sizeof there));
            printf("host %u\n", there[0]);
            there[1] = there[0] % 5;
            CHECK(cuMemcpyHtoD(at + 4, &there[1], 4));
        }
    }
    return 0;
}
