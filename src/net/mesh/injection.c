/* Injection queues: which packet enters the router next, and by which channel. */
#include "net/mesh/mesh_internal.h"

#include <stdlib.h>

static void list_add(struct mesh *m, struct mesh_list *l, u32 packet)
{
    m->packets[packet].next = 0;
    if (l->count++)
        m->packets[l->last].next = packet;
    else
        l->first = packet;
    l->last = packet;
}

static void list_remove(struct mesh *m, struct mesh_list *l, u32 packet)
{
    u32 before = 0;
    for (u32 p = l->first; p != packet; p = m->packets[p].next)
        before = p;
    if (before)
        m->packets[before].next = m->packets[packet].next;
    else
        l->first = m->packets[packet].next;
    if (l->last == packet)
        l->last = before;
    l->count--;
}

static bool has_lists(const struct mesh_injector *q)
{
    return q->injection == NOC_TYPED_TURNS || q->injection == NOC_TYPED_OLDEST;
}

/* In the pool itself. A quarter of it is kept for each type where it has lists of types. */
static bool fits(const struct mesh *m, const struct mesh_injector *q, u32 type)
{
    u32 room = m->config->injection_packets;
    u32 used = q->lists[NOC_CPU].count + q->lists[NOC_GPU].count;
    if (!room || type == NOC_SPECIAL)
        return true;
    if (!has_lists(q))
        return used < room;
    u32 kept = room / 4, other = q->lists[type == NOC_CPU ? NOC_GPU : NOC_CPU].count;
    return q->lists[type].count + (other > kept ? other : kept) < room;
}

static u32 waiting_outside(const struct mesh_injector *q)
{
    return q->outside[NOC_CPU].count + q->outside[NOC_GPU].count;
}

bool mesh_has_room(const struct mesh *m, u32 node, u32 type)
{
    const struct mesh_injector *q = &m->injectors[node];
    if (type == NOC_SPECIAL)
        return true;
    return has_lists(q) ? !q->outside[type].count && fits(m, q, type)
                        : !waiting_outside(q) && fits(m, q, type);
}

bool mesh_has_lists(const struct mesh *m, u32 node)
{
    return has_lists(&m->injectors[node]);
}

bool mesh_pools_are_bounded(const struct mesh *m)
{
    u32 room = m->config->injection_packets;
    for (u32 n = 0; room && n < m->nodes; n++) {
        const struct mesh_list *l = m->injectors[n].lists;
        if (l[NOC_CPU].count + l[NOC_GPU].count > room)
            return false;
    }
    return true;
}

void mesh_queue(struct mesh *m, u32 packet, cycle_t queued)
{
    struct mesh_packet *p = &m->packets[packet];
    struct mesh_injector *q = &m->injectors[p->from];
    u32 type = p->what.type;
    u32 dx = (u32)abs(m->x[p->from] - m->x[p->to]), dy = (u32)abs(m->y[p->from] - m->y[p->to]);
    p->queued = queued;
    p->what.hops = (u16)(dx + dy);
    if (m->policy && m->policy->ops->rank)
        p->rank = m->policy->ops->rank(m->policy, &p->what, queued);
    list_add(m, mesh_has_room(m, p->from, type) ? &q->lists[type] : &q->outside[type], packet);
    m->counts.types[type].queued++;
    level_change(&m->routers[p->from].queued[type], 1, queued);
    m->live++;
    bitset_add(&m->injecting, p->from);
}

/* A channel of the local port that the packet may enter by; vcs: none. */
static u32 find_vc(const struct mesh *m, u32 node, const struct mesh_packet *p, cycle_t now)
{
    const struct mesh_injector *q = &m->injectors[node];
    const u8 *credits = &m->credits[vc_index(m, port_index(node, MESH_LOCAL), 0)];
    const struct mesh_router *r = &m->routers[node];
    u32 vcs = is_typed(m, r, now) ? r->vcs_of[p->what.type] : (1u << m->config->vcs) - 1, fit = 0;
    bool whole = m->config->whole_packets || !m->config->injection_flits;
    u32 needed = whole ? (u32)min_u64(p->what.flits, m->config->vc_flits) : 1;
    for (; vcs; vcs &= vcs - 1) {
        u32 v = (u32)__builtin_ctz(vcs);
        fit |= (u32)(credits[v] >= needed) << v;
    }
    return fit ? in_turn(fit, q->vc_turn) : m->vcs;
}

static bool is_older(const struct mesh *m, u32 a, u32 b)
{
    const struct mesh_packet *p = &m->packets[a], *q = &m->packets[b];
    return p->queued < q->queued || (p->queued == q->queued && a < b);
}

/* The oldest of all types, whether or not it can go. */
static u32 oldest(const struct mesh *m, const struct mesh_injector *q)
{
    u32 best = 0;
    for (u32 t = 0; t < NOC_TYPES; t++) {
        if (q->lists[t].count && (!best || is_older(m, q->lists[t].first, best)))
            best = q->lists[t].first;
    }
    return best;
}

/* The packet that goes next, with its channel; 0: none can. */
static u32 choose_fifo(const struct mesh *m, u32 node, u32 *vc, cycle_t now)
{
    u32 p = oldest(m, &m->injectors[node]);
    *vc = find_vc(m, node, &m->packets[p], now);
    return *vc < m->vcs ? p : 0;
}

static u32 choose_oldest_that_can(const struct mesh *m, u32 node, u32 *vc, cycle_t now)
{
    const struct mesh_injector *q = &m->injectors[node];
    u32 best = 0;
    for (u32 t = 0; t < NOC_TYPES; t++) {
        if (!q->lists[t].count || (best && !is_older(m, q->lists[t].first, best)))
            continue;
        u32 v = find_vc(m, node, &m->packets[q->lists[t].first], now);
        if (v == m->vcs)
            continue;
        best = q->lists[t].first;
        *vc = v;
    }
    return best;
}

static u32 choose_type_in_turn(struct mesh *m, u32 node, u32 *vc, cycle_t now)
{
    struct mesh_injector *q = &m->injectors[node];
    for (u32 k = 0; k < NOC_TYPES; k++) {
        u32 t = (q->type_turn + k) % NOC_TYPES;
        if (!q->lists[t].count)
            continue;
        *vc = find_vc(m, node, &m->packets[q->lists[t].first], now);
        if (*vc == m->vcs)
            continue;
        q->type_turn = (u8)((t + 1) % NOC_TYPES);
        return q->lists[t].first;
    }
    return 0;
}

static u32 choose_any(const struct mesh *m, u32 node, u32 *vc, cycle_t now)
{
    const struct mesh_injector *q = &m->injectors[node];
    u32 best = 0;
    for (u32 t = 0; t < NOC_TYPES; t++) {
        u32 p = q->lists[t].first;
        for (u32 i = 0; i < q->lists[t].count; i++, p = m->packets[p].next) {
            u64 rank = m->packets[p].rank;
            if (best && (rank > m->packets[best].rank ||
                         (rank == m->packets[best].rank && !is_older(m, p, best))))
                continue;
            u32 v = find_vc(m, node, &m->packets[p], now);
            if (v == m->vcs)
                continue;
            best = p;
            *vc = v;
        }
    }
    return best;
}

static void come_in(struct mesh *m, struct mesh_injector *q, u32 type)
{
    u32 packet = q->outside[type].first;
    list_remove(m, &q->outside[type], packet);
    list_add(m, &q->lists[type], packet);
}

/* Those outside, as far as there is room: by type, or in the order in which they came. */
static void let_in(struct mesh *m, struct mesh_injector *q)
{
    for (u32 t = NOC_CPU; has_lists(q) && t <= NOC_GPU; t++) {
        while (q->outside[t].count && fits(m, q, t))
            come_in(m, q, t);
    }
    while (!has_lists(q) && waiting_outside(q)) {
        u32 c = q->outside[NOC_CPU].first, g = q->outside[NOC_GPU].first;
        u32 type = !q->outside[NOC_CPU].count || (q->outside[NOC_GPU].count && is_older(m, g, c))
                       ? NOC_GPU
                       : NOC_CPU;
        if (!fits(m, q, type))
            return;
        come_in(m, q, type);
    }
}

static bool begin(struct mesh *m, u32 node, cycle_t now)
{
    struct mesh_injector *q = &m->injectors[node];
    u32 vc = m->vcs, packet;
    if (q->injection == NOC_FIFO)
        packet = choose_fifo(m, node, &vc, now);
    else if (q->injection == NOC_TYPED_OLDEST)
        packet = choose_oldest_that_can(m, node, &vc, now);
    else if (q->injection == NOC_TYPED_TURNS)
        packet = choose_type_in_turn(m, node, &vc, now);
    else
        packet = choose_any(m, node, &vc, now);
    if (!packet)
        return false;
    struct mesh_packet *p = &m->packets[packet];
    list_remove(m, &q->lists[p->what.type], packet);
    if (waiting_outside(q))
        let_in(m, q);
    p->entered = now;
    p->entered_fs = m->now_fs;
    p->key = m->policy && m->policy->ops->key ? m->policy->ops->key(m->policy, &p->what, now) : now;
    level_change(&m->routers[node].queued[p->what.type], -1, now);
    q->sending = packet;
    q->left = p->what.flits;
    q->vc = (u8)vc;
    q->vc_turn = (u8)(vc + 1 < m->config->vcs ? vc + 1 : 0);
    if (m->policy && m->policy->ops->entered)
        m->policy->ops->entered(m->policy, &p->what, now);
    return true;
}

/* False: its channel has no room. */
static bool send_flit(struct mesh *m, u32 node, cycle_t now)
{
    struct mesh_injector *q = &m->injectors[node];
    u32 index = vc_index(m, port_index(node, MESH_LOCAL), q->vc);
    if (!m->credits[index])
        return false;
    struct mesh_slot *slot = &m->slots[(now + 2) & 3];
    const struct mesh_packet *p = &m->packets[q->sending];
    slot->arrivals[slot->arrival_count++] = index;
    m->credits[index]--;
    level_change(&m->routers[node].held[p->what.type], 1, now + 2);
    if (q->left == p->what.flits)
        enqueue(m, index, q->sending);
    if (--q->left == 0)
        q->sending = 0;
    return true;
}

static bool is_empty(const struct mesh_injector *q)
{
    return !(q->lists[NOC_CPU].count + q->lists[NOC_GPU].count + q->lists[NOC_SPECIAL].count +
             waiting_outside(q));
}

bool mesh_queue_is_empty(const struct mesh *m, u32 node)
{
    return is_empty(&m->injectors[node]);
}

void mesh_inject(struct mesh *m, cycle_t now)
{
    for (u32 w = 0; w < m->injecting.word_count; w++) {
        for (u64 bits = m->injecting.words[w]; bits; bits &= bits - 1) {
            u32 node = w * 64 + (u32)__builtin_ctzll(bits);
            struct mesh_injector *q = &m->injectors[node];
            for (u32 sent = 0; sent < m->injection_flits; sent++) {
                if (!(q->sending || (!is_empty(q) && begin(m, node, now))) ||
                    !send_flit(m, node, now))
                    break;
            }
            if (!q->sending && is_empty(q))
                bitset_remove(&m->injecting, node);
        }
    }
}
