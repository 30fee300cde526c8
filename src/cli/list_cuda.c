/* What of NVIDIA's interfaces is exported and refused, by reason. */
#include "cli/list_cuda.h"

#include "base/types.h"
#include "cuda/driver/stubs.h"
#include "cuda/runtime/stubs.h"
#include "cuda/libraries/cublas_stubs.h"

#include <stdio.h>
#include <string.h>

#define NAME(name) #name,
static const char *const driver_calls[] = {DRIVER_STUBS(NAME)};
static const char *const runtime_calls[] = {RUNTIME_STUBS(NAME)};
static const char *const cublas_calls[] = {CUBLAS_STUBS(NAME)};

static const struct {
    const char *const *calls;
    size_t count;
} interfaces[] = {
    {driver_calls, ARRAY_LEN(driver_calls)},
    {runtime_calls, ARRAY_LEN(runtime_calls)},
    {cublas_calls, ARRAY_LEN(cublas_calls)},
};

/* The first group with a word that the name holds. */
static const struct {
    const char *about;
    const char *words[12];
} groups[] = {
    {"cuBLAS beyond what docs/howto/cuda.md names", {"cublas", NULL}},
    {"graphics: there is no display", {"Graphics", "GL", "EGL", "Egl", "VDPAU", NULL}},
    {"memory and semaphores of other interfaces", {"External", "NvSci", "RDMA", NULL}},
    {"between processes: each simulates a device of its own; share memory by "
     "cuMemExportToShareableHandle",
     {"Ipc", "MemPoolExport", "MemPoolImport", NULL}},
    {"several devices: there is one", {"Multicast", "MultiDevice", "P2PAtomic", NULL}},
    {"a part of a device as a context",
     {"GreenCtx", "DevResource", "SmResource", "ExecAffinitySupport", NULL}},
    {"bulk tensor copies", {"TensorMap", NULL}},
    {"sparse arrays, planes of formats",
     {"Sparse", "GetPlane", "MapArray", "MemoryRequirements", NULL}},
    {"texture and surface references, removed in CUDA 12: use texture and surface objects",
     {"TexRef", "SurfRef", "BindTexture", "BindSurface", "UnbindTexture", "TextureReference",
      "SurfaceReference", "TextureAlignmentOffset", "TextureObject", NULL}},
    {"launches on devices before compute capability 1.3", {"SetDoubleFor", NULL}},
    {"the driver's own logs, dumps, checkpoints and notes",
     {"Logs", "Coredump", "Checkpoint", "Notification", NULL}},
    {"several copies, prefetches or fills in one call: call each", {"Batch", NULL}},
    {"rarely used", {"", NULL}},
};

static size_t group_of(const char *name)
{
    for (size_t g = 0; g < ARRAY_LEN(groups); g++) {
        for (const char *const *word = groups[g].words; *word; word++) {
            if (strstr(name, *word))
                return g;
        }
    }
    return ARRAY_LEN(groups) - 1;
}

void list_cuda(bool names_only)
{
    for (size_t g = 0; g < ARRAY_LEN(groups); g++) {
        if (!names_only)
            printf("refused, %s:\n", groups[g].about);
        for (size_t i = 0; i < ARRAY_LEN(interfaces); i++) {
            for (size_t k = 0; k < interfaces[i].count; k++) {
                if (group_of(interfaces[i].calls[k]) == g)
                    printf("%s%s\n", names_only ? "" : "  ", interfaces[i].calls[k]);
            }
        }
    }
}
