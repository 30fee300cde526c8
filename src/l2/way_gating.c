/*
 * A bank that follows a plan (l2/llc.h): who may take which ways, and how many are on.
 *
 * Ways that are to go off are flushed first: the bank serves nothing while lines on their way come
 * in, then looks at its dirty vector, one bit per set, and writes back what is dirty in the sets
 * that have a bit (Lee 2013, 7.3.4). For comparison it can walk all sets, or go on serving and
 * empty such ways set by set, as misses come to them (lazy). Ways that go on come up empty, at
 * once.
 */
#include "l2/bank_internal.h"

/* clang-format off */
const struct stat_def bank_ways_stats[] = {
    S_COUNT(bank_ways_counts, way_cycles, "way cycles", "cycles times ways"),
    S_COUNT(bank_ways_counts, gated_way_cycles, "way cycles", "cycles times ways that were off"),
    S_FORMULA(active_percent, "100 * (1 - gated_way_cycles / way_cycles)", "%", "mean share of the cache that was on"),
    S_COUNT(bank_ways_counts, shrinks, "times", "times ways were switched off"),
    S_COUNT(bank_ways_counts, grows, "times", "times ways were switched on"),
    S_COUNT(bank_ways_counts, resize_cycles, "cycles", "cycles in which the bank served nothing because of a change of ways"),
    S_COUNT(bank_ways_counts, looked_sets, "sets", "sets searched for dirty lines when ways were switched off"),
    S_COUNT(bank_ways_counts, flushed_sets, "sets", "sets with dirty lines when ways were switched off"),
    S_COUNT(bank_ways_counts, flushed_lines, "lines", "dirty lines written back when ways were switched off"),
    S_RATIO(bank_ways_counts, dirty_share, flushed_sets, looked_sets, "share of sets with dirty lines when ways were switched off"),
    S_END,
};
/* clang-format on */

static bool is_lazy(const struct bank *b)
{
    return b->config->flush == FLUSH_LAZY;
}

/* ---- the dirty vector ------------------------------------------------------------------------ */

static bool has_dirty(const struct bank *b, u32 set, u32 first)
{
    const struct line *lines = tags_line(&b->cache.tags, set, 0);
    for (u32 way = first; way < b->cache.tags.ways; way++) {
        if (lines[way].dirty)
            return true;
    }
    return false;
}

void bank_note_dirty(struct bank *b, u32 set)
{
    u64 bit = (u64)1 << (set % 64), *word = &b->ways->dirty_sets[set / 64];
    *word = has_dirty(b, set, 0) ? *word | bit : *word & ~bit;
}

static bool is_flagged(const struct bank *b, u32 set)
{
    return b->ways->dirty_sets[set / 64] >> (set % 64) & 1;
}

/* ---- who takes what -------------------------------------------------------------------------- */

static u64 ways_for(const struct cache *c, u32 set, const struct request *access)
{
    const struct bank *b = c->owner;
    const struct bank_ways *w = b->ways;
    const struct llc_policy *p = &w->llc->policy;
    u64 on = llc_first_ways(w->target < w->on ? w->target : w->on);
    u64 ways = w->view.plan->ways_of[access->application] & on;
    if (!ways) /* its ways are not on yet */
        ways = on;
    if (!p->ops->narrow)
        return ways;
    const struct line *lines = tags_line(&c->tags, set, 0);
    for (u32 way = 0; way < w->on; way++) {
        if (ways >> way & 1 && lines[way].state == LINE_INVALID)
            return ways;
    }
    return p->ops->narrow(p, w->view.plan, &c->tags, set, ways, access);
}

void bank_observe(struct bank *b, const struct request *r, bool hit)
{
    const struct llc_view *v = &b->ways->view;
    const struct llc_policy_ops *ops = v->policy->ops;
    bool counts = r->kind == REQUEST_LOAD || r->kind == REQUEST_STORE || r->kind == REQUEST_ATOMIC;
    if (counts && ops->observe)
        ops->observe(v->policy, v->monitor, bank_find(b, r->line).set, r, hit, v->now);
}

enum llc_pass bank_sends_around(const struct bank *b, const struct request *r)
{
    const struct llc_view *v = &b->ways->view;
    bool can = r->kind == REQUEST_LOAD || r->kind == REQUEST_STORE;
    if (!can || !v->policy->ops->passes)
        return LLC_TAKES;
    return v->policy->ops->passes(v->policy, v->plan, r);
}

/* ---- on and off ------------------------------------------------------------------------------ */

static bool serves_nothing(const struct bank_ways *w)
{
    return w->state == WAYS_DRAIN || w->state == WAYS_SCAN || w->state == WAYS_WALK;
}

static void account(struct bank *b, cycle_t now)
{
    struct bank_ways *w = b->ways;
    u64 cycles = now - w->since;
    w->counts.resize_cycles += serves_nothing(w) ? cycles : 0;
    w->counts.way_cycles += cycles * b->cache.tags.ways;
    w->counts.gated_way_cycles += cycles * (b->cache.tags.ways - w->on);
    w->since = now;
}

static void turn(struct bank *b, u32 ways, cycle_t now)
{
    account(b, now);
    cache_use_ways(&b->cache, ways);
    b->ways->on = b->ways->target = ways;
    b->ways->state = WAYS_STEADY;
}

/* Writes back dirty lines of a set from a way on, as far as there is room; false: not all yet. */
static bool clean_set(struct bank *b, u32 set, u32 first)
{
    for (u32 way = first; way < b->cache.tags.ways; way++) {
        if (!tags_line(&b->cache.tags, set, way)->dirty)
            continue;
        if (!port_has_room(b->miss, 1))
            return false;
        bank_write_back(b, set, way);
        b->ways->counts.flushed_lines++;
    }
    return true;
}

/* The next set to walk through; NO_SET: there is none. */
#define NO_SET UINT32_MAX
static u32 next_set(const struct bank *b, u32 from)
{
    for (u32 set = from; set < b->cache.tags.sets; set++) {
        if (b->config->flush == FLUSH_WALK || is_flagged(b, set))
            return set;
    }
    return NO_SET;
}

static void walk_on(struct bank *b, u32 from, cycle_t now)
{
    struct bank_ways *w = b->ways;
    w->set = next_set(b, from);
    w->until = now + b->config->flush_set_cycles;
    if (w->set == NO_SET)
        turn(b, w->target, now);
    else
        w->counts.flushed_sets += is_flagged(b, w->set);
}

/* A cycle of turning ways off; what is dirty leaves first. */
static void resize(struct bank *b, cycle_t now)
{
    struct bank_ways *w = b->ways;
    if (w->state == WAYS_DRAIN && !b->cache.mshr.in_use) {
        w->state = WAYS_SCAN;
        w->until = now + (b->config->flush == FLUSH_VECTOR ? (b->cache.tags.sets + 63) / 64 : 0);
        w->counts.looked_sets += b->cache.tags.sets;
    }
    if (w->state == WAYS_SCAN && now >= w->until) {
        w->state = WAYS_WALK;
        walk_on(b, 0, now);
    }
    if (w->state == WAYS_WALK && now >= w->until &&
        clean_set(b, w->set, b->config->flush_all ? 0 : w->target))
        walk_on(b, w->set + 1, now);
}

/* A miss has come to the set: ways that go off lazily are emptied. */
static void empty_set(struct bank *b, struct bank_attachment *a, u32 set)
{
    struct bank_ways *w = ATTACHED(a, struct bank_ways);
    if (w->state != WAYS_LAZY)
        return;
    for (u32 way = w->target; way < w->on; way++) {
        const struct line *l = tags_line(&b->cache.tags, set, way);
        if (l->state != LINE_VALID || (l->dirty && !port_has_room(b->miss, 2)))
            continue; /* room for the miss itself is left */
        if (l->dirty) {
            bank_write_back(b, set, way);
            w->counts.flushed_lines++;
        }
        cache_invalidate(&b->cache, set, way);
        w->lines_left--;
    }
}

static u32 count_lines(const struct bank *b, u32 first, u32 end)
{
    u32 count = 0;
    for (u32 set = 0; set < b->cache.tags.sets; set++) {
        for (u32 way = first; way < end; way++)
            count += tags_line(&b->cache.tags, set, way)->state != LINE_INVALID;
    }
    return count;
}

static void aim(struct bank *b, u32 ways, cycle_t now)
{
    struct bank_ways *w = b->ways;
    account(b, now);
    w->target = ways;
    if (ways >= w->on) {
        w->counts.grows += ways > w->on;
        turn(b, ways, now);
        return;
    }
    w->counts.shrinks++;
    w->state = is_lazy(b) ? WAYS_LAZY : WAYS_DRAIN;
    w->lines_left = is_lazy(b) ? count_lines(b, ways, w->on) : 0;
}

/* False: it turns ways off and serves nothing. */
static bool keep_to_plan(struct bank *b, struct bank_attachment *a, cycle_t now)
{
    struct bank_ways *w = ATTACHED(a, struct bank_ways);
    w->view.now = now;
    w->view.plan = llc_plan_at(w->llc, now);
    bool may_aim = w->state == WAYS_STEADY || w->state == WAYS_LAZY;
    if (w->view.plan->ways_on != w->target && may_aim)
        aim(b, w->view.plan->ways_on, now);
    if (w->state == WAYS_LAZY && !w->lines_left && !b->cache.mshr.in_use)
        turn(b, w->target, now);
    else if (serves_nothing(w))
        resize(b, now);
    return !serves_nothing(w);
}

static cycle_t next(const struct bank *b, const struct bank_attachment *a, cycle_t now)
{
    (void)a;
    const struct bank_ways *w = b->ways;
    bool is_late = !serves_nothing(w) && llc_plan_at(w->llc, now + 1)->ways_on != w->target;
    bool goes_on = serves_nothing(w) && (w->state != WAYS_DRAIN || !b->cache.mshr.in_use);
    return is_late || goes_on ? now + 1 : CYCLE_NEVER;
}

static void settle(struct bank *b, struct bank_attachment *a, cycle_t now)
{
    (void)a;
    account(b, now);
}

static void accessed(struct bank *b, struct bank_attachment *a, const struct request *r, bool hit)
{
    (void)a;
    bank_observe(b, r, hit);
}

static void arrived(struct bank *b, struct bank_attachment *a, struct request *r)
{
    (void)a;
    enum llc_pass pass = bank_sends_around(b, r);
    if (pass != LLC_TAKES)
        r->flags |= pass == LLC_IS_BLIND ? REQUEST_BYPASS_L2 | REQUEST_BLIND : REQUEST_BYPASS_L2;
}

static void written(struct bank *b, struct bank_attachment *a, struct cache_place p,
                    const struct request *r)
{
    (void)a, (void)r;
    bank_note_dirty(b, p.set);
}

static void written_back(struct bank *b, struct bank_attachment *a, struct cache_place p,
                         struct request *r)
{
    (void)a, (void)r;
    bank_note_dirty(b, p.set);
}

static void placed(struct bank *b, struct bank_attachment *a, struct cache_place p, u64 line)
{
    (void)a, (void)line;
    bank_note_dirty(b, p.set);
}

void bank_follow(struct bank *b, struct arena *arena, const struct llc *llc, void *monitor)
{
    struct bank_ways *w = ARENA_NEW(arena, struct bank_ways);
    u32 ways = b->cache.tags.ways;
    *w = (struct bank_ways){
        .llc = llc, .view = {&llc->policy, &llc->plan, monitor, 0}, .on = ways, .target = ways};
    w->dirty_sets = ARENA_ARRAY(arena, u64, b->cache.tags.sets / 64 + 1);
    static const struct bank_hooks hooks = {.may_serve = keep_to_plan,
                                            .next = next,
                                            .settle = settle,
                                            .arrived = arrived,
                                            .accessed = accessed,
                                            .written = written,
                                            .written_back = written_back,
                                            .placed = placed,
                                            .needs_way = empty_set};
    b->ways = w;
    bank_attach(b, &w->attached, &hooks);
    b->cache.ways_for = ways_for;
    for (u32 set = 0; set < b->cache.tags.sets; set++)
        bank_note_dirty(b, set);
}
