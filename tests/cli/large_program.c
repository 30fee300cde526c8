/*
 * A CUDA program with 8 GB of device memory, of which it touches a word in every 256 KB:
 * large_program [LAUNCHES].
 *
 * Eight buffers of 1 GB; each launch adds its number to the words of all of them. Prints the sum
 * of some words and "verified" where it is right.
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

#define BUFFERS 8u
#define BUFFER_BYTES ((size_t)1 << 30)
#define WORDS 4096u /* of a buffer, that are touched: one in BUFFER_BYTES / WORDS bytes */
#define LOOKED_AT 64u

static const char ptx[] = ".version 8.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry touch(.param .u64 at, .param .u32 more)\n"
                          "{\n"
                          "    .reg .b32 %r<8>;\n    .reg .b64 %rd<4>;\n"
                          "    ld.param.u64 %rd1, [at];\n"
                          "    ld.param.u32 %r1, [more];\n"
                          "    mov.u32 %r2, %ctaid.x;\n"
                          "    mov.u32 %r3, %ntid.x;\n"
                          "    mov.u32 %r4, %tid.x;\n"
                          "    mad.lo.u32 %r5, %r2, %r3, %r4;\n"
                          "    mul.wide.u32 %rd2, %r5, 262144;\n"
                          "    add.u64 %rd3, %rd1, %rd2;\n"
                          "    ld.global.u32 %r6, [%rd3];\n"
                          "    add.u32 %r6, %r6, %r1;\n"
                          "    st.global.u32 [%rd3], %r6;\n"
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
    unsigned launches = argc > 1 ? (unsigned)atoi(argv[1]) : 3, sum = 0, expected;
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction touch;
    CUdeviceptr at[BUFFERS];
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuCtxCreate(&context, 0, device));
    CHECK(cuModuleLoadData(&module, ptx));
    CHECK(cuModuleGetFunction(&touch, module, "touch"));
    for (unsigned b = 0; b < BUFFERS; b++)
        CHECK(cuMemAlloc(&at[b], BUFFER_BYTES));
    for (unsigned i = 1; i <= launches; i++) {
        for (unsigned b = 0; b < BUFFERS; b++) {
            void *arguments[] = {&at[b], &i};
            CHECK(cuLaunchKernel(touch, WORDS / 128, 1, 1, 128, 1, 1, 0, NULL, arguments, NULL));
        }
    }
    for (unsigned i = 0; i < LOOKED_AT; i++) {
        unsigned word, number = i * (WORDS / LOOKED_AT);
        CHECK(cuMemcpyDtoH(&word, at[i % BUFFERS] + number * (BUFFER_BYTES / WORDS), 4));
        sum += word;
    }
    expected = LOOKED_AT * launches * (launches + 1) / 2;
    printf("sum %u, %s\n", sum, sum == expected ? "verified" : "wrong");
    return sum != expected;
}
