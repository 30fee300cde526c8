#include "dram/scheduler.h"

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

void queue_init(struct dram_queue *q, const struct dram_config *c, struct policy_choice scheduler,
                struct pool *requests, struct arena *arena)
{
    *q = (struct dram_queue){
        .scheduler = (const struct dram_scheduler_ops *)scheduler.ops,
        .scheduler_config = scheduler.config,
        .requests = requests,
        .capacity = c->queue_entries,
        .close_idle_rows = c->page_policy == DRAM_CLOSE_PAGE,
    };
    for (u32 i = 0; i < DRAM_MAX_QUEUE; i++)
        q->place[i] = (u8)i;
    if (scheduler.ops->state_bytes)
        q->scheduler_state = arena_alloc(arena, scheduler.ops->state_bytes);
}

/* ---- the choice ------------------------------------------------------------- */

static bool has_hits(const struct dram_queue *q, u32 bank)
{
    return (q->hits & q->of_bank[bank]) != 0;
}

void queue_choose_column(struct dram_queue *q, const struct dram_device *d, cycle_t from)
{
    q->choice.column_at = CYCLE_NEVER;
    q->knows_column = true;
    if (!q->refreshing)
        q->scheduler->choose_column(q, d, from);
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
        q->scheduler->choose_row(q, d, from);
    if (q->refreshing || q->close_idle_rows)
        choose_close(q, d, from);
    if (q->refreshing && !d->open)
        offer_row(q, max_u64(from, device_refresh_at(d)), DRAM_REFRESH, 0, DRAM_NO_ENTRY);
}

/* ---- changes ---------------------------------------------------------------- */

void queue_add(struct dram_queue *q, const struct dram_device *d, cycle_t now,
               struct dram_entry entry)
{
    assert(!queue_is_full(q));
    u32 i = q->count++;
    *queue_change(q, i) = entry;
    q->of_bank[entry.bank] |= bit(i);
    q->busy_banks |= bit(entry.bank);
    if (entry.is_write)
        q->writes |= bit(i);
    if (device_has_row(d, entry.bank, entry.row))
        q->hits |= bit(i);
    if (q->scheduler->added)
        q->scheduler->added(q, d, now, i);
    else
        forget_choice(q);
}

void queue_activated(struct dram_queue *q, const struct dram_device *d, cycle_t now, u32 bank)
{
    q->knows_row = false;
    if (!q->scheduler->opened)
        q->knows_column = false;
    for (u64 left = q->of_bank[bank]; left; left &= left - 1) {
        u32 i = lowest(left);
        if (queue_entry(q, i)->row != d->banks[bank].row)
            continue;
        q->hits |= bit(i);
        if (q->scheduler->opened)
            q->scheduler->opened(q, d, now + 1, i);
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
    u32 bank = queue_entry(q, i)->bank;
    for (u64 banks = q->busy_banks; banks; banks &= banks - 1)
        q->of_bank[lowest(banks)] = without(q->of_bank[lowest(banks)], i);
    if (q->of_bank[bank] == 0)
        q->busy_banks &= ~bit(bank);
    q->hits = without(q->hits, i);
    q->writes = without(q->writes, i);
    q->count--;
    u8 freed = q->place[i];
    memmove(&q->place[i], &q->place[i + 1], q->count - i);
    q->place[q->count] = freed;
    /* the row choice stands unless this was the last request that kept the row open */
    if (!has_hits(q, bank))
        q->knows_row = false;
    else if (q->choice.row_entry != DRAM_NO_ENTRY && q->choice.row_entry > i)
        q->choice.row_entry--;
}

void queue_transferred(struct dram_queue *q, cycle_t now, u32 i)
{
    assert(i < q->count && queue_entry(q, i)->bursts_left > 0);
    q->knows_column = false;
    /* a row command that had to give way competes anew with those that can go by now */
    if (!q->scheduler->opened || q->choice.row_at <= now)
        q->knows_row = false;
    if (--queue_change(q, i)->bursts_left == 0)
        remove_entry(q, i);
}
