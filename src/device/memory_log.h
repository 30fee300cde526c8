/*
 * What the warps of one SM do to global memory within a cycle.
 *
 * Before the cycle has ended, only loads of the same SM see it. The
 * logs of all SMs are applied then, in order of the SMs: the order of ticks cannot be observed.
 * What must find memory as all before it have left it (atomics, calls of the host) is put off until
 * that moment; a warp that waits for it is not asked for its next instruction before. So an
 * atomic's old value is that of its place in this order, and a load that is issued in a cycle comes
 * before all stores and atomics of other SMs in that cycle.
 *
 * Nothing is allocated but for a cycle larger than all before.
 */
#ifndef DEVICE_MEMORY_LOG_H
#define DEVICE_MEMORY_LOG_H

#include "base/arena.h"
#include "base/types.h"

struct op;
struct warp;

/* An instruction that was put off; `where`: host addresses of its lanes, if it gave any. */
typedef void log_action(struct warp *w, const struct op *op, u32 mask, u8 *const *where);

struct memory_log {
    struct arena *arena;
    u8 *records;
    size_t used, room;
    u64 low, high; /* of the addresses that its stores write: from low to before high */
    u8 *flag;      /* the owner's: set while the log is not empty */
};

/* The first room for records; more comes from the arena. The flag is borrowed. */
#define MEMORY_LOG_BYTES ((size_t)16 << 10)
void memory_log_init(struct memory_log *l, struct arena *arena, u8 *room, u8 *flag);

/* Room for a store of `count` elements of `bytes`: their addresses are to be filled in, the data
 * is returned. Valid until the next call. Later elements win. */
u8 *memory_log_store(struct memory_log *l, u32 count, u32 bytes, u64 **addresses);
/* Its addresses are known now. */
void memory_log_span(struct memory_log *l, u64 low, u64 high);
void memory_log_defer(struct memory_log *l, log_action *run, struct warp *w, const struct op *op,
                      u32 mask, u8 *const *where);
/* What the log's stores have written of so many bytes, into a copy of them. */
void memory_log_overlay(const struct memory_log *l, u64 address, u32 bytes, u8 *copy);
/* It will be applied soon: its first lines come to this thread's cache. */
static inline void memory_log_fetch(const struct memory_log *l)
{
    __builtin_prefetch(l);
    for (u32 i = 0; i < 8; i++)
        __builtin_prefetch(l->records + 64 * i);
}
/* All of it takes place, and the log is empty. */
void memory_log_apply(struct memory_log *l);

static inline bool memory_log_overlaps(const struct memory_log *l, u64 low, u64 high)
{
    return low < l->high && high > l->low;
}

#endif
