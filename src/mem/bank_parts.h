/* What the files of a bank share. */
#ifndef MEM_BANK_PARTS_H
#define MEM_BANK_PARTS_H

#include "mem/bank.h"

static inline struct cache_place bank_find(const struct bank *b, u64 line)
{
    return cache_find(&b->cache, address_place(b->map, line).bank_byte, line);
}

/* Can the way be given up now? A dirty line needs room on its way to DRAM. */
static inline bool bank_can_give_up(const struct bank *b, u32 set, u32 way)
{
    return !tags_line(&b->cache.tags, set, way)->dirty || port_has_room(b->miss, 1);
}

static inline struct request *bank_request(const struct bank *b, handle_t h)
{
    return pool_get(b->requests, h);
}

static inline bool request_is_victim(const struct request *r)
{
    return r->kind == REQUEST_WRITEBACK;
}

/* Sends the answer, or forgets a victim that has been taken in. */
void bank_answer(struct bank *b, handle_t h);
handle_t bank_new_request(struct bank *b, u64 line, u32 sectors, enum request_kind kind);

/* The line is clean from now on; there is room on the way to DRAM. */
void bank_write_back(struct bank *b, u32 set, u32 way);

/* ---- ways (bank_ways.c) ---- */

/* True: it turns ways off and serves nothing. */
bool bank_keep_to_plan(struct bank *b, cycle_t now);
cycle_t bank_ways_next(const struct bank *b, cycle_t now);
/* The policy's monitor is told of an access that is served. */
void bank_observe(struct bank *b, const struct request *r, bool hit);
/* Does the policy send it past the bank? */
bool bank_sends_past(const struct bank *b, const struct request *r);
/* The dirty vector's bit of a set, after a change. */
void bank_note_dirty(struct bank *b, u32 set);
/* A miss has come to the set: ways that go off lazily are emptied. */
void bank_empty_set(struct bank *b, u32 set);
void bank_settle_ways(struct bank *b, cycle_t now);

/* ---- past the bank (bank_past.c) ---- */

/* The request goes past, whose line is not there (e: it is on its way, for others who go past). */
u8 bank_serve_past(struct bank *b, handle_t h, struct cache_place p, const struct mshr_entry *e);
/* Requests whose line came and is not kept. */
void bank_count_past_fill(struct bank *b, const struct request *fill);

/* ---- copies in the other half (mem/halves.h); sets have the same number in both ---------------
 */

/* The way of the copy that an SM of the other half reads; NO_WAY: none has all it asks for. */
u32 bank_copy_for(const struct bank *b, u32 set, const struct request *r);
/* An SM has read or written the line, which has these sectors: what the other half has of it then.
 * True: it was a read from there. */
bool bank_update_copy(struct bank *b, u32 set, const struct request *r, u32 sectors);
/* The line was written from outside. */
void bank_drop_copy(struct bank *b, u32 set, u64 line, u32 sectors);

#endif
