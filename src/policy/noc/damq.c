/*
 * Injection queues with a list for each type, served in turn; channels are shared (DAMQ). In
 * the routers packets may go by another order than age (DAMQ+S, DAMQ+A).
 */
#include "policy/noc/order.h"

struct damq_config {
    u32 routers;
    u32 batch_cycles;
    u64 interval;
};

struct damq_state {
    struct order order;
    struct order_state state;
};

static const char *const orders[] = {"age", "cpu_first", "gpu_first", "mpi", "aergia", NULL};

/* clang-format off */
static const struct param damq_params[] = {
    P_CHOICE(damq_config, routers, ORDER_AGE, orders, "order of packets in the routers", "Lee 2013, figure 32"),
    ORDER_BATCH(damq_config),
    P_U64(damq_config, interval, 350000, 1, 1000000000, "cycles", "time for which a ranking of applications holds", "Das et al. 2009"),
    P_END,
};
/* clang-format on */

static bool damq_init(struct noc_policy *p, struct err *err)
{
    const struct damq_config *c = p->config;
    struct damq_state *s = p->state;
    (void)err;
    s->order = (struct order){c->routers, c->batch_cycles, c->interval};
    return true;
}

static void damq_begin(struct noc_policy *p, struct noc_plan *plan)
{
    (void)p;
    plan->injection = NOC_TYPED_TURNS;
}

static u64 damq_key(struct noc_policy *p, const struct noc_packet *packet, cycle_t now)
{
    const struct damq_config *c = p->config;
    struct damq_state *s = p->state;
    if (c->routers == ORDER_AGE)
        return now;
    return noc_key(now, c->batch_cycles, order_level(p, &s->order, &s->state, packet, now));
}

NOC_POLICY(damq) = {
    .version = POLICY_VERSION,
    .name = "damq",
    .source = "Tamir and Frazier 1988; Lee 2013, 5.5",
    .params = damq_params,
    .config_bytes = sizeof(struct damq_config),
    .state_bytes = sizeof(struct damq_state),
    .init = damq_init,
    .begin = damq_begin,
    .key = damq_key,
};
