/* Which thread ticks which shards: see sim/threads/thread_pool.h. */
#include "base/map.h"
#include "sim/threads/work_stealing.h"
#include "sim/threads/thread_pool.h"

#include <string.h>

/* Threads that come too late for a round may read lists while they are written. */
static void set(u32 *to, u32 value)
{
    __atomic_store_n(to, value, __ATOMIC_RELAXED);
}

/* What costs much first, lest others wait for it; then what costs little; then the rest: what
 * others take from the end of a list is worth the way. */
static u32 rank_of(const struct shard_schedule *d, u32 task, u64 mean)
{
    u64 cost = d->tasks[task].cost;
    return cost > 2 * mean ? 0 : cost < mean / 2 ? 1 : 2;
}

/* Every task to a thread: lane_of[task]. */
static void write_lists(const struct shard_schedule *d, const struct shard_lists *deal,
                        const u64 *lane_of)
{
    u64 sum = 0;
    for (u32 i = 0; i < d->task_count; i++)
        sum += d->tasks[i].cost;
    u32 at = 0;
    for (u32 lane = 0; lane < deal->threads; lane++) {
        set(&deal->first[lane], at);
        for (u32 rank = 0; rank < 3; rank++) {
            for (u32 i = 0; i < d->task_count; i++) {
                if (lane_of[i] == lane && rank_of(d, i, sum / d->task_count) == rank)
                    set(&deal->list[at++], i);
            }
        }
    }
    set(&deal->first[deal->threads], at);
}

static void schedule_in_turn(const struct shard_schedule *d, const struct shard_lists *deal)
{
    for (u32 i = 0; i < d->task_count; i++)
        d->scratch[i] = i % deal->threads;
    write_lists(d, deal, d->scratch);
}

void shard_schedule_at_random(const struct shard_schedule *d, const struct shard_lists *deal,
                              u64 *random)
{
    for (u32 i = 0; i < d->task_count; i++) {
        *random = hash_u64(*random + 1);
        d->scratch[i] = (i < deal->threads ? i : *random) % deal->threads;
    }
    write_lists(d, deal, d->scratch);
}

/* The dearest task goes to who has least to do, and so on; a shard that moves leaves its cache, so
 * only when there is something to be won. */
void shard_schedule_by_cost(const struct shard_schedule *d, const struct shard_lists *deal)
{
    u64 *lane_of = d->scratch, *load = d->scratch + d->task_count;
    u64 most = 0, sum = 0;
    for (u32 lane = 0; lane < deal->threads; lane++) {
        u64 cost = 0;
        for (u32 k = deal->first[lane]; k < deal->first[lane + 1]; k++) {
            cost += d->tasks[deal->list[k]].cost;
            lane_of[deal->list[k]] = lane;
        }
        most = max_u64(most, cost);
        sum += cost;
    }
    if (most * deal->threads < sum + sum / 8) {
        write_lists(d, deal, lane_of); /* in order of cost */
        return;
    }
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

static struct task make_task(struct stage *s, u32 shard, u32 shards)
{
    struct task t = {.stage = s,
                     .from = s->shard_first[shard],
                     .to = s->shard_first[min_u64(shard + shards, s->shard_count)]};
    t.word = s->domain->first_word + s->slots[t.from] / 64;
    for (u32 k = t.from; k < t.to; k++) {
        t.mask |= (u64)1 << (s->slots[k] % 64);
        if (s->domain->first_word + s->slots[k] / 64 != t.word) {
            t.mask = 0;
            break;
        }
    }
    return t;
}

/* So many shards a task. */
static u32 add_tasks(struct shard_schedule *d, const struct engine *e, u32 group, u32 shards)
{
    u32 n = 0;
    for (u32 i = 0; i < e->stage_count; i++) {
        struct stage *s = e->stages[i];
        for (u32 k = 0; s->group == group && k < s->shard_count; k += shards, n++) {
            if (d->tasks)
                d->tasks[n] = make_task(s, k, shards);
        }
    }
    return n;
}

void shard_schedule_make(struct shard_schedule *d, struct engine *e, u32 group, u32 threads)
{
    u32 shards = 1, room = threads + 1; /* who comes too late may look beyond a deal's own */
    while ((d->task_count = add_tasks(d, e, group, shards)) > MOST_TASKS)
        shards *= 2;
    if (d->task_count < 2)
        return;
    threads = (u32)min_u64(threads, d->task_count);
    d->tasks = ARENA_ARRAY(&e->threads_arena, struct task, d->task_count + 1);
    add_tasks(d, e, group, shards);
    d->scratch = ARENA_ARRAY(&e->threads_arena, u64, d->task_count + threads);
    d->of = ARENA_ARRAY(&e->threads_arena, struct shard_lists, 32);
    for (u32 n = 2;; n = (u32)min_u64(2 * n, threads)) {
        struct shard_lists *deal = &d->of[d->count++];
        *deal =
            (struct shard_lists){.all = d,
                                 .threads = n,
                                 .first = ARENA_ARRAY(&e->threads_arena, u32, room),
                                 .list = ARENA_ARRAY(&e->threads_arena, u32, d->task_count + 1)};
        schedule_in_turn(d, deal);
        if (n == threads)
            return;
    }
}
