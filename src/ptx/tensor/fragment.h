/*
 * Where the elements of a matrix lie in the registers of a warp.
 *
 * PTX documents the fragments of mma; those of wmma it leaves open, and here they are as an H200
 * has them (found by loading known matrices): a program that looks into wmma registers sees what it
 * sees on hardware. They do not depend on row or column order in memory.
 */
#ifndef PTX_TENSOR_FRAGMENT_H
#define PTX_TENSOR_FRAGMENT_H

#include "ptx/tensor/shape.h"

enum fragment_kind { FRAGMENT_A, FRAGMENT_B, FRAGMENT_C, FRAGMENT_D };

struct fragment {
    enum fragment_kind kind;
    enum mma_type type;
    enum mma_layout layout; /* matters to mma.m8n8k4 of f16 alone */
    u16 rows, cols;
    u8 bits;      /* of an element */
    u8 parts;     /* elements in a register, the first in the lowest bits */
    u8 registers; /* each lane holds; 64-bit registers for f64, else 32-bit */
    u8 distinct;  /* of these; the others repeat them in order (wmma with f16) */
    u8 blocks;    /* A and B: groups of 4 registers along k */
    bool tall;    /* A and B: lines of 16, whose halves are in neighbouring registers */
    bool flipped; /* C and D: as the fragment of the transposed matrix (m8n32) */
    bool quads;   /* mma.m8n8k4 of f16: four matrices, one per pair of quads */
};

struct element {
    u32 row, col;
    u32 matrix; /* 0 to 3 with `quads`, else 0 */
};

struct fragment fragment_of(const struct mma_shape *s, enum fragment_kind kind);

struct element fragment_element(const struct fragment *f, u32 lane, u32 reg, u32 part);

/* Of a wmma.load or wmma.store: shape as written ("m16n16k16"). */
bool wmma_fragment_parse(struct fragment *f, enum fragment_kind kind, const char *shape,
                         const char *type, struct src_pos at, struct err *err);

/* Where that element lies in memory, in elements from the matrix's address. With elements smaller
 * than a byte a register holds 32 neighbouring bits of memory; only its part 0 need be looked up.
 */
u64 wmma_offset(const struct fragment *f, enum mma_layout layout, u64 stride, u32 lane, u32 reg,
                u32 part);

#endif
