/*
 * Which virtual channels packets of CPU cores and a GPU may use in a shared network, and which
 * packet goes first.
 *
 * One instance per mesh. The type of a packet is that of the core it serves, on the way there as
 * on the way back.
 *
 * Contract: a plan says which virtual channels of every port each type may take and how packets
 * leave the injection queues. The network calls begin() once for the first plan, and decide() in
 * the cycle that the last call asked for, cycle 0 first. A central policy's plan travels to the
 * nodes as packets; the cores' answers reach it through gathered() before it decides again. rank()
 * is called when a packet is queued for injection, key() when it enters its first router: where
 * arbitration is by age, the least key wins. rank() and key() of a packet are asked for once.
 */
#ifndef NET_MESH_NOC_POLICY_H
#define NET_MESH_NOC_POLICY_H

#include "sim/policy.h"

/* NOC_SPECIAL: packets of the network itself, which may take any channel. */
enum noc_type { NOC_CPU, NOC_GPU, NOC_SPECIAL, NOC_TYPES };

/* Which packets of a node's injection queue may go next. */
enum noc_injection {
    NOC_FIFO,         /* the oldest only */
    NOC_TYPED_TURNS,  /* the oldest of each type, in turn */
    NOC_TYPED_OLDEST, /* the oldest of each type whose channel has room, the older one first */
    NOC_ANY,          /* any; the least rank first, then the oldest */
};

#define NOC_ALL_VCS UINT16_MAX

struct noc_plan {
    u16 vcs_of[NOC_TYPES]; /* bit per VC of each port */
    u8 injection;          /* enum noc_injection */
    /* A router ignores vcs_of unless packets of both types came within so many cycles; 0: never */
    u32 both_within_cycles;
    bool where_both_pass; /* a router ignores vcs_of unless packets of both types can pass it */
};

static inline struct noc_plan noc_plan_shared(void)
{
    return (struct noc_plan){.vcs_of = {NOC_ALL_VCS, NOC_ALL_VCS, NOC_ALL_VCS}};
}

/* Channels 0 to k - 1 are the CPU's, k to vcs - 1 the GPU's. */
static inline void noc_plan_split(struct noc_plan *plan, u32 k)
{
    plan->vcs_of[NOC_CPU] = (u16)((1u << k) - 1);
    plan->vcs_of[NOC_GPU] = (u16)~plan->vcs_of[NOC_CPU];
}

/* State of an agent of the machine, kept up to date by the network. */
struct noc_agent {
    u8 type;        /* NOC_CPU or NOC_GPU */
    u8 application; /* that it runs */
    u16 node;
    const u64 *instructions; /* retired so far; NULL: not counted */
    u64 requests;            /* sent so far: misses of its private caches */
    u32 waiting;             /* requests without an answer yet */
};

struct noc_packet {
    u8 type, application;
    u8 is_reply;
    u8 came_from_memory; /* a line from or for a memory controller */
    u16 agent;
    u16 hops; /* number of links to its destination */
    u16 flits;
};

struct noc_policy_ops;

struct noc_policy {
    const struct noc_policy_ops *ops;
    const void *config; /* as ops->params say */
    void *state;        /* ops->state_bytes of zeros */
    u32 vcs, nodes;
    u32 applications; /* at least 1 */
    u32 agent_count;
    struct noc_agent *agents;
};

struct noc_policy_ops {
    POLICY_HEAD;
    bool is_central; /* its plans travel as packets, and the cores answer */
    /* Each may be NULL. */
    bool (*init)(struct noc_policy *p, struct err *err);        /* false: not on this network */
    void (*begin)(struct noc_policy *p, struct noc_plan *plan); /* the first plan */
    /* In the cycle that the last call asked for; cycle 0 first. Changes the plan if it wants to.
     * Central: returns `now` to send the plan and hear of the cores, then gathered() goes on. */
    cycle_t (*decide)(struct noc_policy *p, cycle_t now, struct noc_plan *plan);
    /* Central only: every core has the plan that decide() made, and this is what cores of a type
     * have retired since the plan before, in NOC_RATE_CYCLES: plans take longer through a full
     * network, so that each core's time under one differs. Says when to decide next; may change the
     * plan once more (and says so), which is not answered. */
    cycle_t (*gathered)(struct noc_policy *p, cycle_t now, const u64 *instructions,
                        struct noc_plan *plan, bool *changes);
    /* Rank of a packet in its injection queue, for NOC_ANY (NULL: all equal). */
    u64 (*rank)(struct noc_policy *p, const struct noc_packet *packet, cycle_t now);
    /* Key of a packet that enters its first router (NULL: the cycle). */
    u64 (*key)(struct noc_policy *p, const struct noc_packet *packet, cycle_t now);
    /* Is it comparing periods now? Changes of the cores' speed would disturb it. */
    bool (*is_sampling)(const struct noc_policy *p);
    /* A packet has entered its first router. */
    void (*entered)(struct noc_policy *p, const struct noc_packet *packet, cycle_t now);
};

/* Has it what it cannot do without? A central policy hears of its plans' effect. */
static inline bool noc_policy_is_whole(const struct noc_policy_ops *p)
{
    return !p->is_central || (p->decide && p->gathered);
}

#define NOC_RATE_CYCLES ((u64)1 << 20)

#define NOC_POLICY(id) POLICY(noc_policy, id)

/* A key that compares batches of batch_cycles first (at most 2^24; 0: no batches), then ranks
 * below 256, then age. */
static inline u64 noc_key(cycle_t now, u32 batch_cycles, u32 rank)
{
    if (!batch_cycles)
        return (u64)rank << 56 | now;
    return (now / batch_cycles) << 32 | (u64)rank << 24 | now % batch_cycles;
}

#endif
