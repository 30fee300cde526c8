/*
 * The order in which instructions of a stretch are issued: as a compiler would give it that
 * knows latencies and wants many loads under way (docs/mechanisms/lowering.md, "Order").
 */
#ifndef PTX_LOWER_SCHEDULE_H
#define PTX_LOWER_SCHEDULE_H

#include "base/arena.h"
#include "source/warp_instruction.h"

/* Where a memory instruction goes, as far as the text says. */
struct schedule_access {
    bool is_there, writes;
    bool is_constant; /* of memory that is not written while the kernel runs */
    u8 space;
    u8 base_kind;           /* enum operand_kind: register or symbol */
    u32 base, base_version; /* same base and version: same value */
    i64 offset;
    u32 bytes;
};

struct schedule_item {
    const struct instruction *instruction;
    struct schedule_access access;
    bool is_first, is_last; /* before, behind all others */
};

/* Registers as the order has to do with them: numbers are below `count`. */
struct schedule_registers {
    u32 count;
    const u8 *weight;               /* by number: how many of 32 bits it takes */
    const bool *live_in, *live_out; /* by number: before the first item, behind the last */
    u32 limit;                      /* of what is live at once, where that can be kept */
};

/* order[k]: the item that is issued as number k. Returns the most registers that are live at once.
 */
u32 schedule(const struct schedule_item *items, u32 count, const struct schedule_registers *regs,
             u32 *order, struct arena *scratch);

#endif
