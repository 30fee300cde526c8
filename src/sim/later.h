/*
 * Wake-ups of units of a domain that are not in the next cycle.
 *
 * A unit has one at most, the earliest asked for. A domain of up to 64 units keeps a bit for each
 * that has one and looks at all of them when the first is due. In a larger one it hangs on the
 * spoke of its cycle, a doubly linked list, up to LATER_CYCLES ahead; further ahead it is in a
 * heap, where it stays even when its cycle comes near.
 */
#ifndef SIM_LATER_H
#define SIM_LATER_H

#include "sim/engine.h"

#define LATER_CYCLES 1024u
#define NO_SLOT UINT32_MAX
#define IN_WHEEL UINT32_MAX /* heap_at of a unit that hangs on the wheel */

static inline void hang_on(struct domain *d, u32 slot, cycle_t at)
{
    u32 spoke = wheel_spoke(&d->wheel, at), first = d->first[spoke];
    d->earlier[slot] = NO_SLOT;
    d->later[slot] = first;
    if (first != NO_SLOT)
        d->earlier[first] = slot;
    d->first[spoke] = slot;
    wheel_use(&d->wheel, spoke);
    d->heap_at[slot] = IN_WHEEL;
}

static inline void take_off(struct domain *d, u32 slot)
{
    u32 spoke = wheel_spoke(&d->wheel, d->wake_at[slot]);
    u32 later = d->later[slot], earlier = d->earlier[slot];
    if (later != NO_SLOT)
        d->earlier[later] = earlier;
    if (earlier != NO_SLOT)
        d->later[earlier] = later;
    else
        d->first[spoke] = later;
    if (d->first[spoke] == NO_SLOT)
        wheel_clear(&d->wheel, spoke);
}

static inline bool wakes_before(const struct domain *d, u32 a, u32 b)
{
    return d->wake_at[a] != d->wake_at[b] ? d->wake_at[a] < d->wake_at[b] : a < b;
}

static inline void heap_place(struct domain *d, u32 at, u32 slot)
{
    d->heap[at] = slot;
    d->heap_at[slot] = at;
}

static inline void heap_up(struct domain *d, u32 at, u32 slot)
{
    for (; at > 0; at = (at - 1) / 2) {
        u32 parent = d->heap[(at - 1) / 2];
        if (!wakes_before(d, slot, parent))
            break;
        heap_place(d, at, parent);
    }
    heap_place(d, at, slot);
}

static inline void heap_down(struct domain *d, u32 at, u32 slot)
{
    for (;;) {
        u32 child = 2 * at + 1;
        if (child >= d->heap_count)
            break;
        if (child + 1 < d->heap_count && wakes_before(d, d->heap[child + 1], d->heap[child]))
            child++;
        if (!wakes_before(d, d->heap[child], slot))
            break;
        heap_place(d, at, d->heap[child]);
        at = child;
    }
    heap_place(d, at, slot);
}

static inline void heap_remove(struct domain *d, u32 slot)
{
    u32 at = d->heap_at[slot], last = d->heap[--d->heap_count];
    if (last == slot)
        return;
    if (at > 0 && wakes_before(d, last, d->heap[(at - 1) / 2]))
        heap_up(d, at, last);
    else
        heap_down(d, at, last);
}

/* Of few units, those whose cycle is `now` or before lose their wake-ups: as bits. */
static inline u64 few_take(struct domain *d, cycle_t now)
{
    cycle_t next = CYCLE_NEVER;
    u64 taken = 0;
    for (u64 bits = d->later_bits; bits; bits &= bits - 1) {
        u32 slot = (u32)__builtin_ctzll(bits);
        cycle_t at = d->wake_at[slot];
        if (at <= now) {
            d->wake_at[slot] = CYCLE_NEVER;
            taken |= bits & -bits;
        } else {
            next = min_u64(next, at);
        }
    }
    d->later_bits &= ~taken;
    d->later_next = next;
    return taken;
}

static inline void forget(struct domain *d, u32 slot)
{
    if (LIKELY(d->is_few)) {
        d->wake_at[slot] = 0;
        few_take(d, 0);
        return;
    }
    if (d->heap_at[slot] == IN_WHEEL)
        take_off(d, slot);
    else
        heap_remove(d, slot);
    d->wake_at[slot] = CYCLE_NEVER;
}

/* The earlier of two wake-ups stays; a tick too many does no harm. */
static inline void wake_later(struct domain *d, u32 slot, cycle_t at)
{
    if (d->wake_at[slot] <= at)
        return;
    if (LIKELY(d->is_few)) {
        d->wake_at[slot] = at;
        d->later_bits |= (u64)1 << slot;
        d->later_next = min_u64(d->later_next, at);
        return;
    }
    if (d->wake_at[slot] != CYCLE_NEVER)
        forget(d, slot);
    d->wake_at[slot] = at;
    if (at - d->now < LATER_CYCLES)
        hang_on(d, slot, at);
    else
        heap_up(d, d->heap_count++, slot);
}

/* The units whose wake-up is this cycle join those that tick. */
static inline void take_due(struct domain *d)
{
    if (LIKELY(d->is_few)) {
        if (d->later_next <= d->now)
            d->ticking[0] |= few_take(d, d->now);
        return;
    }
    u32 spoke = wheel_spoke(&d->wheel, d->now);
    for (u32 slot = d->first[spoke], next; slot != NO_SLOT; slot = next) {
        next = d->later[slot];
        d->wake_at[slot] = CYCLE_NEVER;
        d->ticking[slot / 64] |= (u64)1 << (slot % 64);
    }
    d->first[spoke] = NO_SLOT;
    wheel_clear(&d->wheel, spoke);
    while (d->heap_count && d->wake_at[d->heap[0]] <= d->now) {
        u32 slot = d->heap[0];
        forget(d, slot);
        d->ticking[slot / 64] |= (u64)1 << (slot % 64);
    }
}

static inline cycle_t next_later(const struct domain *d)
{
    if (LIKELY(d->is_few))
        return d->later_next;
    cycle_t near = wheel_next(&d->wheel, d->now);
    return d->heap_count ? min_u64(near, d->wake_at[d->heap[0]]) : near;
}

#endif
