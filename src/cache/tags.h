/*
 * The tags of a set-associative cache: which lines are there, or on their way.
 *
 * A line is invalid, reserved (a fill will come) or valid, with a bit per sector
 * for what is there and what is newer than below. An invalid way is taken before
 * the replacement policy is asked; reserved ways are never given up.
 */
#ifndef CACHE_TAGS_H
#define CACHE_TAGS_H

#include "cache/replacement.h"

enum line_state { LINE_INVALID, LINE_RESERVED, LINE_VALID };

/* Which set: by the low bits, Fermi's hash (Poise spec 1.1; 32 or 64 sets), all higher bits
 * folded in, or groups of as many bits as a set's number has, exclusive-ored: lines any power of
 * two apart then spread evenly. */
enum set_index { SET_LINEAR, SET_FERMI, SET_FOLDED, SET_XOR };
extern const char *const set_index_names[]; /* ends with NULL */

struct line {
    u8 state;
    u8 valid, dirty; /* bit per sector */
    u8 slot;         /* of the warp that brought it in, and which warp of that slot: */
    u16 owner;       /* intra- and inter-warp hits; slot in a bank: the socket that has the line */
};

#define NO_LINE UINT64_MAX
#define NO_WAY UINT32_MAX

struct tags {
    u64 *addresses; /* of lines, set-major; NO_LINE: none */
    struct line *lines;
    u32 sets, ways;
    u32 usable; /* ways that may hold lines; all unless told otherwise */
    u32 line_shift;
    u8 index;
    struct replacement replacement;
};

void tags_init(struct tags *t, struct arena *arena, u32 sets, u32 ways, u32 line_bytes,
               enum set_index index, struct policy_choice replacement, u64 seed);

/* `byte` is what the sets are counted from: the address, or an offset inside a bank. */
u32 tags_set(const struct tags *t, u64 byte);

static inline struct line *tags_line(const struct tags *t, u32 set, u32 way)
{
    return &t->lines[(size_t)set * t->ways + way];
}

static inline u64 tags_address(const struct tags *t, u32 set, u32 way)
{
    return t->addresses[(size_t)set * t->ways + way];
}

/* The way that holds a line, reserved or valid; NO_WAY: it is not there. */
static inline u32 tags_find(const struct tags *t, u32 set, u64 address)
{
    const u64 *a = t->addresses + (size_t)set * t->ways;
    for (u32 way = 0; way < t->usable; way++) {
        if (a[way] == address)
            return way;
    }
    return NO_WAY;
}

/* The way, of `ways`, that the line of an access would take: an empty one, or one whose line can be
 * given up, which those of `kept` cannot. NO_WAY: none. Changes nothing that asking again would not
 * give. */
u32 tags_victim(struct tags *t, u32 set, u64 ways, u64 kept, const struct request *access);
/* Gives a way to the line of an access; what was there is gone. */
void tags_place(struct tags *t, u32 set, u32 way, const struct request *access,
                enum line_state state);
/* The same for a valid line that stays the next to go. */
void tags_place_next(struct tags *t, u32 set, u32 way, u64 address);
void tags_invalidate(struct tags *t, u32 set, u32 way);
/* From now on only so many ways of a set, at least one; no line may be on its way. */
void tags_use_ways(struct tags *t, u32 ways);

static inline void tags_hit(struct tags *t, u32 set, u32 way, const struct request *access)
{
    if (LIKELY(t->replacement.ops->hit))
        t->replacement.ops->hit(&t->replacement, set, way, access);
}

#endif
