/*
 * What a matrix instruction multiplies: the modifiers of mma.sync and wmma.mma, decoded once when
 * the program is loaded.
 *
 * D = A x B + C, where A has m rows of k, B k rows of n, C and D m rows of n. A shape that a parser
 * accepted is one that mma_execute runs; nothing else needs checking.
 */
#ifndef PTX_TENSOR_SHAPE_H
#define PTX_TENSOR_SHAPE_H

#include "base/err.h"
#include "base/types.h"

enum mma_type {
    MMA_F16,
    MMA_BF16,
    MMA_TF32,
    MMA_F32,
    MMA_F64,
    MMA_S8,
    MMA_U8,
    MMA_S4,
    MMA_U4,
    MMA_B1,
    MMA_S32,
    MMA_E4M3,
    MMA_E5M2,
};

enum mma_layout { MMA_ROW, MMA_COL };
enum mma_bit_op { MMA_NO_BIT_OP, MMA_XOR, MMA_AND }; /* before popc, for b1 */
enum mma_rounding { MMA_RN, MMA_RZ, MMA_RM, MMA_RP };

struct mma_shape {
    u16 m, n, k;
    enum mma_type a, b, c, d;
    enum mma_layout a_layout, b_layout;
    enum mma_bit_op bit_op;
    enum mma_rounding rounding; /* f64 only */
    bool satfinite;             /* integers only: clamp the sum to s32 instead of wrapping */
    bool sparse;                /* mma.sp: A has half of its columns, and metadata */
    u8 selector;                /* of mma.sp: which lanes have the metadata */
    bool wmma;                  /* the registers of a wmma fragment, not of an mma operand */
};

/*
 * `words` are the modifiers in the order written, without dots: "m16n8k16", "row", "col", "f32",
 * "f16", "f16", "f32"; "sync" and "aligned" may be among them. wmma_parse takes those of wmma.mma,
 * whose f16 form names only D and C.
 */
bool mma_parse(struct mma_shape *s, const char *const *words, u32 count, struct src_pos at,
               struct err *err);
bool wmma_parse(struct mma_shape *s, const char *const *words, u32 count, struct src_pos at,
                struct err *err);

/* Which lanes of four may have the metadata of a sparse product: 0 to this. */
u32 mma_most_selector(const struct mma_shape *s);

/* The multiplication that `shape` ("m16n16k16") names in a wmma.load or wmma.store of elements of
 * `type`; c and d may be of any type that goes with the shape. */
bool wmma_shape_find(struct mma_shape *s, const char *shape, enum mma_type type, bool accumulator,
                     struct src_pos at, struct err *err);

bool mma_type_find(const char *word, enum mma_type *type);
const char *mma_type_name(enum mma_type type);
u32 mma_type_bits(enum mma_type type);

#endif
