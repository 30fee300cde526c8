/*
 * Asynchronous tensor cores (wgmma).
 *
 * Each sub-core multiplies the rows of its warp, one product after the other. A product takes
 * sm.group.interval cycles for eight columns, or as long as shared memory needs to deliver its
 * operands; its sums are ready sm.group.cycles after its last column. The warp goes on, and waits
 * where it asks for a group to be complete.
 *
 * The cycles in which a tensor core has no product are charged, when its next one comes, to what
 * that product's warp waited for meanwhile.
 */
#ifndef GPU_SM_GROUP_MMA_H
#define GPU_SM_GROUP_MMA_H

#include "base/types.h"

struct sm;
struct instruction;

#define MMA_GROUPS 8u

/* Of the cycles of a sub-core's tensor core, from a block's start to its last product. */
enum tensor_share {
    TENSOR_BUSY,
    TENSOR_COPIES,   /* idle, the warp was at an mbarrier whose phase a copy completed */
    TENSOR_PRODUCTS, /* idle, the warp waited for products that it had given before */
    TENSOR_WARPS,    /* idle, the warp was at an mbarrier whose phase a warp completed */
    TENSOR_OTHER,    /* idle, the warp did something else */
    TENSOR_SHARES,
};
extern const char *const tensor_share_names[TENSOR_SHARES];

/* What a warp is for, by what it has issued so far. */
enum warp_role { ROLE_OTHER, ROLE_PRODUCER, ROLE_CONSUMER, WARP_ROLES };

struct wait_span {
    cycle_t from, to;
};

/* Of a warp. */
struct group_mma {
    cycle_t last;                     /* when the last product is done */
    cycle_t done[MMA_GROUPS];         /* of the newest groups */
    u32 groups;                       /* committed so far */
    struct wait_span products, phase; /* the last waits: at wait_group, at an mbarrier */
    bool pending;                     /* a product is in no group yet */
    bool awaits;                      /* `phase` is since the last product */
    bool by_copy;                     /* completed `phase` */
    bool multiplies, copies;          /* it has issued such */
};

static inline enum warp_role group_mma_role(const struct group_mma *g)
{
    return g->multiplies ? ROLE_CONSUMER : g->copies ? ROLE_PRODUCER : ROLE_OTHER;
}

/* An mbarrier suspends the warp, perhaps again. */
static inline void group_mma_awaits(struct group_mma *g, cycle_t now)
{
    if (!g->awaits)
        g->phase = (struct wait_span){now, CYCLE_NEVER};
    g->awaits = true;
}

/* It will look at its mbarrier at that cycle. */
static inline void group_mma_phase_began(struct group_mma *g, bool by_copy, cycle_t at)
{
    g->phase.to = at;
    g->by_copy = by_copy;
}

void group_mma_issue(struct sm *sm, u32 slot, u32 scheduler, const struct instruction *i,
                     cycle_t now);

#endif
