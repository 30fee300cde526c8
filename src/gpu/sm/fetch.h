/*
 * Instruction fetch of an SM: warps take turns, and each turn brings a warp the next instructions
 * of its code into its buffer.
 *
 * It knows the next instruction's address of each warp and nothing else of it. Where lines of code
 * come from is its client's business.
 *
 * Contract: after warp_fetch_advance a warp's buffer holds what was fetched for that address, and
 * nothing if the warp has jumped. A warp whose line was not there (`line` said CYCLE_NEVER) gets no
 * turn before warp_fetch_filled.
 */
#ifndef GPU_SM_FETCH_H
#define GPU_SM_FETCH_H

#include "base/arena.h"
#include "gpu/config.h"
#include "source/warp_instruction.h"

struct warp_fetch_client_ops {
    /* The cycle from which on a line of code can be read for a warp; CYCLE_NEVER: it has been asked
     * for, and warp_fetch_filled says when to try again (perhaps before this returns). */
    cycle_t (*line)(void *sm, u32 slot, u64 line, cycle_t now);
    /* The warp's instructions are there from that cycle on: warp_fetch_arrived is to be called
     * then. */
    void (*arrives)(void *sm, u32 slot, cycle_t at);
};

struct warp_fetch_parts {
    const struct fetch_config *config;
    u32 slots, line_bytes;
    const struct warp_fetch_client_ops *client;
    void *sm;
};

/* Two in a line of the host's caches. */
struct fetch_state {
    _Alignas(32) u64 next; /* address of its next instruction, in INSTRUCTION_BYTES */
    u64 expected;          /* of what is in the buffer first */
    cycle_t coming_at;
    u8 buffered; /* instructions in its buffer */
    u8 coming;   /* instructions on their way from the instruction cache */
    bool runs;   /* it has a next instruction */
};

struct warp_fetch {
    u64 wants;  /* warps with room in their buffer, a bit each */
    u64 missed; /* those whose line is on its way */
    u32 last;   /* warp that had the last turn */
    struct fetch_state *warps;
    u64 *base; /* by warp: of its application's addresses */
    struct warp_fetch_parts at;
};

void warp_fetch_init(struct warp_fetch *f, struct arena *arena,
                     const struct warp_fetch_parts *parts);
/* A warp starts in a slot. */
void warp_fetch_start(struct warp_fetch *f, u32 slot, u64 base);
/* What came is decoded: the buffer has it. */
void warp_fetch_arrived(struct warp_fetch *f, u32 slot, cycle_t now);
/* One cycle's turns. */
void warp_fetch_cycle(struct warp_fetch *f, cycle_t now);

static inline bool warp_fetch_has_room(const struct warp_fetch *f, const struct fetch_state *w)
{
    return !w->coming && w->buffered + f->at.config->width <= f->at.config->buffer_entries;
}

/* The instruction at `pc` leaves the buffer. */
static inline void warp_fetch_consume(struct warp_fetch *f, u32 slot, u64 pc)
{
    struct fetch_state *w = &f->warps[slot];
    w->expected = pc + INSTRUCTION_BYTES;
    w->buffered = (u8)(w->buffered - (w->buffered > 0));
}

/* The warp's next instruction is at `pc`. True: it has jumped there. */
static inline bool warp_fetch_advance(struct warp_fetch *f, u32 slot, u64 pc)
{
    struct fetch_state *w = &f->warps[slot];
    bool jumps = pc != w->expected;
    w->next = pc;
    w->runs = true;
    if (jumps) /* what was fetched is of no use */
        w->buffered = w->coming = 0;
    if (warp_fetch_has_room(f, w))
        f->wants |= (u64)1 << slot;
    return jumps;
}

/* The warp has no next instruction for now. */
static inline void warp_fetch_stop(struct warp_fetch *f, u32 slot)
{
    f->wants &= ~((u64)1 << slot);
    f->warps[slot].runs = false;
}

/* Lines have come for warps whose fetch missed. */
static inline void warp_fetch_filled(struct warp_fetch *f, u64 slots)
{
    f->missed &= ~slots;
}

/* Is its next instruction in its buffer? */
static inline bool warp_fetch_has(const struct warp_fetch *f, u32 slot)
{
    return f->warps[slot].buffered;
}

/* Has it something to do in the next cycle? */
static inline bool warp_fetch_is_busy(const struct warp_fetch *f)
{
    return f->wants & ~f->missed;
}

#endif
