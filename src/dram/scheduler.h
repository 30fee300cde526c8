/*
 * Which request of a DRAM channel is served next.
 *
 * One instance per channel. A policy chooses the next column command and the next row command among
 * the entries of the queue, which are sorted oldest first; the channel issues the one that can go
 * earlier.
 *
 * Contract: choices have no side effects and do not depend on how often they are asked for. They
 * are made again after every change of the queue, unless the policy updates them itself (the last
 * two hooks).
 */
#ifndef DRAM_SCHEDULER_H
#define DRAM_SCHEDULER_H

#include "dram/queue.h"
#include "sim/policy.h"

struct dram_scheduler_ops {
    POLICY_HEAD;
    /* Fill q->choice.column and column_at, or row, row_at, row_bank and row_entry, for commands
     * that can be issued in cycle `from` or later. *_at is CYCLE_NEVER on entry; leave it if there
     * is no command. q->requests has the requests of the entries. Not called during a refresh. */
    void (*choose_column)(struct dram_queue *q, const struct dram_device *d, cycle_t from);
    void (*choose_row)(struct dram_queue *q, const struct dram_device *d, cycle_t from);
    /* Optional, both or neither: entry i was added, or its row was opened. They may update the
     * known parts of the choice (q->knows_column, q->knows_row) or mark them unknown. */
    void (*added)(struct dram_queue *q, const struct dram_device *d, cycle_t now, u32 i);
    void (*opened)(struct dram_queue *q, const struct dram_device *d, cycle_t from, u32 i);
};

/* Has it what it cannot do without? */
static inline bool dram_scheduler_is_whole(const struct dram_scheduler_ops *p)
{
    return p->choose_column && p->choose_row && !p->added == !p->opened;
}

#define DRAM_SCHEDULER(id) POLICY(dram_scheduler, id)

/* ---- for policies: what competes for the choice ------------------------------------------------
 */

static inline u32 dram_oldest(u64 entries)
{
    return (u32)__builtin_ctzll(entries);
}

static inline void offer_column(struct dram_queue *q, const struct dram_device *d, cycle_t from,
                                u32 i)
{
    const struct dram_entry *e = queue_entry(q, i);
    if (q->no_reads && !e->is_write)
        return;
    cycle_t at = max_u64(from, device_column_at(d, e->bank, e->is_write));
    if (at < q->choice.column_at || (at == q->choice.column_at && i < q->choice.column)) {
        q->choice.column_at = at;
        q->choice.column = i;
    }
}

/* Without an entry, a command gives way to those that a request asked for. */
static inline void offer_row(struct dram_queue *q, cycle_t at, enum dram_command command, u32 bank,
                             u32 entry)
{
    if (at > q->choice.row_at || (at == q->choice.row_at && entry >= q->choice.row_entry))
        return;
    q->choice.row_at = at;
    q->choice.row = command;
    q->choice.row_bank = bank;
    q->choice.row_entry = entry;
}

static inline void offer_precharge(struct dram_queue *q, const struct dram_device *d, cycle_t from,
                                   u32 bank, u32 entry)
{
    offer_row(q, max_u64(from, device_precharge_at(d, bank)), DRAM_PRECHARGE, bank, entry);
}

static inline void offer_activate(struct dram_queue *q, const struct dram_device *d, cycle_t from,
                                  u32 bank, u32 entry)
{
    offer_row(q, max_u64(from, device_activate_at(d, bank)), DRAM_ACTIVATE, bank, entry);
}

/* Before this no bank takes a column command of these entries. */
static inline cycle_t dram_any_column_at(const struct dram_queue *q, const struct dram_device *d,
                                         u64 entries)
{
    cycle_t reads = entries & ~q->writes ? d->read_at : CYCLE_NEVER;
    return min_u64(reads, entries & q->writes ? d->write_at : CYCLE_NEVER);
}

/* Column commands of these entries whose rows are open, earliest first, then oldest. Of a bank's
 * entries only the oldest of each direction can be the one, and no entry younger than one that can
 * go as soon as any. */
static inline void offer_columns_of(struct dram_queue *q, const struct dram_device *d, cycle_t from,
                                    u64 entries)
{
    u64 left = q->hits & entries;
    if (q->no_reads)
        left &= q->writes;
    cycle_t soonest = max_u64(from, dram_any_column_at(q, d, left));
    while (left) {
        u32 i = dram_oldest(left);
        const struct dram_entry *e = queue_entry(q, i);
        offer_column(q, d, from, i);
        if (device_column_at(d, e->bank, e->is_write) <= soonest)
            return;
        left &= ~(q->of_bank[e->bank] & (e->is_write ? q->writes : ~q->writes));
    }
}

/* Row commands for these entries: for each bank the oldest decides, unless the open row still has
 * requests among them. */
static inline void offer_rows_of(struct dram_queue *q, const struct dram_device *d, cycle_t from,
                                 u64 entries)
{
    for (u64 banks = q->busy_banks & d->open; banks; banks &= banks - 1) {
        u64 here = q->of_bank[dram_oldest(banks)] & entries;
        if (here && !(q->hits & here))
            offer_precharge(q, d, from, dram_oldest(banks), dram_oldest(here));
    }
    /* activates share limits; often they rule out all of them at once */
    if (q->choice.row_at < device_any_activate_at(d))
        return;
    for (u64 banks = q->busy_banks & ~d->open; banks; banks &= banks - 1) {
        u64 here = q->of_bank[dram_oldest(banks)] & entries;
        if (here)
            offer_activate(q, d, from, dram_oldest(banks), dram_oldest(here));
    }
}

#endif
