#include "source/recording/warp_writer.h"

#include <stdlib.h>

void warp_writer_start(struct warp_writer *w, u32 lanes)
{
    w->out.length = 0;
    if (w->slot_count)
        memset(w->slots, 0, w->slot_count * sizeof *w->slots);
    w->history = (struct access_history){0};
    w->index = UINT32_MAX;
    w->run = 0;
    w->mask = w->whole = lanes;
    w->mask_before = 0;
}

void warp_writer_fini(struct warp_writer *w)
{
    free(w->out.data);
    free(w->slots);
}

static struct access_slot *slot_of(struct warp_writer *w, u32 index)
{
    if (index >= w->slot_count) {
        u32 count = index + index / 2 + 16;
        w->slots = xrealloc(w->slots, count * sizeof *w->slots);
        memset(w->slots + w->slot_count, 0, (count - w->slot_count) * sizeof *w->slots);
        w->slot_count = count;
    }
    return &w->slots[index];
}

void warp_writer_end(struct warp_writer *w)
{
    if (w->run)
        put_u8(&w->out, w->run - 1);
    w->run = 0;
}

static bool is_bar_sync_0(const struct winst *x)
{
    return !x->barrier && !x->barrier_threads && !x->arrives_only;
}

static u32 head_of(const struct warp_writer *w, u32 index, const struct winst *x, u32 need_count)
{
    return (index != w->index + 1 ? HEAD_JUMP : 0u) | (x->mask != w->mask ? HEAD_MASK : 0u) |
           (need_count ? HEAD_NEED : 0u) | (!is_bar_sync_0(x) ? HEAD_BARRIER : 0u) |
           (x->sleep_cycles ? HEAD_SLEEP : 0u) | (winst_lanes(x) ? HEAD_ACCESS : 0u);
}

static void put_mask(struct warp_writer *w, u32 mask)
{
    enum mask_code code = mask == w->mask_before ? MASK_BEFORE
                          : mask == w->whole     ? MASK_WHOLE
                          : mask == 0            ? MASK_NONE
                                                 : MASK_OTHER;
    put_u8(&w->out, code);
    if (code == MASK_OTHER)
        put_fixed(&w->out, mask, 4);
    w->mask_before = w->mask;
    w->mask = mask;
}

static void put_needs(struct bytes *out, const struct need *needs, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        const struct need *n = &needs[i];
        put_u8(out, n->barrier | (n->exits ? NEED_EXITS : 0) | (i + 1 < count ? NEED_MORE : 0));
        put_varint(out, n->arrivals);
        if (n->exits)
            put_varint(out, n->exits);
    }
}

void warp_writer_step(struct warp_writer *w, u32 index, const struct winst *x,
                      const struct need *needs, u32 need_count)
{
    struct bytes *out = &w->out;
    u32 head = head_of(w, index, x, need_count);
    u32 expected = w->index + 1;
    w->index = index;
    if (!head) {
        if (++w->run == HEAD_DETAIL)
            warp_writer_end(w);
        return;
    }
    warp_writer_end(w);
    put_u8(out, HEAD_DETAIL | head);
    if (head & HEAD_JUMP)
        put_difference(out, (u64)index - expected);
    if (head & HEAD_MASK)
        put_mask(w, x->mask);
    put_needs(out, needs, need_count);
    if (head & HEAD_BARRIER) {
        put_u8(out, x->barrier);
        put_varint(out, (u64)x->barrier_threads << 1 | x->arrives_only);
    }
    if (head & HEAD_SLEEP)
        put_varint(out, x->sleep_cycles);
    if (head & HEAD_ACCESS)
        access_put(out, x, slot_of(w, index), &w->history);
}
