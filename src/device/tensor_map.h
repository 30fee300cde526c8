/*
 * Tensor maps: what cuTensorMapEncode* write into a CUtensorMap, and tensor copies read.
 *
 * 128 bytes in a form of our own; a program hands them on and does not look inside. One bit is an
 * exception: CUTLASS 4 and Triton clear bit 85 in maps of tensors below 128 KiB, which works around
 * a fault of NVIDIA's drivers up to 13.1, so that bit has no meaning here.
 *
 * A tensor has up to five dimensions, the first of neighbouring elements, the others of any stride.
 * A copy moves a box of it; its rows follow each other in shared memory.
 */
#ifndef DEVICE_TENSOR_MAP_H
#define DEVICE_TENSOR_MAP_H

#include "base/types.h"

enum { TENSOR_MOST_RANK = 5, TENSOR_MAP_BYTES = 128 };
#define TENSOR_MAP_MAGIC 0x70616d74u

/* As CUtensorMapDataType counts them. */
enum tensor_type {
    TENSOR_U8,
    TENSOR_U16,
    TENSOR_U32,
    TENSOR_S32,
    TENSOR_U64,
    TENSOR_S64,
    TENSOR_F16,
    TENSOR_F32,
    TENSOR_F64,
    TENSOR_BF16,
    TENSOR_F32_FTZ,
    TENSOR_TF32,
    TENSOR_TF32_FTZ,
    TENSOR_TYPES,
};

struct tensor_map {
    u32 magic;
    u8 type, rank, swizzle, interleave; /* as the CUDA enumerators count */
    u64 unused;                         /* bits 64 to 127: programs change bit 85 */
    u64 address;
    u64 stride[TENSOR_MOST_RANK - 1]; /* bytes, of dimensions 1 and up */
    u32 last[TENSOR_MOST_RANK];       /* elements of each dimension, less one */
    u16 box[TENSOR_MOST_RANK];
    u8 step[TENSOR_MOST_RANK];
    bool fills_nan;
    bool is_im2col;
    /* of im2col: where pixels begin and how far from the end they stop, by spatial dimension */
    i16 lower[3], upper[3];
    u16 channels, pixels;
};
_Static_assert(sizeof(struct tensor_map) <= TENSOR_MAP_BYTES, "a CUtensorMap has 128 bytes");

/* Fields that a kernel changes: PTX's tensormap.replace. */
enum tensor_field {
    TENSOR_FIELD_ADDRESS,
    TENSOR_FIELD_RANK,
    TENSOR_FIELD_BOX,
    TENSOR_FIELD_DIMENSION,
    TENSOR_FIELD_STRIDE,
    TENSOR_FIELD_STEP,
    TENSOR_FIELD_TYPE,
    TENSOR_FIELD_INTERLEAVE,
    TENSOR_FIELD_SWIZZLE,
    TENSOR_FIELD_FILL,
};
/* Any value is taken, as PTX counts it: a rank less one, element types in an order of its own. The
 * bytes are a map from then on. `ordinal`: the dimension, or that of the stride. */
void tensor_map_replace(struct tensor_map *m, enum tensor_field field, u32 ordinal, u64 value);
/* What a copy can use; else what is wrong with it. */
const char *tensor_map_flaw(const struct tensor_map *m);

u32 tensor_element_bytes(enum tensor_type type);
/* What lies outside the tensor, from the lowest byte on: zeros, or a NaN. */
u64 tensor_fill(const struct tensor_map *m);

/* Elements of a box along a dimension that are copied. */
static inline u32 tensor_count(const struct tensor_map *m, u32 dimension)
{
    u32 step = dimension ? m->step[dimension] : 1;
    return (m->box[dimension] + step - 1) / step;
}

/* Bytes that a whole box copies. */
u32 tensor_box_bytes(const struct tensor_map *m);
/* From one row to the next in shared memory: a swizzled row has the bytes of its swizzle, however
 * narrow the box. */
u32 tensor_row_pitch(const struct tensor_map *m);
/* Bytes of shared memory from the first to the last of a box. */
u64 tensor_box_span(const struct tensor_map *m);

/* Neighbouring elements of a box: in memory if they are inside the tensor, and packed. */
struct tensor_run {
    u64 address;
    u32 elements, offset; /* of the box's start in shared memory */
    bool is_inside;
};
typedef bool tensor_visit(void *context, const struct tensor_run *run);
/* Every run of the box at `at`, in order; `offset`: of im2col, where in its window. False: a visit
 * said so. */
bool tensor_box_visit(const struct tensor_map *m, const i32 *at, const u16 *offset,
                      tensor_visit *visit, void *context);

/* Where a byte of a swizzled box lies: the address's bits above 7 are mixed into those below. */
static inline u32 tensor_swizzle(u32 mode, u32 address)
{
    /* modes as CUtensorMapSwizzle: none, 32, 64, 128 bytes */
    u32 mask = mode ? (1u << mode) - 1 : 0;
    return address ^ (address >> 7 & mask) << 4;
}

#endif
