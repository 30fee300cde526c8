/* Types and state spaces of PTX, shared by parser, decoder and executor. */
#ifndef DEVICE_TYPES_H
#define DEVICE_TYPES_H

#include "base/types.h"

/* One row per type: id, PTX name, bytes in memory and register, class. */
#define PTX_TYPES(X)                                                                               \
    X(B8, "b8", 1, BITS)                                                                           \
    X(B16, "b16", 2, BITS)                                                                         \
    X(B32, "b32", 4, BITS)                                                                         \
    X(B64, "b64", 8, BITS)                                                                         \
    X(B128, "b128", 16, BITS)                                                                      \
    X(U8, "u8", 1, UNSIGNED)                                                                       \
    X(U16, "u16", 2, UNSIGNED)                                                                     \
    X(U32, "u32", 4, UNSIGNED)                                                                     \
    X(U64, "u64", 8, UNSIGNED)                                                                     \
    X(S8, "s8", 1, SIGNED)                                                                         \
    X(S16, "s16", 2, SIGNED)                                                                       \
    X(S32, "s32", 4, SIGNED)                                                                       \
    X(S64, "s64", 8, SIGNED)                                                                       \
    X(F16, "f16", 2, FLOAT)                                                                        \
    X(BF16, "bf16", 2, FLOAT)                                                                      \
    X(F32, "f32", 4, FLOAT)                                                                        \
    X(F64, "f64", 8, FLOAT)                                                                        \
    X(TF32, "tf32", 4, FLOAT)                                                                      \
    X(F16X2, "f16x2", 4, PACKED)                                                                   \
    X(BF16X2, "bf16x2", 4, PACKED)                                                                 \
    X(U16X2, "u16x2", 4, PACKED)                                                                   \
    X(S16X2, "s16x2", 4, PACKED)                                                                   \
    X(E4M3X2, "e4m3x2", 2, PACKED)                                                                 \
    X(E5M2X2, "e5m2x2", 2, PACKED)                                                                 \
    X(PRED, "pred", 0, PREDICATE)                                                                  \
    X(TEXREF, "texref", 8, OPAQUE)                                                                 \
    X(SAMPLERREF, "samplerref", 8, OPAQUE)                                                         \
    X(SURFREF, "surfref", 8, OPAQUE)

enum type {
    TYPE_NONE,
#define X(id, name, bytes, kind) TYPE_##id,
    PTX_TYPES(X)
#undef X
        TYPE_COUNT,
};

enum type_class {
    CLASS_NONE,
    CLASS_BITS,
    CLASS_UNSIGNED,
    CLASS_SIGNED,
    CLASS_FLOAT,
    CLASS_PACKED,
    CLASS_PREDICATE,
    CLASS_OPAQUE,
};

struct type_info {
    const char *name;
    u8 bytes;
    u8 class;
};

extern const struct type_info type_info[TYPE_COUNT];
/* By PTX name without the dot; TYPE_NONE when it is not a type. */
enum type type_find(const char *name, size_t length);

enum space {
    SPACE_GENERIC,
    SPACE_GLOBAL,
    SPACE_CONST,
    SPACE_SHARED,
    SPACE_LOCAL,
    SPACE_PARAM,
    SPACE_REG,
    SPACE_COUNT,
};

extern const char *const space_names[SPACE_COUNT];

#endif
