/*
 * Which code executes which form of a lane-wise instruction.
 *
 * A row is an opcode, a type and the modifiers that make the form; it names a
 * lane loop (fast) or a function of one lane (rare). Rows are tried in order.
 * The same table answers `heddle list ptx`.
 */
#ifndef PTX_DECODE_FORMS_H
#define PTX_DECODE_FORMS_H

#include "ptx/exec/lanes.h"
#include "ptx/decode/modifiers.h"

/* How a form uses rounding and flushing. */
enum form_fp {
    FORM_EXACT,   /* integers and bits: takes no rounding */
    FORM_ROUNDED, /* runs under the MXCSR that .rn .rz .rm .rp and .ftz ask for */
    FORM_OWN,     /* does its own rounding: runs under round-to-nearest */
};

/* The width of the result. */
enum form_result { RESULT_SAME, RESULT_DOUBLE, RESULT_B32, RESULT_PRED };

struct form {
    const char *opcode;
    enum type type;
    u64 need, may; /* modifier flags that must, and may, be there */
    u16 lane;      /* enum lane_id, or LANE_NONE */
    scalar_fn *scalar;
    u8 sources;
    u8 source_bytes[3]; /* of sources after the first; 0: as the type, 0xff: predicate */
    u8 fp;
    u8 result;
    u8 unit;
};

extern const struct form forms[];
extern const u32 form_count;

/* The row for a statement, or NULL. */
const struct form *form_find(const char *opcode, const struct mods *mods);

/* set and setp of any type: compare one lane. */
scalar_fn scalar_compare;
/* cvt between any two types */
scalar_fn scalar_cvt;

#endif
