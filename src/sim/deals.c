/* Which thread ticks which shards: see sim/crew.h. */
#include "base/map.h"
#include "sim/crew.h"

#include <string.h>

/* Every task to a thread: lane_of[task]. Tasks of a thread stay in order. */
static void write_lists(const struct deals *d, struct deal *deal, const u64 *lane_of)
{
    u32 at = 0;
    for (u32 lane = 0; lane < deal->threads; lane++) {
        deal->first[lane] = at;
        for (u32 i = 0; i < d->task_count; i++) {
            if (lane_of[i] == lane)
                deal->list[at++] = i;
        }
    }
    deal->first[deal->threads] = at;
}

static void deal_in_turn(const struct deals *d, struct deal *deal)
{
    for (u32 i = 0; i < d->task_count; i++)
        d->scratch[i] = d->tasks[i].shard % deal->threads;
    write_lists(d, deal, d->scratch);
}

void deals_at_random(const struct deals *d, struct deal *deal, u64 *random)
{
    for (u32 i = 0; i < d->task_count; i++) {
        *random = hash_u64(*random + 1);
        d->scratch[i] = *random % deal->threads;
    }
    write_lists(d, deal, d->scratch);
}

/* The dearest task goes to who has least to do, and so on; a shard that moves leaves its cache, so
 * only when there is something to be won. */
void deals_by_cost(const struct deals *d, struct deal *deal)
{
    u64 most = 0, sum = 0;
    for (u32 lane = 0; lane < deal->threads; lane++) {
        u64 cost = 0;
        for (u32 k = deal->first[lane]; k < deal->first[lane + 1]; k++)
            cost += d->tasks[deal->list[k]].cost;
        most = max_u64(most, cost);
        sum += cost;
    }
    if (most * deal->threads < sum + sum / 8)
        return;
    u64 *lane_of = d->scratch, *load = d->scratch + d->task_count;
    memset(load, 0, deal->threads * sizeof *load);
    memset(lane_of, 0xff, d->task_count * sizeof *lane_of);
    for (u32 n = 0; n < d->task_count; n++) {
        u32 dearest = UINT32_MAX, lane = 0;
        for (u32 i = 0; i < d->task_count; i++) {
            if (lane_of[i] == UINT64_MAX &&
                (dearest == UINT32_MAX || d->tasks[i].cost > d->tasks[dearest].cost))
                dearest = i;
        }
        for (u32 i = 1; i < deal->threads; i++)
            lane = load[i] < load[lane] ? i : lane;
        lane_of[dearest] = lane;
        load[lane] += d->tasks[dearest].cost + 1;
    }
    write_lists(d, deal, lane_of);
}

static u32 add_tasks(struct deals *d, const struct engine *e, u32 group)
{
    u32 n = 0;
    for (u32 i = 0; i < e->stage_count; i++) {
        struct stage *s = e->stages[i];
        for (u32 k = 0; s->group == group && k < s->shard_count; k++, n++) {
            if (d->tasks)
                d->tasks[n] = (struct task){.stage = s, .shard = k};
        }
    }
    return n;
}

void deals_make(struct deals *d, struct engine *e, u32 group, u32 threads)
{
    d->task_count = add_tasks(d, e, group);
    d->tasks = ARENA_ARRAY(e->arena, struct task, d->task_count + 1);
    add_tasks(d, e, group);
    d->scratch = ARENA_ARRAY(e->arena, u64, d->task_count + threads);
    d->of = ARENA_ARRAY(e->arena, struct deal, 32);
    for (u32 n = 2;; n = (u32)min_u64(2 * n, threads)) {
        struct deal *deal = &d->of[d->count++];
        *deal = (struct deal){.threads = n,
                              .first = ARENA_ARRAY(e->arena, u32, n + 1),
                              .list = ARENA_ARRAY(e->arena, u32, d->task_count + 1)};
        deal_in_turn(d, deal);
        if (n == threads)
            return;
    }
}
