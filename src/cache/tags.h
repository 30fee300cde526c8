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

#include <string.h>

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

/* Which ways of a set hold a line, and whose line has come. */
struct set_ways {
    u64 there, valid;
};

/* Sets of more ways than this are searched by marks. */
#define TAGS_MOST_SCANNED 16u

struct tags {
    u64 *inverted; /* addresses of lines, set-major, all bits inverted: memory that was never
                    * touched is NO_LINE */
    u8 *marks;     /* of addresses, set-major, mark_stride to a set; NULL: sets have few ways */
    struct line *lines;
    struct set_ways *in_set;
    u32 sets, ways;
    u32 mark_stride;
    u32 usable; /* ways that may hold lines; all unless told otherwise */
    u32 line_shift;
    u8 index;
    struct replacement replacement;
};

void tags_init(struct tags *t, struct arena *arena, u32 sets, u32 ways, u32 line_bytes,
               enum set_index index, struct policy_choice replacement, u64 seed);

u32 tags_set_hashed(const struct tags *t, u64 line);

/* `byte` is what the sets are counted from: the address, or an offset inside a bank. */
static inline u32 tags_set(const struct tags *t, u64 byte)
{
    u64 line = byte >> t->line_shift;
    if (t->index == SET_LINEAR && !(t->sets & (t->sets - 1)))
        return (u32)(line & (t->sets - 1));
    return tags_set_hashed(t, line);
}

static inline struct line *tags_line(const struct tags *t, u32 set, u32 way)
{
    return &t->lines[(size_t)set * t->ways + way];
}

static inline u64 tags_address(const struct tags *t, u32 set, u32 way)
{
    return ~t->inverted[(size_t)set * t->ways + way];
}

/* A byte that most other lines do not have. */
static inline u8 tags_mark(u64 address)
{
    return (u8)(address * 0x9e3779b97f4a7c15u >> 56);
}

/* Eight marks at a time: 64 ways are one line of the host's caches, where their addresses are 8. */
static inline u32 tags_find_marked(const struct tags *t, u32 set, u64 address)
{
    const u64 ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    const u64 *a = t->inverted + (size_t)set * t->ways;
    const u8 *marks = t->marks + (size_t)set * t->mark_stride;
    const u64 wanted = tags_mark(address) * ones;
    for (u32 first = 0; first < t->usable; first += 8) {
        u64 differ, same;
        memcpy(&differ, marks + first, sizeof differ);
        differ ^= wanted;
        /* the tops of bytes that are 0, and of some that are 1 above one: those are looked at in
         * vain */
        for (same = (differ - ones) & ~differ & tops; same; same &= same - 1) {
            u32 way = first + (u32)__builtin_ctzll(same) / 8;
            if (way < t->usable && a[way] == ~address)
                return way;
        }
    }
    return NO_WAY;
}

/* The way that holds a line, reserved or valid; NO_WAY: it is not there. */
static inline u32 tags_find(const struct tags *t, u32 set, u64 address)
{
    if (t->marks)
        return tags_find_marked(t, set, address);
    const u64 *a = t->inverted + (size_t)set * t->ways;
    for (u32 way = 0; way < t->usable; way++) {
        if (a[way] == ~address)
            return way;
    }
    return NO_WAY;
}

/* A line that is there is on its way, or has come. */
static inline void tags_set_state(struct tags *t, u32 set, u32 way, enum line_state state)
{
    u64 bit = (u64)1 << way;
    struct set_ways *in = &t->in_set[set];
    tags_line(t, set, way)->state = (u8)state;
    in->valid = state == LINE_VALID ? in->valid | bit : in->valid & ~bit;
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
