/* Compiles two files with NVRTC and links them with nvJitLink, as machine code; with an argument as
 * LTO code. */
#include <cstdio>
#include <cuda.h>
#include <nvJitLink.h>
#include <nvrtc.h>
#include <vector>

static std::vector<char> compile(const char *source, bool is_lto)
{
    const char *options[] = {"-arch=sm_75", is_lto ? "-dlto" : "-rdc=true"};
    nvrtcProgram program;
    size_t bytes = 0;
    if (nvrtcCreateProgram(&program, source, "k.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS ||
        nvrtcCompileProgram(program, 2, options) != NVRTC_SUCCESS ||
        (is_lto ? nvrtcGetLTOIRSize : nvrtcGetCUBINSize)(program, &bytes) != NVRTC_SUCCESS)
        return {};
    std::vector<char> image(bytes);
    (is_lto ? nvrtcGetLTOIR : nvrtcGetCUBIN)(program, image.data());
    nvrtcDestroyProgram(&program);
    return image;
}

static bool link(const std::vector<char> &a, const std::vector<char> &b, bool is_lto,
                 std::vector<char> *out)
{
    const char *options[] = {"-arch=sm_75", "-lto"};
    const auto kind = is_lto ? NVJITLINK_INPUT_LTOIR : NVJITLINK_INPUT_CUBIN;
    nvJitLinkHandle linker;
    size_t bytes = 0;
    if (nvJitLinkCreate(&linker, is_lto ? 2 : 1, options) != NVJITLINK_SUCCESS ||
        nvJitLinkAddData(linker, kind, a.data(), a.size(), "a") != NVJITLINK_SUCCESS ||
        nvJitLinkAddData(linker, kind, b.data(), b.size(), "b") != NVJITLINK_SUCCESS ||
        nvJitLinkComplete(linker) != NVJITLINK_SUCCESS ||
        nvJitLinkGetLinkedCubinSize(linker, &bytes) != NVJITLINK_SUCCESS)
        return false;
    out->resize(bytes);
    return nvJitLinkGetLinkedCubin(linker, out->data()) == NVJITLINK_SUCCESS &&
           nvJitLinkDestroy(&linker) == NVJITLINK_SUCCESS;
}

int main(int count, char **)
{
    static const char *const sources[] = {"extern __device__ int answer(int); extern \"C\" "
                                          "__global__ void k(int *p) { *p = answer(2); }",
                                          "__device__ int answer(int x) { return 40 + x; }"};
    const bool is_lto = count > 1;
    int value = 0;
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr word;
    std::vector<char> image;
    if (!link(compile(sources[0], is_lto), compile(sources[1], is_lto), is_lto, &image))
        return 8;
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&context, device);
    cuCtxSetCurrent(context);
    if (cuModuleLoadData(&module, image.data()) || cuModuleGetFunction(&kernel, module, "k"))
        return 9;
    cuMemAlloc(&word, 4);
    void *arguments[] = {&word};
    cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
    cuMemcpyDtoH(&value, word, 4);
    printf("%d\n", value);
    return value != 42;
}
