#include "power/context_cost.h"

#include "base/types.h"

/* Synthesised tables, as published. */
static const struct {
    u32 entries;
    double um2, mw;
} tables[] = {{16, 17902, 18.5}, {32, 36236, 36}, {64, 72789, 74}, {128, 165310, 149}};

static void cost_of_table(u32 entries, double *um2, double *mw)
{
    u32 last = ARRAY_LEN(tables) - 1, i = 0;
    while (i < last && tables[i].entries < entries)
        i++;
    double part = (double)entries / tables[i].entries;
    *um2 = tables[i].um2 * part;
    *mw = tables[i].mw * part;
    if (!i || entries >= tables[i].entries)
        return;
    part = (double)(entries - tables[i - 1].entries) / (tables[i].entries - tables[i - 1].entries);
    *um2 = tables[i - 1].um2 + part * (tables[i].um2 - tables[i - 1].um2);
    *mw = tables[i - 1].mw + part * (tables[i].mw - tables[i - 1].mw);
}

struct context_cost context_cost(const struct gpu_config *c)
{
    struct context_cost cost = {0};
    if (!c->context.reduced)
        return cost;
    cost_of_table(c->context.array_entries, &cost.table_um2, &cost.table_mw);
    cost.tables_mm2 = cost.table_um2 * c->sm.count / 1e6;
    cost.tables_w = cost.table_mw * c->sm.count / 1e3;
    cost.cache_bytes = (u64)c->context.register_cache_bytes * c->sm.count;
    cost.queue_bytes = (u64)c->context.victims * VICTIM_BYTES;
    return cost;
}
