#include "source/synthetic/scripted.h"

#include "base/arena.h"
#include "source/warp_stream.h"

#include <string.h>

struct scripted {
    struct scripted_kernel kernel;
    struct instruction *fixed; /* of kernel.code */
    struct arena *arena;
    struct script_block *free_blocks;
    u32 warps_per_block;
};

struct script_block {
    struct scripted *script;
    struct script_block *next_free;
    u64 block;
    struct warp_stream stream;
};

static void fix_instruction(struct instruction *to, const struct scripted_instruction *from, u64 pc,
                            struct arena *arena)
{
    u16 *regs = ARENA_ARRAY(arena, u16, 3);
    u8 dst_count = 0, src_count = 0;
    if (from->dst)
        regs[dst_count++] = from->dst;
    const u16 sources[] = {from->src0, from->src1};
    for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
        if (sources[i])
            regs[dst_count + src_count++] = sources[i];
    }
    *to = (struct instruction){.pc = pc,
                               .regs = regs,
                               .dst_count = dst_count,
                               .src_count = src_count,
                               .kind = (u8)from->kind,
                               .unit = (u8)from->unit,
                               .cost = (u8)from->cost,
                               .space = (u8)from->space,
                               .bytes = from->bytes,
                               .cache_operator = (u8)from->cache_operator};
}

static u32 scoreboard_registers(const struct scripted *s)
{
    u32 above = 1;
    for (u32 i = 0; i < s->kernel.count; i++) {
        const struct instruction *f = &s->fixed[i];
        for (u32 r = 0; r < (u32)f->dst_count + f->src_count; r++) {
            if (f->regs[r] >= above)
                above = f->regs[r] + 1u;
        }
    }
    return above;
}

static const struct scripted_instruction *code_at(const struct scripted *s, u64 position)
{
    return &s->kernel.code[position % s->kernel.count];
}

static bool runs_in(const struct scripted_instruction *i, u32 warp)
{
    return !i->warps || (warp < 64 && i->warps >> warp & 1);
}

/* To the warp's next instruction at or after its position. Says whether there is one. */
static bool seek(struct script_block *b, u32 warp)
{
    const struct scripted *s = b->script;
    struct warp_place *p = &b->stream.places[warp];
    u64 end = (u64)s->kernel.count * s->kernel.iterations;
    while (p->position < end && !runs_in(code_at(s, p->position), warp))
        p->position++;
    return p->position < end;
}

static struct script_block *take_block(struct scripted *s)
{
    struct script_block *b = s->free_blocks;
    if (b) {
        s->free_blocks = b->next_free;
        warp_stream_reset(&b->stream);
        return b;
    }
    b = ARENA_NEW(s->arena, struct script_block);
    b->script = s;
    warp_stream_init(&b->stream, s->arena, s->warps_per_block);
    return b;
}

static void *script_begin(void *self, u64 block, const struct sm_place *at)
{
    (void)at;
    struct script_block *b = take_block(self);
    b->block = block;
    for (u32 w = 0; w < b->stream.warps; w++) {
        if (!seek(b, w))
            warp_stream_end(&b->stream, w);
    }
    return b;
}

static void script_end(void *self, void *block)
{
    struct scripted *s = self;
    struct script_block *b = block;
    b->next_free = s->free_blocks;
    s->free_blocks = b;
}

static enum warp_next script_next(void *block, u32 warp, const struct instruction **next)
{
    struct script_block *b = block;
    const struct scripted *s = b->script;
    enum warp_next state = warp_stream_next(&b->stream, warp);
    if (state == NEXT_READY)
        *next = &s->fixed[b->stream.places[warp].position % s->kernel.count];
    return state;
}

static void fill_addresses(struct script_block *b, u32 warp, const struct scripted_instruction *i,
                           u64 iteration)
{
    u64 *to = b->stream.address[warp];
    if (i->addresses) {
        memcpy(to, i->addresses, WARP_LANES * sizeof *to);
        return;
    }
    u64 first = i->base + b->block * (u64)i->block_stride + warp * (u64)i->warp_stride +
                iteration * (u64)i->iteration_stride;
    for (u32 lane = 0; lane < WARP_LANES; lane++)
        to[lane] = first + lane * (u64)i->lane_stride;
}

static bool script_step(void *block, u32 warp, struct winst *out)
{
    struct script_block *b = block;
    const struct scripted *s = b->script;
    struct warp_place *p = &b->stream.places[warp];
    const struct scripted_instruction *i = code_at(s, p->position);
    u32 lanes = warp_lanes(s->kernel.threads_per_block, warp);
    *out = (struct winst){.instruction = &s->fixed[p->position % s->kernel.count],
                          .mask = i->mask ? i->mask & lanes : lanes,
                          .sleep_cycles = i->sleep_cycles};
    if (i->space != SPACE_GENERIC) {
        fill_addresses(b, warp, i, p->position / s->kernel.count);
        out->address = b->stream.address[warp];
        winst_set_space(out, i->space, out->mask);
    }
    p->position++;
    bool more = seek(b, warp);
    if (i->kind == WINST_BARRIER) {
        struct barrier_arrival arrival = {i->barrier, i->barrier_warps, !i->arrives_only};
        out->wakes_others = warp_stream_arrive(&b->stream, warp, &arrival);
    }
    if (!more)
        out->wakes_others |= warp_stream_end(&b->stream, warp);
    return true;
}

static void script_fault(void *self, struct err *err)
{
    (void)self;
    err_kind(err, ERR_INTERNAL, "a script has no faults");
}

static const struct source_ops script_ops = {
    .block_begin = script_begin,
    .block_end = script_end,
    .next = script_next,
    .step = script_step,
    .fault = script_fault,
};

/* The caller's list, and the address lists in it, need not outlive the call. */
static void copy_code(struct scripted *s)
{
    u32 count = s->kernel.count;
    struct scripted_instruction *code = ARENA_ARRAY(s->arena, struct scripted_instruction, count);
    memcpy(code, s->kernel.code, count * sizeof *code);
    s->kernel.code = code;
    s->fixed = ARENA_ARRAY(s->arena, struct instruction, count);
    for (u32 i = 0; i < count; i++) {
        assert(code[i].barrier < BARRIER_NAMES);
        if (code[i].addresses) {
            u64 *copy = ARENA_ARRAY(s->arena, u64, WARP_LANES);
            code[i].addresses = memcpy(copy, code[i].addresses, WARP_LANES * sizeof *copy);
        }
        u64 pc = s->kernel.code_base + i * INSTRUCTION_BYTES;
        fix_instruction(&s->fixed[i], &code[i], pc, s->arena);
    }
}

struct grid_source scripted_source(const struct scripted_kernel *kernel, struct arena *arena)
{
    assert(kernel->count > 0 && kernel->threads_per_block > 0);
    struct scripted *s = ARENA_NEW(arena, struct scripted);
    *s = (struct scripted){.kernel = *kernel, .arena = arena};
    s->warps_per_block = warps_of_threads(kernel->threads_per_block);
    s->kernel.iterations = kernel->iterations ? kernel->iterations : 1;
    copy_code(s);
    return (struct grid_source){
        .ops = &script_ops,
        .self = s,
        .name = arena_strdup(arena, kernel->name ? kernel->name : "script"),
        .blocks = kernel->blocks ? kernel->blocks : 1,
        .threads_per_block = kernel->threads_per_block,
        .warps_per_block = s->warps_per_block,
        .registers_per_thread = kernel->registers_per_thread,
        .shared_bytes_per_block = kernel->shared_bytes_per_block,
        .local_bytes_per_thread = kernel->local_bytes_per_thread,
        .scoreboard_registers = scoreboard_registers(s),
        .stream = kernel->stream,
        .queue = kernel->stream,
    };
}
