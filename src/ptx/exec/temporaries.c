#include "ptx/exec/temporaries.h"

#include "ptx/decode/control_flow.h"
#include "ptx/exec/warp.h"

#include <string.h>

struct finder {
    struct function *f;
    const u64 *live; /* before each op, bits of registers */
    const u32 *by_offset;
    u32 words;
    /* the ops before which a temporary is live, and its place */
    u32 *ops, *offsets;
    u32 count, room;
    bool any;
    struct arena *scratch;
};

static bool is_live(const struct finder *x, u32 op, u32 offset)
{
    u32 reg = x->by_offset[offset / 4];
    return x->live[(size_t)x->words * op + reg / 64] >> (reg % 64) & 1;
}

static u32 offset_of(ref_t touched)
{
    return touched & ~REF_WRITTEN;
}

static bool reads(const struct function *f, u32 op, u32 offset)
{
    for (u32 k = f->touched_start[op]; k < f->touched_start[op + 1]; k++) {
        if (f->touched[k] == offset)
            return true;
    }
    return false;
}

static bool touches(const struct function *f, u32 op, u32 offset)
{
    for (u32 k = f->touched_start[op]; k < f->touched_start[op + 1]; k++) {
        if (offset_of(f->touched[k]) == offset)
            return true;
    }
    return false;
}

/* Gives a place another base wherever the op names it. */
static void rename_in(struct op *op, u32 offset)
{
    ref_t from = ref_make(REF_FRAME, offset), to = ref_make(REF_TEMPORARY, offset);
    ref_t *const refs[] = {&op->dst,    &op->dst2,   &op->src[0], &op->src[1],
                           &op->src[2], &op->src[3], &op->guard};
    ref_t *list = (ref_t *)(uintptr_t)op->list; /* the op's own */
    for (u32 k = 0; k < ARRAY_LEN(refs); k++)
        *refs[k] = *refs[k] == from ? to : *refs[k];
    for (u32 k = 0; k < op->list_count; k++)
        list[k] = list[k] == from ? to : list[k];
}

/* What more an op has may name registers, too: then they stay. */
static bool can_rename(const struct finder *x, u32 first, u32 last, u32 offset)
{
    for (u32 i = first; i <= last; i++) {
        if (touches(x->f, i, offset) && x->f->ops[i].extra)
            return false;
    }
    return true;
}

static void note_live(struct finder *x, u32 op, u32 offset)
{
    if (x->count == x->room) {
        u32 room = x->room ? 2 * x->room : 256;
        u32 *ops = ARENA_ARRAY(x->scratch, u32, room),
            *offsets = ARENA_ARRAY(x->scratch, u32, room);
        for (u32 k = 0; k < x->count; k++) {
            ops[k] = x->ops[k];
            offsets[k] = x->offsets[k];
        }
        x->ops = ops;
        x->offsets = offsets;
        x->room = room;
    }
    x->ops[x->count] = op;
    x->offsets[x->count++] = offset;
}

/* An op writes a place that nobody has: if its value is not needed at `end`, it is a temporary. */
static void try_place(struct finder *x, u32 first, u32 end, u32 offset)
{
    u32 last = first;
    while (last + 1 < end && is_live(x, last + 1, offset))
        last++;
    if ((last + 1 == end && is_live(x, end, offset)) || !can_rename(x, first, last, offset))
        return;
    for (u32 i = first; i <= last; i++) {
        if (touches(x->f, i, offset))
            rename_in(&x->f->ops[i], offset);
        if (i > first)
            note_live(x, i, offset);
    }
    x->any = true;
}

/* What a function returns is read by its caller. */
static bool is_of_caller(const struct function *f, u32 offset)
{
    const struct ptx_function *s = f->source;
    for (u32 i = 0; i < s->return_count; i++) {
        if (s->returns[i].space == SPACE_REG && f->reg_refs[s->returns[i].offset] == offset)
            return true;
    }
    return false;
}

/* Ops that are entered at the first, and execute together. */
static void search(struct finder *x, u32 first, u32 end)
{
    const struct function *f = x->f;
    for (u32 i = first; i < end; i++) {
        for (u32 k = f->touched_start[i]; k < f->touched_start[i + 1]; k++) {
            u32 offset = offset_of(f->touched[k]);
            bool begins =
                f->touched[k] & REF_WRITTEN && !is_live(x, i, offset) && !reads(f, i, offset);
            if (begins && offset < TEMPORARY_BYTES - 8 * LANES && f->place_bytes[offset / 4] <= 8 &&
                !is_of_caller(f, offset))
                try_place(x, i, end, offset);
        }
    }
}

/* A stretch is entered at the start of a block, behind what no stretch has, and where one before
 * has become as long as it may. */
static u32 end_of_run(const struct function *f, u32 first, u32 block_end, u32 most_ops)
{
    u32 end = first + 1;
    while (end < block_end && end - first < most_ops && f->stretch[end] && f->stretch[end - 1] > 1)
        end++;
    return end;
}

/* By op. */
static struct temporaries *list_live(const struct finder *x, struct program *p)
{
    u32 ops = x->f->op_count;
    struct temporaries *t = ARENA_NEW(&p->arena, struct temporaries);
    t->first = ARENA_ARRAY(&p->arena, u32, ops + 2);
    t->offsets = ARENA_ARRAY(&p->arena, u32, x->count + 1);
    for (u32 k = 0; k < x->count; k++)
        t->first[x->ops[k] + 2]++;
    for (u32 i = 0; i < ops; i++)
        t->first[i + 2] += t->first[i + 1];
    for (u32 k = 0; k < x->count; k++) /* which moves first[op + 1] to where those of op end */
        t->offsets[t->first[x->ops[k] + 1]++] = x->offsets[k];
    return t;
}

/* Places of registers that are live at the first op: a path leads to a read that no write is on. */
static void list_unwritten(const struct finder *x, struct program *p)
{
    struct function *f = x->f;
    f->unwritten = ARENA_ARRAY(&p->arena, u32, f->source->reg_count + 1);
    f->unwritten_count = 0;
    for (u32 reg = 0; reg < f->source->reg_count; reg++) {
        u32 offset = f->reg_refs[reg];
        if (x->by_offset[offset / 4] == reg && is_live(x, 0, offset))
            f->unwritten[f->unwritten_count++] = offset;
    }
}

void function_find_temporaries(struct program *p, struct function *f, u32 most_ops,
                               struct arena *scratch)
{
    struct graph g;
    struct finder x = {.f = f, .words = (f->source->reg_count + 63) / 64, .scratch = scratch};
    graph_build(f, &g, scratch);
    x.live = function_live_in(f, scratch, &x.by_offset);
    list_unwritten(&x, p);
    for (u32 b = 0; b < g.count; b++) {
        for (u32 i = g.first[b]; i < g.first[b + 1];) {
            u32 end = end_of_run(f, i, g.first[b + 1], most_ops);
            if (f->stretch[i])
                search(&x, i, end);
            i = end;
        }
    }
    f->temporaries = x.any ? list_live(&x, p) : NULL;
}

/* Lanes of a vector whose elements have `bytes`; 0: of a predicate. */
static void keep_lanes(u8 *to, const u8 *from, u32 bytes, u32 mask)
{
    if (!bytes) {
        u32 was, now;
        memcpy(&was, to, sizeof was);
        memcpy(&now, from, sizeof now);
        now = (was & ~mask) | (now & mask);
        memcpy(to, &now, sizeof now);
        return;
    }
    EACH (i, mask)
        memcpy(to + (size_t)i * bytes, from + (size_t)i * bytes, bytes);
}

void temporaries_keep(const struct function *f, u32 op, u8 *frame, const u8 *area, u32 mask)
{
    const struct temporaries *t = f->temporaries;
    for (u32 k = t->first[op]; k < t->first[op + 1]; k++) {
        u32 at = t->offsets[k];
        keep_lanes(frame + at, area + at, f->place_bytes[at / 4], mask);
    }
}
