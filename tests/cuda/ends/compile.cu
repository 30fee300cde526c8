/* Compiles its kernel when it runs, with NVRTC; the driver interface does the rest. */
#include <cstdio>
#include <cuda.h>
#include <nvrtc.h>
#include <vector>

int main(void)
{
    static const char *const source = "extern \"C\" __global__ void k(int *p) { *p = 42; }";
    static const char *const options[] = {"--gpu-architecture=compute_75"};
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
        nvrtcGetPTXSize(program, &bytes) != NVRTC_SUCCESS)
        return 8;
    std::vector<char> ptx(bytes);
    nvrtcGetPTX(program, ptx.data());
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
