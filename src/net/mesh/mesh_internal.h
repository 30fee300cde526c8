/* What the files of the mesh share: states of a virtual channel, and small steps. */
#ifndef NET_MESH_MESH_INTERNAL_H
#define NET_MESH_MESH_INTERNAL_H

#include "net/mesh/mesh.h"

enum { VC_IDLE, VC_ROUTING, VC_ASKING, VC_HELD_BACK, VC_ACTIVE };

#define NO_VC UINT32_MAX

/* The first member at or after `from`, else the first of all: of the word turned round, since a
 * branch here is a guess. */
static inline u32 in_turn(u64 members, u32 from)
{
    u64 turned = members >> from | members << (-from & 63);
    return ((u32)__builtin_ctzll(turned) + from) & 63;
}

static inline u32 port_index(u32 node, u32 port)
{
    return node * MESH_PORTS + port;
}

static inline u32 vc_index(const struct mesh *m, u32 port, u32 vc)
{
    return port * m->vcs + vc;
}

/* The VC of a router with this number. */
static inline u32 input_index(const struct mesh *m, u32 node, u32 in)
{
    return node * MESH_PORTS * m->vcs + in;
}

static inline struct mesh_vc *input_of(const struct mesh *m, u32 node, u32 in)
{
    return &m->inputs[input_index(m, node, in)];
}

/* Free VCs of an output, of its own bits only. */
static inline u32 free_vcs_of(const struct mesh *m, const struct mesh_router *r, u32 out)
{
    return (u32)(r->free_vcs >> (out * m->vcs) & m->port_vcs);
}

/* A packet's flits begin to come into a VC: it is the last of those there. */
static inline void enqueue(struct mesh *m, u32 index, u32 packet)
{
    struct mesh_vc *vc = &m->inputs[index];
    m->queues[(index << m->queue_shift) + ((vc->first + vc->packets++) & m->queue_mask)] = packet;
}

static inline void wake_router(struct mesh *m, u32 node)
{
    m->active.words[node / 64] |= (u64)1 << (node % 64);
}

static inline void ask_for_switch(struct mesh_router *r, u32 out, u64 bit)
{
    r->wants_switch[out] |= bit;
    r->switch_outs |= (u8)(1u << out);
}

static inline void ask_for_vc(struct mesh_router *r, u32 out, u64 bit)
{
    r->wants_vc[out] |= bit;
    r->vc_outs |= (u8)(1u << out);
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

static inline u32 along_x(const struct mesh *m, u32 node, u32 to)
{
    return m->x[to] > m->x[node] ? MESH_EAST : m->x[to] < m->x[node] ? MESH_WEST : MESH_LOCAL;
}

static inline u32 along_y(const struct mesh *m, u32 node, u32 to)
{
    return m->y[to] > m->y[node] ? MESH_SOUTH : m->y[to] < m->y[node] ? MESH_NORTH : MESH_LOCAL;
}

/* Along x, then y; by a table, since the next packet's way cannot be predicted. */
static inline u32 output_xy(const struct mesh *m, u32 node, u32 to)
{
    static const u8 outputs[9] = {MESH_WEST,  MESH_WEST, MESH_WEST, MESH_NORTH, MESH_LOCAL,
                                  MESH_SOUTH, MESH_EAST, MESH_EAST, MESH_EAST};
    u32 x = 1u + (m->x[to] > m->x[node]) - (m->x[to] < m->x[node]);
    u32 y = 1u + (m->y[to] > m->y[node]) - (m->y[to] < m->y[node]);
    return outputs[x * 3 + y];
}

/* routing.c */
/* By which port a packet leaves a router. */
u32 mesh_output_of(const struct mesh *m, u32 node, const struct mesh_packet *p);
/* Before VC allocation, where a routing has a choice or an escape. */
void mesh_reroute(struct mesh *m, u32 node, cycle_t now);

/* vc_allocator.c */
/* In all routers that have something to allocate. */
void mesh_allocate(struct mesh *m, cycle_t now);

/* injection.c */
void mesh_inject(struct mesh *m, cycle_t now);

#endif
