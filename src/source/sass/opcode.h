/*
 * What an SASS mnemonic means to the timing model, from Kepler to Blackwell.
 *
 * The part before the first dot is looked up; the modifiers behind it give the
 * access size, the cache operator and how many registers each operand spans. A
 * trace names only the first register of a wide operand and leaves the operand sizes to readers
 * that know the instruction set.
 */
#ifndef SOURCE_SASS_OPCODE_H
#define SOURCE_SASS_OPCODE_H

#include "source/sass/scan.h"
#include "source/warp_instruction.h"

/* How many registers operands span. */
enum operand_width {
    WIDTH_ONE,
    WIDTH_MEMORY,  /* data by the access size; 64-bit addresses */
    WIDTH_DOUBLE,  /* pairs */
    WIDTH_COMPARE, /* pairs read, predicates written */
    WIDTH_CONVERT, /* by the types in the modifiers */
    WIDTH_WIDE,    /* pairs written and added where .WIDE says so */
    WIDTH_CLOCK,   /* a pair written unless .32 */
    WIDTH_MATRIX,  /* fragments by the shape */
};

struct opcode {
    const char *name;
    u8 kind, unit, cost, space, width;
};

/* NULL: not in the table. */
const struct opcode *opcode_find(struct slice mnemonic);
/* The table, in the order of strcmp. */
const struct opcode *opcode_table(u32 *count);

/* One of the mnemonic's modifiers is exactly this. */
bool mnemonic_has(struct slice mnemonic, const char *modifier);
/* The mnemonic without its modifiers. */
struct slice mnemonic_base(struct slice mnemonic);
/* Bulk copies, whose lines have a payload of their own kind. */
bool opcode_is_bulk(struct slice mnemonic);

u8 opcode_bytes(const struct opcode *op, struct slice mnemonic);
enum cache_operator opcode_cache_operator(struct slice mnemonic);
/* Registers that an operand spans; operand 0 to ns-1 are the sources, -1 a destination. */
u32 opcode_registers(const struct opcode *op, struct slice mnemonic, i32 operand, u32 sources);

#endif
