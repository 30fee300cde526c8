/*
 * What the driver says of the device; the SM's clock; launches; which SM gets which block; how many
 * blocks an SM holds.
 */
#include "bench.h"

#include <stdlib.h>
#include <time.h>

void group_device(struct bench *b)
{
    static const struct {
        const char *name;
        CUdevice_attribute key;
        const char *unit;
    } rows[] = {
        {"multiprocessors", CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, "SMs"},
        {"threads per SM", CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, "threads"},
        {"registers per SM", CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, "registers"},
        {"shared memory per SM", CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, "bytes"},
        {"shared memory per block at most", CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
         "bytes"},
        {"shared memory kept per block", CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK,
         "bytes"},
        {"L2 cache", CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, "bytes"},
        {"SM clock at most", CU_DEVICE_ATTRIBUTE_CLOCK_RATE, "kHz"},
        {"memory clock at most", CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, "kHz"},
        {"memory bus", CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, "bits"},
        {"blocks per SM at most", CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, "blocks"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && !b->dry; i++) {
        int value = 0;
        CU(b, cuDeviceGetAttribute, (&value, rows[i].key, b->device));
        record_value(b, rows[i].name, "cuDeviceGetAttribute", value, rows[i].unit);
    }
}

/* Cycles of a spin over its nanoseconds by the global timer, after the chip has warmed up. */
void group_clock(struct bench *b)
{
    char *body = timed_loop("mov.u64 %d20, %globaltimer;", "mad.lo.u32 %r20, %r20, %r1, %r1;",
                            "mov.u64 %d21, %globaltimer; sub.u64 %d21, %d21, %d20;\n"
                            "setp.eq.u32 %p2, %r20, 0x9e3779b1;\n@%p2 st.global.u32 [%d0], %r20;\n"
                            "mul.wide.u32 %d22, %r4, 32; add.u64 %d22, %d22, %d0;\n"
                            "st.global.u64 [%d22+24], %d21;");
    struct kernel k = kernel_build(b, "clock", "", 0, body);
    free(body);
    struct samples mhz = {0};
    struct launch l = {.grid = (u32)b->sms, .block = 32, .loops = loops_of(b, 2000000, 2000)};
    kernel_run(b, &k, l, WARP_WORDS);
    for (u32 i = 0; i < b->repetitions; i++) {
        kernel_run(b, &k, l, WARP_WORDS);
        samples_add(&mhz, (double)(b->got[1] - b->got[0]) * 1e3 / (double)(b->got[3] | b->dry));
    }
    record(b, "SM clock", "all SMs busy with integers", &mhz, 1, "MHz");
    kernel_free(b, &k);
}

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void record_empty(struct bench *b)
{
    u32 most = loops_of(b, 1000, 10);
    struct kernel k = kernel_build(b, "empty", "", 0, "ret;\n");
    static const struct {
        u32 grid, block;
    } shapes[] = {{1, 32},       {1, 1024},    {132, 1024},  {1320, 32},
                  {1320, 256},   {1320, 1024}, {13200, 32},  {13200, 256},
                  {13200, 1024}, {132000, 32}, {132000, 256}};
    for (u32 i = 0; i < (b->brief ? 9 : sizeof shapes / sizeof shapes[0]) && !b->dry; i++) {
        struct samples queued = {0}, alone = {0};
        struct launch l = {.grid = shapes[i].grid, .block = shapes[i].block};
        u32 launches = shapes[i].grid > 2000 ? most / 10 : most;
        for (u32 t = 0; t <= b->repetitions; t++) {
            CUevent start, stop;
            float ms;
            CU(b, cuEventCreate, (&start, CU_EVENT_DEFAULT));
            CU(b, cuEventCreate, (&stop, CU_EVENT_DEFAULT));
            CU(b, cuEventRecord, (start, NULL));
            for (u32 n = 0; n < launches; n++)
                kernel_launch(b, &k, l);
            CU(b, cuEventRecord, (stop, NULL));
            CU(b, cuEventSynchronize, (stop));
            CU(b, cuEventElapsedTime, (&ms, start, stop));
            double from = now_us();
            for (u32 n = 0; n < (b->brief ? 1u : 50u); n++) {
                kernel_launch(b, &k, l);
                CU(b, cuCtxSynchronize, ());
            }
            if (t > 0) { /* the first is warm-up */
                samples_add(&queued, ms * 1e3 / launches);
                samples_add(&alone, (now_us() - from) / (b->brief ? 1 : 50));
            }
            CU(b, cuEventDestroy, (start));
            CU(b, cuEventDestroy, (stop));
        }
        const char *what = text("%u blocks of %u threads", l.grid, l.block);
        record(b, "empty kernel; queued back to back", what, &queued, 1, "us per launch");
        record(b, "empty kernel; waited for", what, &alone, 1, "us per launch");
    }
    kernel_free(b, &k);
}

/* Every block notes its SM and when it began, then waits a0 nanoseconds. */
static struct kernel build_dispatch(struct bench *b)
{
    return kernel_build(b, "dispatch", ".extern .shared .align 16 .b8 dynamic[];", 0,
                        "mov.u64 %d10, %globaltimer;\nmov.u32 %r10, %smid;\n"
                        "cvt.u64.u32 %d11, %r1; add.u64 %d12, %d10, %d11;\n"
                        "WAIT:\nmov.u64 %d13, %globaltimer; setp.lt.u64 %p4, %d13, %d12;\n"
                        "@%p4 bra WAIT;\n"
                        "mul.wide.u32 %d14, %r5, 16; add.u64 %d14, %d14, %d0;\n"
                        "cvt.u64.u32 %d15, %r10;\n"
                        "setp.eq.u32 %p5, %r2, 0;\n"
                        "@%p5 st.global.u64 [%d14], %d15;\n@%p5 st.global.u64 [%d14+8], %d10;\n"
                        "ret;\n");
}

static void record_order(struct bench *b, const struct kernel *k)
{
    FILE *raw = b->dry ? NULL : fopen(text("%s/dispatch.csv", b->folder), "w");
    static const u32 blocks[] = {1024, 256};
    if (raw)
        fputs("block_threads,block,sm,start_ns\n", raw);
    for (u32 i = 0; i < 2 && raw; i++) {
        u32 grid = (u32)b->sms * 4 * (1024 / blocks[i]);
        struct launch l = {.grid = grid, .block = blocks[i], .a0 = 100000};
        kernel_run(b, k, l, 2 * grid);
        kernel_run(b, k, l, 2 * grid);
        u64 first = ~(u64)0;
        for (u32 n = 0; n < grid; n++)
            first = b->got[2 * n + 1] < first ? b->got[2 * n + 1] : first;
        for (u32 n = 0; n < grid; n++)
            fprintf(raw, "%u,%u,%llu,%llu\n", blocks[i], n, (unsigned long long)b->got[2 * n],
                    (unsigned long long)(b->got[2 * n + 1] - first));
    }
    if (raw)
        fclose(raw);
}

/* Blocks that began before the first could have ended, per SM. */
static void record_residency(struct bench *b, const struct kernel *k)
{
    static const struct {
        u32 threads, shared;
    } shapes[] = {{32, 0},     {64, 0},     {96, 0},      {128, 0},     {192, 0},
                  {256, 0},    {384, 0},    {512, 0},     {768, 0},     {1024, 0},
                  {32, 4096},  {32, 8192},  {32, 16384},  {64, 32768},  {64, 49152},
                  {64, 65536}, {64, 98304}, {64, 115712}, {64, 116736}, {64, 232448}};
    if (b->dry)
        return;
    CU(b, cuFuncSetAttribute,
       (k->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232448));
    for (u32 i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        u32 grid = (u32)b->sms * 40, wait = 400000, most = 0, held[1024] = {0};
        struct launch l = {
            .grid = grid, .block = shapes[i].threads, .shared = shapes[i].shared, .a0 = wait};
        int says = 0;
        bench_expect(b, b->occupancy(&says, k->function, (int)l.block, l.shared),
                     "cuOccupancyMaxActiveBlocksPerMultiprocessor");
        kernel_run(b, k, l, 2 * grid);
        u64 first = ~(u64)0;
        for (u32 n = 0; n < grid; n++)
            first = b->got[2 * n + 1] < first ? b->got[2 * n + 1] : first;
        for (u32 n = 0; n < grid; n++) {
            u32 *at = &held[b->got[2 * n] % 1024];
            if (b->got[2 * n + 1] < first + wait && ++*at > most)
                most = *at;
        }
        const char *what = text("%u threads; %u bytes shared", l.block, l.shared);
        record_value(b, "blocks resident per SM; observed", what, most, "blocks");
        record_value(b, "blocks resident per SM; by the driver", what, says, "blocks");
    }
}

void group_launch(struct bench *b)
{
    record_empty(b);
    struct kernel k = build_dispatch(b);
    if (!b->brief) {
        record_order(b, &k);
        record_residency(b, &k);
    }
    kernel_free(b, &k);
}
