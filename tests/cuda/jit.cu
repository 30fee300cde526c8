/*
 * PTX at run time: linked from several texts, with logs; loaded as a library and its kernels asked
 * about. What does not compile or link leaves its reason in the log that was given.
 */
#define TEST "jit"
#include "check.h"

#include <cstring>
#include <cuda.h>

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"

static const char twice[] = HEAD ".visible .func (.param .b32 r) twice(.param .b32 x)\n"
                                 "{ .reg .b32 %r<3>; ld.param.b32 %r1, [x]; add.s32 %r2, %r1, %r1;\n"
                                 "  st.param.b32 [r], %r2; ret; }\n";
static const char user[] =
    HEAD ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
         ".visible .global .align 4 .u32 offset = 5;\n"
         ".visible .entry kernel(.param .u64 out)\n"
         "{ .reg .b32 %r<6>; .reg .b64 %rd<5>; .param .b32 a; .param .b32 b;\n"
         "  ld.param.u64 %rd1, [out]; cvta.to.global.u64 %rd1, %rd1; mov.u32 %r1, %tid.x;\n"
         "  st.param.b32 [a], %r1; call.uni (b), twice, (a); ld.param.b32 %r2, [b];\n"
         "  ld.global.u32 %r3, [offset]; add.s32 %r2, %r2, %r3;\n"
         "  mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r2; ret; }\n";

static void must(CUresult got, const char *what, int line)
{
    if (got != CUDA_SUCCESS)
        fail("line %d: %s gave %d", line, what, (int)got);
}
#define DRIVER(call) must((call), #call, __LINE__)

struct logs {
    char info[1024], error[1024];
    CUjit_option options[5] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                               CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                               CU_JIT_LOG_VERBOSE};
    void *values[5] = {info, (void *)sizeof info, error, (void *)sizeof error, (void *)1};
    logs()
    {
        memset(info, 'x', sizeof info);
        memset(error, 'x', sizeof error);
    }
};

static void check_kernel(CUfunction kernel, unsigned offset)
{
    unsigned *out = device_array<unsigned>(32);
    void *args[] = {&out};
    DRIVER(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, args, nullptr));
    CHECK(cudaDeviceSynchronize());
    std::vector<unsigned> got = host_copy(out, 32);
    for (unsigned i = 0; i < 32; i++)
        expect_equal("out", i, got[i], 2 * i + offset);
}

int main()
{
    CHECK(cudaFree(nullptr));
    {
        logs l;
        CUlinkState link;
        void *image = nullptr;
        size_t bytes = 0;
        DRIVER(cuLinkCreate(5, l.options, l.values, &link));
        DRIVER(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)user, sizeof user, "user", 0, nullptr,
                             nullptr));
        DRIVER(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)twice, sizeof twice, "twice", 0,
                             nullptr, nullptr));
        DRIVER(cuLinkComplete(link, &image, &bytes));
        EXPECT(bytes > 0 && strnlen(l.info, sizeof l.info) < sizeof l.info);
        std::vector<char> copy((char *)image, (char *)image + bytes);
        DRIVER(cuLinkDestroy(link));
        CUmodule module;
        CUfunction kernel;
        DRIVER(cuModuleLoadData(&module, copy.data()));
        DRIVER(cuModuleGetFunction(&kernel, module, "kernel"));
        check_kernel(kernel, 5);

        CUlibrary library;
        CUkernel by_name;
        CUdeviceptr offset;
        DRIVER(cuLibraryLoadData(&library, copy.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
        unsigned count = 0;
        DRIVER(cuLibraryGetKernelCount(&count, library));
        EXPECT(count == 1);
        DRIVER(cuLibraryGetKernel(&by_name, library, "kernel"));
        DRIVER(cuLibraryGetGlobal(&offset, &bytes, library, "offset"));
        EXPECT(bytes == 4);
        unsigned hundred = 100;
        CHECK(cudaMemcpy((void *)offset, &hundred, 4, cudaMemcpyHostToDevice));
        DRIVER(cuKernelGetFunction(&kernel, by_name));
        const char *name = nullptr;
        DRIVER(cuKernelGetName(&name, by_name));
        EXPECT(!strcmp(name, "kernel"));
        int registers = 0;
        DRIVER(cuKernelGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, by_name, 0));
        EXPECT(registers > 0);
        check_kernel(kernel, 100);
        DRIVER(cuLibraryUnload(library));
    }
    { /* a function that is nowhere */
        logs l;
        CUlinkState link;
        void *image;
        DRIVER(cuLinkCreate(5, l.options, l.values, &link));
        CUresult status = cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)user, sizeof user, "user",
                                        0, nullptr, nullptr);
        if (status == CUDA_SUCCESS)
            status = cuLinkComplete(link, &image, nullptr);
        EXPECT(status != CUDA_SUCCESS);
        EXPECT(strstr(l.error, "twice") != nullptr);
        DRIVER(cuLinkDestroy(link));
    }
    { /* text that is no PTX */
        logs l;
        CUmodule module;
        EXPECT(cuModuleLoadDataEx(&module, HEAD ".visible .entry k() { nonsense; ret; }", 5,
                                  l.options, l.values) == CUDA_ERROR_INVALID_PTX);
        EXPECT(strnlen(l.error, sizeof l.error) > 0 && strnlen(l.error, sizeof l.error) < 1024);
        EXPECT(strstr(l.error, "nonsense") != nullptr);
    }
    return pass();
}
