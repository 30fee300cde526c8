/*
 * A timing wheel: the events of each of the next wheel_cycles() cycles.
 *
 * The wheel records which spokes are used; the events of a spoke are the owner's: a bit set, a
 * list. Cycles are entered less than wheel_cycles() ahead, and the owner looks at every cycle that
 * is used, so it may sleep until wheel_next() and no longer.
 */
#ifndef BASE_WHEEL_H
#define BASE_WHEEL_H

#include "base/arena.h"
#include "base/types.h"

struct wheel {
    u64 *used; /* bit per spoke */
    u32 mask;  /* spokes less one */
};

/* `ahead`: the largest distance of an entry from the current cycle. */
static inline void wheel_init(struct wheel *w, struct arena *arena, u32 ahead)
{
    u32 cycles = 64;
    while (cycles <= ahead)
        cycles *= 2;
    *w = (struct wheel){.used = ARENA_ARRAY(arena, u64, cycles / 64), .mask = cycles - 1};
}

static inline u32 wheel_cycles(const struct wheel *w)
{
    return w->mask + 1;
}

static inline u32 wheel_spoke(const struct wheel *w, cycle_t at)
{
    return (u32)at & w->mask;
}

static inline void wheel_use(struct wheel *w, u32 spoke)
{
    w->used[spoke / 64] |= (u64)1 << (spoke % 64);
}

static inline void wheel_clear(struct wheel *w, u32 spoke)
{
    w->used[spoke / 64] &= ~((u64)1 << (spoke % 64));
}

static inline bool wheel_is_used(const struct wheel *w, u32 spoke)
{
    return w->used[spoke / 64] >> (spoke % 64) & 1;
}

/* The first cycle after `now` whose spoke is used, or CYCLE_NEVER. */
static inline cycle_t wheel_next(const struct wheel *w, cycle_t now)
{
    u32 words = (w->mask + 1) / 64, start = wheel_spoke(w, now + 1);
    if (LIKELY(words == 1)) {
        u64 used = w->used[0];
        return used ? now + 1 + (u32)__builtin_ctzll(used >> start | used << (-start & 63))
                    : CYCLE_NEVER;
    }
    for (u32 i = 0; i <= words; i++) { /* the word of `start` comes twice: its rest, its front */
        u32 word = (start / 64 + i) & (words - 1);
        u64 bits = w->used[word];
        if (i == 0)
            bits &= ~(u64)0 << (start % 64);
        if (bits)
            return now + 1 + ((word * 64 + (u32)__builtin_ctzll(bits) - start) & w->mask);
    }
    return CYCLE_NEVER;
}

#endif
