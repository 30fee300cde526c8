#include "cpu/rob.h"

#include <string.h>

void rob_init(struct rob *r, struct arena *arena, u32 window)
{
    u32 slots = 64;
    while (slots < window + FRONT_MOST)
        slots *= 2;
    *r = (struct rob){.mask = slots - 1, .words = slots / 64, .window = window};
    r->instructions = ARENA_ARRAY(arena, struct cpu_instruction, slots);
    r->entries = ARENA_ARRAY(arena, struct rob_entry, slots);
}

void rob_forget_registers(struct rob *r)
{
    memset(r->writers, 0, sizeof r->writers);
}

u32 rob_take(struct rob *r, const struct cpu_instruction *i, enum core_slot late)
{
    u32 slot = rob_slot(r, r->predicted++);
    struct cpu_instruction *kept = &r->instructions[slot];
    *kept = *i;
    if (i->class == CPU_LOAD && !i->read_count &&
        !(i->vector && i->vector->count)) /* a trace that does not know the address */
        kept->class = CPU_NOP;
    r->entries[slot] = (struct rob_entry){.done_at = CYCLE_NEVER,
                                          .base_at = CYCLE_NEVER,
                                          .waiters = NO_NODE,
                                          .base_waiters = NO_NODE,
                                          .late = (u8)late,
                                          .stage = OP_FRONT};
    return slot;
}
