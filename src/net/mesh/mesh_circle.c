/* Why nothing moves: virtual channels that wait for each other in a circle. */
#include "net/mesh/mesh_internal.h"

static const char *const directions[] = {"local", "east", "west", "north", "south"};

/* The virtual channel that this one waits for; NO_VC: it waits for none, or is not stuck. */
static u32 waits_for(const struct mesh *m, u32 index)
{
    const struct mesh_vc *vc = &m->inputs[index];
    u32 ahead = m->ahead[port_index(vc->node, vc->out)];
    if (vc->out == MESH_LOCAL) /* it leaves, or waits for nobody in the mesh */
        return NO_VC;
    if (vc->state == VC_ACTIVE && vc->flits && !m->credits[vc->ahead])
        return vc->ahead;
    if (vc->state != VC_ASKING)
        return NO_VC;
    const struct mesh_packet *p = &m->packets[vc->packet];
    u32 allowed = p->escapes ? 1u << m->escape_vc : m->routers[vc->node].vcs_of[p->what.type];
    for (; allowed; allowed &= allowed - 1) { /* any of them would do: all are taken */
        u32 owner = m->owner[ahead + (u32)__builtin_ctz(allowed)];
        if (owner != NO_VC)
            return owner;
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
