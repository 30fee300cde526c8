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
    r->instructions[slot] = *i;
    if (i->class == CPU_LOAD && !i->read_count &&
        !(i->vector && i->vector->count)) /* a trace that does not know the address */
        r->instructions[slot].class = CPU_NOP;
    r->entries[slot] = (struct rob_entry){.done_at = CYCLE_NEVER,
                                          .base_at = CYCLE_NEVER,
                                          .waiters = NO_NODE,
                                          .base_waiters = NO_NODE,
                                          .late = (u8)late,
                                          .stage = OP_FRONT};
    return slot;
}

/* A register is the result of an instruction, or the base that it updates. */
static u64 writer_of(u64 position, bool is_base)
{
    return 1 + 2 * position + is_base;
}

void rob_dispatch(struct rob *r)
{
    const struct cpu_instruction *i = &r->instructions[rob_slot(r, r->dispatched)];
    for (u32 k = 0; k < i->destination_count; k++)
        r->writers[i->destinations[k]] = writer_of(r->dispatched, i->base_from && k == i->base_to);
    r->dispatched++;
}

cycle_t rob_register_at(struct rob *r, u8 reg, u16 **waiters)
{
    u64 writer = r->writers[reg] - 1;
    if (!r->writers[reg] || writer / 2 < r->retired)
        return 0;
    struct rob_entry *of = &r->entries[rob_slot(r, writer / 2)];
    *waiters = writer & 1 ? &of->base_waiters : &of->waiters;
    return writer & 1 ? of->base_at : of->done_at;
}
