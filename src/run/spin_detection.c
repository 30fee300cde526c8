#include "run/spin_detection.h"

#include "base/map.h"

#define LOOKS 256u /* in the time of patience */

void spinning_init(struct spinning *s, struct arena *arena, const struct gpu *g, cycle_t patience)
{
    *s = (struct spinning){.patience = patience,
                           .states = ARENA_ARRAY(arena, u64, g->config->sm.count * MOST_SM_WARPS),
                           .left = ARENA_ARRAY(arena, u64, g->config->sm.count)};
}

/* Of all that could make a warp leave its loop. */
static u64 changes_of(const struct gpu *g)
{
    const struct dispatcher *d = &g->cluster.dispatcher;
    u64 sum = d->launches;
    for (u32 i = 0; i < d->grid_count; i++) {
        const struct grid_source *s = &d->grids[i]->source;
        sum = hash_u64(sum ^ (s->ops->changes ? s->ops->changes(s->self) : 0));
    }
    for (u32 i = 0; i < g->config->sm.count; i++) {
        const struct sm *sm = &g->cluster.sms[i];
        sum = hash_u64(sum ^ sm->view.live) + sm->counts.stores + sm->counts.blocks;
    }
    return sum;
}

static u64 state_of(const struct sm *sm, u32 slot)
{
    const struct sm_warp *w = &sm->warps[slot];
    return w->block->grid->ops->state(w->block->stream, w->index);
}

/* False: a warp is of a source that cannot say where it is; such sources have no loops. */
static bool watch(struct spinning *s, const struct gpu *g)
{
    bool any = false;
    for (u32 i = 0; i < g->config->sm.count; i++) {
        const struct sm *sm = &g->cluster.sms[i];
        s->left[i] = sm->view.live;
        for (u64 left = sm->view.live; left; left &= left - 1) {
            u32 slot = (u32)__builtin_ctzll(left);
            if (!sm->warps[slot].block->grid->ops->state)
                return false;
            s->states[i * MOST_SM_WARPS + slot] = state_of(sm, slot);
            any = true;
        }
    }
    return any;
}

static bool all_came_back(struct spinning *s, const struct gpu *g)
{
    bool all = true;
    for (u32 i = 0; i < g->config->sm.count; i++) {
        for (u64 left = s->left[i]; left; left &= left - 1) {
            u32 slot = (u32)__builtin_ctzll(left);
            if (state_of(&g->cluster.sms[i], slot) == s->states[i * MOST_SM_WARPS + slot])
                s->left[i] &= ~((u64)1 << slot);
        }
        all &= !s->left[i];
    }
    return all;
}

static bool reads_any(const struct gpu *g, bool (*may)(u64 address))
{
    for (u32 i = 0; i < g->config->sm.count; i++) {
        const struct sm *sm = &g->cluster.sms[i];
        for (u64 left = sm->view.live; left; left &= left - 1) {
            const struct sm_warp *w = &sm->warps[__builtin_ctzll(left)];
            const struct grid_source *grid = w->block->grid;
            struct err ignored = ERR_INIT;
            u64 address = 0;
            if (grid->ops->explain(w->block->stream, w->index, &address, &ignored) && address &&
                may(address))
                return true;
        }
    }
    return false;
}

bool spinning_look(struct spinning *s, const struct gpu *g, cycle_t now,
                   bool (*host_may_write)(u64 address))
{
    if (!s->patience || now < s->next)
        return false;
    s->next = now + s->patience / LOOKS + 1;
    u64 changes = changes_of(g);
    if (changes != s->changes) {
        s->changes = changes;
        s->is_watching = false;
        return false;
    }
    if (!s->is_watching) {
        s->is_watching = watch(s, g);
        s->since = now;
        return false;
    }
    if (!all_came_back(s, g) || now - s->since < s->patience)
        return false;
    s->is_watching = false; /* should the run go on, it is given as long again */
    return !reads_any(g, host_may_write);
}

void spinning_mark(struct gpu *g)
{
    for (u32 i = 0; i < g->config->sm.count; i++)
        g->cluster.sms[i].spins = g->cluster.sms[i].view.live;
}
