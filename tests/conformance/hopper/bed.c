#include "bed.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

u64 noise(u64 seed)
{
    seed += 0x9e3779b97f4a7c15u;
    seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9u;
    seed = (seed ^ seed >> 27) * 0x94d049bb133111ebu;
    return seed ^ seed >> 31;
}

void ptx_begin(struct bed *b)
{
    b->used = 0;
    ptx_add(b, ".version 8.4\n.target sm_90a\n.address_size 64\n"
               ".extern .shared .align 1024 .b8 smem[];\n");
}

void ptx_add(struct bed *b, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(b->ptx + b->used, PTX_BYTES - b->used, format, list);
    va_end(list);
    if (n < 0 || b->used + (size_t)n >= PTX_BYTES) {
        fprintf(stderr, "a kernel of more than %d bytes\n", PTX_BYTES);
        exit(2);
    }
    b->used += (size_t)n;
}

bool bed_wants(const struct bed *b, const char *name)
{
    return (!b->exact || !strcmp(name, b->exact)) &&
           (!b->only || strncmp(name, b->only, strlen(b->only)) == 0);
}

static const struct answer *find(const struct bed *b, const char *name)
{
    for (u32 i = 0; i < b->expected_count; i++) {
        if (strcmp(b->expected[i].name, name) == 0)
            return &b->expected[i];
    }
    return NULL;
}

static struct answer make(const char *name, const char *status, const u8 *bytes, size_t n)
{
    struct answer a = {.bytes = (u32)n, .hash = 14695981039346656037u};
    snprintf(a.name, sizeof a.name, "%s", name);
    snprintf(a.status, sizeof a.status, "%s", status);
    for (size_t i = 0; i < n; i++)
        a.hash = (a.hash ^ bytes[i]) * 1099511628211u;
    memcpy(a.first, bytes, n < KEPT_BYTES ? n : KEPT_BYTES);
    return a;
}

static void say_difference(const struct answer *want, const struct answer *got)
{
    printf("not ok %s: expected %s, got %s\n", got->name, want->status, got->status);
    for (u32 i = 0; i < KEPT_BYTES && i < want->bytes; i += 4) {
        u32 w, g;
        memcpy(&w, want->first + i, 4);
        memcpy(&g, got->first + i, 4);
        if (w != g)
            printf("#   word %u: expected %08x, got %08x\n", i / 4, w, g);
    }
}

void bed_answer(struct bed *b, const char *name, const char *status, const void *bytes, size_t n)
{
    struct answer a = make(name, status, bytes ? bytes : (const u8 *)"", bytes ? n : 0);
    if (b->record) {
        fprintf(b->record, "%s %s %u %016llx ", a.name, a.status, a.bytes,
                (unsigned long long)a.hash);
        for (u32 i = 0; i < KEPT_BYTES && i < a.bytes; i++)
            fprintf(b->record, "%02x", a.first[i]);
        fprintf(b->record, "%s\n", a.bytes ? "" : "-");
        if (b->raw) {
            fprintf(b->raw, "%s %u\n", a.name, a.bytes);
            fwrite(bytes ? bytes : "", 1, a.bytes, b->raw);
        }
        return;
    }
    const struct answer *want = find(b, name);
    if (!want) {
        b->missing++;
        printf("not recorded: %s\n", name);
    } else if (strcmp(want->status, a.status) || want->hash != a.hash || want->bytes != a.bytes) {
        b->failed++;
        say_difference(want, &a);
    } else {
        b->passed++;
    }
}

CUfunction ptx_load(struct bed *b, const char *name, CUmodule *module)
{
    char log[2000] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
    CUfunction f = NULL;
    CUresult r = b->driver.cuModuleLoadDataEx(module, b->ptx, 2, options, values);
    if (r == CUDA_SUCCESS)
        r = b->driver.cuModuleGetFunction(&f, *module, "k");
    if (r == CUDA_SUCCESS)
        return f;
    fprintf(stderr, "%s: %s %s\n", name, driver_error(&b->driver, r), log);
    bed_answer(b, name, driver_error(&b->driver, r), NULL, 0);
    return NULL;
}

static void renew(struct bed *b)
{
    b->driver.cuCtxDestroy(b->context);
    b->driver.cuCtxCreate(&b->context, 0, 0);
}

bool bed_launch(struct bed *b, const char *name, CUfunction f, u32 blocks, u32 cluster, u32 threads,
                u32 shared_bytes, void **params)
{
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    attribute.value.clusterDim.x = cluster;
    attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
    CUlaunchConfig config = {.gridDimX = blocks,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = threads,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .sharedMemBytes = shared_bytes,
                             .attrs = &attribute,
                             .numAttrs = cluster > 1};
    b->driver.cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                 (int)shared_bytes);
    CUresult r = b->driver.cuLaunchKernelEx(&config, f, params, NULL);
    CUresult end = b->driver.cuCtxSynchronize();
    r = r == CUDA_SUCCESS ? end : r;
    if (r == CUDA_SUCCESS)
        return true;
    bed_answer(b, name, driver_error(&b->driver, r), NULL, 0);
    renew(b);
    return false;
}
