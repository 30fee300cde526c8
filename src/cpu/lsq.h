/*
 * The load/store queue: loads and stores between dispatch and the L1D.
 *
 * Addresses come with the instructions, so which older store a load depends on is known when it is
 * dispatched. A load whose bytes one store has all of takes them from it; one that needs bytes of
 * a store and others waits until the store is in the L1D. Retired stores go to the L1D in order.
 */
#ifndef CPU_LSQ_H
#define CPU_LSQ_H

#include "cpu/caches.h"
#include "cpu/issue.h"
#include "cpu/tlb.h"

/* A write in the queue of stores. */
struct lsq_store {
    u64 seq, address, pc;  /* seq: position of its instruction */
    u32 bytes, done_bytes; /* that have been accessed */
    u32 lines_left;        /* that have not come */
};

/* What it works with. */
struct lsq_parts {
    const struct lsq_config *config;
    struct rob *rob;
    struct issue_queue *issue;
    struct caches *caches;
    struct tlb *dtlb;
    struct core_counts *counts;
    struct core_vector *vector;
};

struct lsq {
    struct lsq_parts with;
    struct lsq_store *stores;        /* a ring */
    u64 head, access, retired, tail; /* positions in it */
    u64 unissued;                    /* the oldest whose address is not known */
    u32 mask;
    bool is_blocked; /* retired stores: by MSHRs of the L1D */
    u32 loads_held;
    u16 *filter; /* counts of stores by address */
    u32 wide_stores;
    u32 word_bytes; /* of a line that is accessed at once: a line, or a narrower bus */
};

enum issue_answer { ISSUE_DONE, ISSUE_BUSY, ISSUE_BLOCKED, ISSUE_LATER };

void lsq_init(struct lsq *q, struct arena *arena, const struct lsq_parts *with);

/* Reads and writes of an instruction: those that it has itself, or those of its elements. */
static inline u32 lsq_reads_of(const struct cpu_instruction *i)
{
    if (UNLIKELY(i->vector && i->vector->count && !i->vector->is_scatter))
        return i->vector->count;
    return i->read_count;
}

static inline u32 lsq_writes_of(const struct cpu_instruction *i)
{
    if (UNLIKELY(i->vector && i->vector->count && i->vector->is_scatter))
        return i->vector->count;
    return i->write_count;
}

static inline bool lsq_has_room(const struct lsq *q, const struct cpu_instruction *i)
{
    /* an instruction with more than there are entries goes alone */
    u32 writes = lsq_writes_of(i);
    if (q->loads_held + lsq_reads_of(i) > q->with.config->load_entries && q->loads_held)
        return false;
    return !writes || q->tail - q->head + writes <= q->with.config->store_entries ||
           q->tail == q->head;
}

/* The instruction enters the window: its reads depend on older stores, its writes take entries. */
void lsq_dispatch(struct lsq *q, u64 position);
/* The reads of an instruction, as far as pipes go. */
enum issue_answer lsq_issue_reads(struct lsq *q, u32 slot, cycle_t now);
/* A store has executed. */
void lsq_store_done(struct lsq *q);
/* Instructions with so many reads and writes retire. */
static inline void lsq_retire(struct lsq *q, u32 reads, u32 writes)
{
    q->loads_held -= reads;
    q->retired += writes;
}

cycle_t lsq_move(struct lsq *q, cycle_t now);
/* Retired stores go to the L1D; the next cycle in which they can go on. */
static inline cycle_t lsq_drain(struct lsq *q, cycle_t now)
{
    return q->head == q->retired ? CYCLE_NEVER : lsq_move(q, now);
}
/* A line that a store waited for: `what` of its cache_access. */
void lsq_line_came(struct lsq *q, u32 what);
bool lsq_is_empty(const struct lsq *q);
/* The youngest store before a position that writes some of these bytes; NULL: none. */
const struct lsq_store *lsq_conflict(const struct lsq *q, u64 position, u64 address, u32 bytes);

#endif
