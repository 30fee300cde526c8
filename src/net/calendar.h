/*
 * What is due at which cycle, a bounded time ahead: a wheel of bit sets.
 *
 * Members are small integers; one may be entered at several cycles. The owner
 * takes the set of every cycle that has one, so it may sleep until
 * calendar_next() and no longer.
 */
#ifndef NET_CALENDAR_H
#define NET_CALENDAR_H

#include "base/arena.h"
#include "base/types.h"

#include <assert.h>

struct calendar {
    u64 *due;  /* word_count words for each cycle of the wheel */
    u64 *used; /* bit per cycle of the wheel: its set is not empty */
    u32 word_count, mask;
};

/* ahead: the largest distance of an entry from the current cycle. */
static inline void calendar_init(struct calendar *c, struct arena *arena, u32 members, u32 ahead)
{
    u32 cycles = 64;
    while (cycles <= ahead)
        cycles *= 2;
    c->mask = cycles - 1;
    c->word_count = (members + 63) / 64;
    c->due = ARENA_ARRAY(arena, u64, (size_t)cycles * c->word_count);
    c->used = ARENA_ARRAY(arena, u64, cycles / 64);
}

static inline void calendar_add(struct calendar *c, cycle_t at, u32 member)
{
    u32 spoke = (u32)at & c->mask;
    assert(member / 64 < c->word_count);
    c->due[spoke * c->word_count + member / 64] |= (u64)1 << (member % 64);
    c->used[spoke / 64] |= (u64)1 << (spoke % 64);
}

static inline bool calendar_is_due(const struct calendar *c, cycle_t now)
{
    u32 spoke = (u32)now & c->mask;
    return c->used[spoke / 64] >> (spoke % 64) & 1;
}

/* One word of the set of this cycle; all its words must be taken. */
static inline u64 calendar_take(struct calendar *c, cycle_t now, u32 word)
{
    u32 spoke = (u32)now & c->mask;
    u64 *due = &c->due[spoke * c->word_count + word], bits = *due;
    *due = 0;
    c->used[spoke / 64] &= ~((u64)1 << (spoke % 64));
    return bits;
}

/* The first cycle after `now` with an entry, or CYCLE_NEVER. */
static inline cycle_t calendar_next(const struct calendar *c, cycle_t now)
{
    u32 words = (c->mask + 1) / 64, start = (u32)(now + 1) & c->mask;
    if (LIKELY(words == 1)) {
        u64 used = c->used[0];
        return used ? now + 1 + (u32)__builtin_ctzll(used >> start | used << (-start & 63))
                    : CYCLE_NEVER;
    }
    for (u32 i = 0; i <= words; i++) { /* the word of `start` comes twice: its rest, its front */
        u32 word = (start / 64 + i) & (words - 1);
        u64 bits = c->used[word];
        if (i == 0)
            bits &= ~(u64)0 << (start % 64);
        if (bits) {
            u32 spoke = word * 64 + (u32)__builtin_ctzll(bits);
            return now + 1 + ((spoke - start) & c->mask);
        }
    }
    return CYCLE_NEVER;
}

#endif
