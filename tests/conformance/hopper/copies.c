/*
 * Tensor copies: one instruction, between a tensor full of numbers and 32 KiB of shared memory.
 *
 * Loads show all of shared memory afterwards, what was not written included; stores and reductions
 * show all of the tensor's memory.
 */
#include "bed.h"

#include <string.h>

enum { SHARED_BYTES = 32 << 10, TENSOR_BYTES = 256 << 10, BARRIER_AT = SHARED_BYTES };

enum way { WAY_LOAD, WAY_STORE, WAY_REDUCE, WAY_COLUMNS, WAY_LOAD_TO_PAIR };

struct copy {
    const char *name;
    enum way way;
    const char *operation; /* of a reduction */
    CUtensorMapDataType type;
    u32 rank, element_bytes;
    unsigned long long dimension[5], stride[4]; /* of elements; in bytes */
    u32 box[5], step[5];
    CUtensorMapSwizzle swizzle;
    CUtensorMapInterleave interleave;
    CUtensorMapFloatOOBfill fill;
    int at[5];
    int lower[3], upper[3]; /* of columns (im2col) */
    u32 channels, pixels;
    u32 offset[3];
};

#define T(t) CU_TENSOR_MAP_DATA_TYPE_##t
#define S(s) CU_TENSOR_MAP_SWIZZLE_##s
#define ONES                                                                                       \
    {                                                                                              \
        1, 1, 1, 1, 1                                                                              \
    }

/* clang-format off */
static const struct copy copies[] = {
    {"1d", WAY_LOAD, 0, T(FLOAT32), 1, 4, {1000}, {0}, {256}, ONES, .at = {100}},
    {"1d/end", WAY_LOAD, 0, T(FLOAT32), 1, 4, {1000}, {0}, {256}, ONES, .at = {900}},
    {"1d/before", WAY_LOAD, 0, T(FLOAT16), 1, 2, {1000}, {0}, {256}, ONES, .at = {-40}},
    {"1d/u8", WAY_LOAD, 0, T(UINT8), 1, 1, {1000}, {0}, {128}, ONES, .at = {3}},
    {"2d", WAY_LOAD, 0, T(FLOAT16), 2, 2, {128, 200}, {256}, {64, 32}, ONES, .at = {64, 10}},
    {"2d/s128", WAY_LOAD, 0, T(FLOAT16), 2, 2, {128, 200}, {256}, {64, 32}, ONES, S(128B), .at
     = {64, 10}},
    {"2d/s64", WAY_LOAD, 0, T(BFLOAT16), 2, 2, {128, 200}, {256}, {32, 64}, ONES, S(64B), .at =
     {8, 3}},
    {"2d/s32", WAY_LOAD, 0, T(UINT8), 2, 1, {128, 200}, {256}, {32, 64}, ONES, S(32B), .at =
     {16, 3}},
    {"2d/s128/narrow", WAY_LOAD, 0, T(FLOAT32), 2, 4, {128, 200}, {512}, {16, 32}, ONES,
     S(128B), .at = {64, 10}},
    {"2d/s64/narrow", WAY_LOAD, 0, T(FLOAT32), 2, 4, {128, 200}, {512}, {8, 32}, ONES, S(64B),
     .at = {64, 10}},
    {"2d/edges", WAY_LOAD, 0, T(FLOAT16), 2, 2, {100, 50}, {208}, {64, 32}, ONES, S(128B), .at
     = {-8, 30}},
    {"2d/nan", WAY_LOAD, 0, T(FLOAT16), 2, 2, {100, 50}, {208}, {64, 32}, ONES, S(128B), .fill
     = 1, .at = {80, 40}},
    {"2d/nan32", WAY_LOAD, 0, T(FLOAT32), 2, 4, {100, 50}, {416}, {32, 32}, ONES, S(128B),
     .fill = 1, .at = {90, 40}},
    {"2d/nanbf", WAY_LOAD, 0, T(BFLOAT16), 2, 2, {100, 50}, {208}, {64, 32}, ONES, S(NONE),
     .fill = 1, .at = {80, 40}},
    {"2d/nan64", WAY_LOAD, 0, T(FLOAT64), 2, 8, {100, 50}, {816}, {16, 32}, ONES, S(128B),
     .fill = 1, .at = {90, 40}},
    {"2d/far", WAY_LOAD, 0, T(FLOAT16), 2, 2, {100, 50}, {208}, {64, 32}, ONES, S(128B), .at =
     {1000, -100}},
    {"2d/steps", WAY_LOAD, 0, T(FLOAT32), 2, 4, {128, 100}, {512}, {64, 32}, {2, 4, 1, 1, 1},
     .at = {10, 20}},
    {"2d/steps3", WAY_LOAD, 0, T(FLOAT32), 2, 4, {128, 100}, {512}, {48, 32}, {3, 3, 1, 1, 1},
     .at = {100, 80}},
    {"2d/steps128", WAY_LOAD, 0, T(FLOAT16), 2, 2, {128, 100}, {256}, {128, 32}, {2, 2, 1, 1,
     1}, S(128B), .at = {0, 21}},
    {"2d/ftz", WAY_LOAD, 0, T(FLOAT32_FTZ), 2, 4, {128, 100}, {512}, {32, 16}, ONES, S(128B),
     .at = {10, 20}},
    {"2d/tf32", WAY_LOAD, 0, T(TFLOAT32), 2, 4, {128, 100}, {512}, {32, 16}, ONES, S(128B), .at
     = {10, 20}},
    {"2d/tf32ftz", WAY_LOAD, 0, T(TFLOAT32_FTZ), 2, 4, {128, 100}, {512}, {32, 16}, ONES,
     S(128B), .at = {10, 20}},
    {"3d", WAY_LOAD, 0, T(UINT16), 3, 2, {40, 30, 20}, {96, 3072}, {32, 4, 5}, ONES, S(64B),
     .at = {5, 28, 17}},
    {"4d", WAY_LOAD, 0, T(INT32), 4, 4, {16, 10, 8, 6}, {64, 704, 5632}, {8, 4, 3, 2}, ONES,
     .at = {-2, 8, 6, 5}},
    {"5d", WAY_LOAD, 0, T(UINT64), 5, 8, {6, 5, 4, 3, 7}, {48, 240, 960, 2880}, {4, 2, 3, 2,
     2}, ONES, .at = {3, 4, -1, 2, 6}},
    {"5d/s128", WAY_LOAD, 0, T(FLOAT16), 5, 2, {64, 5, 4, 3, 7}, {128, 640, 2560, 7680}, {64,
     2, 3, 2, 2}, ONES, S(128B), .at = {0, 4, -1, 2, 5}},
    {"3d/16B", WAY_LOAD, 0, T(FLOAT16), 3, 2, {8, 40, 30}, {16, 640}, {8, 16, 4}, ONES,
     .interleave = 1, .at = {0, 4, 2}},
    {"pair", WAY_LOAD_TO_PAIR, 0, T(FLOAT16), 2, 2, {128, 200}, {256}, {64, 32}, ONES, S(128B),
     .at = {64, 10}},
    {"store/1d", WAY_STORE, 0, T(FLOAT32), 1, 4, {1000}, {0}, {256}, ONES, .at = {900}},
    {"store/2d/s128", WAY_STORE, 0, T(FLOAT16), 2, 2, {128, 200}, {256}, {64, 32}, ONES,
     S(128B), .at = {80, 180}},
    {"store/2d/s64", WAY_STORE, 0, T(FLOAT16), 2, 2, {128, 200}, {256}, {32, 32}, ONES, S(64B),
     .at = {-3, -4}},
    {"store/2d/s32", WAY_STORE, 0, T(FLOAT16), 2, 2, {128, 200}, {256}, {16, 32}, ONES, S(32B),
     .at = {30, 4}},
    {"store/2d/narrow", WAY_STORE, 0, T(FLOAT32), 2, 4, {128, 100}, {512}, {16, 32}, ONES,
     S(128B), .at = {30, 4}},
    {"store/3d", WAY_STORE, 0, T(UINT16), 3, 2, {40, 30, 20}, {96, 3072}, {32, 4, 5}, ONES,
     S(64B), .at = {20, 28, 17}},
    {"store/5d", WAY_STORE, 0, T(UINT64), 5, 8, {6, 5, 4, 3, 7}, {48, 240, 960, 2880}, {4, 2,
     3, 2, 2}, ONES, .at = {3, 4, -1, 2, 6}},
    {"add.f32", WAY_REDUCE, "add", T(FLOAT32), 2, 4, {128, 100}, {512}, {32, 32}, ONES,
     S(128B), .at = {110, 80}},
    {"add.f16", WAY_REDUCE, "add", T(FLOAT16), 2, 2, {128, 100}, {256}, {64, 32}, ONES,
     S(128B), .at = {100, 80}},
    {"add.bf16", WAY_REDUCE, "add", T(BFLOAT16), 2, 2, {128, 100}, {256}, {64, 32}, ONES,
     S(128B), .at = {100, 80}},
    {"min.f16", WAY_REDUCE, "min", T(FLOAT16), 2, 2, {128, 100}, {256}, {64, 32}, ONES,
     S(128B), .at = {100, 80}},
    {"max.bf16", WAY_REDUCE, "max", T(BFLOAT16), 2, 2, {128, 100}, {256}, {64, 32}, ONES,
     S(128B), .at = {100, 80}},
    {"add.u32", WAY_REDUCE, "add", T(UINT32), 2, 4, {128, 100}, {512}, {32, 32}, ONES, .at =
     {110, 80}},
    {"add.u64", WAY_REDUCE, "add", T(UINT64), 2, 8, {64, 100}, {512}, {16, 32}, ONES, .at =
     {55, 80}},
    {"min.s32", WAY_REDUCE, "min", T(INT32), 2, 4, {128, 100}, {512}, {32, 32}, ONES, .at =
     {110, 80}},
    {"max.u32", WAY_REDUCE, "max", T(UINT32), 2, 4, {128, 100}, {512}, {32, 32}, ONES, .at =
     {110, 80}},
    {"max.s64", WAY_REDUCE, "max", T(INT64), 2, 8, {64, 100}, {512}, {16, 32}, ONES, .at = {55,
     80}},
    {"inc.u32", WAY_REDUCE, "inc", T(UINT32), 2, 4, {128, 100}, {512}, {32, 32}, ONES, .at =
     {110, 80}},
    {"dec.u32", WAY_REDUCE, "dec", T(UINT32), 2, 4, {128, 100}, {512}, {32, 32}, ONES, .at =
     {110, 80}},
    {"and.b32", WAY_REDUCE, "and", T(UINT32), 2, 4, {128, 100}, {512}, {32, 32}, ONES, .at =
     {110, 80}},
    {"or.b64", WAY_REDUCE, "or", T(UINT64), 2, 8, {64, 100}, {512}, {16, 32}, ONES, .at = {55,
     80}},
    {"xor.b32", WAY_REDUCE, "xor", T(INT32), 2, 4, {128, 100}, {512}, {32, 32}, ONES, .at =
     {110, 80}},
    {"columns/3d", WAY_COLUMNS, 0, T(FLOAT16), 3, 2, {64, 30, 5}, {128, 3840}, {0}, ONES,
     S(128B), .at = {0, 20, 1}, .lower = {-1}, .upper = {-1}, .channels = 64, .pixels = 40,
     .offset = {2}},
    {"columns/4d", WAY_COLUMNS, 0, T(FLOAT16), 4, 2, {64, 14, 12, 5}, {128, 1792, 21504}, {0},
     ONES, S(128B), .at = {0, 5, 9, 1}, .lower = {-1, -1}, .upper = {-1, -1}, .channels = 64,
     .pixels = 64, .offset = {2, 1}},
    {"columns/4d/steps", WAY_COLUMNS, 0, T(FLOAT16), 4, 2, {64, 14, 12, 5}, {128, 1792, 21504},
     {0}, {1, 2, 2, 1, 1}, S(128B), .at = {0, 3, 7, 1}, .lower = {-1, -1}, .upper = {-1, -1},
     .channels = 32, .pixels = 48, .offset = {1, 2}},
    {"columns/4d/edges", WAY_COLUMNS, 0, T(FLOAT32), 4, 4, {32, 14, 12, 3}, {128, 1792, 21504},
     {0}, ONES, .at = {16, -2, -1, 0}, .lower = {-2, -1}, .upper = {0, 1}, .channels = 32,
     .pixels = 64, .offset = {0, 0}},
    {"columns/5d", WAY_COLUMNS, 0, T(BFLOAT16), 5, 2, {32, 7, 6, 5, 4}, {64, 448, 2688, 13440},
     {0}, ONES, S(64B), .at = {0, 3, 4, 3, 1}, .lower = {-1, -1, -1}, .upper = {-1, -1, -1},
     .channels = 32, .pixels = 64, .offset = {1, 2, 0}},
    /* As above, where the first coordinate is a multiple of 16 bytes. */
    {"1d/u8/aligned", WAY_LOAD, 0, T(UINT8), 1, 1, {1000}, {0}, {128}, ONES, .at = {0}},
    {"2d/nan32/aligned", WAY_LOAD, 0, T(FLOAT32), 2, 4, {100, 50}, {416}, {32, 32}, ONES,
     S(128B), .fill = 1, .at = {88, 40}},
    {"2d/steps/aligned", WAY_LOAD, 0, T(FLOAT32), 2, 4, {128, 100}, {512}, {64, 32}, {2, 4,
     1, 1, 1}, .at = {8, 20}},
    {"2d/ftz/aligned", WAY_LOAD, 0, T(FLOAT32_FTZ), 2, 4, {128, 100}, {512}, {32, 16}, ONES,
     S(128B), .at = {8, 20}},
    {"2d/tf32/aligned", WAY_LOAD, 0, T(TFLOAT32), 2, 4, {128, 100}, {512}, {32, 16}, ONES,
     S(128B), .at = {8, 20}},
    {"2d/tf32ftz/aligned", WAY_LOAD, 0, T(TFLOAT32_FTZ), 2, 4, {128, 100}, {512}, {32, 16},
     ONES, S(128B), .at = {8, 20}},
    {"3d/aligned", WAY_LOAD, 0, T(UINT16), 3, 2, {40, 30, 20}, {96, 3072}, {32, 4, 5}, ONES,
     S(64B), .at = {0, 28, 17}},
    {"4d/aligned", WAY_LOAD, 0, T(INT32), 4, 4, {16, 10, 8, 6}, {64, 704, 5632}, {8, 4, 3,
     2}, ONES, .at = {-4, 8, 6, 5}},
    {"5d/aligned", WAY_LOAD, 0, T(UINT64), 5, 8, {6, 5, 4, 3, 7}, {48, 240, 960, 2880}, {4,
     2, 3, 2, 2}, ONES, .at = {2, 4, -1, 2, 6}},
    {"store/2d/s64/aligned", WAY_STORE, 0, T(FLOAT16), 2, 2, {128, 200}, {256}, {32, 32},
     ONES, S(64B), .at = {-8, -4}},
    {"store/2d/s32/aligned", WAY_STORE, 0, T(FLOAT16), 2, 2, {128, 200}, {256}, {16, 32},
     ONES, S(32B), .at = {24, 4}},
    {"store/2d/narrow/aligned", WAY_STORE, 0, T(FLOAT32), 2, 4, {128, 100}, {512}, {16, 32},
     ONES, S(128B), .at = {28, 4}},
    {"store/3d/aligned", WAY_STORE, 0, T(UINT16), 3, 2, {40, 30, 20}, {96, 3072}, {32, 4,
     5}, ONES, S(64B), .at = {16, 28, 17}},
    {"store/5d/aligned", WAY_STORE, 0, T(UINT64), 5, 8, {6, 5, 4, 3, 7}, {48, 240, 960,
     2880}, {4, 2, 3, 2, 2}, ONES, .at = {2, 4, -1, 2, 6}},
    {"add.f32/aligned", WAY_REDUCE, "add", T(FLOAT32), 2, 4, {128, 100}, {512}, {32, 32},
     ONES, S(128B), .at = {108, 80}},
    {"add.f16/aligned", WAY_REDUCE, "add", T(FLOAT16), 2, 2, {128, 100}, {256}, {64, 32},
     ONES, S(128B), .at = {96, 80}},
    {"add.bf16/aligned", WAY_REDUCE, "add", T(BFLOAT16), 2, 2, {128, 100}, {256}, {64, 32},
     ONES, S(128B), .at = {96, 80}},
    {"min.f16/aligned", WAY_REDUCE, "min", T(FLOAT16), 2, 2, {128, 100}, {256}, {64, 32},
     ONES, S(128B), .at = {96, 80}},
    {"max.bf16/aligned", WAY_REDUCE, "max", T(BFLOAT16), 2, 2, {128, 100}, {256}, {64, 32},
     ONES, S(128B), .at = {96, 80}},
    {"add.u32/aligned", WAY_REDUCE, "add", T(UINT32), 2, 4, {128, 100}, {512}, {32, 32},
     ONES, .at = {108, 80}},
    {"add.u64/aligned", WAY_REDUCE, "add", T(UINT64), 2, 8, {64, 100}, {512}, {16, 32},
     ONES, .at = {54, 80}},
    {"min.s32/aligned", WAY_REDUCE, "min", T(INT32), 2, 4, {128, 100}, {512}, {32, 32},
     ONES, .at = {108, 80}},
    {"max.u32/aligned", WAY_REDUCE, "max", T(UINT32), 2, 4, {128, 100}, {512}, {32, 32},
     ONES, .at = {108, 80}},
    {"max.s64/aligned", WAY_REDUCE, "max", T(INT64), 2, 8, {64, 100}, {512}, {16, 32}, ONES,
     .at = {54, 80}},
    {"inc.u32/aligned", WAY_REDUCE, "inc", T(UINT32), 2, 4, {128, 100}, {512}, {32, 32},
     ONES, .at = {108, 80}},
    {"dec.u32/aligned", WAY_REDUCE, "dec", T(UINT32), 2, 4, {128, 100}, {512}, {32, 32},
     ONES, .at = {108, 80}},
    {"and.b32/aligned", WAY_REDUCE, "and", T(UINT32), 2, 4, {128, 100}, {512}, {32, 32},
     ONES, .at = {108, 80}},
    {"or.b64/aligned", WAY_REDUCE, "or", T(UINT64), 2, 8, {64, 100}, {512}, {16, 32}, ONES,
     .at = {54, 80}},
    {"xor.b32/aligned", WAY_REDUCE, "xor", T(INT32), 2, 4, {128, 100}, {512}, {32, 32},
     ONES, .at = {108, 80}},
    {"2d/from1", WAY_LOAD, 0, T(FLOAT32), 2, 4, {128, 100}, {512}, {32, 16}, ONES, .at =
     {1, 20}},
    {"2d/from2", WAY_LOAD, 0, T(FLOAT32), 2, 4, {128, 100}, {512}, {32, 16}, ONES, .at =
     {2, 20}},
    {"2d/from3", WAY_LOAD, 0, T(FLOAT32), 2, 4, {128, 100}, {512}, {32, 16}, ONES, .at =
     {3, 20}},
    {"2d/from2/s128", WAY_LOAD, 0, T(FLOAT32), 2, 4, {128, 100}, {512}, {32, 16}, ONES,
     S(128B), .at = {2, 20}},
    {"2d/from-4", WAY_LOAD, 0, T(FLOAT32), 2, 4, {128, 100}, {512}, {32, 16}, ONES, .at =
     {-4, -3}},
};
/* clang-format on */

static u32 bytes_of(const struct copy *c)
{
    u32 bytes = c->element_bytes;
    if (c->way == WAY_COLUMNS)
        return bytes * c->channels * c->pixels;
    for (u32 i = 0; i < c->rank; i++) /* no steps along the first */
        bytes *= i ? (c->box[i] + c->step[i] - 1) / c->step[i] : c->box[i];
    return bytes;
}

static void write_place(struct bed *b, const struct copy *c)
{
    ptx_add(b, "[%%map, {");
    for (u32 i = 0; i < c->rank; i++)
        ptx_add(b, "%s%d", i ? ", " : "", c->at[i]);
    ptx_add(b, "}]");
}

static void write_load(struct bed *b, const struct copy *c)
{
    bool pair = c->way == WAY_LOAD_TO_PAIR, columns = c->way == WAY_COLUMNS;
    ptx_add(b,
            "cp.async.bulk.tensor.%ud.shared::cluster.global%s.mbarrier::complete_tx::bytes%s "
            "[%%r1], ",
            c->rank, columns ? ".im2col" : "", pair ? ".multicast::cluster" : "");
    write_place(b, c);
    ptx_add(b, ", [%%r2]");
    for (u32 i = 0; columns && i + 2 < c->rank; i++)
        ptx_add(b, "%s%u", i ? ", " : ", {", c->offset[i]);
    ptx_add(b, "%s%s;\n", columns ? "}" : "", pair ? ", 3" : "");
}

static void write_store(struct bed *b, const struct copy *c)
{
    if (c->way == WAY_REDUCE)
        ptx_add(b, "cp.reduce.async.bulk.tensor.%ud.global.shared::cta.%s.bulk_group ", c->rank,
                c->operation);
    else
        ptx_add(b, "cp.async.bulk.tensor.%ud.global.shared::cta.bulk_group ", c->rank);
    write_place(b, c);
    ptx_add(b, ", [%%r1];\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n");
}

/* Shared memory from `in`; the copy; shared memory to `out`, block by block. */
static void write_kernel(struct bed *b, const struct copy *c)
{
    bool loads = c->way == WAY_LOAD || c->way == WAY_COLUMNS || c->way == WAY_LOAD_TO_PAIR;
    ptx_begin(b);
    ptx_add(b,
            ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 in, .param .u64 out)\n"
            "{\n.reg .b32 %%r<10>, %%v<4>;\n.reg .b64 %%in, %%out, %%d<4>, %%map;\n"
            ".reg .pred %%p<4>;\nld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\n"
            "mov.b64 %%d0, map;\ncvta.param.u64 %%map, %%d0;\nmov.u32 %%r0, %%tid.x;\n"
            "mov.u32 %%r1, smem;\nadd.u32 %%r2, %%r1, %u;\nshl.b32 %%r3, %%r0, 4;\n"
            "cvt.u64.u32 %%d1, %%r3;\nadd.u64 %%in, %%in, %%d1;\nadd.u64 %%out, %%out, %%d1;\n"
            "mov.u32 %%r6, %%ctaid.x;\nmul.wide.u32 %%d2, %%r6, %u;\n"
            "add.u64 %%out, %%out, %%d2;\nadd.u32 %%r4, %%r1, %%r3;\nmov.u32 %%r5, 0;\n"
            "COPY: ld.global.v4.b32 {%%v0,%%v1,%%v2,%%v3}, [%%in];\n"
            "st.shared.v4.b32 [%%r4], {%%v0,%%v1,%%v2,%%v3};\nadd.u64 %%in, %%in, 2048;\n"
            "add.u32 %%r4, %%r4, 2048;\nadd.u32 %%r5, %%r5, 2048;\n"
            "setp.lt.u32 %%p0, %%r5, %u;\n@%%p0 bra COPY;\nsetp.ne.u32 %%p1, %%r0, 0;\n"
            "@%%p1 bra READY;\nmbarrier.init.shared.b64 [%%r2], 1;\n"
            "fence.mbarrier_init.release.cluster;\n"
            "mbarrier.arrive.expect_tx.shared.b64 _, [%%r2], %u;\n"
            "READY: fence.proxy.async;\nbar.sync 0;\n",
            (u32)BARRIER_AT, (u32)SHARED_BYTES, (u32)SHARED_BYTES, loads ? bytes_of(c) : 0);
    if (c->way == WAY_LOAD_TO_PAIR)
        ptx_add(b, "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
                   "setp.ne.u32 %%p2, %%r6, 0;\nor.pred %%p1, %%p1, %%p2;\n");
    ptx_add(b, "@%%p1 bra DONE;\n");
    if (loads)
        write_load(b, c);
    else
        write_store(b, c);
    ptx_add(b,
            "DONE: mov.u32 %%r7, 0;\n" /* not for ever: a wrong count of bytes is an answer */
            "WAIT: mbarrier.try_wait.parity.shared.b64 %%p3, [%%r2], 0;\n"
            "add.u32 %%r7, %%r7, 1;\nsetp.gt.u32 %%p0, %%r7, 20000;\n"
            "or.pred %%p3, %%p3, %%p0;\n@!%%p3 bra WAIT;\n"
            "bar.sync 0;\nmov.u32 %%r5, 0;\nadd.u32 %%r4, %%r1, %%r3;\n"
            "BACK: ld.shared.v4.b32 {%%v0,%%v1,%%v2,%%v3}, [%%r4];\n"
            "st.global.v4.b32 [%%out], {%%v0,%%v1,%%v2,%%v3};\nadd.u64 %%out, %%out, 2048;\n"
            "add.u32 %%r4, %%r4, 2048;\nadd.u32 %%r5, %%r5, 2048;\n"
            "setp.lt.u32 %%p0, %%r5, %u;\n@%%p0 bra BACK;\nret;\n}\n",
            (u32)SHARED_BYTES);
}

static CUresult make_map(struct bed *b, const struct copy *c, CUdeviceptr tensor, CUtensorMap *map)
{
    void *address = (void *)(uintptr_t)tensor;
    if (c->way == WAY_COLUMNS)
        return b->driver.cuTensorMapEncodeIm2col(
            map, c->type, c->rank, address, c->dimension, c->stride, c->lower, c->upper,
            c->channels, c->pixels, c->step, c->interleave, c->swizzle, 0, c->fill);
    return b->driver.cuTensorMapEncodeTiled(map, c->type, c->rank, address, c->dimension, c->stride,
                                            c->box, c->step, c->interleave, c->swizzle, 0, c->fill);
}

/* Halves of each word are small f16, so that sums stay finite in every type. */
static void fill(u8 *to, u32 bytes, u64 seed)
{
    for (u32 i = 0; i < bytes; i += 2) {
        u64 r = noise(seed + i);
        u16 v = (u16)((r & 0x83ff) | 0x3000 | (r >> 20 & 0xf) << 10);
        if ((r >> 32) % 16 == 0)
            v = (u16)(r & 0x807f); /* subnormal as upper half of an f32, too */
        memcpy(to + i, &v, 2);
    }
}

static void run_copy(struct bed *b, const struct copy *c)
{
    char name[96];
    CUmodule module = NULL;
    static u8 tensor[TENSOR_BYTES], shared[SHARED_BYTES], out[TENSOR_BYTES];
    CUtensorMap map;
    snprintf(name, sizeof name, "copy/%s", c->name);
    if (!bed_wants(b, name))
        return;
    CUdeviceptr at = 0, in = 0, to = 0;
    fill(tensor, TENSOR_BYTES, 1u << 24);
    fill(shared, SHARED_BYTES, 2u << 24);
    write_kernel(b, c);
    CUfunction f = ptx_load(b, name, &module);
    if (!f)
        return;
    b->driver.cuMemAlloc(&at, TENSOR_BYTES);
    b->driver.cuMemAlloc(&in, SHARED_BYTES);
    b->driver.cuMemAlloc(&to, 2 * SHARED_BYTES);
    b->driver.cuMemcpyHtoD(at, tensor, TENSOR_BYTES);
    b->driver.cuMemcpyHtoD(in, shared, SHARED_BYTES);
    CUresult r = make_map(b, c, at + 4096, &map);
    void *params[] = {&map, &in, &to};
    u32 blocks = c->way == WAY_LOAD_TO_PAIR ? 2 : 1;
    if (r != CUDA_SUCCESS) {
        bed_answer(b, name, driver_error(&b->driver, r), NULL, 0);
    } else if (bed_launch(b, name, f, blocks, blocks, 128, SHARED_BYTES + 64, params)) {
        bool loads = c->way != WAY_STORE && c->way != WAY_REDUCE;
        u32 bytes = loads ? blocks * SHARED_BYTES : TENSOR_BYTES;
        b->driver.cuMemcpyDtoH(out, loads ? to : at, bytes);
        bed_answer(b, name, "ok", out, bytes);
    } else {
        return;
    }
    b->driver.cuMemFree(at);
    b->driver.cuMemFree(in);
    b->driver.cuMemFree(to);
    b->driver.cuModuleUnload(module);
}

/* ---- what cuTensorMapEncodeTiled refuses --------------------------------------------------- */

static void run_refusals(struct bed *b)
{
    static const struct copy base = {"",    WAY_LOAD, 0,    T(FLOAT16),        2, 2, {128, 200},
                                     {256}, {64, 32}, ONES, .swizzle = S(128B)};
    struct copy wrong[16];
    static const char *const names[] = {"fine",  "address", "stride",   "stride0", "box0",
                                        "box",   "wide",    "step0",    "step9",   "rank0",
                                        "rank6", "dim0",    "boxbytes", "big",     "overlap"};
    for (u32 i = 0; i < 16; i++)
        wrong[i] = base;
    wrong[2].stride[0] = 250;
    wrong[3].stride[0] = 0;
    wrong[4].box[1] = 0;
    wrong[5].box[1] = 257;
    wrong[6].box[0] = 128;
    wrong[7].step[0] = 0;
    wrong[8].step[1] = 9;
    wrong[9].rank = 0;
    wrong[10].rank = 6;
    wrong[11].dimension[1] = 0;
    wrong[12].box[0] = 7;
    wrong[13].box[0] = 64;
    wrong[13].box[1] = 256;
    wrong[13].rank = 3;
    wrong[13].dimension[2] = 64;
    wrong[13].box[2] = 64;
    wrong[13].stride[1] = 51200;
    wrong[14].stride[0] = 128;
    for (u32 i = 0; i < sizeof names / sizeof names[0]; i++) {
        char name[96];
        CUtensorMap map;
        snprintf(name, sizeof name, "map/%s", names[i]);
        if (!bed_wants(b, name))
            continue;
        CUresult r = make_map(b, &wrong[i], i == 1 ? 0x700000008 : 0x700000000, &map);
        bed_answer(b, name, driver_error(&b->driver, r), NULL, 0);
    }
}

void copies_list(void)
{
    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++)
        printf("copy/%s\n", copies[i].name);
    printf("map/\n");
}

void copies_run(struct bed *b)
{
    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++)
        run_copy(b, &copies[i]);
    run_refusals(b);
}
