#include "sim/threads/thread_pool_internal.h"

#include "base/lock.h"
#include "base/map.h"
#include "sim/later.h"

#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* all in clocks of the host */
#define SPIN_CLOCKS 200000u   /* before others may have the core */
#define AWAKE_CLOCKS 1000000u /* before the thread sleeps */
#define LATE_CLOCKS 250000u   /* in which a thread that runs finishes a shard */
#define PAUSE_CLOCKS 4000000u /* with fewer threads, the first time; then twice that and so on */
#define MOST_PAUSES 6u
#define LANE_CLOCKS 200u /* what one thread more costs the first one in a round */

#define FIRST_ROUNDS 128u /* before shards are dealt out by what they cost ... */
#define DEAL_ROUNDS 1024u /* ... and before they are again */

_Thread_local struct lane *engine_lane;

/* ---- threads ------------------------------------------------------------------------------------
 */

static void finish(struct lane *l, u64 number)
{
    __atomic_store_n(&l->done, number << CLAIM_BITS | l->taken, __ATOMIC_RELEASE);
}

static u64 offer_of(u64 number, u32 threads)
{
    return number << 16 | threads;
}

static void sleep_while(struct thread_pool *c, u32 index, u64 seen)
{
    u32 *asleep = &c->seats[index].asleep;
    __atomic_store_n(asleep, 1, __ATOMIC_SEQ_CST);
    u64 offer = __atomic_load_n(&c->order.offer, __ATOMIC_SEQ_CST);
    if (offer == seen || index >= (offer & 0xffff))
        syscall(SYS_futex, asleep, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
    __atomic_store_n(asleep, 0, __ATOMIC_SEQ_CST);
}

/* A round that another thread may have ended already. */
static void join_round(struct thread_pool *c, u32 index, u64 number, u32 threads)
{
    struct lane *l = lane_of(c, index, number), *next = lane_of(c, index, number + 1);
    engine_lane = l;
    thread_pool_work(l, number, threads);
    if (l->taken)
        finish(l, number);
    else
        l->is_clear = true;
    if (!next->is_clear)
        lane_clear(next, c->engine);
}

static void *thread_main(void *self)
{
    struct lane *l = self;
    struct thread_pool *c = l->thread_pool;
    u32 index = l->index;
    u64 last = 0, since = host_clock();
    for (;;) {
        u64 offer = __atomic_load_n(&c->order.offer, __ATOMIC_ACQUIRE);
        if (offer != last) {
            last = offer;
            if (READ(c->order.quit))
                return NULL;
            if (index < (offer & 0xffff)) {
                join_round(c, index, offer >> 16, (u32)(offer & 0xffff));
                since = host_clock();
                continue;
            }
        }
        u64 spun = host_clock() - since;
        if (spun < SPIN_CLOCKS) {
            cpu_relax();
        } else if (spun < AWAKE_CLOCKS) {
            sched_yield();
        } else {
            sleep_while(c, index, offer);
            since = host_clock();
        }
    }
}

static void offer_round(struct thread_pool *c, u32 threads)
{
    __atomic_store_n(&c->order.offer, offer_of(c->number, threads), __ATOMIC_SEQ_CST);
    for (u32 i = 1; i < threads; i++) {
        u32 *asleep = &c->seats[i].asleep;
        if (UNLIKELY(__atomic_load_n(asleep, __ATOMIC_SEQ_CST))) {
            __atomic_store_n(asleep, 0, __ATOMIC_SEQ_CST);
            syscall(SYS_futex, asleep, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
        }
    }
}

/* ---- merging ------------------------------------------------------------------------------------
 */

/* All but the bells, which a unit that still ticks may look at. */
static void merge_lane(struct thread_pool *c, const struct lane *l)
{
    struct engine *e = c->engine;
    struct thread_pool_counts *n = &c->now;
    for (u32 w = 0; w < e->wake_words; w++)
        c->wakes[w] |= l->wakes[w];
    engine_merge_later(e, l);
    e->ticks += l->ticks;
    e->progress += l->progress;
    n->busy += l->ended - l->began;
    n->longest = max_u64(n->longest, l->ended - l->began);
    n->begin = max_u64(n->begin, l->began);
    n->stolen += l->stolen;
    n->absent--;
}

static void ring_bells(const struct lane *l)
{
    for (u32 i = 0; i < l->bell_count; i++)
        *l->bells[i].word |= l->bells[i].bit;
}

/* Whether a thread has done something in this round, and all that it will. */
static bool has_done(const struct thread_pool *c, const struct lane *l)
{
    return __atomic_load_n(&l->done, __ATOMIC_ACQUIRE) >> CLAIM_BITS == c->number;
}

/* What is to be merged comes while that of others is. */
static void fetch_lane(const struct lane *l)
{
    __builtin_prefetch(l->wakes);
    __builtin_prefetch(l->later);
    __builtin_prefetch(l->later + 4);
    __builtin_prefetch(l->bells);
    __builtin_prefetch(l->bells + 4);
}

/* Merges threads as they finish, until they and the first have ticked everything. Returns the
 * clocks that were spent waiting for a thread that did not run. */
static u64 await_others(struct thread_pool *c, u32 threads, u32 tasks)
{
    struct lane *own = lane_of(c, 0, c->number);
    u64 start = host_clock(), now = start;
    u32 left = 0;
    for (u32 i = 1; i < threads; i++)
        c->waiting[left++] = i;
    for (u32 taken = 0;;) {
        u32 before = left;
        for (u32 k = 0; k < left; k++) {
            u32 i = c->waiting[k];
            const struct lane *l = lane_of(c, i, c->number);
            if (!has_done(c, l))
                continue;
            fetch_lane(l);
            c->waiting[k--] = c->waiting[--left];
            c->waiting[left] = i;
        }
        for (u32 k = left; k < before; k++) {
            const struct lane *l = lane_of(c, c->waiting[k], c->number);
            taken += l->taken;
            merge_lane(c, l);
        }
        if (taken + own->taken == tasks)
            break;
        now = host_clock();
        if (now - start < SPIN_CLOCKS)
            cpu_relax();
        else
            sched_yield();
    }
    return now - start > LATE_CLOCKS ? now - start : 0;
}

static void merge_rest(struct thread_pool *c, u32 threads)
{
    struct engine *e = c->engine;
    merge_lane(c, lane_of(c, 0, c->number));
    for (u32 i = 0; i < threads; i++) {
        const struct lane *l = lane_of(c, i, c->number);
        if (!has_done(c, l))
            continue;
        ring_bells(l);
        if (UNLIKELY(l->has_open))
            engine_merge_open(e, l);
    }
    engine_merge_wakes(e, c->wakes);
    memset(c->wakes, 0, e->wake_words * sizeof *c->wakes);
}

/* ---- pace ---------------------------------------------------------------------------------------
 */

void stage_took(struct stage *s, enum stage_part part, u32 units, u64 clocks)
{
    struct stage_pace *p = &s->pace[part];
    u64 unit = clocks / units + 1;
    p->unit = p->unit ? p->unit - p->unit / 8 + unit / 8 : unit;
}

/* Clocks that a round takes one thread, about; 0: not known. */
static u64 work_of(const struct round *r)
{
    u64 clocks = 0;
    for (u32 i = 0; i < r->count; i++) {
        u64 unit = r->stages[i]->pace[r->part].unit;
        if (!unit)
            return 0;
        clocks += unit * r->units[i];
    }
    return clocks;
}

/* One thread more costs the first one LANE_CLOCKS, and saves work / (n * n). A shard that changes
 * threads leaves its cache, so the number changes slowly. */
static struct shard_lists *choose_deal(const struct thread_pool *c, struct shard_schedule *d,
                                       u64 clocks)
{
    if (c->engine->options.stress)
        return &d->of[hash_u64(c->number) % d->count];
    if (clocks >= d->work / 4) /* others are too small to count */
        d->work = d->work - d->work / 32 + clocks / 32;
    u32 i = d->chosen;
    if (i + 1 < d->count &&
        d->work / 3 * 2 > (u64)d->of[i].threads * d->of[i + 1].threads * LANE_CLOCKS)
        i++;
    else if (i && d->work / 2 * 3 < (u64)d->of[i - 1].threads * d->of[i].threads * LANE_CLOCKS)
        i--;
    d->chosen = i;
    return &d->of[min_u64(i, c->limit - 1)];
}

/* Fewer threads where a quarter of the time is spent waiting for some that the host does not run;
 * after a while one step more again. */
static void note_lost(struct thread_pool *c, u64 lost, u64 now)
{
    c->lost += lost;
    if (LIKELY(now - c->since < PAUSE_CLOCKS))
        return;
    if (UNLIKELY(c->lost > (now - c->since) / 4)) {
        c->limit--;
        c->pauses = (u32)min_u64(c->pauses + 1, MOST_PAUSES);
        c->resume = now + ((u64)PAUSE_CLOCKS << c->pauses);
    }
    c->lost = 0;
    c->since = now;
}

static bool may_share(struct thread_pool *c)
{
    if (UNLIKELY(c->limit < c->most) && host_clock() > c->resume) {
        c->limit++;
        c->lost = 0;
        c->since = host_clock();
        c->resume = c->since + ((u64)PAUSE_CLOCKS << c->pauses);
        c->pauses -= c->pauses > 0 && c->limit == c->most;
    }
    return c->limit > 0;
}

/* What a round took all threads together, shared among its stages as one thread's time was. */
static void note_cost(const struct round *r, u64 clocks, u64 busy)
{
    for (u32 i = 0; clocks && i < r->count; i++) {
        struct stage_pace *p = &r->stages[i]->pace[r->part];
        p->unit = max_u64(1, p->unit - p->unit / 8 + (u64)((u128)p->unit * busy / clocks / 8));
    }
}

static void count_round(struct thread_pool_counts *n, const struct thread_pool_counts *more,
                        u64 start)
{
    n->rounds++;
    n->missed += more->missed;
    n->threads += more->threads;
    n->absent += more->absent;
    n->stolen += more->stolen;
    n->clocks += host_clock() - start;
    n->begin += more->begin - start;
    n->longest += more->longest;
    n->busy += more->busy;
}

static void write_order(struct thread_pool *c, const struct round *r,
                        const struct shard_lists *deal)
{
    struct order *o = &c->order;
    u64 stages = 0;
    for (u32 i = 0; i < r->count; i++) {
        const struct stage *s = r->stages[i];
        const struct domain *of = s->domain;
        const u64 *bits = r->part == STAGE_TICK ? of->ticking : of->open;
        stages |= (u64)1 << s->index;
        WRITE(o->now[s->index], of->now);
        for (u32 w = s->first / 64; w * 64 < s->end; w++)
            WRITE(c->sets[of->first_word + w], bits[w]);
    }
    WRITE(o->deal, deal);
    WRITE(o->stages, stages);
    WRITE(o->part, r->part);
    WRITE(o->sampled, (c->number & (c->number < 1024 ? 7 : 31)) == 0);
}

bool thread_pool_tick(struct thread_pool *c, const struct round *r)
{
    struct engine *e = c->engine;
    u64 clocks = work_of(r);
    bool stress = e->options.stress;
    struct shard_schedule *d = &c->groups[r->stages[0]->group];
    if ((!stress && (clocks < c->floor || !may_share(c))) || !d->count)
        return false;
    u64 start = host_clock();
    struct shard_lists *deal = choose_deal(c, d, clocks);
    c->number++;
    c->now = (struct thread_pool_counts){.threads = deal->threads, .absent = deal->threads};
    if (UNLIKELY(stress))
        shard_schedule_at_random(d, deal, &c->lanes[0].random);
    write_order(c, r, deal);
    e->parallel = true;
    offer_round(c, deal->threads);
    struct lane *outer = engine_lane, *own = lane_of(c, 0, c->number);
    engine_lane = own;
    thread_pool_work(own, c->number, deal->threads);
    u64 lost = await_others(c, deal->threads, d->task_count);
    finish(own, c->number);
    engine_lane = outer;
    e->parallel = false;
    merge_rest(c, deal->threads);
    c->now.missed = lost > 0;
    count_round(&d->counts, &c->now, start);
    note_lost(c, lost, host_clock());
    if (c->order.sampled)
        note_cost(r, clocks, c->now.busy);
    if (UNLIKELY(--deal->rounds_left == 0)) {
        deal->rounds_left = DEAL_ROUNDS;
        shard_schedule_by_cost(d, deal);
    }
    return true;
}

static u64 host_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
}

double thread_pool_clock_hz(const struct thread_pool *c)
{
    return (double)(host_clock() - c->made) * 1e9 / (double)(host_ns() - c->made_ns);
}

/* ---- building -----------------------------------------------------------------------------------
 */

static void init_lane(struct thread_pool *c, u32 i)
{
    struct engine *e = c->engine;
    struct arena *a = &e->threads_arena;
    struct lane *l = &c->lanes[i];
    *l = (struct lane){.thread_pool = c, .index = i / 2, .random = hash_u64(e->options.stress + i)};
    u64 *bits = arena_alloc_aligned(a, 2 * (size_t)e->wake_words * sizeof(u64), 64);
    l->wakes = bits;
    l->open = bits + e->wake_words;
    l->later = arena_alloc_aligned(a, (e->unit_count + 1) * sizeof *l->later, 64);
    l->cancel = arena_alloc_aligned(a, (e->unit_count + 1) * sizeof *l->cancel, 64);
    l->bells = arena_alloc_aligned(a, (e->port_count + 1) * sizeof *l->bells, 64);
}

static bool start_threads(struct thread_pool *c)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the program's */
    u32 wanted = c->count;
    for (c->count = 1; c->count < wanted; c->count++) {
        if (pthread_create(&c->threads[c->count], NULL, thread_main, &c->lanes[2 * c->count]) != 0)
            break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return c->count > 1;
}

/* What it costs two threads to share out nothing. */
static void measure_floor(struct thread_pool *c)
{
    u64 best = UINT64_MAX;
    const struct round none = {.count = 1, .stages = {c->engine->stages[0]}};
    struct domain *d = none.stages[0]->domain;
    u64 *ticking = d->ticking;
    d->ticking = ARENA_ARRAY(&c->engine->threads_arena, u64, d->words + 1);
    for (u32 i = 0; i < 64; i++) {
        u64 start = host_clock();
        thread_pool_tick(c, &none);
        best = min_u64(best, host_clock() - start);
    }
    d->ticking = ticking;
    c->floor = 4 * best;
    c->lost = c->pauses = 0;
    c->since = host_clock();
    c->limit = c->most;
    c->groups[0].counts = (struct thread_pool_counts){0};
    for (u32 i = 0; i < c->group_count; i++) {
        for (u32 k = 0; k < c->groups[i].count; k++)
            c->groups[i].of[k].rounds_left = FIRST_ROUNDS;
    }
}

struct thread_pool *thread_pool_create(struct engine *e, u32 threads)
{
    u32 most = 0, groups = 0;
    for (u32 i = 0; i < e->stage_count; i++) {
        most = (u32)max_u64(most, e->stages[i]->shard_count);
        groups = (u32)max_u64(groups, e->stages[i]->group + 1);
    }
    threads = (u32)min_u64(threads, most);
    if (threads < 2)
        return NULL;
    struct thread_pool *c = arena_alloc_aligned(&e->threads_arena, sizeof *c, 64);
    *c = (struct thread_pool){.engine = e, .count = threads, .owner = getpid()};
    c->lanes = arena_alloc_aligned(&e->threads_arena, 2 * threads * sizeof *c->lanes, 64);
    c->seats = arena_alloc_aligned(&e->threads_arena, threads * sizeof *c->seats, 64);
    memset(c->seats, 0, threads * sizeof *c->seats);
    c->threads = ARENA_ARRAY(&e->threads_arena, pthread_t, threads);
    c->waiting = ARENA_ARRAY(&e->threads_arena, u32, threads);
    c->wakes = ARENA_ARRAY(&e->threads_arena, u64, e->wake_words);
    c->sets = arena_alloc_aligned(&e->threads_arena, (e->wake_words + 1) * sizeof *c->sets, 64);
    memset(c->sets, 0, (e->wake_words + 1) * sizeof *c->sets);
    for (u32 i = 0; i < 2 * threads; i++)
        init_lane(c, i);
    if (!start_threads(c))
        return NULL;
    c->groups = ARENA_ARRAY(&e->threads_arena, struct shard_schedule, groups);
    c->group_count = groups;
    for (u32 i = 0; i < groups; i++) {
        shard_schedule_make(&c->groups[i], e, i, c->count);
        c->most = (u32)max_u64(c->most, c->groups[i].count);
    }
    c->limit = c->most;
    measure_floor(c);
    c->made = host_clock();
    c->made_ns = host_ns();
    return c;
}

void thread_pool_destroy(struct thread_pool *c)
{
    if (!c || c->owner != getpid())
        return;
    WRITE(c->order.quit, true);
    c->number++;
    offer_round(c, c->count);
    for (u32 i = 1; i < c->count; i++)
        pthread_join(c->threads[i], NULL);
}

u32 thread_pool_threads(const struct thread_pool *c)
{
    return c ? c->count : 1;
}

const struct thread_pool_counts *thread_pool_counts(const struct thread_pool *c, u32 group)
{
    return c && group < c->group_count ? &c->groups[group].counts : NULL;
}
