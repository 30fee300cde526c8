/*
 * Where the registers of a function lie in its frame.
 *
 * PTX has as many registers as the compiler likes, nearly all of them written
 * once. Two whose uses do not overlap in the text share a place, which keeps a
 * warp's registers small: what many warps touch must fit into the host's caches.
 * Lanes are independent, so what is live in lanes of another path does not
 * matter: those lanes have their own place in the same vector.
 */
#include "ptx/decode/function.h"

#include <stdlib.h>

/* Registers in order of their first use. */
struct use {
    u32 first, last, reg;
};

static int by_first(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    return x->first != y->first ? (x->first < y->first ? -1 : 1) : (x->reg < y->reg ? -1 : 1);
}

/* Places of one width, and the last use of who has each. */
struct places {
    u32 *offset, *busy_until;
    u32 count;
};

enum { WIDTHS = 6 };

static u32 width_of(const struct ptx_function *s, u32 reg, u32 *bytes)
{
    static const u8 by_log[] = {1, 2, 4, 8, 16};
    if (s->regs[reg].type == TYPE_PRED) {
        *bytes = 4; /* one mask */
        return 5;
    }
    u32 width = 0;
    while (by_log[width] < type_info[s->regs[reg].type].bytes)
        width++;
    *bytes = ((u32)by_log[width] * LANES + 31) & ~31u;
    return width;
}

/* A place that is free from `first` on, or a new one; the number of a new one is `*used`. */
static u32 take_place(struct places *p, u32 first, u32 last, u32 *at, u32 bytes)
{
    for (u32 i = 0; i < p->count; i++) {
        if (p->busy_until[i] < first) {
            p->busy_until[i] = last;
            return p->offset[i];
        }
    }
    u32 i = p->count++;
    *at = (*at + (bytes < 32 ? 3 : 31)) & ~(bytes < 32 ? 3u : 31u);
    p->offset[i] = *at;
    p->busy_until[i] = last;
    *at += bytes;
    return p->offset[i];
}

static bool too_large(const struct function *f, struct err *err)
{
    return err_at(err, (struct src_pos){f->file, f->source->line, 1},
                  "function '%s' has %u registers, more than fit in 16 MiB a warp", f->name,
                  f->source->reg_count);
}

/* Every register a place of its own, for the first look at the function. */
bool function_place(struct program *p, struct function *f, struct err *err)
{
    const struct ptx_function *s = f->source;
    f->reg_refs = ARENA_ARRAY(&p->arena, ref_t, s->reg_count + 1);
    u64 at = REGISTERS_OFFSET;
    for (u32 i = 0; i < s->reg_count; i++) {
        u32 bytes;
        width_of(s, i, &bytes);
        f->reg_refs[i] = ref_make(REF_FRAME, (u32)at & REF_OFFSET);
        at += bytes;
        if (at > MOST_FRAME_BYTES)
            return too_large(f, err);
    }
    f->frame_bytes = (u32)((at + 63) & ~(u64)63);
    f->local_bytes = (s->local_bytes + 15) & ~15u;
    return true;
}

void function_share_places(struct function *f, struct arena *scratch)
{
    const struct ptx_function *s = f->source;
    struct use *uses = ARENA_ARRAY(scratch, struct use, s->reg_count + 1);
    struct places places[WIDTHS] = {0};
    u32 count = 0, at = REGISTERS_OFFSET;
    for (u32 i = 0; i < s->reg_count; i++) {
        f->reg_refs[i] = SINK_REF; /* one that nobody uses */
        if (f->first_use[i] != UINT32_MAX)
            uses[count++] = (struct use){f->first_use[i], f->last_use[i], i};
    }
    for (u32 w = 0; w < WIDTHS; w++) {
        places[w].offset = ARENA_ARRAY(scratch, u32, count + 1);
        places[w].busy_until = ARENA_ARRAY(scratch, u32, count + 1);
    }
    qsort(uses, count, sizeof *uses, by_first);
    for (u32 i = 0; i < count; i++) {
        u32 bytes, width = width_of(s, uses[i].reg, &bytes);
        u32 offset = take_place(&places[width], uses[i].first, uses[i].last, &at, bytes);
        f->reg_refs[uses[i].reg] = ref_make(REF_FRAME, offset);
    }
    f->frame_bytes = (at + 63) & ~63u;
}
