/*
 * A set-associative cache: tags, lines on their way (MSHRs) and the requests that wait for them,
 * replacement, sectors, dirty lines, and ways kept for some requesters.
 *
 * It has no queues and no time: its owner asks when a request is at its head, sends what it is told
 * is missing, and answers the waiting requests when a fill comes. Banks of an L2 or of a last-level
 * cache (l2/bank.h), the L1 of an SM and its instruction, constant and texture caches are built
 * on it.
 *
 * A miss takes two steps, so that nothing has changed when the owner must refuse it: cache_plan
 * says what it would take, cache_start takes it.
 */
#ifndef CACHE_CACHE_H
#define CACHE_CACHE_H

#include "cache/mshr.h"
#include "cache/tags.h"

struct cache;

/* What its owner wants to know; every hook may be NULL. */
struct cache_events {
    /* A valid line leaves to make room: still there when this is called. */
    void (*evicted)(struct cache *c, u32 set, u32 way);
    /* Others can see a line in this way from now on; NO_LINE: none. */
    void (*shows)(struct cache *c, u32 set, u32 way, u64 line);
};

struct cache_shape {
    u64 size_bytes;
    u32 ways, line_bytes;
    enum set_index index;
    u32 mshrs, merge_limit;
    u32 fill_bytes; /* an aligned group of them that a miss brings along; 0: no sectors, all of it
                     */
};

struct cache {
    struct tags tags;
    struct mshr mshr;
    struct pool *requests;
    u32 line_bytes, fill_bytes;
    u32 all_sectors;
    /* Ways of a set that an access may take, as bits; NULL: all. */
    u64 (*ways_for)(const struct cache *c, u32 set, const struct request *access);
    const struct cache_events *events;
    u32 *versions; /* of lines, by set and way; NULL: there is no checker (l2/line_versions.h) */
    void *owner;
};

void cache_init(struct cache *c, struct arena *arena, const struct cache_shape *shape,
                struct pool *requests, struct policy_choice replacement, u64 seed);

/* ---- lookups -------------------------------------------------------------------------------- */

/* A set, and the way that has the line or will have it; NO_WAY: none. */
struct cache_place {
    u32 set, way;
};

/* `byte` is what sets are counted from: the address, or an offset inside a bank. */
static inline struct cache_place cache_find(const struct cache *c, u64 byte, u64 line)
{
    u32 set = tags_set(&c->tags, byte);
    return (struct cache_place){set, tags_find(&c->tags, set, line)};
}

static inline struct line *cache_line(const struct cache *c, struct cache_place p)
{
    return p.way == NO_WAY ? NULL : tags_line(&c->tags, p.set, p.way);
}

/* Sectors of the line that are there. */
static inline u32 cache_valid(const struct cache *c, struct cache_place p)
{
    return p.way == NO_WAY ? 0 : tags_line(&c->tags, p.set, p.way)->valid;
}

/* Are all sectors there that the request asks for? */
static inline bool cache_holds(const struct cache *c, struct cache_place p, const struct request *r)
{
    return p.way != NO_WAY && !(r->sectors & ~(u32)tags_line(&c->tags, p.set, p.way)->valid);
}

/* The request has used the line. */
static inline void cache_touch(struct cache *c, struct cache_place p, const struct request *r)
{
    tags_hit(&c->tags, p.set, p.way, r);
}

/* ---- room -------------------------------------------------------------------------------------
 */

/* The way that the line of an access would take, without giving up one of `kept`; NO_WAY: none. */
static inline u32 cache_victim(struct cache *c, u32 set, u64 kept, const struct request *access)
{
    u64 ways = UNLIKELY(c->ways_for) ? c->ways_for(c, set, access) : ~(u64)0;
    return tags_victim(&c->tags, set, ways, kept, access);
}

/* Gives a way to the line of a request; a valid line in it leaves first. */
void cache_take(struct cache *c, u32 set, u32 way, const struct request *r, enum line_state state);
void cache_invalidate(struct cache *c, u32 set, u32 way);
/* As cache_take of a line that is there, which is the first to go: its place in the order stays. */
void cache_take_next(struct cache *c, u32 set, u32 way, const struct request *r);
/* Lines that are there and clean go; those on their way or newer than below stay. */
void cache_flush(struct cache *c);
/* What a load leaves that takes no time, where nothing is under way: its sectors are there. A dirty
 * line makes no room. */
void cache_warm(struct cache *c, const struct request *r);
/* From now on only so many ways of a set, at least one; no line may be on its way. */
void cache_use_ways(struct cache *c, u32 ways);

/* ---- misses -----------------------------------------------------------------------------------
 */

struct cache_miss {
    struct cache_place place; /* the line without all sectors, or the way it will take */
    bool is_there;            /* the line, without all sectors */
    bool reserves;            /* a way is taken now */
    bool dirty_victim;        /* which has to leave first */
    u32 sectors;              /* to ask for, where that is not what a fill brings; 0: it is */
};

enum cache_answer { CACHE_CAN, CACHE_NO_WAY, CACHE_NO_MSHR };

/* What a miss needs, where no MSHR has its line; `reserves`: a way now, without giving up one of
 * `kept`. */
enum cache_answer cache_plan(struct cache *c, struct cache_place p, const struct request *access,
                             bool reserves, u64 kept, struct cache_miss *m);
/* Takes it: the request waits, and the sectors returned are to be asked for below. */
u32 cache_start(struct cache *c, const struct cache_miss *m, handle_t h);
/* The request waits for a line that is on its way; sectors to be asked for besides. */
u32 cache_merge(struct cache *c, handle_t h);

/* What comes when these sectors are asked for: whole aligned groups, less what is there. */
u32 cache_fill_sectors(const struct cache *c, u32 wanted, u32 valid);

/* ---- fills ------------------------------------------------------------------------------------
 */

/* Sectors of a line have come, to p.way (NO_WAY: they are not kept): the requests that need no
 * others, oldest first (request.next). */
handle_t cache_fill(struct cache *c, struct cache_place p, u64 line, u32 sectors);
/* After the owner has dealt with them: the line can be given up if no more of it is on its way. */
void cache_filled(struct cache *c, struct cache_place p, u64 line);

#endif
