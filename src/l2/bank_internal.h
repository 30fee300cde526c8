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
    return LIKELY(!b->remote) || home == b->remote->socket ? b->miss : b->remote->miss;
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
/* Reads of a group of agents are one request (l2/coalescer.h). */
void bank_coalesce(struct bank *b, struct arena *arena);
handle_t bank_new_request(struct bank *b, u64 line, u32 sectors, enum request_kind kind);
/* What keeps a hit, or a copy in the other half, from being served now. */
u8 bank_hit_stall(const struct bank *b, bool copy, const struct request *r, cycle_t now);
void bank_count_hit(struct bank *b, struct request *r);
u32 bank_port_need(const struct bank *b, const struct request *r);

static inline bool request_writes(const struct request *r)
{
    return r->kind == REQUEST_STORE || r->kind == REQUEST_WRITEBACK || r->kind == REQUEST_ATOMIC;
}

/* When a fill finds its port free. It shares that of reads (Dublish 2018, 3.4.2); the gated bank is
 * the reference simulator's, in which only hits and dirty victims keep the data port. */
static inline cycle_t bank_fill_free(const struct bank *b)
{
    return b->config->gated ? b->fill_free : b->port_free;
}

/* The line is clean from now on; there is room on the way to DRAM. */
void bank_write_back(struct bank *b, u32 set, u32 way);

/* ---- ways (way_gating.c) ---- */

/* The policy's monitor is told of an access that is served. */
void bank_observe(struct bank *b, const struct request *r, bool hit);
/* Does the policy send it past the bank? */
enum llc_pass bank_sends_around(const struct bank *b, const struct request *r);
/* The dirty vector's bit of a set, after a change. */
void bank_note_dirty(struct bank *b, u32 set);

/* ---- around the bank (bypass.c) ---- */

/* Its line, or a copy of it in the SM's half, serves a request that asked to bypass the cache. */
void bank_found(struct bank *b, struct request *r);
/* What a store writes goes to DRAM, or to the socket that has its line. */
u8 bank_write_around(struct bank *b, handle_t h);

/* ---- lines of other sockets (remote_lines.c) ---- */

/* The port that the next fill comes from: the two take turns. */
struct port *bank_remote_answer(const struct bank *b);

/* ---- copies in the other half (l2/far_l2.h); sets have the same number in both ---- */

/* Is the port of the line, or of its copy in the other half, kept by either of the two banks? And
 * when a port is free that the head may wait for. */
bool bank_port_is_kept(const struct bank *b, bool copy, cycle_t now);
cycle_t bank_port_next(const struct bank *b, cycle_t now);

#endif
