/*
 * The reorder buffer: all instructions from prediction to retirement, in program order.
 *
 *   retired <= dispatched <= predicted
 *
 * It is one ring; a position counts instructions from the start of the simulation and never wraps,
 * position & mask is the slot. From `retired` to `dispatched` lies the window, at most
 * window.rob_entries instructions; from there to `predicted` the front end, at most FRONT_MOST.
 * Registers are renamed to the position of the instruction that writes them.
 *
 * Nothing is ever squashed: instructions of wrong paths are not in a trace and never enter.
 */
#ifndef CPU_ROB_H
#define CPU_ROB_H

#include "base/arena.h"
#include "cpu/core_counts.h"

#define NO_NODE UINT16_MAX
/* What an instruction can wait for: registers, stores before its reads, the base that it updates.
 */
#define BASE_NODE (CPU_MOST_SOURCES + CPU_MOST_READS)
#define OP_NODES 16u    /* BASE_NODE + 1, and a power of two */
#define FRONT_MOST 256u /* instructions between prediction and dispatch */

enum op_stage {
    OP_FRONT,   /* not dispatched */
    OP_WAITS,   /* for sources, or on the wheel */
    OP_READY,   /* to issue */
    OP_MEMORY,  /* for lines */
    OP_BLOCKED, /* its access has to be tried again */
    OP_DONE,    /* done_at is known */
};

struct rob_entry {
    cycle_t ready_at; /* decoded; then: sources there; then: data there */
    cycle_t done_at;  /* CYCLE_NEVER: not known */
    cycle_t base_at;  /* when the base that it updates is there; CYCLE_NEVER: not known */
    u32 read_done;    /* bytes of its current read that have been accessed */
    u32 next;         /* on the wheel */
    u16 waiters;      /* first of those who wait for its result: slot * OP_NODES + source */
    u16 base_waiters; /* of those who wait for its base */
    u16 lines_left;   /* that have not come */
    u16 more_latency; /* than its unit's */
    u8 sources_left;  /* that are not known */
    u8 unit, stage;   /* enum cpu_class, enum op_stage */
    u8 late;       /* enum core_slot: why the front end brought it late; CORE_RETIRED: it did not */
    u8 waits;      /* enum core_slot: what it waits for, where that is known */
    u8 read;       /* the next of its reads to be accessed */
    bool is_wrong; /* a branch that was predicted wrong */
    bool is_translated;
};

struct rob {
    struct cpu_instruction *instructions; /* by slot */
    struct rob_entry *entries;
    u32 mask, words;                    /* words: 64 slots each */
    u32 window;                         /* instructions between dispatch and retirement at most */
    u64 retired, dispatched, predicted; /* positions: the next of each */
    u64 writers[CPU_REGISTERS]; /* renaming: rob_writer_of() the last; 0: none in the window */
};

/* `window`: instructions between dispatch and retirement at most. */
void rob_init(struct rob *r, struct arena *arena, u32 window);
/* Another program begins: its registers are all there. */
void rob_forget_registers(struct rob *r);
/* Allocation: a predicted instruction enters at the tail; its slot. */
u32 rob_take(struct rob *r, const struct cpu_instruction *i, enum core_slot late);
static inline u32 rob_slot(const struct rob *r, u64 position)
{
    return (u32)position & r->mask;
}

/* A register is the result of an instruction, or the base that it updates. */
static inline u64 rob_writer_of(u64 position, bool is_base)
{
    return 1 + 2 * position + is_base;
}

/* Its oldest instruction not yet dispatched enters the window; its registers are renamed. */
static inline void rob_dispatch(struct rob *r)
{
    u64 position = r->dispatched++;
    const struct cpu_instruction *i = &r->instructions[rob_slot(r, position)];
    for (u32 k = 0, count = i->destination_count; k < count; k++)
        r->writers[i->destinations[k]] = rob_writer_of(position, i->base_from && k == i->base_to);
}

/* When a register is there. CYCLE_NEVER: that is not known, and *waiters is the list to wait in. */
static inline cycle_t rob_register_at(const struct rob *r, u8 reg, u16 **waiters)
{
    u64 writer = r->writers[reg];
    if (writer <= 2 * r->retired) /* of an instruction that has retired, or none */
        return 0;
    struct rob_entry *of = &r->entries[rob_slot(r, (writer - 1) / 2)];
    bool is_base = (writer - 1) & 1;
    *waiters = is_base ? &of->base_waiters : &of->waiters;
    return is_base ? of->base_at : of->done_at;
}

/* Of a slot in the window. */
static inline u64 rob_position(const struct rob *r, u32 slot)
{
    return r->retired + ((slot - rob_slot(r, r->retired)) & r->mask);
}

/* Room for one more predicted instruction? */
static inline bool rob_can_take(const struct rob *r)
{
    return r->predicted - r->dispatched < FRONT_MOST;
}

/* Of the window. */
static inline bool rob_is_empty(const struct rob *r)
{
    return r->retired == r->dispatched;
}

static inline bool rob_is_full(const struct rob *r)
{
    return r->dispatched - r->retired == r->window;
}

/* Is the oldest instruction of the window done? */
static inline bool rob_can_retire(const struct rob *r, cycle_t now)
{
    return !rob_is_empty(r) && r->entries[rob_slot(r, r->retired)].done_at <= now;
}

/* Retirement in order: the oldest leaves; what it was. */
static inline const struct cpu_instruction *rob_retire(struct rob *r)
{
    return &r->instructions[rob_slot(r, r->retired++)];
}

#endif
