/*
 * Watches a grid through its source: which SM got which block and when, and the
 * cycle in which every instruction was issued.
 *
 * A spy stands between the SMs and the source it watches; it sees a step before
 * the SM knows its outcome, so the SM's state is that of the scheduler's choice.
 */
#ifndef TESTS_GPU_SPY_H
#define TESTS_GPU_SPY_H

#include "gpu/bed.h"

struct spy_event {
    cycle_t cycle;
    u64 pc, block;
    u32 warp, sm;
};

struct spy_start {
    cycle_t began, ended;
    u64 block;
    u32 sm;
};

struct spy {
    struct bed *bed;
    struct grid_source inner;
    struct source_ops ops;
    struct spy_event *events;
    u32 event_count, event_room;
    struct spy_start *starts; /* by block */
    u32 start_count;          /* so far; order[] has the blocks as they began */
    u64 *order;
    /* Optional: sees each event before its instruction executes. */
    void (*on_event)(void *context, const struct spy_event *e, const void *stream);
    void *context;
};

struct spy_block {
    struct spy *spy;
    void *inner;
    const cycle_t *clock;
    u64 block;
    u32 sm;
};

static void *spy_begin(void *self, u64 block, const struct sm_place *at)
{
    struct spy *s = self;
    struct spy_block *b = ARENA_NEW(&s->bed->scripts, struct spy_block);
    *b = (struct spy_block){.spy = s, .clock = at->clock, .block = block, .sm = at->sm};
    b->inner = s->inner.ops->block_begin(s->inner.self, block, at);
    s->starts[block] = (struct spy_start){.began = *at->clock, .block = block, .sm = at->sm};
    s->order[s->start_count++] = block;
    return b;
}

static void spy_end(void *self, void *block)
{
    struct spy *s = self;
    struct spy_block *b = block;
    s->starts[b->block].ended = *b->clock;
    s->inner.ops->block_end(s->inner.self, b->inner);
}

static enum warp_next spy_next(void *block, u32 warp, const struct instruction **next)
{
    struct spy_block *b = block;
    return b->spy->inner.ops->next(b->inner, warp, next);
}

static bool spy_step(void *block, u32 warp, struct winst *out)
{
    struct spy_block *b = block;
    struct spy *s = b->spy;
    const struct instruction *next = NULL;
    s->inner.ops->next(b->inner, warp, &next);
    struct spy_event e = {*b->clock, next->pc, b->block, warp, b->sm};
    if (s->on_event)
        s->on_event(s->context, &e, block);
    if (s->event_count < s->event_room)
        s->events[s->event_count++] = e;
    return s->inner.ops->step(b->inner, warp, out);
}

static void spy_fault(void *self, struct err *err)
{
    struct spy *s = self;
    s->inner.ops->fault(s->inner.self, err);
}

/* Remembers so many events. The result is to be launched instead of `inner`. */
static inline struct grid_source spy_on(struct spy *s, struct bed *b, struct grid_source inner,
                                        u32 events)
{
    *s = (struct spy){.bed = b, .inner = inner, .event_room = events};
    s->ops = (struct source_ops){.block_begin = spy_begin,
                                 .block_end = spy_end,
                                 .next = spy_next,
                                 .step = spy_step,
                                 .fault = spy_fault};
    s->events = ARENA_ARRAY(&b->scripts, struct spy_event, events ? events : 1);
    s->starts = ARENA_ARRAY(&b->scripts, struct spy_start, inner.blocks);
    s->order = ARENA_ARRAY(&b->scripts, u64, inner.blocks);
    struct grid_source outer = inner;
    outer.ops = &s->ops;
    outer.self = s;
    outer.is_shared = true; /* all of its blocks write into the spy */
    return outer;
}

/* Runs a script to its end under a spy. */
static inline void spy_run(struct spy *s, struct bed *b, const struct scripted_kernel *k)
{
    struct grid_source g = spy_on(s, b, scripted_source(k, &b->scripts), 65536);
    bed_launch_source(b, &g);
    bed_run(b);
}

/* The cycle in which a warp of block 0 issued the instruction at an index of its list, for
 * the n-th time. */
static inline cycle_t spy_cycle(const struct spy *s, u32 warp, u32 index, u32 n)
{
    for (u32 i = 0; i < s->event_count; i++) {
        const struct spy_event *e = &s->events[i];
        if (e->block == 0 && e->warp == warp && e->pc == (u64)index * INSTRUCTION_BYTES && !n--)
            return e->cycle;
    }
    fail_msg("warp %u never issues instruction %u", warp, index);
    return 0;
}

#endif
