/* cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col, cuTensorMapReplaceAddress. */
#include "cuda/driver/driver.h"

#include "device/tensor_map.h"

#include <string.h>

enum { MOST_BOX_BYTES = 227 << 10 }; /* shared memory of a block of compute capability 9.0 */

static CUresult refuse(const char *what, u64 found, const char *expected)
{
    cu_say("a tensor map is refused: %s is %llu, expected %s", what, (unsigned long long)found,
           expected);
    return CUDA_ERROR_INVALID_VALUE;
}

/* What both kinds say of the tensor. */
static CUresult take_tensor(struct tensor_map *m, u32 type, u32 rank, u64 address,
                            const unsigned long long *dimension, const unsigned long long *stride,
                            const unsigned int *step)
{
    if (type >= TENSOR_TYPES)
        return refuse("the data type", type, "one from 0 to 12");
    if (!rank || rank > TENSOR_MOST_RANK)
        return refuse("the rank", rank, "1 to 5");
    if (address % 16) /* 0 is taken: CUTLASS's grouped products set the address on the device */
        return refuse("the address", address, "a multiple of 16");
    *m = (struct tensor_map){
        .magic = TENSOR_MAP_MAGIC, .type = (u8)type, .rank = (u8)rank, .address = address};
    for (u32 d = 0; d < rank; d++) {
        if (!dimension[d] || dimension[d] > (u64)1 << 32)
            return refuse("a dimension", dimension[d], "1 to 2^32");
        if (!step[d] || step[d] > 8)
            return refuse("an element stride", step[d], "1 to 8");
        m->last[d] = (u32)(dimension[d] - 1);
        m->step[d] = (u8)step[d];
        if (d && (stride[d - 1] % 16 || stride[d - 1] >= (u64)1 << 40))
            return refuse("a stride", stride[d - 1], "a multiple of 16 below 2^40");
        if (d)
            m->stride[d - 1] = stride[d - 1];
    }
    return CUDA_SUCCESS;
}

/* How a box lies in shared memory; `row`: bytes of its first dimension. */
static CUresult take_layout(struct tensor_map *m, u32 interleave, u32 swizzle, u32 fill, u32 row)
{
    static const u32 spans[] = {0, 32, 64, 128};
    bool is_float = m->type >= TENSOR_F16;
    if (interleave > CU_TENSOR_MAP_INTERLEAVE_32B || fill > 1)
        return refuse("interleave or fill", interleave > 2 ? interleave : fill, "an enumerator");
    if (interleave) {
        cu_say("a tensor map with interleaved channels is not supported");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (swizzle > CU_TENSOR_MAP_SWIZZLE_128B)
        return refuse("the swizzle", swizzle, "0 to 3 (others need sm_100)");
    if (row % 16)
        return refuse("the box's first dimension in bytes", row, "a multiple of 16");
    if (swizzle && row > spans[swizzle])
        return refuse("the box's first dimension in bytes", row, "at most the swizzle's span");
    if (fill && !is_float)
        return refuse("the data type", m->type, "a float, to be filled with NaN");
    m->swizzle = (u8)swizzle;
    m->fills_nan = fill != 0;
    return CUDA_SUCCESS;
}

static CUresult write_map(CUtensorMap *map, const struct tensor_map *m)
{
    memset(map, 0, sizeof *map);
    memcpy(map, m, sizeof *m);
    return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, unsigned int rank,
                                void *address, const unsigned long long *dimensions,
                                const unsigned long long *strides, const unsigned int *box,
                                const unsigned int *element_strides,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    struct tensor_map m;
    NEED(map && dimensions && box && element_strides && (rank < 2 || strides) && promotion <= 3);
    CU_TRY(
        take_tensor(&m, type, rank, (u64)(uintptr_t)address, dimensions, strides, element_strides));
    for (u32 d = 0; d < rank; d++) {
        if (!box[d] || box[d] > 256)
            return refuse("a dimension of the box", box[d], "1 to 256");
        m.box[d] = (u16)box[d];
    }
    CU_TRY(take_layout(&m, interleave, swizzle, fill,
                       box[0] * tensor_element_bytes((enum tensor_type)type)));
    u64 bytes = tensor_box_span(&m);
    if (bytes > MOST_BOX_BYTES)
        return refuse("the size of a box in bytes", bytes, "at most 227 KiB");
    return write_map(map, &m);
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, unsigned int rank,
                                 void *address, const unsigned long long *dimensions,
                                 const unsigned long long *strides, const int *lower,
                                 const int *upper, unsigned int channels, unsigned int pixels,
                                 const unsigned int *element_strides,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    struct tensor_map m;
    NEED(map && dimensions && strides && element_strides && lower && upper && promotion <= 3);
    CU_TRY(
        take_tensor(&m, type, rank, (u64)(uintptr_t)address, dimensions, strides, element_strides));
    if (rank < 3)
        return refuse("the rank of im2col", rank, "3 to 5");
    if (!channels || channels > 256)
        return refuse("the channels of a pixel", channels, "1 to 256");
    if (!pixels || pixels > 1024)
        return refuse("the pixels of a column", pixels, "1 to 1024");
    m.is_im2col = true;
    m.channels = (u16)channels;
    m.pixels = (u16)pixels;
    int most = rank == 3 ? INT16_MAX : rank == 4 ? INT8_MAX : 15;
    for (u32 s = 0; s + 2 < rank; s++) {
        if (lower[s] > most || lower[s] < -most - 1 || upper[s] > most || upper[s] < -most - 1) {
            cu_say("a tensor map is refused: corners %d and %d of im2col in %u dimensions, "
                   "expected %d to %d",
                   lower[s], upper[s], rank, -most - 1, most);
            return CUDA_ERROR_INVALID_VALUE;
        }
        m.lower[s] = (i16)lower[s];
        m.upper[s] = (i16)upper[s];
    }
    CU_TRY(take_layout(&m, interleave, swizzle, fill,
                       channels * tensor_element_bytes((enum tensor_type)type)));
    return write_map(map, &m);
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address)
{
    struct tensor_map m;
    NEED(map);
    memcpy(&m, map, sizeof m);
    if (m.magic != TENSOR_MAP_MAGIC)
        return refuse("a tensor map", m.magic, "one that cuTensorMapEncode* has made");
    if (!address || (uintptr_t)address % 16)
        return refuse("the address", (u64)(uintptr_t)address, "a multiple of 16");
    m.address = (u64)(uintptr_t)address;
    return write_map(map, &m);
}
