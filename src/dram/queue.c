#include "dram/queue.h"

#include <string.h>

static u64 bit(u32 i)
{
    return 1ull << i;
}

static u32 lowest(u64 mask)
{
    return (u32)__builtin_ctzll(mask);
}

static void forget_choice(struct dram_queue *q)
{
    q->knows_column = false;
    q->knows_row = false;
}

void queue_init(struct dram_queue *q, const struct dram_config *c)
{
    *q = (struct dram_queue){
        .capacity = c->queue_entries,
        .in_order = c->scheduler == DRAM_FCFS,
        .close_idle_rows = c->page_policy == DRAM_CLOSE_PAGE,
    };
}

/* ---- the choice ------------------------------------------------------------- */

static void offer_column(struct dram_queue *q, const struct dram_device *d, cycle_t from, u32 i)
{
    const struct dram_entry *e = &q->entries[i];
    if (q->no_reads && !e->is_write)
        return;
    cycle_t at = max_u64(from, device_column_at(d, e->bank, e->is_write));
    if (at < q->choice.column_at || (at == q->choice.column_at && i < q->choice.column)) {
        q->choice.column_at = at;
        q->choice.column = i;
    }
}

/* Without an entry, a command gives way to those that a request asked for. */
static void offer_row(struct dram_queue *q, cycle_t at, enum dram_command command, u32 bank,
                      u32 entry)
{
    if (at > q->choice.row_at || (at == q->choice.row_at && entry >= q->choice.row_entry))
        return;
    q->choice.row_at = at;
    q->choice.row = command;
    q->choice.row_bank = bank;
    q->choice.row_entry = entry;
}

static void offer_precharge(struct dram_queue *q, const struct dram_device *d, cycle_t from,
                            u32 bank, u32 entry)
{
    offer_row(q, max_u64(from, device_precharge_at(d, bank)), DRAM_PRECHARGE, bank, entry);
}

static void offer_activate(struct dram_queue *q, const struct dram_device *d, cycle_t from,
                           u32 bank, u32 entry)
{
    offer_row(q, max_u64(from, device_activate_at(d, bank)), DRAM_ACTIVATE, bank, entry);
}

/* The entries that the scheduler looks at. */
static u64 visible(const struct dram_queue *q)
{
    return q->in_order ? 1 : ~0ull;
}

static bool has_hits(const struct dram_queue *q, u32 bank)
{
    return (q->hits & q->of_bank[bank]) != 0;
}

/* Of a bank's entries only the oldest of each direction can be the one. */
void queue_choose_column(struct dram_queue *q, const struct dram_device *d, cycle_t from)
{
    q->choice.column_at = CYCLE_NEVER;
    q->knows_column = true;
    u64 hits = q->refreshing ? 0 : q->hits & visible(q);
    for (u64 banks = hits ? d->open & q->busy_banks : 0; banks; banks &= banks - 1) {
        u64 here = hits & q->of_bank[lowest(banks)];
        u64 reads = here & ~q->writes, writes = here & q->writes;
        if (reads)
            offer_column(q, d, from, lowest(reads));
        if (writes)
            offer_column(q, d, from, lowest(writes));
    }
}

/* For each bank the oldest request decides, unless the open row still has requests. In order,
 * younger requests do not keep a row open. */
static void choose_demanded_row(struct dram_queue *q, const struct dram_device *d, cycle_t from)
{
    for (u64 banks = q->busy_banks & d->open; banks; banks &= banks - 1) {
        u64 here = q->of_bank[lowest(banks)] & visible(q);
        if (here && !(q->hits & here))
            offer_precharge(q, d, from, lowest(banks), lowest(here));
    }
    /* activates share limits; often they rule out all of them at once */
    if (q->choice.row_at < device_any_activate_at(d))
        return;
    for (u64 banks = q->busy_banks & ~d->open; banks; banks &= banks - 1) {
        u64 here = q->of_bank[lowest(banks)] & visible(q);
        if (here)
            offer_activate(q, d, from, lowest(banks), lowest(here));
    }
}

static void choose_close(struct dram_queue *q, const struct dram_device *d, cycle_t from)
{
    for (u64 left = d->open; left; left &= left - 1) {
        u32 bank = lowest(left);
        if (!has_hits(q, bank) || q->refreshing)
            offer_precharge(q, d, from, bank, DRAM_NO_ENTRY);
    }
}

void queue_choose_row(struct dram_queue *q, const struct dram_device *d, cycle_t from)
{
    q->choice.row_at = CYCLE_NEVER;
    q->knows_row = true;
    if (!q->refreshing)
        choose_demanded_row(q, d, from);
    if (q->refreshing || q->close_idle_rows)
        choose_close(q, d, from);
    if (q->refreshing && !d->open)
        offer_row(q, max_u64(from, device_refresh_at(d)), DRAM_REFRESH, 0, DRAM_NO_ENTRY);
}

/* ---- changes ---------------------------------------------------------------- */

/* The youngest entry takes the place of a choice only if it can go earlier. */
static void reconsider(struct dram_queue *q, const struct dram_device *d, cycle_t now, u32 i)
{
    u32 bank = q->entries[i].bank;
    bool hit = q->hits >> i & 1;
    if (q->in_order) {
        forget_choice(q);
    } else if (hit) {
        if (q->knows_column && !q->refreshing)
            offer_column(q, d, now, i);
        /* its row stays open */
        if (q->choice.row == DRAM_PRECHARGE && q->choice.row_bank == bank)
            q->knows_row = false;
    } else if (q->close_idle_rows) {
        q->knows_row = false;
    } else if (q->knows_row && !q->refreshing && q->of_bank[bank] == bit(i)) {
        if (device_is_open(d, bank))
            offer_precharge(q, d, now, bank, i);
        else
            offer_activate(q, d, now, bank, i);
    }
}

void queue_add(struct dram_queue *q, const struct dram_device *d, cycle_t now,
               struct dram_entry entry)
{
    assert(!queue_is_full(q));
    u32 i = q->count++;
    q->entries[i] = entry;
    q->of_bank[entry.bank] |= bit(i);
    q->busy_banks |= bit(entry.bank);
    if (entry.is_write)
        q->writes |= bit(i);
    if (device_has_row(d, entry.bank, entry.row))
        q->hits |= bit(i);
    reconsider(q, d, now, i);
}

void queue_activated(struct dram_queue *q, const struct dram_device *d, cycle_t now, u32 bank)
{
    q->knows_row = false;
    if (q->in_order)
        q->knows_column = false;
    for (u64 left = q->of_bank[bank]; left; left &= left - 1) {
        u32 i = lowest(left);
        if (q->entries[i].row != d->banks[bank].row)
            continue;
        q->hits |= bit(i);
        if (q->knows_column)
            offer_column(q, d, now + 1, i);
    }
}

void queue_precharged(struct dram_queue *q, u32 bank)
{
    q->knows_row = false;
    if (!has_hits(q, bank))
        return;
    q->knows_column = false;
    q->hits &= ~q->of_bank[bank];
}

void queue_refreshed(struct dram_queue *q)
{
    forget_choice(q);
}

/* Without bit i; younger entries move up. */
static u64 without(u64 mask, u32 i)
{
    u64 older = mask & (bit(i) - 1);
    return older | (mask >> 1 & ~(bit(i) - 1));
}

static void remove_entry(struct dram_queue *q, u32 i)
{
    u32 bank = q->entries[i].bank;
    for (u64 banks = q->busy_banks; banks; banks &= banks - 1)
        q->of_bank[lowest(banks)] = without(q->of_bank[lowest(banks)], i);
    if (q->of_bank[bank] == 0)
        q->busy_banks &= ~bit(bank);
    q->hits = without(q->hits, i);
    q->writes = without(q->writes, i);
    q->count--;
    memmove(&q->entries[i], &q->entries[i + 1], (q->count - i) * sizeof q->entries[0]);
    /* the row choice stands unless this was the last request that kept the row open */
    if (!has_hits(q, bank))
        q->knows_row = false;
    else if (q->choice.row_entry != DRAM_NO_ENTRY && q->choice.row_entry > i)
        q->choice.row_entry--;
}

void queue_transferred(struct dram_queue *q, cycle_t now, u32 i)
{
    assert(i < q->count && q->entries[i].bursts_left > 0);
    q->knows_column = false;
    /* a row command that had to give way competes anew with those that can go by now */
    if (q->in_order || q->choice.row_at <= now)
        q->knows_row = false;
    if (--q->entries[i].bursts_left == 0)
        remove_entry(q, i);
}
