/*
 * A decoded instruction: fixed size, no names left.
 *
 * An operand is a 32-bit reference: two bits say where (the function's frame in
 * the warp, the program's constants, the warp's special values, registers that
 * live within a stretch), the rest is the byte offset of a vector with one
 * element per lane. A predicate is one
 * 32-bit mask instead. So every source is read the same way, and a loop over
 * lanes has nothing to decide.
 */
#ifndef PTX_DECODE_OP_H
#define PTX_DECODE_OP_H

#include "base/types.h"
#include "device/types.h"
#include "source/warp_instruction.h"

#define LANES 32
#define ALL_LANES UINT32_MAX

typedef u32 ref_t;
#define REF_NONE UINT32_MAX
#define REF_OFFSET 0x3fffffffu
/* REF_TEMPORARY: at the same offset of the frame, or of memory that takes its place while a stretch
 * executes (exec/temporaries.h). */
enum ref_base { REF_FRAME, REF_CONSTANT, REF_SPECIAL, REF_TEMPORARY };
#define REF_BASES 4

static inline ref_t ref_make(enum ref_base base, u32 offset)
{
    return (u32)base << 30 | offset;
}

struct warp;
struct op;

/* Executes for the lanes of the mask. */
typedef void lane_fn(struct warp *w, const struct op *op, u32 mask);
/* One lane of a rare instruction: operands zero-extended (predicates 0 or 1). */
typedef u64 scalar_fn(const struct op *op, const u64 *s);

enum op_kind {
    OP_LANES,      /* run() and go on: arithmetic, loads, stores, atomics */
    OP_COLLECTIVE, /* run() once all lanes of its member mask are here */
    OP_BRANCH,
    OP_BRANCH_TABLE,
    OP_CALL,
    OP_RETURN,
    OP_EXIT,
    OP_BARRIER,
    OP_CLUSTER, /* barrier.cluster */
    OP_YIELD,   /* nanosleep */
    OP_TRAP,
};

/* MXCSR as an instruction wants it: rounding in bits 0-1, flush in bit 2. */
enum { FP_FLUSH = 4, FP_ANY = 0xff };

struct op {
    lane_fn *run;
    scalar_fn *scalar;
    const void *extra; /* callee, branch table, tensor shape, format ... by kind */
    u64 flags;         /* MOD_... of modifiers.h */
    u64 imm;           /* address offset, immediate table, count */
    ref_t dst, dst2;
    ref_t src[4];
    const ref_t *list; /* registers of a vector operand, arguments */
    ref_t guard;
    u32 target, reconverge; /* op indices of the function */
    u32 line;
    u8 dst_bytes, src_bytes[4]; /* register widths; 0: predicate */
    u8 list_count;
    u8 kind, unit;
    u8 type, stype; /* enum type */
    u8 round, compare, operation;
    u8 fp_mode;
    u8 space;
    u8 access_bytes;            /* of one element in memory */
    bool guard_negated, negate; /* of the guard; of the last predicate source */
    bool address_64;
    bool observes; /* reads what another thread may write at any time */
    bool may_spin; /* of a branch back: its loop waits for another thread */
    bool in_frame; /* imm counts from the activation's own local memory */
};

#endif
