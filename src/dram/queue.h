/*
 * The scheduler queue of a channel, and what its scheduler has chosen to do next.
 *
 * Entries are numbered oldest first, so the lowest bit of a mask is the oldest of a set. An entry
 * stays where it is until its request leaves, with its last column command; only its number
 * changes.
 *
 * The choice is the next column command and the next row command, each with the first cycle
 * it can go in. It is kept up to date by small steps where that is easy and made anew
 * where it is not: what is chosen never depends on how often anyone asked.
 */
#ifndef DRAM_QUEUE_H
#define DRAM_QUEUE_H

#include "base/pool.h"
#include "dram/device.h"
#include "sim/policy.h"

struct dram_scheduler_ops;

/* What a request needed before its first column command. */
enum dram_row_need { DRAM_ROW_HIT, DRAM_ROW_MISS, DRAM_ROW_CONFLICT };

struct dram_entry {
    u64 row;
    cycle_t entered;
    handle_t request;
    u16 bursts_left;
    u8 bank;
    u8 need; /* enum dram_row_need */
    bool is_write;
};

#define DRAM_NO_ENTRY UINT32_MAX

/* CYCLE_NEVER: there is no such command. The earliest command is chosen; of several that can
 * go in the same cycle, the one for the oldest request. */
struct dram_choice {
    cycle_t column_at, row_at;
    u32 column;              /* entry */
    enum dram_command row;   /* activate, precharge or refresh */
    u32 row_bank, row_entry; /* DRAM_NO_ENTRY: no request asked for it */
};

struct dram_queue {
    const struct dram_scheduler_ops *scheduler;
    const void *scheduler_config; /* as its parameters say */
    void *scheduler_state;        /* its state_bytes of zeros */
    struct pool *requests;        /* what the entries' handles are of */
    u32 capacity;
    bool close_idle_rows; /* close rows that no request in the queue needs */
    /* state of the channel that the choice depends on; see queue_set_mode */
    bool refreshing; /* only close rows, then refresh */
    bool no_reads;   /* nowhere to put more data */
    /* entries */
    u32 count;
    u64 hits, writes;            /* bit per entry: its row is open; it writes */
    u64 of_bank[DRAM_MAX_BANKS]; /* bit per entry */
    u64 busy_banks;              /* bit per bank: it has entries */
    u8 place[DRAM_MAX_QUEUE]; /* of entry i in `entries`; behind them, the places that are free */
    struct dram_entry entries[DRAM_MAX_QUEUE];
    /* the choice, and which half of it is up to date */
    bool knows_column, knows_row;
    struct dram_choice choice;
};

void queue_init(struct dram_queue *q, const struct dram_config *c, struct policy_choice scheduler,
                struct pool *requests, struct arena *arena);

static inline void queue_set_mode(struct dram_queue *q, bool refreshing, bool no_reads)
{
    q->knows_row &= q->refreshing == refreshing;
    q->knows_column &= q->refreshing == refreshing && q->no_reads == no_reads;
    q->refreshing = refreshing;
    q->no_reads = no_reads;
}

static inline const struct dram_entry *queue_entry(const struct dram_queue *q, u32 i)
{
    return &q->entries[q->place[i]];
}

static inline struct dram_entry *queue_change(struct dram_queue *q, u32 i)
{
    return &q->entries[q->place[i]];
}

static inline bool queue_is_full(const struct dram_queue *q)
{
    return q->count == q->capacity;
}

/* `now` is a cycle in which a command may still go. */
void queue_add(struct dram_queue *q, const struct dram_device *d, cycle_t now,
               struct dram_entry entry);
/* Tell what was issued in cycle `now`, after the device was told. */
void queue_activated(struct dram_queue *q, const struct dram_device *d, cycle_t now, u32 bank);
void queue_precharged(struct dram_queue *q, u32 bank);
void queue_refreshed(struct dram_queue *q);
/* A burst of entry i; with its last one the entry leaves. */
void queue_transferred(struct dram_queue *q, cycle_t now, u32 i);

void queue_choose_column(struct dram_queue *q, const struct dram_device *d, cycle_t from);
void queue_choose_row(struct dram_queue *q, const struct dram_device *d, cycle_t from);

/* What can be issued in cycle `from` or later. */
static inline const struct dram_choice *queue_choose(struct dram_queue *q,
                                                     const struct dram_device *d, cycle_t from)
{
    if (!q->knows_column)
        queue_choose_column(q, d, from);
    if (!q->knows_row)
        queue_choose_row(q, d, from);
    return &q->choice;
}

#endif
