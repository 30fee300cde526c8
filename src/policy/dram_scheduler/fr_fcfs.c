/*
 * First ready, first come first served: the earliest command that any request can get, which are
 * row hits while there are some; of equals, the oldest request's. Rixner et al., ISCA 2000.
 */
#include "dram/scheduler.h"

static void choose_column(struct dram_queue *q, const struct dram_device *d, cycle_t from)
{
    offer_columns_of(q, d, from, ~(u64)0);
}

static void choose_row(struct dram_queue *q, const struct dram_device *d, cycle_t from)
{
    offer_rows_of(q, d, from, ~(u64)0);
}

/* The youngest entry takes the place of a choice only if it can go earlier. */
static void added(struct dram_queue *q, const struct dram_device *d, cycle_t now, u32 i)
{
    u32 bank = queue_entry(q, i)->bank;
    bool hit = q->hits >> i & 1;
    if (hit) {
        if (q->knows_column && !q->refreshing)
            offer_column(q, d, now, i);
        /* its row stays open */
        if (q->choice.row == DRAM_PRECHARGE && q->choice.row_bank == bank)
            q->knows_row = false;
    } else if (q->close_idle_rows) {
        q->knows_row = false;
    } else if (q->knows_row && !q->refreshing && q->of_bank[bank] == (u64)1 << i) {
        if (device_is_open(d, bank))
            offer_precharge(q, d, now, bank, i);
        else
            offer_activate(q, d, now, bank, i);
    }
}

static void opened(struct dram_queue *q, const struct dram_device *d, cycle_t from, u32 i)
{
    if (q->knows_column)
        offer_column(q, d, from, i);
}

DRAM_SCHEDULER(fr_fcfs) = {
    .version = POLICY_VERSION,
    .name = "fr_fcfs",
    .source = "Rixner et al., ISCA 2000",
    .choose_column = choose_column,
    .choose_row = choose_row,
    .added = added,
    .opened = opened,
};
