#include "sim/crew.h"

#include "base/lock.h"
#include "base/map.h"
#include "sim/later.h"
#include "sim/port.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* all in clocks of the host */
#define SPIN_CLOCKS 60000u    /* before others may have the core */
#define AWAKE_CLOCKS 600000u  /* before the thread sleeps */
#define BEGIN_CLOCKS 6000u    /* in which a thread that runs has begun */
#define WAIT_CLOCKS 1000000u  /* in which it has finished, after the first has */
#define PAUSE_CLOCKS 4000000u /* with fewer threads, the first time; then twice that and so on */
#define MOST_PAUSES 6u
#define LANE_CLOCKS 400u /* what one thread more costs the first one in a round */

#define FIRST_ROUNDS 512u /* before shards are dealt out by what they cost ... */
#define DEAL_ROUNDS 4096u /* ... and before they are again */
#define MISS_COSTS 16u    /* a round with a thread that did not run counts as so many without ... */
#define MOST_MISSES 512u  /* ... and so much more of them are too many */

_Thread_local struct lane *engine_lane;

struct crew {
    /* what the other threads look for: number of the round, and how many take part */
    _Alignas(64) u64 offer;
    bool quit;
    /* what is ticked now */
    _Alignas(64) const u64 *bits[MOST_STAGES]; /* by stage; NULL: it has no part in the round */
    struct deals *deals;
    const struct deal *deal;
    enum stage_part part;
    bool sampled;
    u64 number;
    /* the first thread's own */
    _Alignas(64) struct engine *engine;
    struct lane *lanes; /* the first is the caller's */
    u32 *asleep;        /* by lane */
    u32 count;
    pthread_t *threads;
    pid_t owner; /* a child of its process has none of the threads */
    struct deals *groups;
    u32 group_count;
    u64 *wakes;   /* of all lanes */
    u64 floor;    /* less than this is not worth it */
    u32 limit;    /* deals that may be chosen: more need cores that are not free; 0: none */
    u32 missed;   /* see MISS_COSTS */
    u32 pauses;   /* doublings of PAUSE_CLOCKS */
    u64 resume;   /* when one more deal may be chosen */
    u32 *waiting; /* lanes that are not merged yet */
    u64 begin, longest, busy; /* of this round, as in crew_counts */
    u64 made, made_ns;        /* when the crew was made */
};

/* ---- ticking ------------------------------------------------------------------------------------
 */

static void lane_clear(struct lane *l, const struct engine *e)
{
    memset(l->wakes, 0, e->wake_words * sizeof *l->wakes);
    if (l->has_open)
        memset(l->open, 0, e->wake_words * sizeof *l->open);
    l->ticks = l->progress = 0;
    l->has_open = false;
    l->later_count = l->cancel_count = l->bell_count = 0;
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

/* Whether this thread gives way here: for tests. */
static void give_way(struct lane *l)
{
    l->random = hash_u64(l->random + 1);
    if (l->random % 3 == 0)
        sched_yield();
}

static void tick_task(struct lane *l, struct task *t, const u64 *bits, enum stage_part part)
{
    const struct stage *s = t->stage;
    const struct domain *d = s->domain;
    for (u32 k = s->shard_first[t->shard]; k < s->shard_first[t->shard + 1]; k++) {
        u32 slot = s->slots[k];
        if (bits[slot / 64] >> (slot % 64) & 1)
            tick_unit(l, d->units[slot], d->now, part);
    }
}

/* The shards of one thread, perhaps by another. */
static void tick_list(struct lane *l, const struct crew *c, u32 of)
{
    const struct deal *deal = c->deal;
    for (u32 k = deal->first[of]; k < deal->first[of + 1]; k++) {
        struct task *t = &c->deals->tasks[deal->list[k]];
        const u64 *bits = c->bits[t->stage->index];
        if (!bits)
            continue;
        if (UNLIKELY(c->engine->options.stress))
            give_way(l);
        u64 start = c->sampled ? host_clock() : 0;
        tick_task(l, t, bits, c->part);
        if (c->sampled)
            t->cost = t->cost - t->cost / 8 + (host_clock() - start) / 8;
    }
}

/* Whether the lists of a thread in this round are the caller's: no other has taken them. */
static bool take(struct lane *l, u64 number)
{
    u64 taken = __atomic_load_n(&l->taken, __ATOMIC_RELAXED);
    return taken < number && __atomic_compare_exchange_n(&l->taken, &taken, number, false,
                                                         __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static void work(struct lane *l, u64 number)
{
    lane_clear(l, l->crew->engine);
    l->began = host_clock();
    tick_list(l, l->crew, l->index);
    l->ended = host_clock();
    __atomic_store_n(&l->done, number, __ATOMIC_RELEASE);
}

/* ---- threads ------------------------------------------------------------------------------------
 */

static u64 offer_of(u64 number, u32 threads)
{
    return number << 16 | threads;
}

static void sleep_while(struct crew *c, u32 index, u64 seen)
{
    u32 *asleep = &c->asleep[index];
    __atomic_store_n(asleep, 1, __ATOMIC_SEQ_CST);
    u64 offer = __atomic_load_n(&c->offer, __ATOMIC_SEQ_CST);
    if (offer == seen || index >= (offer & 0xffff))
        syscall(SYS_futex, asleep, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
    __atomic_store_n(asleep, 0, __ATOMIC_SEQ_CST);
}

static void *thread_main(void *self)
{
    struct lane *l = self;
    struct crew *c = l->crew;
    engine_lane = l;
    u64 last = 0, since = host_clock();
    for (;;) {
        u64 offer = __atomic_load_n(&c->offer, __ATOMIC_ACQUIRE);
        if (offer != last) {
            last = offer;
            if (__atomic_load_n(&c->quit, __ATOMIC_ACQUIRE))
                return NULL;
            if (l->index < (offer & 0xffff)) {
                if (take(l, offer >> 16))
                    work(l, offer >> 16);
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
            sleep_while(c, l->index, offer);
            since = host_clock();
        }
    }
}

static void offer_round(struct crew *c, u32 threads)
{
    __atomic_store_n(&c->offer, offer_of(c->number, threads), __ATOMIC_SEQ_CST);
    for (u32 i = 1; i < threads; i++) {
        if (UNLIKELY(__atomic_load_n(&c->asleep[i], __ATOMIC_SEQ_CST))) {
            __atomic_store_n(&c->asleep[i], 0, __ATOMIC_SEQ_CST);
            syscall(SYS_futex, &c->asleep[i], FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
        }
    }
}

/* ---- merging ------------------------------------------------------------------------------------
 */

/* All but the bells, which a unit that still ticks may look at. */
static void merge_lane(struct crew *c, const struct lane *l)
{
    struct engine *e = c->engine;
    for (u32 w = 0; w < e->wake_words; w++)
        c->wakes[w] |= l->wakes[w];
    engine_merge_later(e, l);
    e->ticks += l->ticks;
    e->progress += l->progress;
    c->busy += l->ended - l->began;
    c->longest = max_u64(c->longest, l->ended - l->began);
    c->begin = max_u64(c->begin, l->began);
}

static void ring_bells(const struct lane *l)
{
    for (u32 i = 0; i < l->bell_count; i++)
        *l->bells[i]->bell |= l->bells[i]->bell_bit;
}

/* Merges every thread that has finished, and does the work of those that have not begun in time.
 * Returns whether there were any. */
static bool await_others(struct crew *c, u32 threads, u64 start)
{
    bool missed = false;
    u32 left = 0;
    u64 own_end = host_clock();
    for (u32 i = 1; i < threads; i++)
        c->waiting[left++] = i;
    while (left) {
        u64 now = host_clock();
        bool late = now - start > BEGIN_CLOCKS;
        for (u32 k = 0; k < left; k++) {
            u32 i = c->waiting[k];
            struct lane *l = &c->lanes[i];
            if (__atomic_load_n(&l->done, __ATOMIC_ACQUIRE) == c->number) {
                merge_lane(c, l);
            } else if (late && take(l, c->number)) {
                tick_list(&c->lanes[0], c, i);
                missed = true;
            } else {
                continue;
            }
            c->waiting[k--] = c->waiting[--left];
        }
        if (now - own_end < SPIN_CLOCKS)
            cpu_relax();
        else
            sched_yield();
        missed |= now - own_end > WAIT_CLOCKS;
    }
    return missed;
}

static void merge_rest(struct crew *c, u32 threads)
{
    struct engine *e = c->engine;
    merge_lane(c, &c->lanes[0]);
    for (u32 i = 0; i < threads; i++) {
        const struct lane *l = &c->lanes[i];
        if (l->done != c->number)
            continue; /* the first has done its work */
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
static struct deal *choose_deal(const struct crew *c, struct deals *d, u64 clocks)
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

/* Fewer threads where the host does not run them; after a while one step more again. */
static void note_misses(struct crew *c, bool missed, u64 now)
{
    c->missed = missed ? c->missed + MISS_COSTS : c->missed - (c->missed > 0);
    if (UNLIKELY(c->missed > MOST_MISSES)) {
        c->missed = 0;
        c->limit--;
        c->pauses = (u32)min_u64(c->pauses + 1, MOST_PAUSES);
        c->resume = now + ((u64)PAUSE_CLOCKS << c->pauses);
    }
}

static bool may_share(struct crew *c)
{
    u32 most = c->groups[0].count;
    if (UNLIKELY(c->limit < most) && host_clock() > c->resume) {
        c->limit++;
        c->missed = MOST_MISSES / 2;
        c->resume = host_clock() + ((u64)PAUSE_CLOCKS << c->pauses);
        c->pauses -= c->pauses > 0 && c->limit == most;
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

static void count_round(const struct crew *c, bool missed, u64 start, u64 end)
{
    struct crew_counts *n = &c->deals->counts;
    n->rounds++;
    n->missed += missed;
    n->threads += c->deal->threads;
    n->clocks += end - start;
    n->begin += c->begin - start;
    n->longest += c->longest;
    n->busy += c->busy;
}

bool crew_tick(struct crew *c, const struct round *r)
{
    struct engine *e = c->engine;
    u64 clocks = work_of(r);
    bool stress = e->options.stress;
    if (!stress && (clocks < c->floor || !may_share(c)))
        return false;
    u64 start = host_clock();
    c->deals = &c->groups[r->stages[0]->group];
    struct deal *deal = choose_deal(c, c->deals, clocks);
    c->number++;
    c->begin = c->longest = c->busy = 0;
    if (UNLIKELY(stress))
        deals_at_random(c->deals, deal, &c->lanes[0].random);
    for (u32 i = 0; i < r->count; i++) {
        const struct domain *d = r->stages[i]->domain;
        c->bits[r->stages[i]->index] = r->part == STAGE_TICK ? d->ticking : d->open;
    }
    c->deal = deal;
    c->part = r->part;
    c->sampled = (c->number & 63) == 0;
    e->parallel = true;
    offer_round(c, deal->threads);
    struct lane *outer = engine_lane;
    engine_lane = &c->lanes[0];
    work(&c->lanes[0], c->number);
    bool missed = await_others(c, deal->threads, start);
    engine_lane = outer;
    e->parallel = false;
    merge_rest(c, deal->threads);
    for (u32 i = 0; i < r->count; i++)
        c->bits[r->stages[i]->index] = NULL;
    u64 now = host_clock();
    note_misses(c, missed, now);
    if (c->sampled)
        note_cost(r, clocks, c->busy);
    count_round(c, missed, start, now);
    if (UNLIKELY(--deal->rounds_left == 0)) {
        deal->rounds_left = DEAL_ROUNDS;
        deals_by_cost(c->deals, deal);
    }
    return true;
}

static u64 host_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
}

double crew_clock_hz(const struct crew *c)
{
    return (double)(host_clock() - c->made) * 1e9 / (double)(host_ns() - c->made_ns);
}

/* ---- building -----------------------------------------------------------------------------------
 */

static void init_lane(struct crew *c, u32 i)
{
    struct engine *e = c->engine;
    struct arena *a = e->arena;
    struct lane *l = &c->lanes[i];
    *l = (struct lane){.crew = c, .index = i, .random = hash_u64(e->options.stress + i)};
    u64 *bits = arena_alloc_aligned(a, 2 * (size_t)e->wake_words * sizeof(u64), 64);
    l->wakes = bits;
    l->open = bits + e->wake_words;
    l->later = arena_alloc_aligned(a, (e->unit_count + 1) * sizeof *l->later, 64);
    l->cancel = arena_alloc_aligned(a, (e->unit_count + 1) * sizeof *l->cancel, 64);
    l->bells = arena_alloc_aligned(a, (e->port_count + 1) * sizeof(struct port *), 64);
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

/* What it costs two threads to share out nothing. */
static void measure_floor(struct crew *c)
{
    u64 best = UINT64_MAX;
    const struct round none = {.count = 1, .stages = {c->engine->stages[0]}};
    struct domain *d = none.stages[0]->domain;
    u64 *ticking = d->ticking;
    d->ticking = ARENA_ARRAY(c->engine->arena, u64, d->words + 1);
    for (u32 i = 0; i < 64; i++) {
        u64 start = host_clock();
        crew_tick(c, &none);
        best = min_u64(best, host_clock() - start);
    }
    d->ticking = ticking;
    c->floor = 4 * best;
    c->missed = c->pauses = 0;
    c->limit = c->groups[0].count;
    c->groups[0].counts = (struct crew_counts){0};
    for (u32 i = 0; i < c->group_count; i++) {
        for (u32 k = 0; k < c->groups[i].count; k++)
            c->groups[i].of[k].rounds_left = FIRST_ROUNDS;
    }
}

struct crew *crew_create(struct engine *e, u32 threads)
{
    u32 most = 0, groups = 0;
    for (u32 i = 0; i < e->stage_count; i++) {
        most = (u32)max_u64(most, e->stages[i]->shard_count);
        groups = (u32)max_u64(groups, e->stages[i]->group + 1);
    }
    threads = (u32)min_u64(threads, most);
    if (threads < 2)
        return NULL;
    struct crew *c = arena_alloc_aligned(e->arena, sizeof *c, 64);
    *c = (struct crew){.engine = e, .count = threads, .owner = getpid()};
    c->lanes = arena_alloc_aligned(e->arena, threads * sizeof *c->lanes, 64);
    c->asleep = arena_alloc_aligned(e->arena, (threads + 16) * sizeof *c->asleep, 64);
    memset(c->asleep, 0, threads * sizeof *c->asleep);
    c->threads = ARENA_ARRAY(e->arena, pthread_t, threads);
    c->waiting = ARENA_ARRAY(e->arena, u32, threads);
    c->wakes = ARENA_ARRAY(e->arena, u64, e->wake_words);
    for (u32 i = 0; i < threads; i++)
        init_lane(c, i);
    if (!start_threads(c))
        return NULL;
    c->groups = ARENA_ARRAY(e->arena, struct deals, groups);
    c->group_count = groups;
    for (u32 i = 0; i < groups; i++)
        deals_make(&c->groups[i], e, i, c->count);
    c->limit = c->groups[0].count;
    measure_floor(c);
    c->made = host_clock();
    c->made_ns = host_ns();
    return c;
}

void crew_destroy(struct crew *c)
{
    if (!c || c->owner != getpid())
        return;
    __atomic_store_n(&c->quit, true, __ATOMIC_RELEASE);
    c->number++;
    offer_round(c, c->count);
    for (u32 i = 1; i < c->count; i++)
        pthread_join(c->threads[i], NULL);
}

u32 crew_threads(const struct crew *c)
{
    return c ? c->count : 1;
}

const struct crew_counts *crew_counts(const struct crew *c, u32 group)
{
    return c && group < c->group_count ? &c->groups[group].counts : NULL;
}
