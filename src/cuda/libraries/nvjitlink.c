/*
 * libnvJitLink: what is linked is PTX, by heddle's own linker, and what a program gets as the cubin
 * is an image of linked PTX that cuModuleLoadData takes. Only LTO code (NVVM) goes to NVIDIA's
 * library, which makes PTX of it.
 */
#include "cuda/libraries/behind.h"
#include "cuda/libraries/library.h"

#include "base/arena.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NVJITLINK_FILE, _MAJOR, _MINOR: the name and version, of which there is one for each CUDA. */
enum {
    NVJITLINK_SUCCESS = 0,
    NVJITLINK_ERROR_MISSING_ARCH = 2,
    NVJITLINK_ERROR_INVALID_INPUT = 3,
    NVJITLINK_ERROR_PTX_COMPILE = 4,
    NVJITLINK_ERROR_INTERNAL = 6,
};
enum { INPUT_CUBIN = 1, INPUT_PTX, INPUT_LTOIR, INPUT_FATBIN, INPUT_OBJECT, INPUT_LIBRARY };
#define INPUT_ANY 10

typedef struct linker {
    CUlinkState link;
    void *behind; /* NVIDIA's, for LTO code; NULL: there is none so far */
    char **options;
    u32 option_count;
    const void *image; /* when complete: the linker's */
    size_t image_bytes;
} * linker_t;

#define CALL(name, ...)                                                                            \
    LIBRARY_EXPORT int name(__VA_ARGS__);                                                          \
    int name(__VA_ARGS__)

/* Arguments are integers and pointers: as long as a register each. */
static int behind(const char *name, long a, long b, long c, long d, long e)
{
    typedef int call_fn(long, long, long, long, long);
    call_fn *call = (call_fn *)(uintptr_t)behind_call(NVJITLINK_FILE, name);
    return call ? call(a, b, c, d, e) : NVJITLINK_ERROR_INTERNAL;
}

/* Linking needs a context here, and none with NVIDIA's: the thread has none afterwards, too. */
static bool enter(CUcontext *before)
{
    CUcontext primary;
    *before = NULL;
    if (cuInit(0) != CUDA_SUCCESS || cuCtxGetCurrent(before) != CUDA_SUCCESS)
        return false;
    return *before || (cuDevicePrimaryCtxRetain(&primary, 0) == CUDA_SUCCESS &&
                       cuCtxSetCurrent(primary) == CUDA_SUCCESS);
}

static void leave(CUcontext before)
{
    if (!before)
        cuCtxSetCurrent(NULL);
}

static bool has_option(const linker_t l, const char *start)
{
    for (u32 i = 0; i < l->option_count; i++) {
        if (strncmp(l->options[i], start, strlen(start)) == 0)
            return true;
    }
    return false;
}

CALL(nvJitLinkDestroy, linker_t *linker)
{
    CUcontext before;
    linker_t l = linker ? *linker : NULL;
    if (!l)
        return NVJITLINK_ERROR_INVALID_INPUT;
    if (l->behind)
        behind("nvJitLinkDestroy", (long)(uintptr_t)&l->behind, 0, 0, 0, 0);
    if (l->link && enter(&before)) {
        cuLinkDestroy(l->link);
        leave(before);
    }
    for (u32 i = 0; i < l->option_count; i++)
        free(l->options[i]);
    free(l->options);
    free(l);
    *linker = NULL;
    return NVJITLINK_SUCCESS;
}

CALL(nvJitLinkCreate, linker_t *out, u32 count, const char **options)
{
    CUcontext before;
    if (!out || (count && !options))
        return NVJITLINK_ERROR_INVALID_INPUT;
    linker_t l = memset(xrealloc(NULL, sizeof *l), 0, sizeof *l);
    l->options = xrealloc(NULL, (count + 1) * sizeof *l->options);
    for (; l->option_count < count; l->option_count++)
        l->options[l->option_count] = strdup(options[l->option_count]);
    int status = has_option(l, "-arch=") ? NVJITLINK_SUCCESS : NVJITLINK_ERROR_MISSING_ARCH;
    if (!status && enter(&before)) {
        status = cuLinkCreate(0, NULL, NULL, &l->link) == CUDA_SUCCESS ? NVJITLINK_SUCCESS
                                                                       : NVJITLINK_ERROR_INTERNAL;
        leave(before);
    }
    *out = l;
    if (status)
        nvJitLinkDestroy(out);
    return status;
}

/* NVIDIA's linker for LTO code, told to give PTX. */
static int open_behind(linker_t l)
{
    if (l->behind)
        return NVJITLINK_SUCCESS;
    const char **options = xrealloc(NULL, (l->option_count + 2) * sizeof *options);
    u32 count = 0;
    for (u32 i = 0; i < l->option_count; i++)
        options[count++] = l->options[i];
    if (!has_option(l, "-ptx"))
        options[count++] = "-ptx";
    int status = behind("nvJitLinkCreate", (long)(uintptr_t)&l->behind, (long)count,
                        (long)(uintptr_t)options, 0, 0);
    free(options);
    return status;
}

/* PTX where a cubin or anything may be; by its first bytes. */
static int kind_of(int kind, const void *data, size_t bytes)
{
    bool is_text = bytes > 8 && memmem(data, bytes < 4096 ? bytes : 4096, ".version", 8) &&
                   memcmp(data, "\177ELF", 4) != 0;
    bool is_archive = bytes >= 8 && memcmp(data, "!<arch>\n", 8) == 0;
    if ((kind == INPUT_CUBIN || kind == INPUT_ANY) && is_text)
        return INPUT_PTX;
    return kind != INPUT_ANY ? kind : is_archive ? INPUT_LIBRARY : INPUT_OBJECT;
}

CALL(nvJitLinkAddData, linker_t l, int kind, const void *data, size_t bytes, const char *name)
{
    static const CUjitInputType types[] = {
        [INPUT_CUBIN] = CU_JIT_INPUT_CUBIN,      [INPUT_PTX] = CU_JIT_INPUT_PTX,
        [INPUT_FATBIN] = CU_JIT_INPUT_FATBINARY, [INPUT_OBJECT] = CU_JIT_INPUT_OBJECT,
        [INPUT_LIBRARY] = CU_JIT_INPUT_LIBRARY,
    };
    CUcontext before;
    if (!l || !data || !bytes)
        return NVJITLINK_ERROR_INVALID_INPUT;
    kind = kind_of(kind, data, bytes);
    if (kind == INPUT_LTOIR) {
        int status = open_behind(l);
        return status ? status
                      : behind("nvJitLinkAddData", (long)(uintptr_t)l->behind, kind,
                               (long)(uintptr_t)data, (long)bytes, (long)(uintptr_t)name);
    }
    if (kind < INPUT_CUBIN || kind > INPUT_LIBRARY || !enter(&before))
        return NVJITLINK_ERROR_INVALID_INPUT;
    CUresult status =
        cuLinkAddData(l->link, types[kind], (void *)(uintptr_t)data, bytes, name, 0, NULL, NULL);
    leave(before);
    return status == CUDA_SUCCESS ? NVJITLINK_SUCCESS : NVJITLINK_ERROR_INVALID_INPUT;
}

CALL(nvJitLinkAddFile, linker_t l, int kind, const char *path)
{
    FILE *in = path ? fopen(path, "rb") : NULL;
    struct text t = {0};
    char piece[65536];
    if (!in)
        return NVJITLINK_ERROR_INVALID_INPUT;
    for (size_t n; (n = fread(piece, 1, sizeof piece, in)) > 0;)
        text_append(&t, piece, n);
    fclose(in);
    int status = nvJitLinkAddData(l, kind, t.data, t.length, path);
    text_fini(&t);
    return status;
}

/* The PTX that NVIDIA's library has made of LTO code joins the rest. */
static int take_from_behind(linker_t l)
{
    size_t bytes = 0;
    long real = (long)(uintptr_t)l->behind;
    int status = behind("nvJitLinkComplete", real, 0, 0, 0, 0);
    if (!status)
        status = behind("nvJitLinkGetLinkedPtxSize", real, (long)(uintptr_t)&bytes, 0, 0, 0);
    if (status)
        return status;
    char *ptx = xrealloc(NULL, bytes + 1);
    status = behind("nvJitLinkGetLinkedPtx", real, (long)(uintptr_t)ptx, 0, 0, 0);
    if (!status)
        status = nvJitLinkAddData(l, INPUT_PTX, ptx, bytes, "lto");
    free(ptx);
    return status;
}

CALL(nvJitLinkComplete, linker_t l)
{
    CUcontext before;
    int status = !l ? NVJITLINK_ERROR_INVALID_INPUT : l->behind ? take_from_behind(l) : 0;
    void *image = NULL;
    if (status)
        return status;
    if (!enter(&before))
        return NVJITLINK_ERROR_INTERNAL;
    bool ok = cuLinkComplete(l->link, &image, &l->image_bytes) == CUDA_SUCCESS;
    leave(before);
    l->image = image;
    return ok ? NVJITLINK_SUCCESS : NVJITLINK_ERROR_PTX_COMPILE;
}

CALL(nvJitLinkGetLinkedCubinSize, linker_t l, size_t *bytes)
{
    if (!l || !l->image || !bytes)
        return NVJITLINK_ERROR_INVALID_INPUT;
    *bytes = l->image_bytes;
    return NVJITLINK_SUCCESS;
}

CALL(nvJitLinkGetLinkedCubin, linker_t l, void *image)
{
    if (!l || !l->image || !image)
        return NVJITLINK_ERROR_INVALID_INPUT;
    memcpy(image, l->image, l->image_bytes);
    return NVJITLINK_SUCCESS;
}

/* Of LTO code alone there is PTX, and a log: NVIDIA's. */
#define OF_BEHIND(name, type, otherwise)                                                           \
    CALL(name, linker_t l, type *out)                                                              \
    {                                                                                              \
        if (!l || !out)                                                                            \
            return NVJITLINK_ERROR_INVALID_INPUT;                                                  \
        if (l->behind)                                                                             \
            return behind(#name, (long)(uintptr_t)l->behind, (long)(uintptr_t)out, 0, 0, 0);       \
        otherwise;                                                                                 \
    }
OF_BEHIND(nvJitLinkGetLinkedPtxSize, size_t, return NVJITLINK_ERROR_INVALID_INPUT)
OF_BEHIND(nvJitLinkGetLinkedPtx, char, return NVJITLINK_ERROR_INVALID_INPUT)
OF_BEHIND(nvJitLinkGetErrorLogSize, size_t, *out = 0; return NVJITLINK_SUCCESS)
OF_BEHIND(nvJitLinkGetErrorLog, char, return NVJITLINK_SUCCESS)
OF_BEHIND(nvJitLinkGetInfoLogSize, size_t, *out = 0; return NVJITLINK_SUCCESS)
OF_BEHIND(nvJitLinkGetInfoLog, char, return NVJITLINK_SUCCESS)

CALL(nvJitLinkVersion, u32 *major, u32 *minor)
{
    if (!major || !minor)
        return NVJITLINK_ERROR_INVALID_INPUT;
    *major = NVJITLINK_MAJOR;
    *minor = NVJITLINK_MINOR;
    return NVJITLINK_SUCCESS;
}

/* A header of each version of CUDA calls by names of its own. */
#define ALIAS(name, version)                                                                       \
    LIBRARY_EXPORT extern __typeof__(nvJitLink##name) __nvJitLink##name##_##version                \
        __attribute__((alias("nvJitLink" #name)));
#define ALIASES(version)                                                                           \
    ALIAS(Create, version)                                                                         \
    ALIAS(Destroy, version)                                                                        \
    ALIAS(AddData, version)                                                                        \
    ALIAS(AddFile, version)                                                                        \
    ALIAS(Complete, version)                                                                       \
    ALIAS(GetLinkedCubinSize, version)                                                             \
    ALIAS(GetLinkedCubin, version)                                                                 \
    ALIAS(GetLinkedPtxSize, version)                                                               \
    ALIAS(GetLinkedPtx, version)                                                                   \
    ALIAS(GetErrorLogSize, version)                                                                \
    ALIAS(GetErrorLog, version)                                                                    \
    ALIAS(GetInfoLogSize, version)                                                                 \
    ALIAS(GetInfoLog, version)
#if NVJITLINK_MAJOR == 12
ALIASES(12_0)
ALIASES(12_1)
ALIASES(12_2)
ALIASES(12_3)
ALIASES(12_4)
ALIASES(12_5)
ALIASES(12_6)
ALIASES(12_7)
ALIASES(12_8)
ALIASES(12_9)
#else
ALIASES(13_0)
ALIASES(13_1)
ALIASES(13_2)
#endif
