#include "ptx/exec/words.h"

#include "ptx/decode/function.h"
#include "ptx/exec/access.h"

#include <string.h>

struct words {
    struct lane_places at;
    uintptr_t memory; /* which starts there */
};

/* In the same one as the last access. */
static bool in_allocation(const struct warp *w, const struct lane_places *at, u32 total)
{
    const struct executor *e = w->on;
    return e->cache_epoch == memory_epoch(w->grid->memory) && at->low >= e->cache_start &&
           at->high < e->cache_end && e->cache_end - at->high >= total;
}

static bool in_room(const struct lane_places *at, u32 total, u64 room)
{
    return at->high + total <= room && at->high + total > at->high;
}

/* Does what all lanes access lie in one memory that is not local, and is it there? Then where that
 * memory starts, and how the addresses lie. False: the long way has to look. */
static bool find_words(struct warp *w, const struct op *op, u32 total, struct words *out)
{
    struct executor *e = w->on;
    const struct grid *g = w->grid;
    struct lane_places *at = &out->at;
    u64 offset = op->imm + (op->in_frame ? w->paths[w->current].stack : 0), room;
    const void *base = op->src[0] == REF_NONE ? NULL : ref_get(w, op->src[0]);
    e->memory->addresses(&(struct lane_addresses){base, op->address_64, offset, total}, e->address,
                         at);
    if (at->all & (total - 1))
        return false;
    switch (op->space) {
    case SPACE_GLOBAL:
        out->memory = 0;
        if (LIKELY(in_allocation(w, at, total)))
            return true;
        e->memory->range(e->address, at);
        return in_allocation(w, at, total) || access_find_allocation(w, at->low, at->high + total);
    case SPACE_SHARED:
        out->memory = (uintptr_t)w->block->shared;
        room = g->shared_room;
        break;
    case SPACE_PARAM:
        out->memory = (uintptr_t)g->launch->params;
        room = kernel_info(g->launch->kernel)->param_bytes;
        break;
    default:
        return false;
    }
    if (LIKELY(in_room(at, total, room)))
        return true;
    e->memory->range(e->address, at);
    return in_room(at, total, room);
}

/* Has this SM stored in this cycle what the lanes load from global memory? */
static bool loads_own(struct executor *e, struct lane_places *at, u32 total)
{
    if (LIKELY(!e->log || !memory_log_overlaps(e->log, at->low, at->high + total)))
        return false;
    e->memory->range(e->address, at);
    return memory_log_overlaps(e->log, at->low, at->high + total);
}

/* What the SM need not look for again. */
static void describe(struct executor *e, const struct lane_places *at, u32 bytes)
{
    e->pattern = at->pattern;
    e->pattern_bytes = (u8)bytes;
    e->spread = at->spread;
}

static bool are_words(const struct op *op, u32 mask)
{
    return mask == ALL_LANES && op->access_bytes == op->dst_bytes &&
           (op->access_bytes == 4 || op->access_bytes == 8);
}

bool words_load(struct warp *w, const struct op *op, u32 mask)
{
    struct executor *e = w->on;
    struct words x;
    u32 bytes = op->access_bytes, total = bytes * op->list_count;
    if (!are_words(op, mask) || !find_words(w, op, total, &x) ||
        (op->space == SPACE_GLOBAL && loads_own(e, &x.at, total)))
        return false;
    describe(e, &x.at, total);
    for (u32 k = 0; k < op->list_count; k++) {
        if (op->list[k] != SINK_REF)
            e->memory->load(ref_get(w, op->list[k]), bytes, x.memory + bytes * k, e->address,
                            x.at.pattern, total);
    }
    return true;
}

bool words_store(struct warp *w, const struct op *op, u32 mask)
{
    struct executor *e = w->on;
    struct words x;
    u64 *addresses;
    u32 bytes = op->access_bytes;
    if (!are_words(op, mask) || op->list_count != 1 || op->space == SPACE_PARAM ||
        !find_words(w, op, bytes, &x) || x.at.pattern != ACCESS_ROW)
        return false;
    u8 *to = (u8 *)(x.memory + (uintptr_t)x.at.low);
    if (op->space == SPACE_GLOBAL && e->log) {
        to = memory_log_store(e->log, 1, LANES * bytes, &addresses);
        addresses[0] = x.at.low;
        memory_log_span(e->log, x.at.low, x.at.low + LANES * (u64)bytes);
    }
    memcpy(to, ref_get(w, op->list[0]), LANES * bytes);
    describe(e, &x.at, bytes);
    return true;
}
