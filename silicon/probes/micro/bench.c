#include "bench.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void bench_fail(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fputs("micro: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    exit(2);
}

void bench_expect(struct bench *b, CUresult result, const char *call)
{
    if (result == CUDA_SUCCESS)
        return;
    const char *name = "unknown";
    b->cu.cuGetErrorName(result, &name);
    bench_fail("%s gave %s (%d) in group %s", call, name, (int)result, b->group ? b->group : "-");
}

const char *text(const char *fmt, ...)
{
    static char ring[1024][4096];
    static u32 next;
    char *at = ring[next++ % 1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(at, sizeof ring[0], fmt, args);
    va_end(args);
    return at;
}

/* %d8, %d9: start and stop. The loop count is a parameter, so nothing moves out of the loop. */
char *timed_loop(const char *before, const char *steps, const char *sink)
{
    char *out = NULL;
    size_t bytes;
    FILE *f = open_memstream(&out, &bytes);
    fprintf(f,
            "%s\n"
            "bar.sync 0;\n"
            "mov.u64 %%d8, %%clock64;\n"
            "LOOP:\n.pragma \"nounroll\";\n"
            "%s\n"
            "sub.u32 %%r0, %%r0, 1;\n"
            "setp.ne.u32 %%p0, %%r0, 0;\n"
            "@%%p0 bra LOOP;\n"
            "mov.u64 %%d9, %%clock64;\n"
            "%s\n",
            before, steps, sink);
    fclose(f);
    return out;
}

static const char prologue[] =
    ".visible .entry k(.param .u64 out, .param .u64 data, .param .u32 loops, .param .u32 a0,\n"
    "                  .param .u64 a1)\n"
    "{\n"
    ".reg .b32 %r<600>; .reg .b64 %d<600>; .reg .b16 %h<64>; .reg .pred %p<64>;\n"
    "%shared%\n"
    "ld.param.u64 %d0, [out];\n"
    "ld.param.u64 %d1, [data];\n"
    "ld.param.u32 %r0, [loops];\n"
    "ld.param.u32 %r1, [a0];\n"
    "ld.param.u64 %d2, [a1];\n"
    "cvta.to.global.u64 %d0, %d0;\n"
    "cvta.to.global.u64 %d1, %d1;\n"
    "mov.u32 %r2, %tid.x;\n"
    "and.b32 %r3, %r2, 31;\n"
    "mov.u32 %r5, %ctaid.x;\n"
    "mov.u32 %r6, %ntid.x;\n"
    "mad.lo.u32 %r4, %r5, %r6, %r2;\n"
    "shr.u32 %r4, %r4, 5;\n"
    "mov.u64 %d8, 0;\nmov.u64 %d9, 0;\n";

static const char epilogue[] = "mul.wide.u32 %d3, %r4, 32;\n"
                               "add.u64 %d3, %d3, %d0;\n"
                               "mov.u32 %r7, %smid;\n"
                               "cvt.u64.u32 %d4, %r7;\n"
                               "setp.eq.u32 %p1, %r3, 0;\n"
                               "@%p1 st.global.u64 [%d3], %d8;\n"
                               "@%p1 st.global.u64 [%d3+8], %d9;\n"
                               "@%p1 st.global.u64 [%d3+16], %d4;\n"
                               "ret;\n}\n";

static char *whole_text(const struct bench *b, const char *before, u32 shared, const char *body)
{
    char *out = NULL;
    size_t bytes;
    FILE *f = open_memstream(&out, &bytes);
    int target = b->capability > 90 ? 90 : b->capability;
    fprintf(f, ".version %s\n.target sm_%d\n.address_size 64\n%s\n", target >= 90 ? "7.8" : "7.5",
            target, before);
    const char *mark = strstr(prologue, "%shared%");
    fwrite(prologue, 1, (size_t)(mark - prologue), f);
    if (shared)
        fprintf(f, ".shared .align 128 .b8 smem[%u];", shared);
    fputs(mark + strlen("%shared%"), f);
    /* A body that has its own stores of results ends the kernel itself. */
    fputs(body, f);
    fputs(epilogue, f);
    fclose(f);
    return out;
}

static void write_ptx(const struct bench *b, const char *name, const char *ptx)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s-%s.ptx", b->emit, b->group, name);
    for (char *c = path + strlen(b->emit) + 1; *c; c++) {
        if (!isalnum((unsigned char)*c) && *c != '.' && *c != '-')
            *c = '_';
    }
    FILE *f = fopen(path, "w");
    if (!f)
        bench_fail("cannot write %s: %s", path, strerror(errno));
    fputs(ptx, f);
    fclose(f);
}

struct kernel kernel_build(struct bench *b, const char *name, const char *before, u32 shared,
                           const char *body)
{
    struct kernel k = {0};
    char *ptx = whole_text(b, before, shared, body);
    if (b->emit)
        write_ptx(b, name, ptx);
    if (!b->dry) {
        CUresult r = b->cu.cuModuleLoadDataEx(&k.module, ptx, 0, NULL, NULL);
        if (r != CUDA_SUCCESS)
            fprintf(stderr, "micro: kernel %s\n", name);
        bench_expect(b, r, "cuModuleLoadDataEx");
        CU(b, cuModuleGetFunction, (&k.function, k.module, "k"));
    }
    free(ptx);
    return k;
}

void kernel_free(struct bench *b, struct kernel *k)
{
    if (k->module)
        CU(b, cuModuleUnload, (k->module));
    *k = (struct kernel){0};
}

void kernel_launch(struct bench *b, const struct kernel *k, struct launch l)
{
    if (b->dry)
        return;
    CUdeviceptr data = l.data ? l.data : b->data;
    void *args[] = {&b->out, &data, &l.loops, &l.a0, &l.a1};
    CU(b, cuLaunchKernel, (k->function, l.grid, 1, 1, l.block, 1, 1, l.shared, NULL, args, NULL));
}

void kernel_run(struct bench *b, const struct kernel *k, struct launch l, u32 words)
{
    kernel_launch(b, k, l);
    if (b->dry)
        return;
    CU(b, cuCtxSynchronize, ());
    CU(b, cuMemcpyDtoH, (b->got, b->out, (size_t)words * sizeof(u64)));
}

double elapsed_cycles(const struct bench *b, u32 warps)
{
    static u64 first[1024], last[1024];
    memset(last, 0, sizeof last);
    double most = 0;
    for (u32 w = 0; w < warps; w++) {
        const u64 *row = b->got + (size_t)w * WARP_WORDS;
        u32 sm = (u32)row[2] % 1024;
        if (!last[sm] || row[0] < first[sm])
            first[sm] = row[0];
        if (row[1] > last[sm])
            last[sm] = row[1];
        if ((double)(last[sm] - first[sm]) > most)
            most = (double)(last[sm] - first[sm]);
    }
    return most;
}

#define FLUSH_AT ((u64)6 << 30)
#define FLUSH_BYTES ((u64)512 << 20)

void bench_flush(struct bench *b)
{
    enum { GRID = 256, BLOCK = 1024 };
    if (b->brief)
        return;
    if (!b->reader.module && !b->dry) {
        char *body = timed_loop("mul.wide.u32 %d20, %r4, 512; mul.wide.u32 %d21, %r3, 16;\n"
                                "add.u64 %d20, %d20, %d21; add.u64 %d20, %d20, %d1;\n"
                                "mov.u32 %r20, 0;",
                                "ld.global.cg.v4.u32 {%r21,%r22,%r23,%r24}, [%d20];\n"
                                "xor.b32 %r20, %r20, %r21; xor.b32 %r20, %r20, %r22;\n"
                                "xor.b32 %r20, %r20, %r23; xor.b32 %r20, %r20, %r24;\n"
                                "add.u64 %d20, %d20, %d2;",
                                "setp.eq.u32 %p2, %r20, 0x9e3779b1;\n"
                                "@%p2 st.global.u32 [%d0], %r20;");
        b->reader = kernel_build(b, "flush", "", 0, body);
        free(body);
    }
    u64 round = (u64)GRID * BLOCK * 16;
    struct launch l = {.grid = GRID,
                       .block = BLOCK,
                       .loops = (u32)(FLUSH_BYTES / round),
                       .a1 = round,
                       .data = b->data + FLUSH_AT};
    kernel_launch(b, &b->reader, l);
}

static void run_timed(struct bench *b, const struct kernel *k, struct launch l, u32 warps)
{
    if (b->flush)
        bench_flush(b);
    kernel_run(b, k, l, warps * WARP_WORDS);
}

struct samples kernel_cycles(struct bench *b, const struct kernel *k, struct launch l)
{
    struct samples s = {0};
    u32 warps = l.grid * ((l.block + 31) / 32), loops = l.loops;
    kernel_run(b, k, l, warps * WARP_WORDS); /* code and data into the caches */
    for (u32 i = 0; i < b->repetitions; i++) {
        l.loops = loops;
        run_timed(b, k, l, warps);
        double once = elapsed_cycles(b, warps);
        l.loops = 2 * loops;
        run_timed(b, k, l, warps);
        samples_add(&s, (elapsed_cycles(b, warps) - once) / loops);
    }
    return s;
}

double kernel_ms(struct bench *b, const struct kernel *k, struct launch l)
{
    if (b->dry)
        return 1;
    CUevent start, stop;
    float ms = 0;
    CU(b, cuEventCreate, (&start, CU_EVENT_DEFAULT));
    CU(b, cuEventCreate, (&stop, CU_EVENT_DEFAULT));
    CU(b, cuEventRecord, (start, NULL));
    kernel_launch(b, k, l);
    CU(b, cuEventRecord, (stop, NULL));
    CU(b, cuEventSynchronize, (stop));
    CU(b, cuEventElapsedTime, (&ms, start, stop));
    CU(b, cuEventDestroy, (start));
    CU(b, cuEventDestroy, (stop));
    return ms;
}

void samples_add(struct samples *s, double v)
{
    if (s->count < MOST_SAMPLES)
        s->v[s->count++] = v;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double samples_median(const struct samples *s)
{
    struct samples t = *s;
    qsort(t.v, t.count, sizeof t.v[0], by_value);
    return t.count ? t.v[t.count / 2] : 0;
}

double samples_spread(const struct samples *s)
{
    double low = s->count ? s->v[0] : 0, high = low;
    for (u32 i = 1; i < s->count; i++) {
        low = s->v[i] < low ? s->v[i] : low;
        high = s->v[i] > high ? s->v[i] : high;
    }
    return high - low;
}

static void row(struct bench *b, const char *name, const char *parameter, double value,
                const char *unit, double spread, u32 count)
{
    if (!b->csv)
        return;
    fprintf(b->csv, "%s,%s,%s,%.6g,%s,%.3g,%u\n", b->group, name, parameter, value, unit, spread,
            count);
    fflush(b->csv); /* what comes later may hang */
}

void record(struct bench *b, const char *name, const char *parameter, const struct samples *s,
            double scale, const char *unit)
{
    row(b, name, parameter, samples_median(s) * scale, unit, samples_spread(s) * scale, s->count);
}

void record_value(struct bench *b, const char *name, const char *parameter, double value,
                  const char *unit)
{
    row(b, name, parameter, value, unit, 0, 1);
}

void record_rate(struct bench *b, const char *name, const char *parameter, const struct samples *s,
                 double work, const char *unit)
{
    struct samples rates = {0};
    for (u32 i = 0; i < s->count; i++)
        samples_add(&rates, s->v[i] > 0 ? work / s->v[i] : 0);
    record(b, name, parameter, &rates, 1, unit);
}
