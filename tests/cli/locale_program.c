/*
 * A CUDA program under the locale of its environment: locale_program [after].
 *
 * It chooses the locale before its first call, or with `after` when its kernel has ended. The
 * kernel's PTX has a number with a point, and the kernel prints one. The program itself writes
 * numbers as its locale has them, also from a host function.
 */
#include "driver.h"

#include <dlfcn.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char ptx[] =
    ".version 8.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 arguments);\n"
    ".global .align 1 .b8 format[4] = {37, 103, 10, 0};\n" /* %g\n */
    ".visible .entry half(.param .u64 out)\n"
    "{\n"
    "    .local .align 8 .b8 arguments[8];\n"
    "    .reg .b64 %rd<6>;\n    .reg .b32 %r<2>;\n    .reg .f32 %f<2>;\n    .reg .f64 %fd<2>;\n"
    "    ld.param.u64 %rd1, [out];\n"
    "    mov.f32 %f1, 0.5;\n"
    "    st.global.f32 [%rd1], %f1;\n"
    "    mov.u64 %rd2, arguments;\n"
    "    cvta.local.u64 %rd3, %rd2;\n"
    "    cvt.f64.f32 %fd1, %f1;\n"
    "    st.local.f64 [%rd2], %fd1;\n"
    "    mov.u64 %rd4, format;\n"
    "    cvta.global.u64 %rd5, %rd4;\n"
    "    {\n"
    "        .param .b64 a;\n        .param .b64 b;\n        .param .b32 c;\n"
    "        st.param.b64 [a], %rd5;\n        st.param.b64 [b], %rd3;\n"
    "        call.uni (c), vprintf, (a, b);\n"
    "        ld.param.b32 %r1, [c];\n"
    "    }\n"
    "    ret;\n"
    "}\n";

static struct driver d;

static void check(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS)
        return;
    printf("%s gave %s\n", what, driver_error(&d, result));
    exit(1);
}

static void choose(void)
{
    if (!setlocale(LC_ALL, "")) {
        printf("the locale of the environment is not there\n");
        exit(1);
    }
}

static void host(void *unused)
{
    (void)unused;
    printf("host function %g\n", 2.5);
}

int main(int argc, char **argv)
{
    bool after = argc > 1 && strcmp(argv[1], "after") == 0;
    char why[256];
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr out;
    float got = 0;
    CUresult (*launch_host)(CUstream, void (*)(void *), void *);
    if (!driver_open(&d, NULL, why, sizeof why)) {
        printf("%s\n", why);
        return 1;
    }
    void *symbol = dlsym(d.library, "cuLaunchHostFunc");
    memcpy(&launch_host, &symbol, sizeof symbol);
    if (!after)
        choose();
    check(d.cuInit(0), "cuInit");
    check(d.cuCtxCreate(&context, 0, 0), "cuCtxCreate");
    check(d.cuModuleLoadDataEx(&module, ptx, 0, NULL, NULL), "cuModuleLoadDataEx");
    check(d.cuModuleGetFunction(&function, module, "half"), "cuModuleGetFunction");
    check(d.cuMemAlloc(&out, sizeof got), "cuMemAlloc");
    void *arguments[] = {&out};
    check(d.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL), "cuLaunchKernel");
    check(d.cuMemcpyDtoH(&got, out, sizeof got), "cuMemcpyDtoH");
    if (after)
        choose();
    check(launch_host(NULL, host, NULL), "cuLaunchHostFunc");
    check(d.cuCtxSynchronize(), "cuCtxSynchronize");
    printf("program %g\n", (double)got);
    return got == 0.5f ? 0 : 1;
}
