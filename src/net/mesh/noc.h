/*
 * The part of a mesh that asks its policy (net/mesh/noc_policy.h), and makes what it says hold.
 *
 * A plan of a policy that is not central holds everywhere in the cycle after it was made. A central
 * policy sits at a node in the middle: each plan goes to every node in a packet of one flit, and
 * holds there from its arrival on; a node with cores then answers with what each of them has
 * retired since the plan before, and in which time, and when all have answered the policy is told.
 */
#ifndef NET_MESH_NOC_H
#define NET_MESH_NOC_H

#include "net/mesh/mesh.h"
#include "sim/sim.h"

struct noc_counts {
    u64 decisions;      /* plans made */
    u64 messages;       /* packets of a central policy */
    u64 central_cycles; /* from a plan to the last answer, summed */
    u64 cpu_vcs;        /* of the plan in force, 0: all */
};

/* What a core has answered a central policy. */
struct noc_core {
    u64 retired, sent;                                      /* until its last answer */
    cycle_t answered;                                       /* when that was */
    u64 period_packets, period_instructions, period_cycles; /* from the answer before to it */
};

struct noc {
    struct mesh *mesh;
    struct noc_policy policy;
    cycle_t decide_at;
    struct noc_plan plan; /* the last one made */
    u32 node;             /* of a central policy */
    u32 answers_due;
    cycle_t asked_at;
    struct noc_core *cores;    /* by agent */
    u64 retired_of[NOC_TYPES]; /* since the plan before, in NOC_RATE_CYCLES */
    struct noc_counts counts;
};

/* False: the policy cannot run on this mesh. Agents are borrowed and kept up to date by the owner.
 */
bool noc_init(struct noc *n, struct sim *sim, struct mesh *m, struct policy_choice choice,
              struct noc_agent *agents, u32 agent_count, u32 applications, struct err *err);
void noc_add_statistics(const struct noc *n, struct stats *s, stat_node node);
/* Packets that can be under way for it. */
u32 noc_most_packets(u32 nodes, u32 agents);
/* Asks the policy if it is time. */
void noc_decide(struct noc *n, cycle_t now);
static inline void noc_step(struct noc *n, cycle_t now)
{
    if (now >= n->decide_at)
        noc_decide(n, now);
}
/* A packet of type NOC_SPECIAL came to its node; it is freed. */
void noc_take(struct noc *n, u32 packet, cycle_t now);

#endif
