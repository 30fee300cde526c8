#include "l2/bank_internal.h"

/* The way of the copy that an SM of the other half reads; NO_WAY: none has all it asks for. */
static u32 copy_for(const struct bank *b, u32 set, const struct request *r)
{
    if ((r->kind != REQUEST_LOAD && r->kind != REQUEST_FETCH) || r->flags & REQUEST_BLIND ||
        !far_l2_is_far(b->far, r->agent))
        return NO_WAY; /* a copy is never newer than DRAM: a blind load does not see it */
    const struct tags *t = &b->far->other->cache.tags;
    u32 way = tags_find(t, set, r->line);
    return way == NO_WAY || r->sectors & ~(u32)tags_line(t, set, way)->valid ? NO_WAY : way;
}

/* Where all ways wait for DRAM, or the victim has to wait for its way there, there is no copy; nor
 * of a line that was not kept. */
static void keep_copy(struct bank *b, u32 set, const struct request *r, u32 sectors)
{
    struct bank *o = b->far->other;
    struct tags *t = &o->cache.tags;
    u32 way = tags_find(t, set, r->line);
    if (!sectors)
        return;
    if (way != NO_WAY) {
        tags_hit(t, set, way, r);
    } else {
        way = cache_victim(&o->cache, set, 0, r);
        if (way == NO_WAY || !bank_can_give_up(o, set, way))
            return;
        cache_take(&o->cache, set, way, r, LINE_VALID);
    }
    struct line *copy = tags_line(t, set, way);
    copy->valid = (u8)(copy->valid | sectors);
}

static void drop_copy(struct bank *b, u32 set, u64 line, u32 sectors)
{
    struct tags *t = &b->far->other->cache.tags;
    u32 way = tags_find(t, set, line);
    if (way == NO_WAY)
        return;
    struct line *copy = tags_line(t, set, way);
    copy->valid = (u8)(copy->valid & ~sectors);
    if (!copy->valid)
        tags_invalidate(t, set, way);
}

/* An SM has read or written the line, which has these sectors: what the other half has of it then.
 * True: it was a read from there. */
static bool update_copy(struct bank *b, u32 set, const struct request *r, u32 sectors)
{
    bool far = far_l2_is_far(b->far, r->agent);
    bool reads = r->kind == REQUEST_LOAD || r->kind == REQUEST_FETCH;
    if (far && r->kind != REQUEST_ATOMIC) /* those are done where the line lives */
        keep_copy(b, set, r, sectors);
    else if (!reads)
        drop_copy(b, set, r->line, r->sectors);
    return far && reads;
}

bool bank_port_is_kept(const struct bank *b, bool copy, cycle_t now)
{
    if (LIKELY(!b->far))
        return now < b->port_free;
    const struct far_l2 *h = b->far, *other = h->other->far;
    return copy ? now < h->copies.free || now < half_port_seen(&other->own, now)
                : now < b->port_free || now < half_port_seen(&other->copies, now);
}

static cycle_t sooner(cycle_t a, cycle_t b, cycle_t now)
{
    return b > now && b < a ? b : a;
}

cycle_t bank_port_next(const struct bank *b, cycle_t now)
{
    if (LIKELY(!b->far))
        return b->port_free;
    const struct far_l2 *h = b->far, *other = h->other->far;
    cycle_t next = sooner(CYCLE_NEVER, b->port_free, now);
    next = sooner(next, h->copies.free, now);
    next = sooner(next, other->own.free, now);
    next = sooner(next, other->copies.free, now);
    return next == CYCLE_NEVER ? now + 1 : next;
}

/* ---- hooks ----------------------------------------------------------------------------- */

static void answer_across(struct bank *b, struct bank_attachment *a, cycle_t now)
{
    struct timed_queue *coming = &ATTACHED(a, struct far_l2)->coming;
    while (timed_next(coming) <= now && port_can_push(b->out))
        bank_answer(b, timed_pop(coming));
}

static cycle_t next(const struct bank *b, const struct bank_attachment *a, cycle_t now)
{
    (void)a, (void)now;
    return port_can_push(b->out) ? timed_next(&b->far->coming) : CYCLE_NEVER;
}

/* The SM's half has it: this one is not asked, and the copy comes through its own bank's port. */
static u8 serve_copy(struct bank *b, struct bank_attachment *a, handle_t h, struct cache_place p,
                     cycle_t now)
{
    struct far_l2 *far = ATTACHED(a, struct far_l2);
    struct request *r = bank_request(b, h);
    u32 way = copy_for(b, p.set, r);
    if (way == NO_WAY)
        return SERVE_ON;
    u8 stall = bank_hit_stall(b, true, r, now);
    if (stall != STALL_NONE)
        return stall;
    if (UNLIKELY(r->flags & REQUEST_BYPASS_L2))
        bank_found(b, r);
    half_port_keep(&far->copies, now, bank_port_need(b, r));
    b->counts.busy_port_cycles += bank_port_need(b, r);
    bank_count_hit(b, r);
    tags_hit(&far->other->cache.tags, p.set, way, r);
    bank_answer(b, h);
    return STALL_NONE;
}

/* A read from the other half brings as much along as a miss does. */
static bool takes_answer(struct bank *b, struct bank_attachment *a, handle_t h,
                         struct cache_place p, cycle_t now)
{
    struct far_l2 *far = ATTACHED(a, struct far_l2);
    const struct request *r = bank_request(b, h);
    u32 brought = request_writes(r) ? r->sectors : cache_fill_sectors(&b->cache, r->sectors, 0);
    if (!update_copy(b, p.set, r, brought & cache_valid(&b->cache, p)))
        return false;
    timed_push(&far->coming, h, now + far->cycles);
    return true;
}

static bool is_full(const struct bank *b, const struct bank_attachment *a, u32 answers)
{
    (void)a;
    return far_l2_room(b->far) < min_u64(answers, FAR_L2_ENTRIES);
}

static void kept_port(struct bank *b, struct bank_attachment *a, cycle_t now, u32 cycles)
{
    (void)b;
    half_port_keep(&ATTACHED(a, struct far_l2)->own, now, cycles);
}

static void written_around(struct bank *b, struct bank_attachment *a, const struct request *r)
{
    (void)a;
    drop_copy(b, bank_find(b, r->line).set, r->line, r->sectors);
}

static void placed(struct bank *b, struct bank_attachment *a, struct cache_place p, u64 line)
{
    (void)a;
    drop_copy(b, p.set, line, b->cache.all_sectors);
}

static struct far_l2 *attach(struct bank *b, struct arena *arena, struct bank *other, bool is_upper,
                             u32 cycles)
{
    static const struct bank_hooks hooks = {.begin = answer_across,
                                            .next = next,
                                            .serve = serve_copy,
                                            .takes_answer = takes_answer,
                                            .is_full = is_full,
                                            .kept_port = kept_port,
                                            .written_around = written_around,
                                            .placed = placed};
    struct far_l2 *far = ARENA_NEW(arena, struct far_l2);
    *far = (struct far_l2){.other = other,
                           .cycles = cycles,
                           .agents = other->config->half_agents,
                           .is_upper = is_upper};
    timed_init(&far->coming, arena, FAR_L2_ENTRIES);
    bank_attach(b, &far->attached, &hooks);
    return far;
}

void bank_pair(struct bank *lower, struct bank *upper, struct arena *arena, u32 cycles)
{
    lower->far = attach(lower, arena, upper, false, cycles);
    upper->far = attach(upper, arena, lower, true, cycles);
}
