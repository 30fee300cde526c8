/* Who gets which virtual channel of an output, and who the switch. */
#include "net/mesh/mesh_internal.h"

/* ---- virtual channels ---------------------------------------------------------------------- */

/* Of those that ask for an output, who may take a channel of it. */
static u64 may_take(const struct mesh *m, const struct mesh_router *r, u64 asking, u32 vc,
                    u64 escaping, bool typed)
{
    if (vc == m->escape_vc)
        return asking & escaping;
    asking &= ~escaping;
    if (!typed)
        return asking;
    u64 types = r->is_type[NOC_SPECIAL];
    types |= r->vcs_of[NOC_CPU] >> vc & 1 ? r->is_type[NOC_CPU] : 0;
    types |= r->vcs_of[NOC_GPU] >> vc & 1 ? r->is_type[NOC_GPU] : 0;
    return asking & types;
}

static u64 find_escaping(const struct mesh *m, u32 node, u64 asking)
{
    u64 escaping = 0;
    for (; asking; asking &= asking - 1) {
        u32 in = (u32)__builtin_ctzll(asking);
        escaping |= (u64)m->packets[input_of(m, node, in)->packet].escapes << in;
    }
    return escaping;
}

static void give_vc(struct mesh *m, u32 node, u32 in, u32 out, u32 v)
{
    struct mesh_router *r = &m->routers[node];
    u32 index = input_index(m, node, in);
    struct mesh_vc *vc = &m->inputs[index];
    vc->state = VC_ACTIVE;
    vc->out_vc = (u8)(out * m->vcs + v);
    r->free_vcs &= ~((u64)1 << vc->out_vc);
    r->wants_vc[out] &= ~((u64)1 << in);
    if (out != MESH_LOCAL) {
        vc->ahead = m->ahead[port_index(node, out)] + v;
        m->owner[vc->ahead] = index;
        if (!m->credits[vc->ahead])
            return;
    } else if (m->sinks) {
        m->sinks[m->packets[vc->packet].sink]--;
    }
    ask_for_switch(r, out, (u64)1 << in);
}

static u32 accept(struct mesh *m, u32 node, u32 in, u32 out, u32 offers)
{
    u32 first = input_index(m, node, 0), at = out * m->vcs;
    u8 *turn = &m->vc_accept[first + in];
    u32 from = *turn - at, v = in_turn(offers, from & -(u32)(from < m->vcs));
    m->vc_grant[first + at + v] = (u8)(in + 1 < MESH_PORTS * m->vcs ? in + 1 : 0);
    *turn = (u8)(at + v + 1);
    return v;
}

/* Each free channel offers itself to one head in its turn; a head accepts one offer in its turn. */
static void give_in_turn(struct mesh *m, u32 node, u32 out, u64 asking, u32 free, u64 escaping,
                         bool typed)
{
    struct mesh_router *r = &m->routers[node];
    u16 offers[MESH_PORTS * MESH_MOST_VCS];
    u64 offered = 0;
    u32 first = vc_index(m, port_index(node, out), 0);
    if (!(asking & (asking - 1)) && !typed && !escaping) { /* as below, of the only head */
        u32 in = (u32)__builtin_ctzll(asking), vcs = free & ~(1u << m->escape_vc);
        if (vcs)
            give_vc(m, node, in, out, accept(m, node, in, out, vcs));
        return;
    }
    for (u32 vcs = free; vcs; vcs &= vcs - 1) {
        u32 v = (u32)__builtin_ctz(vcs);
        u64 heads = may_take(m, r, asking, v, escaping, typed);
        if (!heads)
            continue;
        u32 in = in_turn(heads, m->vc_grant[first + v]);
        offers[in] = (u16)((offered >> in & 1 ? offers[in] : 0) | 1u << v);
        offered |= (u64)1 << in;
    }
    for (; offered; offered &= offered - 1) {
        u32 in = (u32)__builtin_ctzll(offered);
        give_vc(m, node, in, out, accept(m, node, in, out, offers[in]));
    }
}

static u32 oldest_of(const struct mesh *m, u32 node, u64 heads)
{
    u32 best = (u32)__builtin_ctzll(heads);
    for (heads &= heads - 1; heads; heads &= heads - 1) {
        u32 in = (u32)__builtin_ctzll(heads);
        if (input_of(m, node, in)->key < input_of(m, node, best)->key)
            best = in;
    }
    return best;
}

/* Each free channel goes to the oldest head that may take it and has none yet. */
static void give_to_oldest(struct mesh *m, u32 node, u32 out, u64 asking, u32 free, u64 escaping,
                           bool typed)
{
    struct mesh_router *r = &m->routers[node];
    for (u32 vcs = free; vcs && asking; vcs &= vcs - 1) {
        u32 v = (u32)__builtin_ctz(vcs);
        u64 heads = may_take(m, r, asking, v, escaping, typed);
        if (!heads)
            continue;
        u32 in = oldest_of(m, node, heads);
        asking &= ~((u64)1 << in);
        give_vc(m, node, in, out, v);
    }
}

/* Heads for a sink without room step aside until it has some (mesh_sink_freed); of several for the
 * same room the first keep asking. */
static void hold_back(struct mesh *m, u32 node)
{
    struct mesh_router *r = &m->routers[node];
    u64 heads = r->wants_vc[MESH_LOCAL];
    for (u64 bits = heads; bits; bits &= bits - 1) {
        u32 in = (u32)__builtin_ctzll(bits);
        struct mesh_vc *vc = input_of(m, node, in);
        if (m->sinks[m->packets[vc->packet].sink]-- > 0)
            continue;
        vc->state = VC_HELD_BACK;
        r->held_back |= (u64)1 << in;
        r->wants_vc[MESH_LOCAL] &= ~((u64)1 << in);
    }
    for (u64 bits = heads; bits; bits &= bits - 1)
        m->sinks[m->packets[input_of(m, node, (u32)__builtin_ctzll(bits))->packet].sink]++;
}

static void allocate_vcs(struct mesh *m, u32 node, cycle_t now)
{
    struct mesh_router *r = &m->routers[node];
    bool typed = is_typed(m, r, now);
    if (m->escape_vc < m->vcs)
        mesh_reroute(m, node, now);
    if (m->sinks && r->wants_vc[MESH_LOCAL])
        hold_back(m, node);
    for (u32 outs = r->vc_outs; outs; outs &= outs - 1) {
        u32 out = (u32)__builtin_ctz(outs);
        u64 asking = r->wants_vc[out];
        u32 free = free_vcs_of(m, r, out);
        if (asking && free) {
            u64 escaping = m->escape_vc < m->vcs ? find_escaping(m, node, asking) : 0;
            if (m->config->arbitration == MESH_OLDEST)
                give_to_oldest(m, node, out, asking, free, escaping, typed);
            else
                give_in_turn(m, node, out, asking, free, escaping, typed);
        }
        if (!r->wants_vc[out])
            r->vc_outs &= (u8) ~(1u << out);
    }
}

/* ---- a flit leaves an input ---------------------------------------------------------------- */

/* The last flit of the front packet won the switch. */
static void end_packet(struct mesh *m, struct mesh_router *r, u32 index, struct mesh_vc *vc)
{
    r->freed |= (u64)1 << vc->out_vc;
    r->is_type[vc->type] &= ~((u64)1 << vc->in);
    if (vc->out != MESH_LOCAL)
        m->owner[vc->ahead] = NO_VC;
    vc->first = (u8)((vc->first + 1) & m->queue_mask);
    vc->packets--;
    vc->state = VC_IDLE;
    if (vc->flits > 0) {
        vc->state = VC_ROUTING;
        m->later[m->later_count++] = index;
    }
}

static void eject(struct mesh *m, u32 packet, cycle_t now)
{
    struct mesh_slot *slot = &m->slots[(now + 3) & 3];
    slot->ejected[slot->ejected_count++] = packet;
}

static void send(struct mesh *m, u32 node, u32 in, u32 out, cycle_t now)
{
    struct mesh_router *r = &m->routers[node];
    u32 index = input_index(m, node, in);
    struct mesh_vc *vc = &m->inputs[index];
    struct mesh_slot *slot = &m->slots[(now + 2) & 3];
    bool has_credit = true;
    slot->credits[slot->credit_count++] = index;
    r->counts.flits[out]++;
    level_change(&r->held[vc->type], -1, now);
    vc->flits--;
    vc->left--;
    if (out == MESH_LOCAL) {
        if (!vc->left)
            eject(m, vc->packet, now);
    } else {
        slot = &m->slots[(now + 3) & 3];
        slot->arrivals[slot->arrival_count++] = vc->ahead;
        level_change(&m->routers[m->inputs[vc->ahead].node].held[vc->type], 1, now + 3);
        if (vc->is_whole)
            enqueue(m, vc->ahead, vc->packet);
        has_credit = --m->credits[vc->ahead] > 0;
    }
    vc->is_whole = 0;
    if (vc->left && vc->flits && has_credit)
        return;
    r->wants_switch[out] &= ~((u64)1 << in);
    if (!r->wants_switch[out])
        r->switch_outs &= (u8) ~(1u << out);
    if (!vc->left)
        end_packet(m, r, index, vc);
}

/* ---- the switch ---------------------------------------------------------------------------- */

/* Inputs with a flit for an output. */
static u32 inputs_for(const struct mesh *m, u64 wants)
{
    u32 inputs = 0;
    for (u32 p = 0; p < MESH_PORTS; p++, wants >>= m->vcs)
        inputs |= (u32)((wants & m->port_vcs) != 0) << p;
    return inputs;
}

static void pass_vc(struct mesh *m, u32 node, u32 input, u32 vc, u32 out, cycle_t now)
{
    struct mesh_router *r = &m->routers[node];
    r->vc_turn[input] = (u8)(vc + 1 < m->vcs ? vc + 1 : 0);
    r->grant[out] = (u8)(input + 1 < MESH_PORTS ? input + 1 : 0);
    r->accept[input] = (u8)(out + 1 < MESH_PORTS ? out + 1 : 0);
    send(m, node, input * m->vcs + vc, out, now);
}

static void pass(struct mesh *m, u32 node, u32 input, u32 out, cycle_t now)
{
    const struct mesh_router *r = &m->routers[node];
    u32 vcs = (u32)(r->wants_switch[out] >> (input * m->vcs) & m->port_vcs);
    pass_vc(m, node, input, in_turn(vcs, r->vc_turn[input]), out, now);
}

static void switch_in_turn(struct mesh *m, u32 node, cycle_t now)
{
    struct mesh_router *r = &m->routers[node];
    u8 grants[MESH_PORTS] = {0};
    u32 granted = 0, outputs = r->switch_outs;
    if (!(outputs & (outputs - 1))) { /* as below, with one output */
        u32 out = (u32)__builtin_ctz(outputs);
        u64 wants = r->wants_switch[out];
        u32 in = (u32)__builtin_ctzll(wants);
        if (wants & (wants - 1))
            pass(m, node, in_turn(inputs_for(m, wants), r->grant[out]), out, now);
        else
            pass_vc(m, node, m->port_of[in], m->vc_of[in], out, now);
        return;
    }
    for (u32 outs = r->switch_outs; outs; outs &= outs - 1) {
        u32 out = (u32)__builtin_ctz(outs);
        u32 input = in_turn(inputs_for(m, r->wants_switch[out]), r->grant[out]);
        grants[input] |= (u8)(1u << out);
        granted |= 1u << input;
    }
    for (; granted; granted &= granted - 1) {
        u32 input = (u32)__builtin_ctz(granted);
        if (m->config->sa_input_limit) {
            pass(m, node, input, in_turn(grants[input], r->accept[input]), now);
            continue;
        }
        for (u32 outs = grants[input]; outs; outs &= outs - 1)
            pass(m, node, input, (u32)__builtin_ctz(outs), now);
    }
}

/* The oldest of all that ask goes, then the oldest of those whose input and output are still free,
 * and so on. */
static void switch_to_oldest(struct mesh *m, u32 node, cycle_t now)
{
    struct mesh_router *r = &m->routers[node];
    u32 outs = r->switch_outs, stale = outs, best[MESH_PORTS];
    u64 open = ~(u64)0;
    while (outs) {
        for (; stale; stale &= stale - 1) {
            u32 out = (u32)__builtin_ctz(stale);
            u64 wants = r->wants_switch[out] & open;
            if (wants)
                best[out] = oldest_of(m, node, wants);
            else
                outs &= ~(1u << out);
        }
        if (!outs)
            return;
        u32 first = (u32)__builtin_ctz(outs);
        for (u32 rest = outs & (outs - 1); rest; rest &= rest - 1) {
            u32 out = (u32)__builtin_ctz(rest);
            if (input_of(m, node, best[out])->key < input_of(m, node, best[first])->key)
                first = out;
        }
        outs &= ~(1u << first);
        u32 in = best[first];
        send(m, node, in, first, now);
        if (!m->config->sa_input_limit)
            continue;
        u64 port = m->port_vcs << (m->port_of[in] * m->vcs);
        open &= ~port;
        for (u32 rest = outs; rest; rest &= rest - 1) {
            u32 out = (u32)__builtin_ctz(rest);
            if (port >> best[out] & 1)
                stale |= 1u << out;
        }
    }
}

static void allocate_switch(struct mesh *m, u32 node, cycle_t now)
{
    if (m->config->arbitration == MESH_OLDEST)
        switch_to_oldest(m, node, now);
    else
        switch_in_turn(m, node, now);
}

/* The last stage first, so that each sees what the one before left in the last cycle. False: there
 * is nothing left to allocate. */
static bool allocate(struct mesh *m, u32 node, bool at_once, cycle_t now)
{
    struct mesh_router *r = &m->routers[node];
    if (r->switch_outs && !at_once)
        allocate_switch(m, node, now);
    if (r->vc_outs)
        allocate_vcs(m, node, now);
    if (r->switch_outs && at_once)
        allocate_switch(m, node, now);
    r->free_vcs |= r->freed;
    r->freed = 0;
    return r->vc_outs | r->switch_outs;
}

/* (flatten: at low loads most routers have one flit, and calls were a sixth of their cost.) */
__attribute__((flatten)) void mesh_allocate(struct mesh *m, cycle_t now)
{
    bool at_once = m->config->hop_cycles == 3;
    for (u32 w = 0; w < m->active.word_count; w++) {
        u64 active = m->active.words[w], left = active;
        for (u64 bits = active; bits; bits &= bits - 1) {
            if (!allocate(m, w * 64 + (u32)__builtin_ctzll(bits), at_once, now))
                left &= ~(bits & -bits);
        }
        m->active.words[w] = left;
    }
}
