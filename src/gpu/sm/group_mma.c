#include "gpu/sm/sm.h"

static void multiply(struct sm *sm, struct group_mma *g, u32 scheduler, u32 columns, cycle_t now)
{
    const struct group_config *c = &sm->config->sm.group;
    cycle_t start = max_u64(sm->group_free[scheduler], now);
    u32 cycles = columns * c->interval;
    sm->group_free[scheduler] = start + (cycles < c->least_interval ? c->least_interval : cycles);
    g->last = sm->group_free[scheduler] + c->cycles;
}

void group_mma_issue(struct sm *sm, u32 slot, u32 scheduler, const struct instruction *i,
                     cycle_t now)
{
    struct group_mma *g = &sm->groups[slot];
    struct sm_warp *w = &sm->warps[slot];
    if (i->kind == WINST_GROUP_MMA) {
        multiply(sm, g, scheduler, i->bytes, now);
    } else if (i->kind == WINST_GROUP_COMMIT) {
        g->done[g->groups++ % MMA_GROUPS] = g->last;
    } else if (g->groups > i->bytes) { /* what is older than it keeps has ended before */
        u32 back = i->bytes < MMA_GROUPS ? i->bytes : MMA_GROUPS - 1;
        cycle_t done = g->done[(g->groups - 1 - back) % MMA_GROUPS];
        w->not_before = max_u64(w->not_before, done);
    }
}
