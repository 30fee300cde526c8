/*
 * Any bytes as PTX, and what loads is run: a kernel ends, or there is one message
 * and a fault; the simulator's own memory stays intact.
 */
#include "fuzz/ptx_mutator.h"

#include "ptx/launch.h"

#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES 4096

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static u8 texels[16 * 16 * 4];
static const struct texture surface = {.data = texels,
                                       .width = 16,
                                       .height = 16,
                                       .pitch_bytes = 64,
                                       .channels = 1,
                                       .channel_bits = 32,
                                       .kind = TEXEL_FLOAT,
                                       .is_surface = true};

static void print(void *context, const char *text, size_t length)
{
    (void)context;
    if (strlen(text) != length)
        abort();
}

/* Small allocations only: a fuzzed kernel asks for anything. */
static u64 heap_alloc(void *context, u64 bytes)
{
    return bytes < 65536 ? memory_alloc(context, bytes, 16, "device malloc", 1) : 0;
}

static void heap_free(void *context, u64 address)
{
    const struct allocation *a = memory_find(context, address);
    if (a && a->start == address && a->flags == 1)
        memory_free(context, address);
}

static const struct texture *texture(void *context, u64 handle)
{
    (void)context;
    return handle == 0 ? NULL : &surface;
}

static void run(struct kernel *k, struct device_memory *memory, u64 buffer, u32 threads)
{
    const struct kernel_info *info = kernel_info(k);
    struct launch_host host = {memory, print, heap_alloc, heap_free, texture};
    u8 *params = calloc(info->param_bytes + 1, 1);
    for (u32 i = 0; i < info->param_count; i++) {
        if (info->params[i].bytes == 8)
            memcpy(params + info->params[i].offset, &buffer, 8);
        else if (info->params[i].bytes == 4)
            params[info->params[i].offset] = 7;
    }
    struct launch launch = {.kernel = k,
                            .grid = {2, 1, 1},
                            .block = {threads, 1, 1},
                            .dynamic_shared_bytes = 512,
                            .params = params,
                            .memory = memory,
                            .host = &host,
                            .resident_blocks = 2,
                            .max_instructions = 20000};
    struct err err = ERR_INIT;
    struct launch_counts counts = {0};
    enum launch_fault fault = FAULT_NONE;
    bool ok = launch_run(&launch, &counts, &fault, &err);
    if (ok != (fault == FAULT_NONE) || ok != (err.kind == ERR_NONE) || (!ok && !err.what[0]))
        abort();
    if (counts.warp_instructions > launch.max_instructions)
        abort();
    free(params);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    struct err err = ERR_INIT;
    struct device_memory *memory = memory_create((u64)1 << 26, &err);
    if (!memory)
        abort();
    struct program_text text = {"fuzz.ptx", (const char *)data, size};
    struct program *p = program_load(&text, 1, memory, &err);
    for (u32 i = 0; p && i < program_kernel_count(p) && i < 4; i++) {
        u64 buffer = memory_alloc(memory, BUFFER_BYTES, 256, "buffer", 0);
        run(program_kernel(p, i), memory, buffer, i % 2 ? 40 : 32);
        memory_free(memory, buffer);
    }
    if (p)
        program_destroy(p);
    memory_destroy(memory);
    return 0;
}
