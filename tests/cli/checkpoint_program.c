/*
 * A CUDA program whose host sees what its kernels do without asking for a copy:
 * checkpoint_program managed|pinned|device [wait|pairs].
 *
 * Six launches add 3 to a number and print it; the host reads it after each, and writes another one
 * that the next launch adds as well. With `wait` a stream waits for a value in memory. With `pairs`
 * it is six pairs in two streams, of which the second adds to a number of its own without printing,
 * and the host prints how long each pair took.
 */
#include <cuda.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAUNCHES 6
#define WAIT_VALUE_EQ 1

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr at, unsigned value, unsigned flags);

CUresult cuEventCreate(CUevent *event, unsigned flags);
CUresult cuEventRecord(CUevent event, CUstream stream);
CUresult cuEventElapsedTime(float *ms, CUevent from, CUevent to);

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
    "}\n"
    ".visible .entry quiet(.param .u64 at)\n"
    "{\n"
    "    .reg .b64 %rd<2>;\n    .reg .b32 %r<4>;\n    .reg .pred %p;\n"
    "    ld.param.u64 %rd1, [at];\n"
    "    mov.u32 %r2, 0;\n"
    "again:\n"
    "    ld.volatile.global.u32 %r1, [%rd1];\n"
    "    add.u32 %r1, %r1, 7;\n"
    "    st.volatile.global.u32 [%rd1], %r1;\n"
    "    add.u32 %r2, %r2, 1;\n"
    "    setp.lt.u32 %p, %r2, 20;\n"
    "    @%p bra again;\n"
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

static CUstream streams[2];
static CUevent events[3];

static void start_pair(CUfunction quiet, CUdeviceptr at)
{
    void *arguments[] = {&at};
    CHECK(cuEventRecord(events[0], streams[1]));
    CHECK(cuLaunchKernel(quiet, 1, 1, 1, 32, 1, 1, 0, streams[1], arguments, NULL));
    CHECK(cuEventRecord(events[1], streams[1]));
}

static void end_pair(CUdeviceptr at)
{
    unsigned number;
    float ms;
    CHECK(cuEventElapsedTime(&ms, events[0], events[1]));
    CHECK(cuMemcpyDtoH(&number, at, sizeof number));
    printf("pair %u, %.6f ms\n", number, ms);
}

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction step, quiet;
    CUdeviceptr at = 0, own = 0;
    unsigned nothing = 0;
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
    bool pairs = argc > 2 && strcmp(argv[2], "pairs") == 0;
    CHECK(cuModuleGetFunction(&quiet, module, "quiet"));
    CHECK(cuMemAlloc(&own, 4));
    CHECK(cuMemcpyHtoD(own, &nothing, 4));
    for (unsigned i = 0; pairs && i < 2; i++)
        CHECK(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
    for (unsigned i = 0; pairs && i < 3; i++)
        CHECK(cuEventCreate(&events[i], 0));
    if (argc > 2 && !pairs) {
        CUstream stream;
        CHECK(cuStreamCreate(&stream, 0));
        CHECK(cuStreamWaitValue32(stream, at, 0, WAIT_VALUE_EQ));
    }
    for (unsigned i = 0; i < LAUNCHES; i++) {
        void *arguments[] = {&at};
        if (pairs)
            start_pair(quiet, own);
        CHECK(cuLaunchKernel(step, 1, 1, 1, 1, 1, 1, 0, streams[0], arguments, NULL));
        CHECK(cuCtxSynchronize());
        if (pairs)
            end_pair(own);
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
