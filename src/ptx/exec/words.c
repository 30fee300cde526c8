#include "ptx/exec/words.h"

#include "ptx/decode/function.h"

#include <string.h>

/* Does what all lanes access lie in one memory that is not local, and is it there? Then where that
 * memory starts, and how the addresses lie. False: the long way has to look. */
static bool find_words(struct warp *w, const struct op *op, u32 total, struct lane_places *at,
                       uintptr_t *memory)
{
    struct executor *e = w->on;
    const struct grid *g = w->grid;
    u64 offset = op->imm + (op->in_frame ? w->paths[w->current].stack : 0), room;
    const void *base = op->src[0] == REF_NONE ? NULL : ref_get(w, op->src[0]);
    e->memory->addresses(&(struct lane_addresses){base, op->address_64, offset, total}, e->address,
                         at);
    if (at->all & (total - 1))
        return false;
    switch (op->space) {
    case SPACE_GLOBAL:
        *memory = 0;
        return e->cache_epoch == memory_epoch(g->memory) && at->low >= e->cache_start &&
               at->high < e->cache_end && e->cache_end - at->high >= total;
    case SPACE_SHARED:
        *memory = (uintptr_t)w->block->shared;
        room = g->shared_room;
        break;
    case SPACE_PARAM:
        *memory = (uintptr_t)g->launch->params;
        room = kernel_info(g->launch->kernel)->param_bytes;
        break;
    default:
        return false;
    }
    return at->high + total <= room && at->high + total > at->high;
}

static bool are_words(const struct op *op, u32 mask)
{
    return mask == ALL_LANES && op->access_bytes == op->dst_bytes &&
           (op->access_bytes == 4 || op->access_bytes == 8);
}

bool words_load(struct warp *w, const struct op *op, u32 mask)
{
    struct executor *e = w->on;
    struct lane_places at;
    uintptr_t memory;
    u32 bytes = op->access_bytes, total = bytes * op->list_count;
    if (!are_words(op, mask) || !find_words(w, op, total, &at, &memory) ||
        (op->space == SPACE_GLOBAL && e->log &&
         memory_log_overlaps(e->log, at.low, at.high + total)))
        return false;
    e->pattern = at.pattern;
    e->pattern_bytes = (u8)total;
    for (u32 k = 0; k < op->list_count; k++) {
        if (op->list[k] != SINK_REF)
            e->memory->load(ref_get(w, op->list[k]), bytes, memory + bytes * k, e->address,
                            at.pattern, total);
    }
    return true;
}

bool words_store(struct warp *w, const struct op *op, u32 mask)
{
    struct executor *e = w->on;
    struct lane_places at;
    uintptr_t memory;
    u64 *addresses;
    u32 bytes = op->access_bytes;
    if (!are_words(op, mask) || op->list_count != 1 || op->space == SPACE_PARAM ||
        !find_words(w, op, bytes, &at, &memory) || at.pattern != ACCESS_ROW)
        return false;
    u8 *to = (u8 *)(memory + (uintptr_t)at.low);
    if (op->space == SPACE_GLOBAL && e->log) {
        to = memory_log_store(e->log, 1, LANES * bytes, &addresses);
        addresses[0] = at.low;
        memory_log_span(e->log, at.low, at.low + LANES * (u64)bytes);
    }
    memcpy(to, ref_get(w, op->list[0]), LANES * bytes);
    e->pattern = ACCESS_ROW;
    e->pattern_bytes = (u8)bytes;
    return true;
}
