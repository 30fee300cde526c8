/* What the files of the mesh share: states of a virtual channel, and small steps. */
#ifndef NET_MESH_PARTS_H
#define NET_MESH_PARTS_H

#include "net/mesh.h"

enum { VC_IDLE, VC_ROUTING, VC_ASKING, VC_HELD_BACK, VC_ACTIVE };

#define NO_OWNER UINT8_MAX

/* The first member at or after `from`, else the first of all. */
static inline u32 in_turn(u64 members, u32 from)
{
    u64 after = members >> from << from;
    return (u32)__builtin_ctzll(after ? after : members);
}

static inline u32 port_index(u32 node, u32 port)
{
    return node * MESH_PORTS + port;
}

static inline u32 vc_index(const struct mesh *m, u32 port, u32 vc)
{
    return port * m->vcs + vc;
}

/* A port and one of its VCs in one number. */
static inline u32 event_of(u32 port, u32 vc)
{
    return port << 4 | vc;
}

/* A packet's flits begin to come into a VC: it is the last of those there. */
static inline void enqueue(struct mesh *m, u32 index, u32 packet)
{
    struct mesh_vc *vc = &m->inputs[index];
    m->queues[index * (m->queue_mask + 1) + ((vc->first + vc->packets++) & m->queue_mask)] = packet;
}

static inline void wake_router(struct mesh *m, u32 node)
{
    m->active.words[node / 64] |= (u64)1 << (node % 64);
}

static inline void want_switch(struct mesh *m, u32 node, u32 out, u64 bit)
{
    struct mesh_router *r = &m->routers[node];
    r->wants_switch[out] |= bit;
    r->switch_outs |= (u8)(1u << out);
    wake_router(m, node);
}

/* Do types keep to their channels here? Not where one of them has not been for long. */
static inline bool is_typed(const struct mesh *m, const struct mesh_router *r, cycle_t now)
{
    u32 within = m->plan.both_within_cycles;
    if (r->vcs_of[NOC_CPU] == r->vcs_of[NOC_GPU])
        return false;
    return !within || (r->seen[NOC_CPU] && r->seen[NOC_GPU] && r->seen[NOC_CPU] + within > now &&
                       r->seen[NOC_GPU] + within > now);
}

/* mesh_route.c */
/* The VC's front packet has its route, and asks for a VC from the next allocation on. */
void mesh_route(struct mesh *m, u32 event, cycle_t now);
/* Before VC allocation, where a routing has a choice or an escape. */
void mesh_reroute(struct mesh *m, u32 node, cycle_t now);

/* mesh_allocate.c */
void mesh_allocate_vcs(struct mesh *m, u32 node, cycle_t now);
void mesh_allocate_switch(struct mesh *m, u32 node, cycle_t now);

/* mesh.c */
void mesh_send(struct mesh *m, u32 node, u32 in_bit, u32 out, cycle_t now);
/* mesh_inject.c */
void mesh_inject(struct mesh *m, cycle_t now);

#endif
