/*
 * First come, first served: only the oldest request is looked at. Younger ones do not keep a row
 * open.
 */
#include "dram/scheduler.h"

static void choose_column(struct dram_queue *q, const struct dram_device *d, cycle_t from)
{
    offer_columns_of(q, d, from, 1);
}

static void choose_row(struct dram_queue *q, const struct dram_device *d, cycle_t from)
{
    offer_rows_of(q, d, from, 1);
}

DRAM_SCHEDULER(fcfs) = {
    .version = POLICY_VERSION,
    .name = "fcfs",
    .source = "textbook",
    .choose_column = choose_column,
    .choose_row = choose_row,
};
