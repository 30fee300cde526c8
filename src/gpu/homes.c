/*
 * Where the requests of an SM go in a machine of several sockets: to its own L2, or by one of the
 * nodes of the link to the socket that has the line (mem/home.h).
 *
 * The home of a page that nobody had when the cycle began is found when all SMs have ticked;
 * nobody reads where a request goes before the instant is over.
 */
#include "gpu/sm.h"

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

void homes_route(struct sm *sm, handle_t h, struct request *r)
{
    r->socket = sm->agent.socket;
    u32 home = home_find(sm->home, r->line, r->socket);
    if (LIKELY(home != HOME_LATER)) {
        send_to(sm, r, home);
        return;
    }
    sm->homeless[sm->homeless_count++] = h;
    __atomic_store_n(sm->has_homeless, true, __ATOMIC_RELAXED);
}

u8 homes_expect(const struct sm *sm, u64 line)
{
    u32 home = home_find(sm->home, line, sm->agent.socket);
    return home == HOME_LATER ? sm->agent.socket : (u8)home;
}

/* After the first parts of all SMs' ticks, and after the second. */
static void find_homes(void *self)
{
    struct gpu_cluster *c = self;
    if (LIKELY(!c->has_homeless))
        return;
    c->has_homeless = false;
    for (u32 i = 0; i < c->config->sm.count; i++) {
        struct sm *sm = &c->sms[i];
        for (u32 k = 0; k < sm->homeless_count; k++) {
            struct request *r = sm_request(sm, sm->homeless[k]);
            send_to(sm, r, home_give(sm->home, r->line, r->socket));
        }
        sm->homeless_count = 0;
    }
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
        /* what it sends in a cycle is in its ports when that ends */
        sm->homeless =
            ARENA_ARRAY(&sim->arena, handle_t, sm->miss.capacity + sm->side_miss.capacity);
    }
    engine_commit_with(&sim->engine, c->core, find_homes, c);
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
