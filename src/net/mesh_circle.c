/* Why nothing moves: virtual channels that wait for each other in a circle. */
#include "net/mesh_parts.h"

#define NO_VC UINT32_MAX

static const char *const directions[] = {"local", "east", "west", "north", "south"};

/* The virtual channel that this one waits for; NO_VC: it waits for none, or is not stuck. */
static u32 waits_for(const struct mesh *m, u32 index)
{
    const struct mesh_vc *vc = &m->inputs[index];
    u32 node = index / m->vcs / MESH_PORTS, port = port_index(node, vc->out);
    if (vc->state == VC_ACTIVE && vc->out != MESH_LOCAL && vc->flits &&
        !m->credits[vc_index(m, port, vc->out_vc)])
        return vc_index(m, m->peer[port], vc->out_vc);
    if (vc->state != VC_ASKING)
        return NO_VC;
    const struct mesh_packet *p = &m->packets[vc->packet];
    u32 allowed = p->escapes ? 1u << m->escape_vc : m->routers[node].vcs_of[p->what.type];
    for (; allowed; allowed &= allowed - 1) { /* any of them would do: all are taken */
        u32 owner = m->owner[vc_index(m, port, (u32)__builtin_ctz(allowed))];
        if (owner != NO_OWNER)
            return port_index(node, 0) * m->vcs + owner;
    }
    return NO_VC;
}

static void name_vc(const struct mesh *m, u32 index, struct text *out)
{
    u32 port = index / m->vcs;
    text_printf(out, "router %u %s VC %u", port / MESH_PORTS, directions[port % MESH_PORTS],
                index % m->vcs);
}

bool mesh_find_circle(const struct mesh *m, struct text *out)
{
    u32 vcs = m->nodes * MESH_PORTS * m->vcs;
    for (u32 start = 0; start < vcs; start++) {
        u32 at = waits_for(m, start), steps = 0;
        while (at != NO_VC && at != start && steps++ < vcs)
            at = waits_for(m, at);
        if (at != start)
            continue;
        do {
            name_vc(m, at, out);
            text_printf(out, " (packet %u to %u) -> ", m->packets[m->inputs[at].packet].from,
                        m->packets[m->inputs[at].packet].to);
            at = waits_for(m, at);
        } while (at != start);
        name_vc(m, start, out);
        return true;
    }
    return false;
}
