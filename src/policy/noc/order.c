/*
 * Some packets before others, with shared channels: where they leave their queues, in
 * the routers, or both. The queues' packets are then picked out of order.
 */
#include "policy/noc/order.h"

struct ordered_config {
    u32 by, where;
    u32 batch_cycles;
    u64 interval;
};

struct ordered_state {
    struct order order;
    struct order_state state;
};

static const char *const orders[] = {"age",    "cpu_first", "gpu_first", "mpi",
                                     "aergia", "atlas",     "atlas_c",   NULL};
enum { IN_ROUTERS, IN_QUEUES, IN_BOTH };
static const char *const places[] = {"routers", "queues", "both", NULL};

/* clang-format off */
static const struct param ordered_params[] = {
    P_CHOICE(ordered_config, by, ORDER_CPU_FIRST, orders, "packets that go first: none; those of a type; those of applications with few misses per instruction (STC), of cores that wait for few answers (Aergia), or of the applications served least (ATLAS, per program or per CPU and GPU)", "Lee 2013, 5.5"),
    P_CHOICE(ordered_config, where, IN_ROUTERS, places, "where the order applies: VC and switch allocation, injection queues, or both", "Lee 2013, figures 31 and 32"),
    ORDER_BATCH(ordered_config),
    P_U64(ordered_config, interval, 350000, 1, 1000000000, "cycles", "time for which a ranking of applications holds (ATLAS: a quantum)", "Das et al. 2009"),
    P_END,
};
/* clang-format on */

static bool ordered_init(struct noc_policy *p, struct err *err)
{
    const struct ordered_config *c = p->config;
    struct ordered_state *s = p->state;
    (void)err;
    s->order = (struct order){c->by, c->batch_cycles, c->interval};
    return true;
}

static void ordered_begin(struct noc_policy *p, struct noc_plan *plan)
{
    if (((const struct ordered_config *)p->config)->where != IN_ROUTERS)
        plan->injection = NOC_ANY;
}

static u64 place(struct noc_policy *p, const struct noc_packet *packet, cycle_t now)
{
    const struct ordered_config *c = p->config;
    struct ordered_state *s = p->state;
    return noc_key(now, c->batch_cycles, order_level(p, &s->order, &s->state, packet, now));
}

static u64 ordered_rank(struct noc_policy *p, const struct noc_packet *packet, cycle_t now)
{
    return ((const struct ordered_config *)p->config)->where == IN_ROUTERS ? 0
                                                                           : place(p, packet, now);
}

static u64 ordered_key(struct noc_policy *p, const struct noc_packet *packet, cycle_t now)
{
    return ((const struct ordered_config *)p->config)->where == IN_QUEUES ? now
                                                                          : place(p, packet, now);
}

static void ordered_entered(struct noc_policy *p, const struct noc_packet *packet, cycle_t now)
{
    struct ordered_state *s = p->state;
    (void)now;
    order_served(p, &s->order, &s->state, packet);
}

NOC_POLICY(order) = {
    .version = POLICY_VERSION,
    .name = "order",
    .source = "Lee 2013, 5.5; Das et al. 2009 and 2010; Kim et al. 2010",
    .params = ordered_params,
    .config_bytes = sizeof(struct ordered_config),
    .state_bytes = sizeof(struct ordered_state),
    .init = ordered_init,
    .begin = ordered_begin,
    .rank = ordered_rank,
    .key = ordered_key,
    .entered = ordered_entered,
};
