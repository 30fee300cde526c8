/* What a thread of a thread pool does in a round: see sim/threads/thread_pool.h,
 * sim/threads/work_stealing.h. */
#include "sim/threads/thread_pool_internal.h"

#include "base/map.h"

#include <sched.h>
#include <string.h>

/* ---- ticking ------------------------------------------------------------------------------------
 */

void lane_clear(struct lane *l, const struct engine *e)
{
    memset(l->wakes, 0, e->wake_words * sizeof *l->wakes);
    if (l->has_open)
        memset(l->open, 0, e->wake_words * sizeof *l->open);
    l->ticks = l->progress = 0;
    l->has_open = false;
    l->later_count = l->cancel_count = l->bell_count = 0;
    l->taken = l->stolen = 0;
    l->is_clear = true;
}

static void tick_unit(struct lane *l, struct unit *u, cycle_t now, enum stage_part part)
{
    cycle_t next = (part == STAGE_TICK ? u->tick : u->end)(u->self, now);
    u64 bit = (u64)1 << (u->bit % 64);
    l->ticks += part == STAGE_TICK;
    if (next == now + 1) {
        l->wakes[u->bit / 64] |= bit;
    } else if (UNLIKELY(next == now)) {
        l->open[u->bit / 64] |= bit;
        l->has_open = true;
    } else if (next != CYCLE_NEVER) {
        l->later[l->later_count++] = (struct later_wake){u->id, next};
    }
}

static void tick_slots(struct lane *l, const struct task *t)
{
    const struct thread_pool *c = l->thread_pool;
    const struct stage *s = t->stage;
    const struct domain *d = s->domain;
    const u64 *set = c->sets + d->first_word;
    cycle_t now = READ(c->order.now[s->index]);
    enum stage_part part = READ(c->order.part);
    for (u32 k = t->from; k < t->to; k++) {
        u32 slot = s->slots[k];
        if (READ(set[slot / 64]) >> (slot % 64) & 1)
            tick_unit(l, d->units[slot], now, part);
    }
}

static void tick_task(struct lane *l, struct task *t)
{
    bool sampled = READ(l->thread_pool->order.sampled);
    u64 start = sampled ? host_clock() : 0;
    tick_slots(l, t);
    if (sampled)
        t->cost = t->cost - t->cost / 8 + (host_clock() - start) / 8;
}

/* ---- taking -------------------------------------------------------------------------------------
 */

/* The task at a position of a list if it has something to do. */
static struct task *task_at(const struct thread_pool *c, const struct shard_lists *deal, u32 thread,
                            u32 position)
{
    const struct shard_schedule *d =
        deal->all; /* not the order's: a late thread may have an older deal */
    u32 at = READ(deal->first[thread]) + position;
    if (UNLIKELY(at >= d->task_count))
        return NULL; /* the round has ended */
    struct task *t = &d->tasks[READ(deal->list[at])];
    bool ticks = READ(c->order.stages) >> t->stage->index & 1 &&
                 (!t->mask || READ(c->sets[t->word]) & t->mask);
    return ticks ? t : NULL;
}

/* What is left of a list in this round. */
static struct claim left_of(const struct thread_pool *c, u64 word, u64 number, u32 thread)
{
    const struct shard_lists *deal = READ(c->order.deal);
    return claim_left(word, number, READ(deal->first[thread + 1]) - READ(deal->first[thread]));
}

/* Takes the next task of a list, or the last; NULL: it has none. */
static struct task *take(struct lane *l, u32 thread, u64 number)
{
    const struct thread_pool *c = l->thread_pool;
    const struct shard_lists *deal = READ(c->order.deal);
    u64 *claim = &c->seats[thread].claim, seen = __atomic_load_n(claim, __ATOMIC_ACQUIRE);
    for (;;) {
        struct claim left = left_of(c, seen, number, thread), rest = left;
        struct task *t = NULL;
        if (left.next >= left.end)
            return NULL;
        while (!t && rest.next < rest.end)
            t = task_at(c, deal, thread, l->index == thread ? rest.next++ : --rest.end);
        if (!__atomic_compare_exchange_n(claim, &seen, claim_word(number, rest), false,
                                         __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            continue;
        l->taken += left.end - left.next - (rest.end - rest.next);
        l->next = rest;
        return t;
    }
}

/* Whose list has most left. */
static u32 longest_list(const struct lane *l, u64 number, u32 threads)
{
    const struct thread_pool *c = l->thread_pool;
    u32 best = UINT32_MAX, most = 0;
    for (u32 k = 1; k < threads; k++) {
        u32 i = l->index + k < threads ? l->index + k : l->index + k - threads;
        u64 word = __atomic_load_n(&c->seats[i].claim, __ATOMIC_RELAXED);
        struct claim left = left_of(c, word, number, i);
        if (left.end - left.next > most) {
            most = left.end - left.next;
            best = i;
        }
    }
    return best;
}

/* Takes tasks from the lists of others until none is left. */
static void help(struct lane *l, u64 number, u32 threads)
{
    u32 i;
    while ((i = longest_list(l, number, threads)) != UINT32_MAX) {
        struct task *t = take(l, i, number);
        if (!t)
            continue;
        l->stolen++;
        tick_task(l, t);
    }
}

/* For tests: this thread gives way, or takes from another. */
static void disturb(struct lane *l, u64 number, u32 threads)
{
    l->random = hash_u64(l->random + 1);
    if (l->random % 3 == 0)
        sched_yield();
    u32 other = (u32)(l->random >> 32) % threads;
    struct task *t = other != l->index && l->random / 3 % 4 == 0 ? take(l, other, number) : NULL;
    if (!t)
        return;
    l->stolen++;
    tick_task(l, t);
}

/* The next task of the own list comes to the cache while one is ticked, if it is not stolen. */
static void fetch_next(const struct lane *l)
{
    struct task *t = NULL;
    for (u32 k = l->next.next; !t && k < l->next.end; k++)
        t = task_at(l->thread_pool, READ(l->thread_pool->order.deal), l->index, k);
    if (t)
        slot_fetch(&t->stage->domain->ticks[t->stage->slots[t->from]]);
}

void thread_pool_work(struct lane *l, u64 number, u32 threads)
{
    struct task *t;
    bool stress = l->thread_pool->engine->options.stress;
    if (!l->is_clear)
        lane_clear(l, l->thread_pool->engine);
    l->is_clear = false;
    l->began = host_clock();
    while ((t = take(l, l->index, number))) {
        fetch_next(l);
        tick_task(l, t);
        if (UNLIKELY(stress))
            disturb(l, number, threads);
    }
    help(l, number, threads);
    l->ended = host_clock();
}
