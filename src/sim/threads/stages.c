/* Which units of a domain may tick at the same time: see engine_set_shard. */
#include "sim/threads/thread_pool.h"

#include <string.h>

u32 engine_shards(const struct engine *e)
{
    u32 most = 1;
    for (u32 i = 0; i < e->unit_count; i++) {
        const struct unit *u = e->units[i];
        most = u->stage ? (u32)max_u64(most, u->shard + 1) : most;
    }
    return most;
}

/* Units by shard, those of one in order; shards in order of their numbers. */
static void find_shards(struct engine *e, const struct domain *d, struct stage *s)
{
    u32 most = 0, at = 0;
    for (u32 slot = s->first; slot < s->end; slot++)
        most = (u32)max_u64(most, d->units[slot]->shard);
    s->slots = ARENA_ARRAY(e->arena, u32, s->end - s->first);
    s->shard_first = ARENA_ARRAY(e->arena, u32, most + 2);
    for (u32 shard = 0; shard <= most; shard++) {
        s->shard_first[s->shard_count] = at;
        for (u32 slot = s->first; slot < s->end; slot++) {
            if (d->units[slot]->shard == shard)
                s->slots[at++] = slot;
        }
        s->shard_count += at > s->shard_first[s->shard_count];
    }
    s->shard_first[s->shard_count] = at;
}

void stages_find(struct engine *e, struct domain *d)
{
    d->stages = ARENA_ARRAY(e->arena, struct stage *, d->unit_count + 1);
    for (u32 slot = 0, end; slot < d->unit_count; slot = end) {
        u32 number = d->units[slot]->stage;
        bool has_ends = d->units[slot]->end;
        for (end = slot + 1; end < d->unit_count && d->units[end]->stage == number; end++)
            has_ends &= d->units[end]->end != NULL;
        if (!number || end - slot < 2 || e->stage_count == MOST_STAGES)
            continue;
        struct stage *s = ARENA_NEW(e->arena, struct stage);
        *s = (struct stage){.domain = d,
                            .index = e->stage_count,
                            .group = d->is_apart ? 1 + (u32)(d - e->domains) : 0,
                            .number = number,
                            .first = slot,
                            .end = end,
                            .has_ends = has_ends};
        e->stages[e->stage_count++] = d->stages[d->stage_count++] = s;
        find_shards(e, d, s);
    }
}
