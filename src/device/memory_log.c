#include "device/memory_log.h"

#include <string.h>

/* Followed by the addresses and the data of a store, or by where the lanes of an action are. */
struct record {
    size_t size; /* with what follows */
    u32 count, bytes;
    log_action *run; /* NULL: a store */
    struct warp *warp;
    const struct op *op;
    u32 mask;
};

void memory_log_init(struct memory_log *l, struct arena *arena, u8 *room, u8 *flag)
{
    *l = (struct memory_log){
        .arena = arena, .records = room, .room = MEMORY_LOG_BYTES, .low = UINT64_MAX, .flag = flag};
}

static void grow(struct memory_log *l, size_t bytes)
{
    while (l->room < bytes)
        l->room *= 2;
    u8 *more = arena_alloc(l->arena, l->room);
    memcpy(more, l->records, l->used);
    l->records = more;
}

static struct record *add(struct memory_log *l, size_t more)
{
    size_t size = (sizeof(struct record) + more + 7) & ~(size_t)7;
    if (UNLIKELY(l->used + size > l->room))
        grow(l, l->used + size);
    struct record *r = (struct record *)(void *)(l->records + l->used);
    l->used += size;
    *l->flag = 1;
    r->size = size;
    return r;
}

u8 *memory_log_store(struct memory_log *l, u32 count, u32 bytes, u64 **addresses)
{
    struct record *r = add(l, (size_t)count * (sizeof(u64) + bytes));
    r->run = NULL;
    r->count = count;
    r->bytes = bytes;
    *addresses = (u64 *)(void *)(r + 1);
    return (u8 *)(*addresses + count);
}

void memory_log_span(struct memory_log *l, u64 low, u64 high)
{
    l->low = min_u64(l->low, low);
    l->high = max_u64(l->high, high);
}

void memory_log_defer(struct memory_log *l, log_action *run, struct warp *w, const struct op *op,
                      u32 mask, u8 *const *where)
{
    size_t lanes = where ? 32 * sizeof *where : 0;
    struct record *r = add(l, lanes);
    r->run = run;
    r->warp = w;
    r->op = op;
    r->mask = mask;
    r->count = where ? 32 : 0;
    if (where)
        memcpy(r + 1, where, lanes);
}

/* The part of an element that lies in a range. */
static void overlay(u64 address, u32 bytes, u8 *copy, u64 from, u32 from_bytes, const u8 *data)
{
    u64 low = max_u64(address, from), high = min_u64(address + bytes, from + from_bytes);
    if (low < high)
        memcpy(copy + (low - address), data + (low - from), high - low);
}

void memory_log_overlay(const struct memory_log *l, u64 address, u32 bytes, u8 *copy)
{
    const struct record *r;
    for (size_t at = 0; at < l->used; at += r->size) {
        r = (const struct record *)(const void *)(l->records + at);
        if (r->run)
            continue;
        const u64 *addresses = (const u64 *)(const void *)(r + 1);
        const u8 *data = (const u8 *)(addresses + r->count);
        for (u32 i = 0; i < r->count; i++)
            overlay(address, bytes, copy, addresses[i], r->bytes, data + (size_t)i * r->bytes);
    }
}

static void apply_store(const struct record *r)
{
    const u64 *addresses = (const u64 *)(const void *)(r + 1);
    const u8 *data = (const u8 *)(addresses + r->count);
    if (r->bytes == 4) {
        for (u32 i = 0; i < r->count; i++)
            memcpy((void *)(uintptr_t)addresses[i], data + (size_t)i * 4, 4);
        return;
    }
    for (u32 i = 0; i < r->count; i++)
        memcpy((void *)(uintptr_t)addresses[i], data + (size_t)i * r->bytes, r->bytes);
}

void memory_log_apply(struct memory_log *l)
{
    const struct record *r;
    for (size_t at = 0; at < l->used; at += r->size) {
        r = (const struct record *)(const void *)(l->records + at);
        if (r->run)
            r->run(r->warp, r->op, r->mask, r->count ? (u8 *const *)(const void *)(r + 1) : NULL);
        else
            apply_store(r);
    }
    l->used = 0;
    l->low = UINT64_MAX;
    l->high = 0;
    *l->flag = 0;
}
