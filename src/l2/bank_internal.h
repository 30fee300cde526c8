/* What the files of a bank share. */
#ifndef L2_BANK_INTERNAL_H
#define L2_BANK_INTERNAL_H

#include "l2/bank.h"

static inline struct cache_place bank_find(const struct bank *b, u64 line)
{
    return cache_find(&b->cache, address_place(b->map, line).bank_byte, line);
}

/* The way to a line's memory: DRAM, or the socket that has it. */
static inline struct port *bank_below(const struct bank *b, u8 home)
{
    return LIKELY(!b->side) || home == b->side->socket ? b->miss : b->side->miss;
}

/* Can the way be given up now? A dirty line needs room on its way to DRAM. */
static inline bool bank_can_give_up(const struct bank *b, u32 set, u32 way)
{
    const struct line *l = tags_line(&b->cache.tags, set, way);
    return !l->dirty || port_has_room(bank_below(b, l->slot), 1);
}

static inline struct request *bank_request(const struct bank *b, handle_t h)
{
    return pool_get(b->requests, h);
}

/* A load that a line serves only if it is newer than DRAM. */
static inline bool bank_is_blind(const struct bank *b, struct cache_place p,
                                 const struct request *r)
{
    if (LIKELY(!(r->flags & REQUEST_BLIND)) || r->kind != REQUEST_LOAD || p.way == NO_WAY)
        return false;
    const struct line *l = tags_line(&b->cache.tags, p.set, p.way);
    return l->state == LINE_VALID && !l->dirty;
}

static inline bool request_is_victim(const struct request *r)
{
    return r->kind == REQUEST_WRITEBACK;
}

/* The head of a queue; what it waits for, or STALL_NONE: it has been served. */
u8 bank_serve(struct bank *b, handle_t h, cycle_t now);
/* The head of the access queue waits: a hit behind it is served in its stead. True: one was. */
bool bank_serve_behind(struct bank *b, cycle_t now);
/* When to look for one again. */
cycle_t bank_behind_next(const struct bank *b, cycle_t now);
/* Sends the answer, or forgets a victim that has been taken in. */
void bank_answer(struct bank *b, handle_t h);
/* Requests, linked by `next`, are to be answered, one a cycle. */
void bank_queue_ready(struct bank *b, handle_t first);
void bank_respond(struct bank *b);
handle_t bank_new_request(struct bank *b, u64 line, u32 sectors, enum request_kind kind);

/* The line is clean from now on; there is room on the way to DRAM. */
void bank_write_back(struct bank *b, u32 set, u32 way);

/* ---- versions (version_check.c); only with a checker ---- */

void bank_version_of_read(struct bank *b, struct cache_place p, struct request *r);
void bank_version_of_write(struct bank *b, struct cache_place p, const struct request *r);
/* A fill has come, to p.way or nowhere; who waits for it gets its version. */
void bank_version_of_fill(struct bank *b, struct cache_place p, struct request *fill,
                          handle_t waiting);
/* A dirty line is on its way to its memory. */
void bank_version_leaves(struct bank *b, struct cache_place p, struct request *r);
/* A request bypasses the cache, to DRAM. */
void bank_version_passes(struct bank *b, const struct request *r);

/* ---- ways (way_gating.c) ---- */

/* True: it turns ways off and serves nothing. */
bool bank_keep_to_plan(struct bank *b, cycle_t now);
cycle_t bank_ways_next(const struct bank *b, cycle_t now);
/* The policy's monitor is told of an access that is served. */
void bank_observe(struct bank *b, const struct request *r, bool hit);
/* Does the policy send it past the bank? */
enum llc_pass bank_sends_around(const struct bank *b, const struct request *r);
/* The dirty vector's bit of a set, after a change. */
void bank_note_dirty(struct bank *b, u32 set);
/* A miss has come to the set: ways that go off lazily are emptied. */
void bank_empty_set(struct bank *b, u32 set);
void bank_settle_ways(struct bank *b, cycle_t now);

/* ---- past the bank (bypass.c) ---- */

/* The request bypasses the cache, and its line is not there or does not serve it (e: other
 * bypassing requests wait for it). */
u8 bank_serve_bypass(struct bank *b, handle_t h, struct cache_place p, const struct mshr_entry *e);
/* Its line, or a copy of it in the SM's half, serves a request that asked to bypass the cache. */
void bank_found(struct bank *b, struct request *r);
/* What a store writes goes to DRAM, or to the socket that has its line. */
u8 bank_write_around(struct bank *b, handle_t h);
/* Requests whose line came and is not kept. */
void bank_count_bypass_fill(struct bank *b, const struct request *fill);

/* ---- lines of other sockets (remote_lines.c) ---- */

/* May the miss of a request be started: one of a line of another socket leaves MSHRs and a way of
 * the set to others. If not, what it waits for. */
u8 bank_remote_may_miss(const struct bank *b, const struct request *r, u32 set);
/* Is there room for a miss and the line that has to leave for it? */
bool bank_remote_has_room(struct bank *b, const struct request *r, const struct cache_miss *m);
/* The miss of a request has been started; a fill has come. */
void bank_remote_started(struct bank *b, const struct request *r);
void bank_remote_filled(struct bank *b, const struct request *fill);
/* A cycle of the queues: one head is served. `serves`: its own agents', too. */
void bank_remote_serve(struct bank *b, bool serves, cycle_t now);
void bank_remote_take(struct bank *b, cycle_t now);
cycle_t bank_remote_next(const struct bank *b, cycle_t now);
/* The request is on its way to the socket that has its line. */
void bank_remote_leaves(struct bank *b, struct request *r, u8 home);
/* A dirty line of this socket's memory has come from another, and is taken in. */
void bank_remote_took(struct bank *b, const struct request *r);
/* An atomic takes place where its line is; this cache has it no more. */
u8 bank_pass_atomic(struct bank *b, handle_t h, struct cache_place p);
void bank_remote_count(struct bank *b, const struct request *r, bool hit);
/* The port that the next fill comes from: the two take turns. */
struct port *bank_remote_answer(const struct bank *b);
/* ---- copies in the other half (l2/far_l2.h); sets have the same number in both ---------------
 */

/* The way of the copy that an SM of the other half reads; NO_WAY: none has all it asks for. */
u32 bank_copy_for(const struct bank *b, u32 set, const struct request *r);
/* An SM has read or written the line, which has these sectors: what the other half has of it then.
 * True: it was a read from there. */
bool bank_update_copy(struct bank *b, u32 set, const struct request *r, u32 sectors);
/* Is the port of the line, or of its copy in the other half, kept by either of the two banks? And
 * when a port is free that the head may wait for. */
bool bank_port_is_kept(const struct bank *b, bool copy, cycle_t now);
cycle_t bank_port_next(const struct bank *b, cycle_t now);
/* The line was written from outside. */
void bank_drop_copy(struct bank *b, u32 set, u64 line, u32 sectors);

#endif
