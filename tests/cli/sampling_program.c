/*
 * A kernel of 5,000 blocks: sampling_program chain|free|late.
 *
 * In `chain` each block waits for a flag that the block before it sets, as in a scan with
 * look-back; in `free` it does the same without waiting. Prints "verified" when every flag is
 * there. `late` is another kernel: 60 short launches, and one of an hour.
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS 5000u
#define SHORT_LAUNCHES 60u
#define LONG_TURNS 4000000000u

#define KERNEL(name, wait)                                                                         \
    ".visible .entry " name "(.param .u64 flags)\n"                                                \
    "{\n"                                                                                          \
    "    .reg .pred %p<3>;\n    .reg .b32 %r<8>;\n    .reg .b64 %rd<4>;\n"                         \
    "    ld.param.u64 %rd1, [flags];\n"                                                            \
    "    mov.u32 %r1, %ctaid.x;\n"                                                                 \
    "    mul.wide.u32 %rd2, %r1, 4;\n"                                                             \
    "    add.u64 %rd3, %rd1, %rd2;\n"                                                              \
    "    setp.eq.u32 %p1, %r1, 0;\n"                                                               \
    "    @%p1 bra WORK;\n" wait "WORK:\n"                                                          \
    "    mov.u32 %r3, 0;\n"                                                                        \
    "LOOP:\n"                                                                                      \
    "    add.u32 %r3, %r3, 1;\n"                                                                   \
    "    setp.lt.u32 %p2, %r3, 40;\n"                                                              \
    "    @%p2 bra LOOP;\n"                                                                         \
    "    add.u32 %r4, %r1, 1;\n"                                                                   \
    "    st.volatile.global.u32 [%rd3], %r4;\n"                                                    \
    "    ret;\n"                                                                                   \
    "}\n"

static const char ptx[] = ".version 8.0\n.target sm_70\n.address_size 64\n" KERNEL(
    "chain", "WAIT:\n"
             "    ld.volatile.global.u32 %r2, [%rd3+-4];\n"
             "    setp.eq.u32 %p2, %r2, 0;\n"
             "    @%p2 bra WAIT;\n")
    KERNEL("free", "") ".visible .entry late(.param .u32 turns)\n"
                       "{\n"
                       "    .reg .pred %p<2>;\n    .reg .b32 %r<3>;\n"
                       "    ld.param.u32 %r1, [turns];\n"
                       "    mov.u32 %r2, 0;\n"
                       "LOOP:\n"
                       "    add.u32 %r2, %r2, 1;\n"
                       "    setp.lt.u32 %p1, %r2, %r1;\n"
                       "    @%p1 bra LOOP;\n"
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

static int run_late(CUfunction kernel)
{
    unsigned turns = 40;
    void *arguments[] = {&turns};
    for (unsigned i = 0; i < SHORT_LAUNCHES; i++)
        CHECK(cuLaunchKernel(kernel, 8, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cuCtxSynchronize());
    printf("the long launch begins\n");
    fflush(stdout);
    turns = LONG_TURNS;
    CHECK(cuLaunchKernel(kernel, 8, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cuCtxSynchronize());
    return 0;
}

int main(int argc, char **argv)
{
    static unsigned flags[BLOCKS];
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr at;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuCtxCreate(&context, 0, device));
    CHECK(cuModuleLoadData(&module, ptx));
    CHECK(cuModuleGetFunction(&kernel, module, argc > 1 ? argv[1] : "free"));
    if (argc > 1 && strcmp(argv[1], "late") == 0)
        return run_late(kernel);
    CHECK(cuMemAlloc(&at, sizeof flags));
    CHECK(cuMemcpyHtoD(at, flags, sizeof flags));
    void *arguments[] = {&at};
    CHECK(cuLaunchKernel(kernel, BLOCKS, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cuMemcpyDtoH(flags, at, sizeof flags));
    for (unsigned i = 0; i < BLOCKS; i++) {
        if (flags[i] != i + 1) {
            printf("flag %u is %u\n", i, flags[i]);
            return 1;
        }
    }
    printf("verified\n");
    return 0;
}
