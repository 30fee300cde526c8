/* A fixed-size set of small integers; the words are open to loops over bits. */
#ifndef BASE_BITSET_H
#define BASE_BITSET_H

#include "base/arena.h"
#include "base/types.h"

#include <assert.h>

struct bitset {
    u64 *words;
    u32 bits, word_count;
};

static inline void bitset_init(struct bitset *s, struct arena *arena, u32 bits)
{
    s->bits = bits;
    s->word_count = (bits + 63) / 64;
    s->words = ARENA_ARRAY(arena, u64, s->word_count ? s->word_count : 1);
}

static inline bool bitset_has(const struct bitset *s, u32 i)
{
    assert(i < s->bits);
    return s->words[i / 64] >> (i % 64) & 1;
}

static inline void bitset_add(struct bitset *s, u32 i)
{
    assert(i < s->bits);
    s->words[i / 64] |= (u64)1 << (i % 64);
}

static inline void bitset_remove(struct bitset *s, u32 i)
{
    assert(i < s->bits);
    s->words[i / 64] &= ~((u64)1 << (i % 64));
}

static inline bool bitset_is_empty(const struct bitset *s)
{
    for (u32 w = 0; w < s->word_count; w++) {
        if (s->words[w])
            return false;
    }
    return true;
}

static inline u32 bitset_count(const struct bitset *s)
{
    u32 n = 0;
    for (u32 w = 0; w < s->word_count; w++)
        n += (u32)__builtin_popcountll(s->words[w]);
    return n;
}

/* The smallest member >= from, or bits when there is none. */
static inline u32 bitset_next(const struct bitset *s, u32 from)
{
    for (u32 w = from / 64; w < s->word_count; w++) {
        u64 word = s->words[w];
        if (w == from / 64)
            word &= ~(u64)0 << (from % 64);
        if (word)
            return w * 64 + (u32)__builtin_ctzll(word);
    }
    return s->bits;
}

#endif
