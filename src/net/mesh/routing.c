/* Where the front packet of a virtual channel goes. */
#include "net/mesh/mesh_internal.h"

static u32 one_then_other(u32 one, u32 other)
{
    return one != MESH_LOCAL ? one : other;
}

/* Free room behind an output: buffers that packets of the type may take. */
static u32 free_room(const struct mesh *m, u32 node, u32 out, u32 type)
{
    const struct mesh_router *r = &m->routers[node];
    u32 room = 0, ahead = m->ahead[port_index(node, out)];
    for (u32 vcs = free_vcs_of(m, r, out) & r->vcs_of[type]; vcs; vcs &= vcs - 1)
        room += 1u + m->credits[ahead + (u32)__builtin_ctz(vcs)];
    return room;
}

u32 mesh_output_of(const struct mesh *m, u32 node, const struct mesh_packet *p)
{
    if (m->config->routing == MESH_XY || p->escapes)
        return output_xy(m, node, p->to);
    u32 x = along_x(m, node, p->to), y = along_y(m, node, p->to);
    if (m->config->routing == MESH_YX)
        return one_then_other(y, x);
    if (m->config->routing == MESH_XY_YX)
        return p->what.is_reply ? one_then_other(y, x) : one_then_other(x, y);
    if (x == MESH_LOCAL || y == MESH_LOCAL)
        return one_then_other(x, y);
    return free_room(m, node, y, p->what.type) > free_room(m, node, x, p->what.type) ? y : x;
}

static void stop_asking(struct mesh_router *r, u64 bit, u32 out)
{
    r->wants_vc[out] &= ~bit;
    if (!r->wants_vc[out])
        r->vc_outs &= (u8) ~(1u << out);
}

/* Heads that have waited too long take to the escape channel, along x, then y; others of an
 * adaptive routing look again where there is room. */
void mesh_reroute(struct mesh *m, u32 node, cycle_t now)
{
    struct mesh_router *r = &m->routers[node];
    u64 asking = 0;
    for (u32 out = MESH_LOCAL + 1; out < MESH_PORTS; out++)
        asking |= r->wants_vc[out];
    for (; asking; asking &= asking - 1) {
        u32 in = (u32)__builtin_ctzll(asking);
        struct mesh_vc *vc = input_of(m, node, in);
        struct mesh_packet *p = &m->packets[vc->packet];
        if (!p->escapes && (u32)now - vc->since > m->escape_after) {
            p->escapes = 1;
            r->counts.escapes++;
            m->counts.escapes++;
        }
        u32 out = mesh_output_of(m, node, p);
        if (out == vc->out)
            continue;
        stop_asking(r, (u64)1 << in, vc->out);
        vc->out = (u8)out;
        ask_for_vc(r, out, (u64)1 << in);
    }
}

static bool is_between(u32 at, u32 one, u32 other)
{
    return (at >= one && at <= other) || (at >= other && at <= one);
}

static u32 towards(u32 at, u32 to)
{
    return to > at ? at + 1 : to < at ? at - 1 : at;
}

/* An adaptive routing may use any router between the two; the others only those of their way. */
void mesh_add_way(struct mesh *m, u32 from, u32 to, bool is_reply, u32 type)
{
    u32 routing = m->config->routing;
    bool y_first = routing == MESH_YX || (routing == MESH_XY_YX && is_reply);
    u32 x = m->x[from], y = m->y[from];
    if (routing == MESH_ADAPTIVE) {
        for (u32 i = 0; i < m->nodes; i++) {
            if (is_between(m->x[i], x, m->x[to]) && is_between(m->y[i], y, m->y[to]))
                m->routers[i].passing |= (u8)(1u << type);
        }
        return;
    }
    m->routers[from].passing |= (u8)(1u << type);
    while (x != m->x[to] || y != m->y[to]) {
        if (y_first ? y == m->y[to] : x != m->x[to])
            x = towards(x, m->x[to]);
        else
            y = towards(y, m->y[to]);
        m->routers[x + m->config->width * y].passing |= (u8)(1u << type);
    }
}
