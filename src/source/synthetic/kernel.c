#include "source/synthetic/kernel.h"

#include "base/arena.h"
#include "base/map.h"
#include "source/synthetic/address.h"
#include "source/synthetic/layout.h"

#include <string.h>

struct synthetic {
    struct synthetic_kernel kernel;
    struct layout *layouts; /* of the phases */
    u64 *stream_bases;      /* of the phases */
    struct instruction exit;
    u64 key;
    u32 warps_per_block;
    struct arena *arena;
    struct synthetic_block *free_blocks;
};

/* Where a warp is. Phase kernel.phase_count: at its exit. */
struct cursor {
    u32 phase, slot;
    u64 turn;
};

struct synthetic_block {
    struct synthetic *source;
    struct synthetic_block *next_free;
    u64 block;
    struct warp_stream stream;
    struct cursor *cursors;
};

/* Numbers for whether branches split, apart from those for lines. */
#define BRANCH_NUMBERS ((u64)1 << 63)

static const struct slot *slot_at(const struct synthetic *s, const struct cursor *c)
{
    return &s->layouts[c->phase].slots[c->slot];
}

static struct synthetic_block *take_block(struct synthetic *s)
{
    struct synthetic_block *b = s->free_blocks;
    if (b) {
        s->free_blocks = b->next_free;
        warp_stream_reset(&b->stream);
        memset(b->cursors, 0, s->warps_per_block * sizeof *b->cursors);
        return b;
    }
    b = ARENA_NEW(s->arena, struct synthetic_block);
    b->source = s;
    warp_stream_init(&b->stream, s->arena, s->warps_per_block);
    b->cursors = ARENA_ARRAY(s->arena, struct cursor, s->warps_per_block);
    return b;
}

static void *block_begin(void *self, u64 block, const struct sm_place *at)
{
    (void)at;
    struct synthetic_block *b = take_block(self);
    b->block = block;
    return b;
}

static void block_end(void *self, void *block)
{
    struct synthetic *s = self;
    struct synthetic_block *b = block;
    b->next_free = s->free_blocks;
    s->free_blocks = b;
}

static enum warp_next block_next(void *block, u32 warp, const struct instruction **next)
{
    const struct synthetic_block *b = block;
    const struct synthetic *s = b->source;
    const struct cursor *c = &b->cursors[warp];
    enum warp_next state = warp_stream_next(&b->stream, warp);
    if (state == NEXT_READY)
        *next = c->phase == s->kernel.phase_count ? &s->exit : &slot_at(s, c)->instruction;
    return state;
}

/* Its own stream of random numbers for each warp and phase. */
static u64 key_of(const struct synthetic_block *b, u32 warp, u32 phase)
{
    return hash_u64(hash_u64(hash_u64(b->source->key + b->block) + warp) + phase);
}

static u32 lanes_of(const struct synthetic_block *b, u32 warp, const struct cursor *c,
                    const struct slot *slot)
{
    const struct synthetic *s = b->source;
    const struct synthetic_phase *p = &s->kernel.phases[c->phase];
    u32 lanes = warp_lanes(s->kernel.threads_per_block, warp);
    if (slot->branch == NO_BRANCH || p->divergence <= 0 || p->active_lanes == WARP_LANES)
        return lanes;
    u64 position = BRANCH_NUMBERS + c->turn * s->layouts[c->phase].count + slot->branch;
    if (!synthetic_happens(key_of(b, warp, c->phase), position, p->divergence))
        return lanes;
    u32 first_side = ((u32)1 << p->active_lanes) - 1;
    return lanes & (slot->second ? ~first_side : first_side);
}

static void set_addresses(struct synthetic_block *b, u32 warp, const struct cursor *c,
                          const struct slot *slot, struct winst *out)
{
    const struct synthetic *s = b->source;
    const struct synthetic_phase *p = &s->kernel.phases[c->phase];
    const struct layout *l = &s->layouts[c->phase];
    u64 *address = b->stream.address[warp];
    u64 access = c->turn * l->per_turn[slot->pattern] + slot->rank;
    if (slot->pattern == PATTERN_SHARED_MEMORY) {
        synthetic_shared_addresses(access, p->shared_conflicts, s->kernel.shared_bytes, address);
    } else {
        u64 stream_lines = l->turns * l->per_turn[PATTERN_STREAM] * p->access.requests_per_load;
        struct address_place place = {.key = key_of(b, warp, c->phase),
                                      .block = b->block,
                                      .blocks = s->kernel.blocks,
                                      .warp = b->block * s->warps_per_block + warp,
                                      .access = access,
                                      .stream_base = s->stream_bases[c->phase],
                                      .stream_bytes = stream_lines * p->access.stride_bytes};
        synthetic_addresses(&p->access, slot->pattern, &place, out->mask, address);
    }
    out->address = address;
    winst_set_space(out, slot->instruction.space, out->mask);
}

static void advance(const struct synthetic *s, struct cursor *c)
{
    const struct layout *l = &s->layouts[c->phase];
    if (++c->slot < l->count)
        return;
    c->slot = 0;
    if (++c->turn < l->turns)
        return;
    c->turn = 0;
    c->phase++;
}

static bool block_step(void *block, u32 warp, struct winst *out)
{
    struct synthetic_block *b = block;
    const struct synthetic *s = b->source;
    struct cursor *c = &b->cursors[warp];
    if (c->phase == s->kernel.phase_count) {
        *out = (struct winst){.instruction = &s->exit,
                              .mask = warp_lanes(s->kernel.threads_per_block, warp)};
        out->wakes_others = warp_stream_end(&b->stream, warp);
        return true;
    }
    const struct slot *slot = slot_at(s, c);
    *out = (struct winst){.instruction = &slot->instruction, .mask = lanes_of(b, warp, c, slot)};
    if (slot->pattern != PATTERN_NONE)
        set_addresses(b, warp, c, slot, out);
    if (slot->instruction.kind == WINST_BARRIER) {
        static const struct barrier_arrival all = {.waits = true};
        out->wakes_others = warp_stream_arrive(&b->stream, warp, &all);
    }
    advance(s, c);
    return true;
}

static void no_fault(void *self, struct err *err)
{
    (void)self;
    err_kind(err, ERR_INTERNAL, "a synthetic kernel has no faults");
}

static const struct source_ops synthetic_ops = {
    .block_begin = block_begin,
    .block_end = block_end,
    .next = block_next,
    .step = block_step,
    .fault = no_fault,
};

/* Code of the phases behind each other, then the exit; streams of a phase behind those of
 * the phases before it. */
static void lay_out(struct synthetic *s)
{
    const struct synthetic_kernel *k = &s->kernel;
    u64 pc = (hash_string(k->name) & 0xffffff) << 24; /* other kernels have other code */
    u64 stream_base = 0, warps = k->blocks * s->warps_per_block;
    s->layouts = ARENA_ARRAY(s->arena, struct layout, k->phase_count);
    s->stream_bases = ARENA_ARRAY(s->arena, u64, k->phase_count);
    for (u32 i = 0; i < k->phase_count; i++) {
        const struct synthetic_access *a = &k->phases[i].access;
        struct layout *l = &s->layouts[i];
        layout_make(l, &k->phases[i], pc, s->arena);
        pc += (u64)l->count * INSTRUCTION_BYTES;
        s->stream_bases[i] = stream_base;
        stream_base +=
            warps * l->turns * l->per_turn[PATTERN_STREAM] * a->requests_per_load * a->stride_bytes;
    }
    s->exit = (struct instruction){.pc = pc, .kind = WINST_EXIT, .unit = UNIT_BRANCH};
}

struct grid_source synthetic_source(const struct synthetic_kernel *kernel, u64 seed,
                                    struct arena *arena)
{
    assert(kernel->phase_count > 0 && kernel->blocks > 0 && kernel->threads_per_block > 0);
    struct synthetic *s = ARENA_NEW(arena, struct synthetic);
    struct synthetic_phase *phases =
        ARENA_ARRAY(arena, struct synthetic_phase, kernel->phase_count);
    memcpy(phases, kernel->phases, kernel->phase_count * sizeof *phases);
    *s = (struct synthetic){.kernel = *kernel, .arena = arena};
    s->kernel.phases = phases;
    s->kernel.name = arena_strdup(arena, kernel->name);
    s->key = hash_u64(seed ^ hash_string(kernel->name));
    s->warps_per_block = warps_of_threads(kernel->threads_per_block);
    lay_out(s);
    return (struct grid_source){
        .ops = &synthetic_ops,
        .self = s,
        .name = s->kernel.name,
        .blocks = kernel->blocks,
        .threads_per_block = kernel->threads_per_block,
        .warps_per_block = s->warps_per_block,
        .registers_per_thread = kernel->registers_per_thread,
        .shared_bytes_per_block = kernel->shared_bytes,
        .scoreboard_registers = SYNTHETIC_REGISTERS,
        .stream = kernel->stream,
        .queue = kernel->stream,
    };
}
