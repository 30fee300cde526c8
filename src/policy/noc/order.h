/*
 * Orders of packets that several policies share: by type, by application, by the packet itself.
 *
 *   age         none
 *   cpu_first   packets of CPU cores before those of the GPU; gpu_first the other way round
 *   mpi         applications with fewer private-cache misses per instruction first, ranked at
 *               intervals (the first part of STC: Das et al., MICRO 2009)
 *   aergia      packets of cores that wait for fewer answers first (Das et al., ISCA 2010: slack)
 *   atlas       applications that have been served least first (Kim et al., HPCA 2010), attained
 *               service averaged over quanta; atlas_c takes all CPU cores for one application
 */
#ifndef POLICY_NOC_ORDER_H
#define POLICY_NOC_ORDER_H

#include "net/mesh/noc_policy.h"

enum order_kind {
    ORDER_AGE,
    ORDER_CPU_FIRST,
    ORDER_GPU_FIRST,
    ORDER_MPI,
    ORDER_AERGIA,
    ORDER_ATLAS,
    ORDER_ATLAS_C
};

#define ORDER_LEVELS 8u
#define ORDER_MOST_APPLICATIONS 8u

struct order {
    u32 kind; /* enum order_kind */
    u32 batch_cycles;
    cycle_t interval;
};

struct order_state {
    cycle_t next; /* ranking */
    u8 level[ORDER_MOST_APPLICATIONS];
    u64 requests[ORDER_MOST_APPLICATIONS],
        instructions[ORDER_MOST_APPLICATIONS]; /* until the last ranking */
    u64 served[ORDER_MOST_APPLICATIONS];       /* flits of this quantum */
    u64 attained[ORDER_MOST_APPLICATIONS];     /* average over quanta, times 1024 */
};

/* What an application did until now. */
static inline void order_sum(const struct noc_policy *p, u32 application, u64 *requests,
                             u64 *instructions)
{
    *requests = *instructions = 0;
    for (u32 i = 0; i < p->agent_count; i++) {
        const struct noc_agent *a = &p->agents[i];
        if (a->application != application)
            continue;
        *requests += a->requests;
        *instructions += a->instructions ? *a->instructions : 0;
    }
}

/* The applications by their value, the least first: how many each has below it. */
static inline void order_by(const struct noc_policy *p, struct order_state *s, const u64 *value)
{
    for (u32 i = 0; i < p->applications; i++) {
        u32 below = 0;
        for (u32 k = 0; k < p->applications; k++)
            below += value[k] < value[i] || (value[k] == value[i] && k < i);
        s->level[i] = (u8)(below < ORDER_LEVELS ? below : ORDER_LEVELS - 1);
    }
}

static inline void order_by_misses(const struct noc_policy *p, struct order_state *s)
{
    u64 value[ORDER_MOST_APPLICATIONS] = {0};
    for (u32 i = 0; i < p->applications; i++) {
        u64 requests, instructions;
        order_sum(p, i, &requests, &instructions);
        u64 retired = instructions - s->instructions[i];
        value[i] = (requests - s->requests[i]) * 1000000 / (retired ? retired : 1);
        s->requests[i] = requests;
        s->instructions[i] = instructions;
    }
    order_by(p, s, value);
}

/* TAS = 0.875 TAS + 0.125 AS */
static inline void order_by_service(const struct noc_policy *p, struct order_state *s)
{
    for (u32 i = 0; i < p->applications; i++) {
        s->attained[i] = (7 * s->attained[i] + 1024 * s->served[i]) / 8;
        s->served[i] = 0;
    }
    order_by(p, s, s->attained);
}

/* Before packets are ranked: the ranking holds for an interval. */
static inline void order_update(const struct noc_policy *p, const struct order *o,
                                struct order_state *s, cycle_t now)
{
    if (now < s->next)
        return;
    s->next = now + o->interval;
    if (o->kind == ORDER_MPI)
        order_by_misses(p, s);
    else if (o->kind == ORDER_ATLAS || o->kind == ORDER_ATLAS_C)
        order_by_service(p, s);
}

/* All CPU packets count for one application, or each for its own. */
static inline u32 order_group(const struct noc_policy *p, const struct order *o,
                              const struct noc_packet *packet)
{
    if (o->kind == ORDER_ATLAS_C)
        return packet->type == NOC_CPU ? 0 : p->applications - 1;
    return packet->application < p->applications ? packet->application : 0;
}

static inline u32 order_level(struct noc_policy *p, const struct order *o, struct order_state *s,
                              const struct noc_packet *packet, cycle_t now)
{
    if (packet->type == NOC_SPECIAL)
        return 0;
    order_update(p, o, s, now);
    switch (o->kind) {
    case ORDER_CPU_FIRST:
        return packet->type != NOC_CPU;
    case ORDER_GPU_FIRST:
        return packet->type != NOC_GPU;
    case ORDER_AERGIA: {
        u32 waiting = p->agents[packet->agent].waiting;
        u32 before = waiting > 3 ? 3 : waiting; /* 2 bits: misses that were asked before it */
        u32 way =
            packet->hops > 3 ? 0 : 3u - packet->hops; /* 2 bits: the longer way has less slack */
        return before << 3 | (u32)!packet->came_from_memory << 2 | way;
    }
    case ORDER_MPI:
    case ORDER_ATLAS:
    case ORDER_ATLAS_C:
        return s->level[order_group(p, o, packet)];
    default:
        return 0;
    }
}

static inline void order_served(const struct noc_policy *p, const struct order *o,
                                struct order_state *s, const struct noc_packet *packet)
{
    if (packet->type != NOC_SPECIAL)
        s->served[order_group(p, o, packet)] += packet->flits;
}

#define ORDER_BATCH(owner)                                                                         \
    P_U32(owner, batch_cycles, 16000, 0, 16000000, "cycles",                                       \
          "packets of an older batch go first, whatever their rank; 0: no batches, and the last "  \
          "in rank may starve",                                                                    \
          "STC: Das et al. 2009")

#endif
