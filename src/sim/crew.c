#include "sim/crew.h"

#include "base/lock.h"
#include "base/map.h"
#include "sim/later.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SPIN_CLOCKS 30000u   /* before others may have the core */
#define AWAKE_CLOCKS 300000u /* before the thread sleeps */
#define DEAL_RUNS 8192u      /* between two times that shards are dealt out anew */
#define LATE_RUNS 16u        /* that are too slow in a row, before the first thread goes alone */
#define MOST_ALONE (1u << 18)

_Thread_local struct lane *engine_lane;

struct crew {
    struct engine *engine;
    struct lane *lanes; /* the first is the caller's */
    u32 count;
    pthread_t *threads;
    pid_t owner; /* a child of its process has none of the threads */
    u32 number;  /* of the run */
    /* what is ticked now */
    struct domain *domain;
    struct stage *stage;
    struct deal *deal;
    enum stage_part part;
    const u64 *bits;
    bool sampled;
    bool quit;
    u64 *scratch;  /* for dealing */
    u64 lane_cost; /* what one thread more costs a run */
};

/* ---- claims -----------------------------------------------------------------------------------
 */

static u64 claim_of(u32 number, u32 taken, u32 count)
{
    return (u64)number << 32 | taken << 16 | count;
}

/* The next shard of a thread's list in a run that is going on; false: all are taken. */
static bool claim(struct lane *l, u32 number, u32 *index)
{
    u64 v = __atomic_load_n(&l->claim, __ATOMIC_ACQUIRE);
    for (;;) {
        u32 taken = (u32)v >> 16;
        if (v >> 32 != number || taken == (u32)(v & 0xffff))
            return false;
        if (__atomic_compare_exchange_n(&l->claim, &v, v + (1u << 16), true, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            *index = taken;
            return true;
        }
    }
}

/* ---- ticking ------------------------------------------------------------------------------------
 */

static void lane_clear(struct lane *l, const struct crew *c)
{
    size_t words = c->domain->words * sizeof(u64);
    memset(l->due, 0, words);
    memset(l->open, 0, words);
    if (l->has_wakes)
        memset(l->wakes, 0, ((size_t)c->engine->unit_count + 63) / 64 * sizeof(u64));
    l->ticks = l->progress = l->busy = 0;
    l->has_wakes = l->has_open = false;
    l->later_count = l->cancel_count = 0;
}

static void tick_slot(struct lane *l, struct domain *d, u32 slot, enum stage_part part)
{
    struct unit *u = d->units[slot];
    cycle_t now = d->now, next = (part == STAGE_TICK ? u->tick : u->end)(u->self, now);
    u64 bit = (u64)1 << (slot % 64);
    l->ticks += part == STAGE_TICK;
    if (next == now + 1) {
        l->due[slot / 64] |= bit;
    } else if (UNLIKELY(next == now)) {
        l->open[slot / 64] |= bit;
        l->has_open = true;
    } else if (next != CYCLE_NEVER) {
        l->later[l->later_count++] = (struct later_wake){slot, next};
    }
}

/* Whether this thread gives way here: for tests. */
static void give_way(struct lane *l)
{
    l->random = hash_u64(l->random + 1);
    if (l->random % 3 == 0)
        sched_yield();
}

static void tick_shard(struct lane *l, const struct crew *c, u32 shard)
{
    const struct stage *s = c->stage;
    struct domain *d = c->domain;
    u64 start = c->sampled ? host_clock() : 0;
    bool any = false;
    for (u32 k = s->shard_first[shard]; k < s->shard_first[shard + 1]; k++) {
        u32 slot = s->slots[k];
        if (c->bits[slot / 64] >> (slot % 64) & 1) {
            tick_slot(l, d, slot, c->part);
            any = true;
        }
    }
    if (c->sampled && any) {
        u64 *cost = &c->stage->cost[shard], took = host_clock() - start;
        *cost = *cost - *cost / 4 + took / 4;
        l->busy += took;
    }
}

/* Its own shards, then what others have left. */
static void work(struct lane *own, u32 number)
{
    struct crew *c = own->crew;
    u32 done = 0;
    for (u32 k = 0, of = own->index; k < c->count; k++) {
        u32 index, before = done;
        while (claim(&c->lanes[of], number, &index)) {
            if (!done)
                lane_clear(own, c);
            if (UNLIKELY(c->engine->options.stress))
                give_way(own);
            tick_shard(own, c, c->deal->lists[of][index]);
            done++;
        }
        if (done != before)
            __atomic_store_n(&own->done, (u64)number << 32 | done, __ATOMIC_RELEASE);
        of = of + 1 < c->count ? of + 1 : 0;
    }
}

/* ---- threads ------------------------------------------------------------------------------------
 */

static void sleep_while(struct lane *l, u64 seen)
{
    __atomic_store_n(&l->asleep, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&l->claim, __ATOMIC_SEQ_CST) == seen)
        syscall(SYS_futex, &l->asleep, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
    __atomic_store_n(&l->asleep, 0, __ATOMIC_SEQ_CST);
}

static void wake_lane(struct lane *l)
{
    __atomic_store_n(&l->asleep, 0, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &l->asleep, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *thread_main(void *self)
{
    struct lane *l = self;
    engine_lane = l;
    u32 last = 0;
    u64 since = host_clock();
    for (;;) {
        u64 v = __atomic_load_n(&l->claim, __ATOMIC_ACQUIRE);
        if (v >> 32 != last) {
            last = (u32)(v >> 32);
            if (__atomic_load_n(&l->crew->quit, __ATOMIC_ACQUIRE))
                return NULL;
            work(l, last);
            since = host_clock();
            continue;
        }
        u64 spun = host_clock() - since;
        if (spun < SPIN_CLOCKS) {
            cpu_relax();
        } else if (spun < AWAKE_CLOCKS) {
            sched_yield();
        } else {
            sleep_while(l, v);
            since = host_clock();
        }
    }
}

static void offer(struct lane *l, u64 what)
{
    __atomic_store_n(&l->claim, what, __ATOMIC_SEQ_CST);
    if (UNLIKELY(__atomic_load_n(&l->asleep, __ATOMIC_SEQ_CST)))
        wake_lane(l);
}

static void await_all(const struct crew *c, u32 shards)
{
    for (u32 n = 0;; n++) {
        u32 done = 0;
        for (u32 i = 0; i < c->deal->threads; i++) {
            u64 v = __atomic_load_n(&c->lanes[i].done, __ATOMIC_ACQUIRE);
            done += v >> 32 == c->number ? (u32)v : 0;
        }
        if (done == shards)
            return;
        if (n < 500)
            cpu_relax();
        else
            sched_yield();
    }
}

/* ---- merging ------------------------------------------------------------------------------------
 */

static void merge_lane(struct engine *e, struct domain *d, const struct lane *l)
{
    for (u32 w = 0; w < d->words; w++)
        d->due[w] |= l->due[w];
    for (u32 w = 0; l->has_open && w < d->words; w++)
        d->open[w] |= l->open[w];
    d->has_open |= l->has_open;
    for (u32 i = 0; i < l->cancel_count; i++)
        engine_cancel(e, l->cancel[i]);
    for (u32 i = 0; i < l->later_count; i++)
        wake_later(d, l->later[i].slot, l->later[i].at);
    e->ticks += l->ticks;
    e->progress += l->progress;
}

static void merge(struct crew *c)
{
    struct engine *e = c->engine;
    u64 *busy = &c->stage->pace[c->part].busy;
    *busy = 0;
    for (u32 i = 0; i < c->deal->threads; i++) {
        const struct lane *l = &c->lanes[i];
        if (l->done >> 32 != c->number)
            continue;
        *busy += l->busy;
        merge_lane(e, c->domain, l);
        for (u32 w = 0; l->has_wakes && w * 64 < e->unit_count; w++) {
            for (u64 bits = l->wakes[w]; bits; bits &= bits - 1)
                engine_wake(e, w * 64 + (u32)__builtin_ctzll(bits));
        }
    }
}

/* ---- dealing ------------------------------------------------------------------------------------
 */

static void give(struct deal *d, u32 lane, u32 shard)
{
    d->lists[lane][d->list_count[lane]++] = shard;
}

static void deal_in_turn(struct deal *d, const struct stage *s)
{
    memset(d->list_count, 0, d->threads * sizeof *d->list_count);
    for (u32 i = 0; i < s->shard_count; i++)
        give(d, i % d->threads, i);
}

static void deal_at_random(struct crew *c, struct deal *d, const struct stage *s)
{
    struct lane *l = &c->lanes[0];
    memset(d->list_count, 0, d->threads * sizeof *d->list_count);
    for (u32 i = 0; i < s->shard_count; i++) {
        l->random = hash_u64(l->random + 1);
        give(d, (u32)(l->random % d->threads), i);
    }
}

/* The dearest shard goes to who has least to do, and so on; a shard that moves leaves its cache,
 * so only when there is something to be won. */
static void deal_by_cost(const struct crew *c, struct deal *d, const struct stage *s)
{
    u64 most = 0, sum = 0;
    for (u32 i = 0; i < d->threads; i++) {
        u64 cost = 0;
        for (u32 k = 0; k < d->list_count[i]; k++)
            cost += s->cost[d->lists[i][k]];
        most = max_u64(most, cost);
        sum += cost;
    }
    if (most * d->threads < sum + sum / 8)
        return;
    u64 *left = c->scratch, *load = c->scratch + s->shard_count;
    memset(load, 0, d->threads * sizeof *load);
    memcpy(left, s->cost, s->shard_count * sizeof *left);
    memset(d->list_count, 0, d->threads * sizeof *d->list_count);
    for (u32 n = 0; n < s->shard_count; n++) {
        u32 dearest = 0, lane = 0;
        for (u32 i = 1; i < s->shard_count; i++) {
            if (left[dearest] == UINT64_MAX || (left[i] != UINT64_MAX && left[i] > left[dearest]))
                dearest = i;
        }
        for (u32 i = 1; i < d->threads; i++)
            lane = load[i] < load[lane] ? i : lane;
        give(d, lane, dearest);
        load[lane] += left[dearest] + 1;
        left[dearest] = UINT64_MAX;
    }
}

/* ---- pace ---------------------------------------------------------------------------------------
 */

void stage_took(struct stage *s, enum stage_part part, u32 units, u64 clocks)
{
    struct stage_pace *p = &s->pace[part];
    u64 unit = clocks / units + 1;
    p->unit = p->unit ? p->unit - p->unit / 8 + unit / 8 : unit;
}

bool crew_pays(struct crew *c, struct stage *s, enum stage_part part, u32 units)
{
    struct stage_pace *p = &s->pace[part];
    if (c->engine->options.stress)
        return units > 0;
    if (p->alone) {
        p->alone--;
        return false;
    }
    return units > 1 && p->unit && p->unit * units > p->floor;
}

static void note_pace(struct stage_pace *p, u32 units, u64 clocks)
{
    if (clocks < p->unit * units) {
        p->late = 0;
        p->backoff = p->backoff > 1 ? p->backoff - p->backoff / 16 : 0;
        return;
    }
    if (++p->late < LATE_RUNS)
        return;
    p->late = 0;
    p->backoff = p->backoff ? (u32)min_u64(2 * p->backoff, MOST_ALONE) : 256;
    p->alone = p->backoff;
}

/* Threads for so many clocks of work: one more costs the first thread lane_cost, and saves
 * work / (n * n). */
static struct deal *choose_deal(const struct crew *c, const struct stage *s, u64 work)
{
    u32 i = 0;
    if (c->engine->options.stress)
        return &s->deals[hash_u64(c->number) % s->deal_count];
    while (i + 1 < s->deal_count &&
           work > (u64)s->deals[i].threads * s->deals[i + 1].threads * c->lane_cost)
        i++;
    return &s->deals[i];
}

void crew_tick(struct crew *c, struct domain *d, struct stage *s, enum stage_part part,
               const u64 *bits, u32 units)
{
    struct stage_pace *p = &s->pace[part];
    u64 start = host_clock();
    struct deal *deal = choose_deal(c, s, p->unit * units);
    if (UNLIKELY(c->engine->options.stress))
        deal_at_random(c, deal, s);
    c->domain = d;
    c->stage = s;
    c->deal = deal;
    c->part = part;
    c->bits = bits;
    c->sampled = (p->sample++ & 63) == 0;
    c->number++;
    c->engine->parallel = true;
    for (u32 i = deal->threads; i-- > 0;)
        offer(&c->lanes[i], claim_of(c->number, 0, deal->list_count[i]));
    struct lane *outer = engine_lane;
    engine_lane = &c->lanes[0];
    work(&c->lanes[0], c->number);
    engine_lane = outer;
    await_all(c, s->shard_count);
    c->engine->parallel = false;
    merge(c);
    note_pace(p, units, host_clock() - start);
    if (c->sampled && p->busy)
        stage_took(s, part, units, p->busy);
    c->engine->shared_out++;
    if (UNLIKELY(++s->runs == DEAL_RUNS)) {
        s->runs = 0;
        deal_by_cost(c, deal, s);
    }
}

/* ---- building -----------------------------------------------------------------------------------
 */

static void init_lane(struct crew *c, u32 i)
{
    struct engine *e = c->engine;
    struct arena *a = e->arena;
    struct lane *l = &c->lanes[i];
    u32 words = e->unit_count / 64 + 1;
    *l = (struct lane){.crew = c, .index = i, .random = hash_u64(e->options.stress + i)};
    u64 *bits = arena_alloc_aligned(a, 3 * words * sizeof(u64), 64);
    l->due = bits;
    l->open = bits + words;
    l->wakes = bits + 2 * (size_t)words;
    l->later = arena_alloc_aligned(a, (e->unit_count + 1) * sizeof *l->later, 64);
    l->cancel = arena_alloc_aligned(a, (e->unit_count + 1) * sizeof *l->cancel, 64);
}

static bool start_threads(struct crew *c)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the program's */
    u32 wanted = c->count;
    for (c->count = 1; c->count < wanted; c->count++) {
        if (pthread_create(&c->threads[c->count], NULL, thread_main, &c->lanes[c->count]) != 0)
            break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return c->count > 1;
}

/* What it costs to share out nothing. */
static void measure_floor(struct crew *c, struct domain *d, struct stage *s)
{
    u64 best = UINT64_MAX;
    c->lane_cost = c->lane_cost ? c->lane_cost : 300;
    const u64 *none = ARENA_ARRAY(c->engine->arena, u64, d->words + 1);
    for (u32 i = 0; i < 64; i++) {
        u64 start = host_clock();
        crew_tick(c, d, s, STAGE_TICK, none, 1);
        best = min_u64(best, host_clock() - start);
    }
    for (u32 part = 0; part < STAGE_PARTS; part++) {
        s->pace[part] = (struct stage_pace){.floor = 4 * best};
    }
    s->runs = 0;
    memset(s->cost, 0, s->shard_count * sizeof *s->cost);
}

static void make_deals(const struct crew *c, struct stage *s)
{
    struct arena *a = c->engine->arena;
    u32 most = (u32)min_u64(c->count, s->shard_count);
    s->deals = ARENA_ARRAY(a, struct deal, 32);
    for (u32 n = 2;; n = (u32)min_u64(2 * n, most)) {
        struct deal *d = &s->deals[s->deal_count++];
        *d = (struct deal){
            .threads = n, .lists = ARENA_ARRAY(a, u32 *, n), .list_count = ARENA_ARRAY(a, u32, n)};
        for (u32 i = 0; i < n; i++)
            d->lists[i] = ARENA_ARRAY(a, u32, s->shard_count);
        deal_in_turn(d, s);
        if (n == most)
            return;
    }
}

struct crew *crew_create(struct engine *e, u32 threads)
{
    u32 most = 0;
    for (u32 i = 0; i < e->domain_count; i++) {
        for (u32 k = 0; k < e->domains[i].stage_count; k++)
            most = (u32)max_u64(most, e->domains[i].stages[k]->shard_count);
    }
    threads = (u32)min_u64(threads, most);
    if (threads < 2)
        return NULL;
    struct crew *c = ARENA_NEW(e->arena, struct crew);
    *c = (struct crew){.engine = e, .count = threads, .owner = getpid()};
    c->lanes = arena_alloc_aligned(e->arena, threads * sizeof *c->lanes, 64);
    c->threads = ARENA_ARRAY(e->arena, pthread_t, threads);
    c->scratch = ARENA_ARRAY(e->arena, u64, most + threads);
    for (u32 i = 0; i < threads; i++)
        init_lane(c, i);
    if (!start_threads(c))
        return NULL;
    for (u32 i = 0; i < e->domain_count; i++) {
        struct domain *d = &e->domains[i];
        for (u32 k = 0; k < d->stage_count; k++) {
            struct stage *s = d->stages[k];
            make_deals(c, s);
            measure_floor(c, d, s);
        }
    }
    e->shared_out = 0;
    return c;
}

void crew_destroy(struct crew *c)
{
    if (!c || c->owner != getpid())
        return;
    __atomic_store_n(&c->quit, true, __ATOMIC_RELEASE);
    c->number++;
    for (u32 i = 1; i < c->count; i++)
        offer(&c->lanes[i], claim_of(c->number, 0, 0));
    for (u32 i = 1; i < c->count; i++)
        pthread_join(c->threads[i], NULL);
}

u32 crew_threads(const struct crew *c)
{
    return c ? c->count : 1;
}
