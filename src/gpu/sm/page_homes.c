/*
 * Where the requests of an SM go in a machine of several sockets: to its own L2, or by one of the
 * nodes of the link to the socket that has the line (mem/page_placement.h).
 *
 * Pages are of global memory. What is an SM's own (local memory, saved contexts) is in its socket,
 * and so are the code, the parameters and the constants of a kernel: each socket is given a launch
 * of its own, with all that belongs to it.
 *
 * The home of a page that nobody had when the cycle began is found when all SMs have ticked: all
 * sockets ask first, then requests learn who got it. Nobody reads where a request goes before the
 * instant is over.
 *
 * Requests of the socket that touched a page first wait for it (sockets.fault_cycles): they are
 * held here and go to their port when it is there, the oldest first and before anything younger.
 * Where there is no room for more of them L1 waits.
 */
#include "gpu/sm/sm.h"

#include "gpu/cluster.h"

static void send_to(struct sm *sm, struct request *r, u32 home)
{
    bool is_local = home == sm->agent.socket;
    r->home = (u8)home;
    home_count(&sm->asks, is_local);
    u64 to = is_local || sm->coherence
                 ? address_place(sm->map, r->line).bank
                 : sm->link_node + (r->line / sm->config->line_bytes & sm->link_mask);
    r->to = (u16)to;
}

/* Of no page: every socket has it. */
static bool is_own(const struct request *r)
{
    return r->kind == REQUEST_FETCH || ticket_read(r).client == CLIENT_CONSTANT ||
           line_is_private(r->line);
}

static void hold(struct sm *sm, handle_t h, cycle_t until)
{
    sm->held[sm->held_count++] = (struct held_request){h, until};
    sm->held_next = min_u64(sm->held_next, until);
    sm->uses_rare = true;
}

bool homes_route(struct sm *sm, handle_t h, struct request *r, cycle_t now)
{
    r->socket = sm->agent.socket;
    if (is_own(r)) {
        send_to(sm, r, r->socket);
        return true;
    }
    struct home *homes = sm->home;
    u32 home = home_find(homes, r->line, r->socket);
    if (UNLIKELY(home == HOME_LATER)) {
        sm->homeless[sm->homeless_count++] = h;
        __atomic_store_n(sm->has_homeless, true, __ATOMIC_RELAXED);
        return !homes->fault_cycles;
    }
    cycle_t ready = UNLIKELY(now < homes->busy_until) ? home_ready(homes, r->line, r->socket) : 0;
    if (now < ready) {
        hold(sm, h, ready);
        return false;
    }
    send_to(sm, r, home);
    return true;
}

static struct port *port_of(struct sm *sm, const struct request *r)
{
    return ticket_read(r).client == CLIENT_TEXTURE ? &sm->ro_cache_miss : &sm->miss;
}

void homes_release(struct sm *sm, cycle_t now)
{
    u32 kept = 0;
    sm->held_next = CYCLE_NEVER;
    sm->held_blocks = false;
    for (u32 i = 0; i < sm->held_count; i++) {
        struct held_request *q = &sm->held[i];
        struct request *r = sm_request(sm, q->request);
        if (q->until <= now && !sm->held_blocks && port_has_room(port_of(sm, r), 1)) {
            u32 home = home_find(sm->home, r->line, r->socket);
            send_to(sm, r, home == HOME_LATER ? r->socket : home); /* the table is full */
            port_push(port_of(sm, r), q->request);
            continue;
        }
        if (q->until <= now)
            sm->held_blocks = true;
        else
            sm->held_next = min_u64(sm->held_next, q->until);
        sm->held[kept++] = *q;
    }
    sm->held_count = kept;
}

u8 homes_expect(const struct sm *sm, u64 line)
{
    u32 home = line_is_private(line) ? HOME_LATER : home_find(sm->home, line, sm->agent.socket);
    return home == HOME_LATER ? sm->agent.socket : (u8)home;
}

/* After the first parts of all SMs' ticks, and after the second: the socket asks for its pages. */
static void ask_for_pages(void *self)
{
    struct gpu_cluster *c = self;
    if (LIKELY(!c->has_homeless))
        return;
    cycle_t now = engine_cycle(&c->site.sim->engine, c->core);
    for (u32 i = 0; i < c->config->sm.count; i++) {
        struct sm *sm = &c->sms[i];
        for (u32 k = 0; k < sm->homeless_count; k++)
            home_give(sm->home, sm_request(sm, sm->homeless[k])->line, sm->agent.socket, now);
    }
}

/* All sockets have. */
static void find_homes(void *self)
{
    struct gpu_cluster *c = self;
    if (LIKELY(!c->has_homeless))
        return;
    cycle_t now = engine_cycle(&c->site.sim->engine, c->core);
    c->has_homeless = false;
    for (u32 i = 0; i < c->config->sm.count; i++) {
        struct sm *sm = &c->sms[i];
        struct home *h = sm->home;
        for (u32 k = 0; k < sm->homeless_count; k++) {
            struct request *r = sm_request(sm, sm->homeless[k]);
            u32 home = home_give(h, r->line, r->socket, now);
            if (!h->fault_cycles)
                send_to(sm, r, home);
            else
                hold(sm, sm->homeless[k], max_u64(home_ready(h, r->line, r->socket), now + 1));
        }
        if (sm->homeless_count && h->fault_cycles)
            engine_wake_at(sm->engine, sm->unit, sm->held_next);
        sm->homeless_count = 0;
    }
}

/* The last of the socket's commits: the next cycle is another round. */
static void end_round(void *self)
{
    struct gpu_cluster *c = self;
    home_given(c->sms[0].home);
}

u32 homes_most_held(const struct gpu_config *c)
{
    u32 mshrs = c->sm.l1.mshrs;
    return c->sockets.count > 1 ? (mshrs > 64 ? mshrs : 64) : 0;
}

void homes_init(struct gpu_cluster *c, const struct memory_system *memory)
{
    struct sim *sim = c->site.sim;
    for (u32 i = 0; i < c->config->sm.count; i++) {
        struct sm *sm = &c->sms[i];
        sm->home = memory->home;
        sm->link_node = (u16)memory->bank_count;
        sm->link_mask = (u16)(memory->link.nodes - 1);
        sm->has_homeless = &c->has_homeless;
        /* what it sends in a cycle is in its ports when that ends, or held */
        u32 held = homes_most_held(c->config) + c->config->sm.texture.mshrs + 64;
        sm->homeless = ARENA_ARRAY(&sim->arena, handle_t,
                                   sm->miss.capacity + sm->ro_cache_miss.capacity + held);
        sm->held = ARENA_ARRAY(&sim->arena, struct held_request, held);
        sm->held_most = homes_most_held(c->config);
        sm->held_next = CYCLE_NEVER;
    }
    engine_commit_with(&sim->engine, c->core, ask_for_pages, c);
}

void homes_connect(struct gpu_cluster *c)
{
    struct engine *e = &c->site.sim->engine;
    engine_commit_with(e, c->core, find_homes, c);
    if (c->site.socket == c->config->sockets.count - 1)
        engine_commit_with(e, c->core, end_round, c);
}

void homes_settle(struct gpu_cluster *c)
{
    struct home *home = c->sms[0].home;
    struct home_asks sum = {0};
    for (u32 i = 0; home && i < c->config->sm.count; i++) {
        sum.local += c->sms[i].asks.local;
        sum.remote += c->sms[i].asks.remote;
    }
    if (home)
        home->counts[c->site.socket].asks = sum;
}
