/* Compiles its kernel when it runs, with NVRTC; the driver interface does the rest. With an
 * argument for a real architecture, whose machine code it asks for. */
#include <cstdio>
#include <cuda.h>
#include <nvrtc.h>
#include <vector>

int main(int count, char **)
{
    static const char *const source = "extern \"C\" __global__ void k(int *p) { *p = 42; }";
    const bool is_real = count > 1;
    const char *options[] = {is_real ? "--gpu-architecture=sm_75"
                                     : "--gpu-architecture=compute_75"};
    nvrtcProgram program;
    size_t bytes;
    int value = 0;
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr word;
    if (nvrtcCreateProgram(&program, source, "k.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS ||
        nvrtcCompileProgram(program, 1, options) != NVRTC_SUCCESS ||
        (is_real ? nvrtcGetCUBINSize : nvrtcGetPTXSize)(program, &bytes) != NVRTC_SUCCESS)
        return 8;
    std::vector<char> ptx(bytes);
    (is_real ? nvrtcGetCUBIN : nvrtcGetPTX)(program, ptx.data());
    size_t cubin = 1;
    if (!is_real && (nvrtcGetCUBINSize(program, &cubin) != NVRTC_SUCCESS || cubin != 0))
        return 10; /* a virtual architecture has none */
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&context, device);
    cuCtxSetCurrent(context);
    if (cuModuleLoadData(&module, ptx.data()) || cuModuleGetFunction(&kernel, module, "k"))
        return 9;
    cuMemAlloc(&word, 4);
    void *arguments[] = {&word};
    cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
    cuMemcpyDtoH(&value, word, 4);
    printf("%d\n", value);
    return value != 42;
}
