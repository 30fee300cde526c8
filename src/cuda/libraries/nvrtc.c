/*
 * libnvrtc: NVIDIA's compiler, with PTX where a program asks for machine code.
 *
 * A program that compiles for a real architecture (sm_90) asks for a cubin, which heddle could not
 * run. NVIDIA's NVRTC makes the PTX as well, and whatever loads a cubin takes PTX as well; so the
 * calls for the one give the other. All other calls are NVIDIA's own.
 */
#include "cuda/libraries/behind.h"
#include "cuda/libraries/library.h"

/* NVRTC_FILE: the library's name, of which there is one for each version of CUDA. */
enum { NVRTC_SUCCESS = 0, NVRTC_ERROR_INTERNAL_ERROR = 11 };

/* Arguments are integers and pointers, at most six: as long as a register each. */
typedef long call_fn(long, long, long, long, long, long);

#define FORWARD(name)                                                                              \
    LIBRARY_EXPORT long name(long a, long b, long c, long d, long e, long f);                      \
    long name(long a, long b, long c, long d, long e, long f)                                      \
    {                                                                                              \
        call_fn *call = (call_fn *)(uintptr_t)behind_call(NVRTC_FILE, #name);                      \
        return call ? call(a, b, c, d, e, f) : NVRTC_ERROR_INTERNAL_ERROR;                         \
    }
FORWARD(nvrtcVersion)
FORWARD(nvrtcGetNumSupportedArchs)
FORWARD(nvrtcGetSupportedArchs)
FORWARD(nvrtcCreateProgram)
FORWARD(nvrtcDestroyProgram)
FORWARD(nvrtcCompileProgram)
FORWARD(nvrtcGetPTXSize)
FORWARD(nvrtcGetPTX)
FORWARD(nvrtcGetLTOIRSize)
FORWARD(nvrtcGetLTOIR)
FORWARD(nvrtcGetNVVMSize) /* until CUDA 12 */
FORWARD(nvrtcGetNVVM)
FORWARD(nvrtcGetOptiXIRSize)
FORWARD(nvrtcGetOptiXIR)
FORWARD(nvrtcGetProgramLogSize)
FORWARD(nvrtcGetProgramLog)
FORWARD(nvrtcAddNameExpression)
FORWARD(nvrtcGetLoweredName)
FORWARD(nvrtcGetPCHHeapSize)
FORWARD(nvrtcSetPCHHeapSize)
FORWARD(nvrtcGetPCHCreateStatus)
FORWARD(nvrtcGetPCHHeapSizeRequired)
FORWARD(nvrtcSetFlowCallback)

LIBRARY_EXPORT const char *nvrtcGetErrorString(int result);
const char *nvrtcGetErrorString(int result)
{
    typedef const char *text_fn(int);
    text_fn *call = (text_fn *)(uintptr_t)behind_call(NVRTC_FILE, "nvrtcGetErrorString");
    return call ? call(result) : "NVRTC_ERROR_INTERNAL_ERROR";
}

typedef int size_fn(void *, size_t *);
typedef int image_fn(void *, char *);

/* Of a virtual architecture there is no cubin, which programs notice by its size. */
static bool has_cubin(void *program)
{
    size_t bytes = 0;
    size_fn *call = (size_fn *)(uintptr_t)behind_call(NVRTC_FILE, "nvrtcGetCUBINSize");
    return call && call(program, &bytes) == NVRTC_SUCCESS && bytes;
}

LIBRARY_EXPORT int nvrtcGetCUBINSize(void *program, size_t *bytes);
int nvrtcGetCUBINSize(void *program, size_t *bytes)
{
    const char *name = has_cubin(program) ? "nvrtcGetPTXSize" : "nvrtcGetCUBINSize";
    size_fn *call = (size_fn *)(uintptr_t)behind_call(NVRTC_FILE, name);
    return call ? call(program, bytes) : NVRTC_ERROR_INTERNAL_ERROR;
}

LIBRARY_EXPORT int nvrtcGetCUBIN(void *program, char *image);
int nvrtcGetCUBIN(void *program, char *image)
{
    const char *name = has_cubin(program) ? "nvrtcGetPTX" : "nvrtcGetCUBIN";
    image_fn *call = (image_fn *)(uintptr_t)behind_call(NVRTC_FILE, name);
    return call ? call(program, image) : NVRTC_ERROR_INTERNAL_ERROR;
}
