/* A recorded kernel as a source of warp instructions. */
#include "source/recording/kernel_record.h"
#include "source/recording/recording_file.h"
#include "source/recording/warp_reader.h"

#include <stdlib.h>

struct replay_block {
    struct replay *replay;
    struct replay_block *next_free;
    u64 id;
    u8 *raw;
    struct warp_reader *warps;
    struct access_slot *slots;  /* of each warp, one for each instruction that has one */
    u64 (*address)[WARP_LANES]; /* of each warp's last step */
    u32 arrivals[RECORD_BARRIERS], exits;
};

struct replay {
    struct recording *recording;
    struct kernel_record kernel;
    struct arena *arena;
    struct replay_block *free_blocks;
    u8 *packed;
    struct err err; /* of the first block that failed */
};

static struct replay_block *take_block(struct replay *r)
{
    struct replay_block *b = r->free_blocks;
    if (b) {
        r->free_blocks = b->next_free;
        return b;
    }
    u32 warps = r->kernel.shape.warps_per_block;
    b = ARENA_NEW(r->arena, struct replay_block);
    b->replay = r;
    b->raw = arena_alloc(r->arena, r->kernel.most_raw_bytes);
    b->warps = ARENA_ARRAY(r->arena, struct warp_reader, warps);
    b->slots = ARENA_ARRAY(r->arena, struct access_slot, (size_t)warps * r->kernel.slot_count);
    b->address = arena_alloc(r->arena, warps * sizeof *b->address);
    return b;
}

/* The step of a warp that is wrong says so. */
static void block_is_wrong(struct replay_block *b, const char *what)
{
    for (u32 w = 0; w < b->replay->kernel.shape.warps_per_block; w++)
        b->warps[w] = (struct warp_reader){.wrong = what};
}

static void start_warps(struct replay_block *b, u32 raw_bytes)
{
    const struct kernel_record *k = &b->replay->kernel;
    u32 warps = k->shape.warps_per_block;
    struct cursor in = {b->raw, b->raw + raw_bytes, false};
    u64 bytes[RECORD_WARPS], sum = 0;
    for (u32 w = 0; w < warps; w++) {
        bytes[w] = take_u32(&in);
        sum += bytes[w];
    }
    if (in.is_short || sum != cursor_left(&in)) {
        block_is_wrong(b, "its streams have more or fewer bytes than the block");
        return;
    }
    for (u32 w = 0; w < warps; w++) {
        warp_reader_start(&b->warps[w], in.at, (size_t)bytes[w],
                          warp_lanes(k->shape.threads_per_block, w), k->instruction_count);
        in.at += bytes[w];
    }
}

static void *replay_begin(void *self, u64 id, const struct sm_place *at)
{
    (void)at;
    struct replay *r = self;
    struct replay_block *b = take_block(r);
    const struct container_place *place = &r->kernel.blocks[id];
    b->id = id;
    b->exits = 0;
    memset(b->arrivals, 0, sizeof b->arrivals);
    memset(b->slots, 0,
           (size_t)r->kernel.shape.warps_per_block * r->kernel.slot_count * sizeof *b->slots);
    if (container_unpack(&r->recording->file, place, r->packed, b->raw, &r->err))
        start_warps(b, place->raw_bytes);
    else
        block_is_wrong(b, "its block cannot be read");
    return b;
}

static void replay_end(void *self, void *block)
{
    struct replay *r = self;
    struct replay_block *b = block;
    b->next_free = r->free_blocks;
    r->free_blocks = b;
}

static enum warp_next replay_next(void *block, u32 warp, const struct instruction **next)
{
    struct replay_block *b = block;
    struct warp_reader *w = &b->warps[warp];
    if (w->has_ended)
        return NEXT_ENDED;
    while (w->has_need) {
        if (b->arrivals[w->need.barrier] < w->need.arrivals || b->exits < w->need.exits)
            return NEXT_WAITS;
        warp_reader_next_need(w);
    }
    *next = &b->replay->kernel.instructions[w->index];
    return NEXT_READY;
}

static bool step_failed(const struct replay_block *b, u32 warp)
{
    struct replay *r = b->replay;
    return err_at(&r->err, (struct src_pos){r->recording->file.path, 0, 0},
                  "kernel %s, block %llu, warp %u: %s", r->kernel.shape.name,
                  (unsigned long long)b->id, warp, b->warps[warp].wrong);
}

static bool replay_step(void *block, u32 warp, struct winst *out)
{
    struct replay_block *b = block;
    const struct kernel_record *k = &b->replay->kernel;
    struct warp_reader *w = &b->warps[warp];
    u32 slot = k->slots[w->index];
    *out = (struct winst){.instruction = &k->instructions[w->index]};
    if (UNLIKELY(!warp_reader_step(w, out, b->address[warp],
                                   slot == NO_SLOT ? NULL
                                                   : &b->slots[(size_t)warp * k->slot_count + slot],
                                   k->instruction_count)))
        return step_failed(b, warp);
    u32 kind = out->instruction->kind;
    if (LIKELY(kind != WINST_BARRIER && kind != WINST_EXIT && !w->has_ended))
        return true;
    enum warp_next after = w->has_ended ? NEXT_ENDED : NEXT_READY;
    if (winst_arrives(out))
        b->arrivals[out->barrier]++;
    b->exits += winst_exits(out, after);
    out->wakes_others = true;
    return true;
}

static void replay_fault(void *self, struct err *err)
{
    *err = ((struct replay *)self)->err;
}

static bool check_blocks(struct replay *r, struct err *err)
{
    for (u64 b = 0; b < r->kernel.shape.blocks; b++) {
        if (!container_check_place(&r->recording->file, &r->kernel.blocks[b], "a block", err))
            return false;
    }
    return true;
}

static bool read_kernel(struct replay *r, u32 launch, struct err *err)
{
    struct recording *file = r->recording;
    const struct container_place *place = &file->kernels[launch];
    u8 *raw = container_unpack_new(&file->file, place, "a kernel", err);
    if (!raw)
        return false;
    bool ok = kernel_record_take(&r->kernel, (struct cursor){raw, raw + place->raw_bytes, false},
                                 file->file.bytes, r->arena,
                                 (struct src_pos){file->file.path, 0, 0}, err);
    free(raw);
    return ok && check_blocks(r, err);
}

bool recording_kernel(struct recording *recording, u32 launch, struct arena *arena,
                      struct grid_source *out, struct err *err)
{
    static const struct source_ops ops = {
        .block_begin = replay_begin,
        .block_end = replay_end,
        .next = replay_next,
        .step = replay_step,
        .fault = replay_fault,
    };
    assert(launch < recording->launch_count);
    struct replay *r = ARENA_NEW(arena, struct replay);
    *r = (struct replay){.recording = recording, .arena = arena, .err = ERR_INIT};
    if (!read_kernel(r, launch, err))
        return false;
    r->packed = arena_alloc(arena, r->kernel.most_packed_bytes);
    *out = r->kernel.shape;
    out->ops = &ops;
    out->self = r;
    return true;
}
