/*
 * Wake-ups of units of a domain that are not in the next cycle.
 *
 * A unit has one at most, the earliest asked for. Up to LATER_CYCLES ahead it hangs on the spoke of
 * its cycle, a doubly linked list; further ahead it is in a heap, where it stays even when its
 * cycle comes near.
 */
#ifndef SIM_LATER_H
#define SIM_LATER_H

#include "sim/engine.h"

#define LATER_CYCLES 1024u
#define NO_SLOT UINT32_MAX
#define IN_WHEEL UINT32_MAX /* heap_at of a unit that hangs on the wheel */

static inline void wheel_add(struct domain *d, u32 slot, cycle_t at)
{
    u32 spoke = (u32)(at % LATER_CYCLES), first = d->wheel[spoke];
    d->wheel_prev[slot] = NO_SLOT;
    d->wheel_next[slot] = first;
    if (first != NO_SLOT)
        d->wheel_prev[first] = slot;
    d->wheel[spoke] = slot;
    d->wheel_used[spoke / 64] |= (u64)1 << (spoke % 64);
    d->heap_at[slot] = IN_WHEEL;
}

static inline void wheel_remove(struct domain *d, u32 slot)
{
    u32 spoke = (u32)(d->wake_at[slot] % LATER_CYCLES);
    u32 next = d->wheel_next[slot], prev = d->wheel_prev[slot];
    if (next != NO_SLOT)
        d->wheel_prev[next] = prev;
    if (prev != NO_SLOT)
        d->wheel_next[prev] = next;
    else
        d->wheel[spoke] = next;
    if (d->wheel[spoke] == NO_SLOT)
        d->wheel_used[spoke / 64] &= ~((u64)1 << (spoke % 64));
}

/* The next cycle after `now` with something on its spoke, or CYCLE_NEVER. */
static inline cycle_t wheel_first(const struct domain *d)
{
    u32 start = (u32)((d->now + 1) % LATER_CYCLES);
    for (u32 i = 0; i <= LATER_CYCLES / 64; i++) {
        u32 word = (start / 64 + i) % (LATER_CYCLES / 64);
        u64 bits = d->wheel_used[word];
        if (i == 0)
            bits &= ~(u64)0 << (start % 64);
        else if (i == LATER_CYCLES / 64)
            bits &= ~(~(u64)0 << (start % 64));
        if (bits) {
            u32 spoke = word * 64 + (u32)__builtin_ctzll(bits);
            return d->now + 1 + (spoke - start) % LATER_CYCLES;
        }
    }
    return CYCLE_NEVER;
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

static inline void forget(struct domain *d, u32 slot)
{
    if (d->heap_at[slot] == IN_WHEEL)
        wheel_remove(d, slot);
    else
        heap_remove(d, slot);
    d->wake_at[slot] = CYCLE_NEVER;
}

/* The earlier of two wake-ups stays; a tick too many does no harm. */
static inline void wake_later(struct domain *d, u32 slot, cycle_t at)
{
    if (d->wake_at[slot] <= at)
        return;
    if (d->wake_at[slot] != CYCLE_NEVER)
        forget(d, slot);
    d->wake_at[slot] = at;
    if (at - d->now < LATER_CYCLES)
        wheel_add(d, slot, at);
    else
        heap_up(d, d->heap_count++, slot);
}

/* The units whose wake-up is this cycle join those that tick. */
static inline void take_due(struct domain *d)
{
    u32 spoke = (u32)(d->now % LATER_CYCLES);
    for (u32 slot = d->wheel[spoke], next; slot != NO_SLOT; slot = next) {
        next = d->wheel_next[slot];
        d->wake_at[slot] = CYCLE_NEVER;
        d->ticking[slot / 64] |= (u64)1 << (slot % 64);
    }
    d->wheel[spoke] = NO_SLOT;
    d->wheel_used[spoke / 64] &= ~((u64)1 << (spoke % 64));
    while (d->heap_count && d->wake_at[d->heap[0]] <= d->now) {
        u32 slot = d->heap[0];
        forget(d, slot);
        d->ticking[slot / 64] |= (u64)1 << (slot % 64);
    }
}

static inline cycle_t next_later(const struct domain *d)
{
    cycle_t near = wheel_first(d);
    return d->heap_count ? min_u64(near, d->wake_at[d->heap[0]]) : near;
}

#endif
