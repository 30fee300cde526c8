/*
 * The load and store unit of an SM.
 *
 * A memory instruction comes as pieces, one per line. They become requests in a
 * buffer (the "memory pipeline width" of Dublish 2018, table 3.3) and go from its
 * head into L1, in order; an instruction with more pieces than there is room for
 * holds the LSU until the last is in. (With sm.lsu.buffer_unit=instructions the
 * buffer has room for so many instructions, whatever their requests.) Shared
 * memory is busy for as many cycles as there are bank conflicts; so are L1's data
 * banks if it has any: an instruction's first request waits for them, its others
 * follow. Pieces for a read-only cache go there one a cycle, without the buffer.
 *
 * It knows its SM only as a client, and no warps: a slot is a number.
 *
 * Contract: lsu_take only after lsu_accepts has said yes in the same cycle. An
 * instruction that is answered is told to the client once, by `done`, when all
 * its pieces have been answered by lsu_answered.
 */
#ifndef GPU_SM_LSU_H
#define GPU_SM_LSU_H

#include "base/ring.h"
#include "gpu/config.h"
#include "gpu/l1/l1.h"
#include "gpu/sm/coalesce.h"
#include "gpu/sm/ro_cache.h"
#include "gpu/sm/ticket.h"

struct kernel_regions;

/* A memory instruction that waits for answers. */
struct pending {
    const struct instruction *instruction;
    u32 left; /* requests to be answered */
    u16 warp;
    bool is_async;
    u8 group;
    u16 extra; /* cycles that its data comes later: conflicts in L1's banks */
    cycle_t ready, first;
    u32 next_free; /* how far behind the one after it the next free one is: 0 to begin with */
};

/* What an LSU asks of the SM around it. */
struct lsu_client_ops {
    /* All answers of an instruction have come; its data can be used from p->ready on. */
    void (*done)(void *sm, const struct pending *p, cycle_t now);
    /* A request of an instruction with regions has been made, for that address. */
    void (*mark)(void *sm, const struct kernel_regions *regions, struct request *r, u64 address,
                 cycle_t now);
    /* A piece for a read-only cache. A hit's data can be used from *ready on; a miss keeps the
     * request, and answers it. */
    enum ro_cache_answer (*read_only)(void *sm, u8 client, handle_t h, cycle_t *ready, cycle_t now);
};

struct lsu_parts {
    const struct lsu_config *config;
    u32 shared_parts;       /* conflict-free accesses that shared memory takes in a cycle */
    u32 schedulers;         /* each takes what came in several passes by itself */
    u32 accesses_per_cycle; /* of L1 */
    struct l1 *l1;
    struct pool *requests;
    const struct lsu_client_ops *client;
    void *sm;
};

struct lsu {
    struct ring buffer; /* requests before L1 */
    /* of each instruction in the buffer, oldest first; used where instructions are counted */
    struct ring requests_left;
    bool counts_instructions;
    /* the instruction that is being split up: its pieces that are not in the buffer yet */
    u32 piece_count, piece_next;
    u8 stall;                                      /* of the buffer's head */
    u32 pending_free, pending_count, pending_room; /* free: the room if none is */
    u64 shared_free;    /* shared memory is busy until then: in parts of a cycle */
    cycle_t data_free;  /* L1's data banks are busy before this */
    cycle_t words_free; /* constants, a word at a time, are busy before this */
    cycle_t l1_taken;   /* in this cycle another SM has an access of L1 */
    cycle_t stall_since;
    struct pending *pending;
    cycle_t return_free[MOST_SCHEDULERS]; /* a sub-core takes what came in several passes then */
    struct sm_ticket ticket;
    const struct kernel_regions *regions; /* to which they belong; NULL: to none */
    struct request model;                 /* what its requests have in common */
    struct piece *pieces;                 /* room for MOST_PIECES */
    struct lsu_parts at;
};

/* An instruction whose pieces are in l->pieces, and l->model is set. */
struct lsu_access {
    const struct instruction *instruction;
    const struct kernel_regions *regions;
    u32 slot, pieces;
    u8 client; /* enum sm_client: L1 or a read-only cache */
    u8 group;  /* of an asynchronous copy */
    u8 passes; /* through L1's data banks; 0: it has none */
    bool is_answered;
    u16 extra;     /* cycles that its data comes later */
    cycle_t ready; /* not before then, whatever the answers say */
};

/* Requests that its buffer holds at most. */
u32 lsu_most_requests(const struct lsu_config *c);
void lsu_init(struct lsu *l, struct arena *arena, const struct lsu_parts *parts);
/* An access of shared memory in so many passes; the cycle of the last. */
cycle_t lsu_access_shared(struct lsu *l, u32 passes, cycle_t now);
void lsu_take(struct lsu *l, const struct lsu_access *a, cycle_t now);
void lsu_cycle(struct lsu *l, cycle_t now);
/* One answer for a pending instruction: its data can be used from `ready` on. */
void lsu_answered(struct lsu *l, u32 entry, cycle_t ready, cycle_t now);
/* Stall cycles until then are counted. */
void lsu_settle(struct lsu *l, cycle_t now);

/* Does it take a memory instruction in that cycle; uses_buffer: one with requests to L1? */
static inline bool lsu_accepts(const struct lsu *l, bool uses_buffer, cycle_t now)
{
    if (l->piece_next < l->piece_count || l->pending_free == l->pending_room ||
        l->shared_free >= (now + 1) * l->at.shared_parts)
        return false;
    return !uses_buffer ||
           !ring_is_full(UNLIKELY(l->counts_instructions) ? &l->requests_left : &l->buffer);
}

/* Has it something to do in the next cycle; retries: a head that waits may try again? */
static inline bool lsu_is_busy(const struct lsu *l, bool retries)
{
    bool ro_cache_pieces = l->piece_next < l->piece_count && l->ticket.client != CLIENT_L1D;
    return ro_cache_pieces ||
           (!ring_is_empty(&l->buffer) && (retries || l->stall == L1_STALL_NONE));
}

/* A load of constants that keeps them busy for so long, and of which the last is looked up so much
 * later than the first: when that is. */
static inline cycle_t lsu_read_words(struct lsu *l, u32 busy, u32 later, cycle_t now)
{
    cycle_t start = max_u64(l->words_free, now);
    l->words_free = start + busy;
    return start + later;
}

/* The first cycle in which shared memory takes another access. */
static inline cycle_t lsu_shared_from(const struct lsu *l)
{
    return l->shared_free / l->at.shared_parts;
}

#endif
