#include "source/recording/kernel_recorder.h"

#include <stdlib.h>

static bool fail(struct kernel_recorder *k, const char *what)
{
    return err_at(&k->file->err, (struct src_pos){k->file->out.path, 0, 0},
                  "kernel %s cannot be recorded: %s", k->inner.name, what);
}

/* ---- instructions ---------------------------------------------------------------------------- */

static u32 add_instruction(struct kernel_recorder *k, const struct instruction *i)
{
    struct kernel_record *r = &k->record;
    if (r->instruction_count == k->instruction_room) {
        u32 room = k->instruction_room ? 2 * k->instruction_room : 256;
        r->instructions = xrealloc(r->instructions, room * sizeof *r->instructions);
        r->slots = xrealloc(r->slots, room * sizeof *r->slots);
        k->known = xrealloc(k->known, room * sizeof *k->known);
        k->instruction_room = room;
    }
    u32 index = r->instruction_count++;
    r->instructions[index] = *i;
    r->slots[index] = NO_SLOT;
    k->known[index] = i;
    map_put(&k->index, (u64)(uintptr_t)i, index);
    return index;
}

/* Mostly the one after the last; new ones get the next number. */
static u32 index_of(struct kernel_recorder *k, const struct instruction *i, u32 last)
{
    u32 guess = last + 1;
    if (guess < k->record.instruction_count && k->known[guess] == i)
        return guess;
    u64 index;
    return map_get(&k->index, (u64)(uintptr_t)i, &index) ? (u32)index : add_instruction(k, i);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static struct block_recorder *take_block(struct kernel_recorder *k)
{
    struct block_recorder *b = k->free_blocks;
    if (b) {
        k->free_blocks = b->next_free;
        return b;
    }
    u32 warps = k->inner.warps_per_block;
    b = xrealloc(NULL, sizeof *b);
    *b = (struct block_recorder){.kernel = k, .next = k->blocks};
    b->warps = xrealloc(NULL, warps * sizeof *b->warps);
    memset(b->warps, 0, warps * sizeof *b->warps);
    k->blocks = b;
    return b;
}

static void *record_begin(void *self, u64 id, const struct sm_place *at)
{
    struct kernel_recorder *k = self;
    struct block_recorder *b = take_block(k);
    u32 warps = k->inner.warps_per_block, threads = k->inner.threads_per_block;
    b->id = id;
    b->steps = 0;
    b->put_off = 0;
    b->inner = k->inner.ops->block_begin(k->inner.self, id, at);
    for (u32 w = 0; w < warps; w++)
        warp_writer_start(&b->warps[w], warp_lanes(threads, w));
    barrier_log_start(&b->log, warps, threads);
    return b;
}

static void write_block(struct kernel_recorder *k, struct block_recorder *b)
{
    struct bytes *raw = &k->scratch;
    raw->length = 0;
    for (u32 w = 0; w < k->inner.warps_per_block; w++) {
        warp_writer_end(&b->warps[w]);
        put_varint(raw, b->warps[w].out.length);
    }
    for (u32 w = 0; w < k->inner.warps_per_block; w++)
        put_raw(raw, b->warps[w].out.data, b->warps[w].out.length);
    k->record.blocks[b->id] = container_put(k->file, raw);
    k->raw_bytes += raw->length;
    k->steps += b->steps;
    k->blocks_done++;
}

static void record_end(void *self, void *block)
{
    struct kernel_recorder *k = self;
    struct block_recorder *b = block;
    k->inner.ops->block_end(k->inner.self, b->inner);
    write_block(k, b);
    b->next_free = k->free_blocks;
    k->free_blocks = b;
}

static void record_move(void *self, void *block, const struct sm_place *at)
{
    struct kernel_recorder *k = self;
    struct block_recorder *b = block;
    if (k->inner.ops->block_move)
        k->inner.ops->block_move(k->inner.self, b->inner, at);
}

/* What it has done is in its streams already. */
static bool record_may_restart(void *block)
{
    (void)block;
    return false;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Who stood and goes on because of this step; the source has not been asked since. */
static void find_openings(struct block_recorder *b, u32 warp, const struct winst *x, u32 opened)
{
    struct kernel_recorder *k = b->kernel;
    bool by_exit = winst_exits(x, b->log.warps[warp].state);
    for (u32 w = 0; w < b->log.warp_count; w++) {
        const struct instruction *next;
        if (w == warp || b->log.warps[w].state != NEXT_WAITS ||
            k->inner.ops->next(b->inner, w, &next) == NEXT_WAITS)
            continue;
        if (!by_exit && !winst_arrives(x))
            fail(k, "a warp waits for something else than a barrier or an exit");
        opened |= barrier_log_resume(&b->log, w, x);
    }
    barrier_log_open(&b->log, opened, by_exit);
}

static void note_step(struct block_recorder *b, u32 warp, const struct winst *x)
{
    struct kernel_recorder *k = b->kernel;
    if (UNLIKELY(x->instruction->kind == WINST_TRANSFER))
        fail(k,
             "it has bulk or tensor copies, and how often its warps look whether one is complete "
             "depends on time (`heddle why --execute`)");
    struct warp_writer *w = &b->warps[warp];
    struct need needs[RECORD_BARRIERS];
    u32 need_count = barrier_log_take_needs(&b->log, warp, x->mask, needs);
    u32 index = index_of(k, x->instruction, w->index);
    if (x->in_global | x->in_shared | x->in_local | x->in_const)
        k->record.slots[index] = 0;
    warp_writer_step(w, index, x, needs, need_count);
    b->steps++;
}

/* It has taken place: where the warp stands now. */
static void step_taken(struct block_recorder *b, u32 warp, const struct winst *x)
{
    const struct instruction *next;
    enum warp_next after = b->kernel->inner.ops->next(b->inner, warp, &next);
    u32 opened = barrier_log_step(&b->log, warp, x, after);
    if (opened || x->wakes_others)
        find_openings(b, warp, x, opened);
}

static bool record_step(void *block, u32 warp, struct winst *out)
{
    struct block_recorder *b = block;
    const struct source_ops *ops = b->kernel->inner.ops;
    if (!ops->step(b->inner, warp, out))
        return fail(b->kernel, "it failed");
    note_step(b, warp, out);
    if (out->is_put_off) {
        b->put_off |= (u64)1 << warp;
        b->warps[warp].put_off = *out;
        return true;
    }
    step_taken(b, warp, out);
    return true;
}

static enum warp_next record_next(void *block, u32 warp, const struct instruction **next)
{
    struct block_recorder *b = block;
    if (UNLIKELY(b->put_off >> warp & 1)) {
        b->put_off &= ~((u64)1 << warp);
        step_taken(b, warp, &b->warps[warp].put_off);
    }
    return b->kernel->inner.ops->next(b->inner, warp, next);
}

static u8 record_arrived(void *block, u32 token)
{
    const struct block_recorder *b = block;
    return b->kernel->inner.ops->arrived(b->inner, token);
}

static void record_fault(void *self, struct err *err)
{
    struct kernel_recorder *k = self;
    k->inner.ops->fault(k->inner.self, err);
}

static bool record_explain(void *block, u32 warp, u64 *address, struct err *err)
{
    const struct block_recorder *b = block;
    const struct source_ops *ops = b->kernel->inner.ops;
    return ops->explain && ops->explain(b->inner, warp, address, err);
}

static u64 record_state(void *block, u32 warp)
{
    const struct block_recorder *b = block;
    return b->kernel->inner.ops->state(b->inner, warp);
}

static u64 record_changes(void *self)
{
    const struct kernel_recorder *k = self;
    return k->inner.ops->changes(k->inner.self);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

struct kernel_recorder *kernel_recorder_create(struct container_writer *file,
                                               const struct grid_source *inner)
{
    struct kernel_recorder *k = xrealloc(NULL, sizeof *k);
    *k = (struct kernel_recorder){.file = file, .inner = *inner, .record.shape = *inner};
    size_t bytes = (size_t)inner->blocks * sizeof *k->record.blocks;
    k->record.blocks = xrealloc(NULL, bytes);
    memset(k->record.blocks, 0, bytes);
    if (inner->warps_per_block > RECORD_WARPS)
        fail(k, "a block has more than 64 warps");
    return k;
}

void kernel_recorder_destroy(struct kernel_recorder *k)
{
    for (struct block_recorder *b = k->blocks, *next; b; b = next) {
        next = b->next;
        for (u32 w = 0; w < k->inner.warps_per_block; w++)
            warp_writer_fini(&b->warps[w]);
        barrier_log_fini(&b->log);
        free(b->warps);
        free(b);
    }
    map_fini(&k->index);
    free(k->known);
    free(k->record.instructions);
    free(k->record.slots);
    free(k->record.blocks);
    free(k->scratch.data);
    free(k);
}

struct grid_source kernel_recorder_grid(struct kernel_recorder *k)
{
    static const struct source_ops ops = {
        .block_begin = record_begin,
        .block_end = record_end,
        .block_move = record_move,
        .block_may_restart = record_may_restart,
        .next = record_next,
        .step = record_step,
        .arrived = record_arrived,
        .fault = record_fault,
        .explain = record_explain,
        .state = record_state,
        .changes = record_changes,
    };
    struct grid_source g = k->inner;
    g.ops = &ops;
    g.self = k;
    g.is_shared = true; /* one file */
    return g;
}

u64 kernel_recorder_held_bytes(const struct kernel_recorder *k)
{
    u64 bytes = k->scratch.room;
    for (const struct block_recorder *b = k->blocks; b; b = b->next) {
        for (u32 w = 0; w < k->inner.warps_per_block; w++)
            bytes += b->warps[w].out.room + b->warps[w].slot_count * sizeof(struct access_slot);
    }
    return bytes;
}
