/*
 * What the L2 keeps: reads, writes and copies of so many MiB one after another, each a kernel
 * launch or a copy, for Nsight Compute to count DRAM bytes of (tools/silicon capacity).
 *
 *     capacity [--pieces MIB] 'SCENARIO'...
 *
 * A scenario is a list of steps: rA:12 reads the first 12 MiB of array A with all SMs, sA:12 with
 * one, wA:12 writes them, uA:12 copies them from the host, mA:12 sets them, f reads 512 MiB of its
 * own twice. rA:12/3 gives each piece of 8 KiB to the third block after the usual one. Arrays A to
 * D have 128 MiB, each in one allocation, or with --pieces in allocations of MIB, those of the
 * arrays in turn. Prints a line per launch: scenario, step.
 */
#include "driver.h"
#include "types.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB ((u64)1 << 20)
#define ARRAYS 4u
#define ARRAY_BYTES (128 * MIB)
#define FLUSH_BYTES (512 * MIB)
#define MOST_PIECES 64u
#define GRID 264u
#define BLOCK 512u
#define WORD 16u /* bytes that a thread reads or writes at once */

/* Word i of an array: for (i = block' * ntid + tid; i < count; i += nctaid * ntid), block' being
 * the block moved on by `shift`; table[i / piece] has its allocation. */
static const char ptx_format[] =
    ".visible .entry %s(.param .u64 table, .param .u64 count, .param .u64 piece,\n"
    "                   .param .u32 shift, .param .u32 value)\n"
    "{\n"
    ".reg .b32 %%r<16>; .reg .b64 %%d<16>; .reg .pred %%p;\n"
    "ld.param.u64 %%d0, [table]; ld.param.u64 %%d1, [count]; ld.param.u64 %%d2, [piece];\n"
    "ld.param.u32 %%r0, [shift]; ld.param.u32 %%r1, [value];\n"
    "mov.u32 %%r2, %%ctaid.x; mov.u32 %%r3, %%nctaid.x; mov.u32 %%r4, %%ntid.x;\n"
    "mov.u32 %%r5, %%tid.x; add.u32 %%r2, %%r2, %%r0; rem.u32 %%r2, %%r2, %%r3;\n"
    "mad.lo.u32 %%r6, %%r2, %%r4, %%r5; cvt.u64.u32 %%d3, %%r6;\n"
    "mul.wide.u32 %%d4, %%r3, %%r4; mov.u32 %%r7, 0;\n"
    "LOOP: setp.ge.u64 %%p, %%d3, %%d1; @%%p bra DONE;\n"
    "div.u64 %%d5, %%d3, %%d2; mul.lo.u64 %%d6, %%d5, %%d2; sub.u64 %%d6, %%d3, %%d6;\n"
    "shl.b64 %%d5, %%d5, 3; add.u64 %%d5, %%d5, %%d0; ld.global.u64 %%d7, [%%d5];\n"
    "shl.b64 %%d6, %%d6, 4; add.u64 %%d7, %%d7, %%d6;\n"
    "%s\n"
    "add.u64 %%d3, %%d3, %%d4; bra LOOP;\n"
    "DONE: setp.eq.u32 %%p, %%r7, 0x12345678; @%%p st.global.u32 [%%d0], %%r7;\n"
    "ret;\n}\n";
static const char read_step[] = "ld.global.cg.v4.u32 {%r8, %r9, %r10, %r11}, [%d7];\n"
                                "add.u32 %r7, %r7, %r8; xor.b32 %r7, %r7, %r11;";
static const char write_step[] = "add.u32 %r8, %r6, %r1;\n"
                                 "st.global.v4.u32 [%d7], {%r8, %r1, %r6, %r5};";

struct array {
    CUdeviceptr piece[MOST_PIECES], table;
};

static struct driver cu;
static CUfunction read_kernel, write_kernel;
static struct array arrays[ARRAYS + 1]; /* the last for f */
static u64 piece_bytes = ARRAY_BYTES;
static u8 *host;

static void fail(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fputs("capacity: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    exit(2);
}

static void expect(CUresult result, const char *call)
{
    const char *name = "unknown";
    if (result == CUDA_SUCCESS)
        return;
    cu.cuGetErrorName(result, &name);
    fail("%s gave %s (%d)", call, name, (int)result);
}
#define CU(call, arguments) expect(cu.call arguments, #call)

static void load_kernels(void)
{
    static char text[8192], one[4096];
    CUmodule module;
    snprintf(text, sizeof text, ".version 7.5\n.target sm_75\n.address_size 64\n");
    snprintf(one, sizeof one, ptx_format, "read", read_step);
    strcat(text, one);
    snprintf(one, sizeof one, ptx_format, "write", write_step);
    strcat(text, one);
    CU(cuModuleLoadDataEx, (&module, text, 0, NULL, NULL));
    CU(cuModuleGetFunction, (&read_kernel, module, "read"));
    CU(cuModuleGetFunction, (&write_kernel, module, "write"));
}

static void add_piece(struct array *a, u32 at, u64 bytes)
{
    CU(cuMemAlloc, (&a->piece[at], bytes));
}

static void make_arrays(void)
{
    u32 pieces = (u32)(ARRAY_BYTES / piece_bytes);
    for (u32 i = 0; i < pieces; i++) {
        for (u32 k = 0; k < ARRAYS; k++)
            add_piece(&arrays[k], i, piece_bytes);
    }
    add_piece(&arrays[ARRAYS], 0, FLUSH_BYTES);
    for (u32 k = 0; k <= ARRAYS; k++) {
        CU(cuMemAlloc, (&arrays[k].table, sizeof arrays[k].piece));
        CU(cuMemcpyHtoD, (arrays[k].table, arrays[k].piece, sizeof arrays[k].piece));
    }
    host = malloc(ARRAY_BYTES);
    for (u64 i = 0; i < ARRAY_BYTES; i++)
        host[i] = (u8)(i * 2654435761u >> 13);
}

static void launch(CUfunction kernel, struct array *a, u64 bytes, u64 piece, u32 shift, u32 blocks)
{
    static u32 value;
    u64 count = bytes / WORD, per = piece / WORD;
    value++;
    void *args[] = {&a->table, &count, &per, &shift, &value};
    CU(cuLaunchKernel, (kernel, blocks, 1, 1, BLOCK, 1, 1, 0, NULL, args, NULL));
    CU(cuCtxSynchronize, ());
}

static void over_pieces(const struct array *a, u64 bytes, bool is_set)
{
    for (u64 done = 0; done < bytes; done += piece_bytes) {
        u64 part = bytes - done < piece_bytes ? bytes - done : piece_bytes;
        CUdeviceptr to = a->piece[done / piece_bytes];
        if (is_set)
            CU(cuMemsetD8, (to, 7, part));
        else
            CU(cuMemcpyHtoD, (to, host + done, part));
    }
    CU(cuCtxSynchronize, ());
}

static void step(u32 scenario, const char *what)
{
    double mib = 0;
    u32 shift = 0;
    if (!strcmp(what, "f")) {
        for (u32 i = 0; i < 2; i++) {
            launch(read_kernel, &arrays[ARRAYS], FLUSH_BYTES, FLUSH_BYTES, i, GRID);
            printf("%u,f\n", scenario);
        }
        return;
    }
    if (what[1] < 'A' || what[1] >= (char)('A' + ARRAYS) ||
        sscanf(what + 2, ":%lf/%u", &mib, &shift) < 1 || mib * (double)MIB > (double)ARRAY_BYTES)
        fail("'%s' is no step, expected one like rA:12, sA:12, wA:12, uA:12, mA:12, f", what);
    struct array *a = &arrays[what[1] - 'A'];
    u64 bytes = (u64)(mib * (double)MIB);
    switch (what[0]) {
    case 'r':
    case 's':
        launch(read_kernel, a, bytes, piece_bytes, shift, what[0] == 's' ? 1 : GRID);
        break;
    case 'w':
        launch(write_kernel, a, bytes, piece_bytes, shift, GRID);
        break;
    case 'u':
    case 'm':
        over_pieces(a, bytes, what[0] == 'm');
        return;
    default:
        fail("'%s' is no step, expected one like rA:12, sA:12, wA:12, uA:12, mA:12, f", what);
    }
    printf("%u,%s\n", scenario, what);
}

int main(int argc, char **argv)
{
    char why[256];
    CUdevice device;
    CUcontext context;
    int at = 1;
    if (at + 1 < argc && !strcmp(argv[at], "--pieces")) {
        piece_bytes = (u64)atoi(argv[at + 1]) * MIB;
        at += 2;
    }
    if (!piece_bytes || ARRAY_BYTES % piece_bytes || ARRAY_BYTES / piece_bytes > MOST_PIECES)
        fail("--pieces wants a power of two from 2 to 128");
    if (!driver_open(&cu, why, sizeof why))
        fail("%s", why);
    CU(cuInit, (0));
    CU(cuDeviceGet, (&device, 0));
    CU(cuDevicePrimaryCtxRetain, (&context, device));
    CU(cuCtxSetCurrent, (context));
    load_kernels();
    make_arrays();
    for (u32 scenario = 0; at < argc; at++, scenario++) {
        for (char *what = strtok(argv[at], " "); what; what = strtok(NULL, " "))
            step(scenario, what);
    }
    return 0;
}
