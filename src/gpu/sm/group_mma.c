#include "gpu/sm/sm.h"

enum { GROUP_ROWS = 64, LINE_BYTES = 32 }; /* of a product: rows of A; along k, of a row */

/* Cycles in which shared memory delivers a product's operands. */
static u32 operand_cycles(const struct group_config *c, u32 columns, u32 operands)
{
    u32 lines =
        columns * (operands & GROUP_SPARSE ? 2 : 1) + (operands & GROUP_A_SHARED ? GROUP_ROWS : 0);
    return c->operand_bytes ? (lines * LINE_BYTES + c->operand_bytes - 1) / c->operand_bytes : 0;
}

const char *const tensor_share_names[TENSOR_SHARES] = {"busy", "copies", "products", "warps",
                                                       "other"};

static cycle_t overlap(struct wait_span s, cycle_t from, cycle_t to)
{
    cycle_t first = max_u64(s.from, from), last = min_u64(s.to, to);
    return last > first ? last - first : 0;
}

/* A product comes, and the tensor core has been idle. */
static void charge_idle(struct sm *sm, u32 slot, u32 scheduler, cycle_t now)
{
    struct group_mma *g = &sm->groups[slot];
    u64 *charged = sm->counts.tensor_cycles;
    cycle_t from = max_u64(sm->group_free[scheduler], sm->warps[slot].block->started);
    if (now > from) {
        cycle_t products = overlap(g->products, from, now);
        cycle_t phase = g->awaits ? overlap(g->phase, from, now) : 0;
        charged[TENSOR_PRODUCTS] += products;
        charged[g->by_copy ? TENSOR_COPIES : TENSOR_WARPS] += phase;
        charged[TENSOR_OTHER] += now - from - products - phase;
    }
    g->awaits = false;
    g->multiplies = true;
}

/* The four warps go through their sub-cores side by side: each takes as long as the group does. */
static void multiply(struct sm *sm, struct group_mma *g, u32 scheduler, const struct instruction *i,
                     cycle_t now)
{
    const struct group_config *c = &sm->config->sm.group;
    cycle_t start = max_u64(sm->group_free[scheduler], now);
    u32 cycles = i->bytes * c->interval;
    u32 operands = operand_cycles(c, i->bytes * 8u, i->cache_operator);
    u32 further = i->cache_operator & GROUP_A_SHARED ? c->operand_cycles : 0;
    u32 taken = cycles < operands ? operands : cycles;
    sm->group_free[scheduler] = start + taken;
    sm->counts.tensor_cycles[TENSOR_BUSY] += taken;
    g->last = start + cycles + further + c->cycles;
    g->pending = true;
}

void group_mma_issue(struct sm *sm, u32 slot, u32 scheduler, const struct instruction *i,
                     cycle_t now)
{
    struct group_mma *g = &sm->groups[slot];
    struct sm_warp *w = &sm->warps[slot];
    if (i->kind == WINST_GROUP_MMA) {
        charge_idle(sm, slot, scheduler, now);
        multiply(sm, g, scheduler, i, now);
        w->has_loaded = true;
        return;
    }
    bool commits = i->cache_operator & GROUP_PENDING ? g->pending : i->kind == WINST_GROUP_COMMIT;
    if (commits) {
        g->done[g->groups++ % MMA_GROUPS] = g->last;
        g->pending = false;
    }
    if (i->kind == WINST_GROUP_WAIT &&
        g->groups > i->bytes) { /* what is older than it keeps has ended before */
        u32 back = i->bytes < MMA_GROUPS ? i->bytes : MMA_GROUPS - 1;
        cycle_t done = g->done[(g->groups - 1 - back) % MMA_GROUPS];
        w->not_before = max_u64(w->not_before, done);
        if (done > now)
            g->products = (struct wait_span){now, done};
        g->phase.to = min_u64(g->phase.to, now);
    }
}
