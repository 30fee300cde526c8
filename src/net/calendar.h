/*
 * Members that are due at each cycle, a bounded time ahead: a timing wheel of bit sets.
 *
 * Members are small integers; one may be entered at several cycles. The owner
 * takes the set of every cycle that has one, so it may sleep until
 * calendar_next() and no longer.
 */
#ifndef NET_CALENDAR_H
#define NET_CALENDAR_H

#include "base/wheel.h"

#include <assert.h>

struct calendar {
    struct wheel wheel;
    u64 *due; /* word_count words for each spoke */
    u32 word_count;
};

/* ahead: the largest distance of an entry from the current cycle. */
static inline void calendar_init(struct calendar *c, struct arena *arena, u32 members, u32 ahead)
{
    wheel_init(&c->wheel, arena, ahead);
    c->word_count = (members + 63) / 64;
    c->due = ARENA_ARRAY(arena, u64, (size_t)wheel_cycles(&c->wheel) * c->word_count);
}

static inline void calendar_add(struct calendar *c, cycle_t at, u32 member)
{
    u32 spoke = wheel_spoke(&c->wheel, at);
    assert(member / 64 < c->word_count);
    c->due[spoke * c->word_count + member / 64] |= (u64)1 << (member % 64);
    wheel_use(&c->wheel, spoke);
}

static inline bool calendar_is_due(const struct calendar *c, cycle_t now)
{
    return wheel_is_used(&c->wheel, wheel_spoke(&c->wheel, now));
}

/* One word of the set of this cycle; all its words must be taken. */
static inline u64 calendar_take(struct calendar *c, cycle_t now, u32 word)
{
    u32 spoke = wheel_spoke(&c->wheel, now);
    u64 *due = &c->due[spoke * c->word_count + word], bits = *due;
    *due = 0;
    wheel_clear(&c->wheel, spoke);
    return bits;
}

/* The first cycle after `now` with an entry, or CYCLE_NEVER. */
static inline cycle_t calendar_next(const struct calendar *c, cycle_t now)
{
    return wheel_next(&c->wheel, now);
}

#endif
