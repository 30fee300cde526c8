/* An SM as its read-only caches see it. */
#include "base/map.h"
#include "gpu/sm/sm.h"

static bool can_send(void *self)
{
    struct sm *sm = self;
    return sm_can_send(sm, &sm->ro_cache_miss, 1);
}

static void send(void *self, handle_t h, cycle_t now)
{
    struct sm *sm = self;
    sm_send(sm, h, &sm->ro_cache_miss, now);
}

/* Warps whose code has come have turns again; a load is answered as if it had hit, at the least. */
static void came(void *self, const struct ro_cache *s, const struct request *r, cycle_t now)
{
    struct sm *sm = self;
    struct sm_ticket t = ticket_read(r);
    if (s->at.client == CLIENT_INSTRUCTION)
        warp_fetch_filled(&sm->fetch, (u64)1 << t.warp);
    else
        lsu_answered(&sm->lsu, t.entry, max_u64(now + 1, r->issued + s->config->hit_cycles), now);
}

static void init(struct sm *sm, struct ro_cache *s, const struct ro_cache_config *config, u8 client,
                 struct policy_choice lru, struct arena *arena)
{
    static const struct ro_cache_client_ops ops = {can_send, send, came};
    ro_cache_init(
        s, arena,
        &(struct ro_cache_parts){.config = config,
                                 .client = client,
                                 .agent = sm->agent.number,
                                 .seed = hash_u64(sm->sim->seed + sm->index * 4u + client),
                                 .requests = sm->requests,
                                 .lru = lru,
                                 .ops = &ops,
                                 .sm = sm});
}

void ro_cache_client_init(struct sm *sm, struct arena *arena, struct policy_choice lru)
{
    const struct sm_config *c = &sm->config->sm;
    init(sm, &sm->instruction, &c->instruction, CLIENT_INSTRUCTION, lru, arena);
    l0_icache_init(&sm->l0_icache, arena,
                   &(struct l0_icache_parts){.config = &c->fetch,
                                             .larger = &sm->instruction,
                                             .seed = hash_u64(sm->sim->seed + sm->index),
                                             .lru = lru});
    init(sm, &sm->constant, &c->constant, CLIENT_CONSTANT, lru, arena);
    init(sm, &sm->texture, &c->texture, CLIENT_TEXTURE, lru, arena);
}
