#include "gpu/dispatch/dispatch.h"

#include "base/map.h"

#include <string.h>

/* Grids before this one in its stream keep it waiting. */
static bool stream_is_busy(const struct dispatcher *d, const struct grid_run *run)
{
    for (u32 i = 0; i < d->grid_count && d->grids[i] != run; i++) {
        const struct grid_source *s = &d->grids[i]->source;
        if (!d->grids[i]->is_done && s->stream == run->source.stream &&
            s->application == run->source.application)
            return true;
    }
    return false;
}

/* ---- blocks that have ended ------------------------------------------------------------------ */

static void end_grid(struct dispatcher *d, struct grid_run *run, cycle_t now)
{
    run->is_done = true;
    run->runs = false;
    run->ended = now;
    if (d->on_end)
        d->on_end(d->context, run);
    if (d->stop_at_each)
        engine_stop(d->engine);
    else if (dispatcher_is_idle(d))
        engine_finish(d->engine);
}

static void free_room(struct dispatcher *d, u32 sm, u32 slot, const struct grid_run *run)
{
    struct sm_room *room = &d->rooms[sm];
    room->warps += run->source.warps_per_block;
    room->registers += run->registers_per_block;
    room->shared += run->shared_per_block;
    room->free_blocks |= (u64)1 << slot;
    if (d->warps_of)
        d->warps_of[sm][run->source.application] -= run->source.warps_per_block;
}

/* What the block has used on this SM is the grid's. */
static void count_use(struct dispatcher *d, u32 sm, u32 slot, struct grid_run *run, bool has_ended)
{
    const struct sm_uses *u = d->sms[sm].uses;
    if (LIKELY(!u))
        return;
    if (d->on_used)
        d->on_used(d->context, &d->sms[sm], slot, &d->placed[sm][slot].view, has_ended);
    u64 *sum = (u64 *)(void *)&run->use;
    const u64 *of = (const u64 *)(const void *)&u->of[slot].now;
    for (u32 i = 0; i < sizeof run->use / sizeof *sum; i++)
        sum[i] += of[i];
}

static void set_codes(struct block_view *v, u32 codes)
{
    v->has_code = true;
    v->code[USE_MEMORY] = (u8)codes;
    v->code[USE_FPU] = (u8)(codes >> 8);
}

static void block_ended(struct dispatcher *d, u32 sm, u32 slot, u32 codes, cycle_t now)
{
    struct placed_block *b = &d->placed[sm][slot];
    struct grid_run *run = &d->table[b->grid];
    count_use(d, sm, slot, run, true);
    if (UNLIKELY(d->policy.ops->poll))
        set_codes(&b->view, codes);
    free_room(d, sm, slot, run);
    d->counts.running--;
    d->counts.ended++;
    if (d->policy.ops->ended)
        d->policy.ops->ended(&d->policy, &b->view);
    if (UNLIKELY(d->victims)) {
        stopped_blocks_ended(d, b);
        stopped_blocks_sm_emptied(d, sm, now);
    }
    run->blocks_done++;
    if (UNLIKELY(d->on_block))
        d->on_block(d->block_context, run);
    if (run->blocks_done == run->source.blocks)
        end_grid(d, run, now);
}

static void block_polled(struct dispatcher *d, u32 sm, u32 slot, u32 codes, cycle_t now)
{
    struct block_view *v = &d->placed[sm][slot].view;
    u8 old[USE_METRICS];
    bool was_known = v->has_code;
    memcpy(old, v->code, sizeof old);
    set_codes(v, codes);
    if (d->sm_events)
        d->sm_events[sm]++;
    if (d->on_used)
        d->on_used(d->context, &d->sms[sm], slot, v, false);
    bool changed = !was_known || memcmp(old, v->code, sizeof old) != 0;
    if (changed && d->policy.ops->polled && !v->is_stopping)
        d->policy.ops->polled(&d->policy, v, slot, was_known ? old : NULL, now);
}

static void take_message(struct dispatcher *d, u32 sm, struct block_message m, cycle_t now)
{
    struct placed_block *b = &d->placed[sm][m.slot];
    if (LIKELY(m.kind == BLOCK_ENDED)) {
        block_ended(d, sm, m.slot, m.place, now);
    } else if (m.kind == BLOCK_POLLED) {
        block_polled(d, sm, m.slot, m.place, now);
    } else if (m.kind == BLOCK_STOPPED) {
        count_use(d, sm, m.slot, &d->table[b->grid], false);
        free_room(d, sm, m.slot, &d->table[b->grid]);
        stopped_blocks_add(d, sm, m.slot, now);
    } else {
        d->stopping -= m.kind == BLOCK_GOES_ON;
        d->buffers_taken -= b->in_buffer;
        b->in_buffer = false;
        b->view.is_stopping = b->view.is_coming = false;
    }
}

static void take_messages(struct dispatcher *d, cycle_t now)
{
    for (u32 w = 0; w * 64 < d->config->sm.count; w++) {
        for (u64 bits = d->rung[w]; bits; bits &= bits - 1) {
            u32 sm = w * 64 + (u32)__builtin_ctzll(bits);
            struct port *p = &d->sms[sm].done;
            while (port_ready(p))
                take_message(d, sm, block_message_read(port_pop(p)), now);
            if (!port_count(p))
                d->rung[w] &= ~(bits & -bits);
        }
    }
}

/* ---- blocks that go out ------------------------------------------------------------------------
 */

static bool has_room(const struct dispatcher *d, u32 sm, const struct grid_run *run)
{
    const struct sm_room *r = &d->rooms[sm];
    return r->free_blocks && r->warps >= run->source.warps_per_block &&
           r->registers >= run->registers_per_block && r->shared >= run->shared_per_block &&
           port_can_push(&d->sms[sm].launch);
}

u32 dispatcher_take_room(struct dispatcher *d, u32 sm, const struct grid_run *run)
{
    struct sm_room *r = &d->rooms[sm];
    u32 slot = (u32)__builtin_ctzll(r->free_blocks);
    r->free_blocks &= r->free_blocks - 1;
    r->warps -= run->source.warps_per_block;
    r->registers -= run->registers_per_block;
    r->shared -= run->shared_per_block;
    if (d->warps_of)
        d->warps_of[sm][run->source.application] += run->source.warps_per_block;
    return slot;
}

void dispatcher_send(struct dispatcher *d, u32 sm, u32 slot, enum block_message_kind kind)
{
    const struct placed_block *b = &d->placed[sm][slot];
    port_push(&d->sms[sm].launch,
              block_message_write((struct block_message){
                  .kind = kind, .slot = slot, .how = b->how, .why = b->why, .place = b->place}));
}

void dispatcher_poll(struct dispatcher *d, u32 sm, u32 slot)
{
    struct sm_block *b = &d->sms[sm].blocks[slot];
    if (d->policy.ops->poll)
        d->policy.ops->poll(&d->policy, b->grid, &b->poll);
    if (!b->poll.cycles && d->watch_cycles)
        b->poll = (struct block_poll){.cycles = d->watch_cycles, .scale = 1, .bits = 1};
    const struct block_view *v = &d->placed[sm][slot].view;
    b->poll.always = d->watch_cycles > 0;
    b->poll.has_code = v->has_code;
    memcpy(b->poll.code, v->code, sizeof b->poll.code);
}

static void send_block(struct dispatcher *d, u32 sm, struct grid_run *run, cycle_t now)
{
    u32 slot = dispatcher_take_room(d, sm, run);
    u64 id = grid_block(&run->source, run->next_block++);
    d->placed[sm][slot] =
        (struct placed_block){.view = {&run->source, run->launch, id, .sm = sm, .since = now},
                              .grid = (u32)(run - d->table),
                              .place = NO_PLACE};
    d->sms[sm].blocks[slot] = (struct sm_block){
        .grid = &run->source, .regions = run->regions, .id = id, .launch = run->launch};
    if (d->policy.ops->predict)
        d->placed[sm][slot].view.has_code =
            d->policy.ops->predict(&d->policy, &run->source, id, d->placed[sm][slot].view.code);
    dispatcher_poll(d, sm, slot);
    d->counts.started++;
    d->counts.running++;
    dispatcher_send(d, sm, slot, BLOCK_START);
}

/* Nobody who shares the SM and has blocks waiting has fewer warps there. */
static bool comes_first(const struct dispatcher *d, u32 sm, u8 application)
{
    const u32 *warps = d->warps_of[sm];
    for (u32 left = d->waiting; left; left &= left - 1) {
        u32 other = (u32)__builtin_ctz(left);
        if (warps[other] < warps[application] && sm >= d->ranges[other].first &&
            sm < d->ranges[other].end)
            return false;
    }
    return true;
}

/* A victim does not go back to the SM that gave it up before something has happened there, unless
 * it has waited too long or nothing can happen: the SM is empty. */
static bool is_sent_back(const struct dispatcher *d, const struct block_ask *a, u32 sm)
{
    const struct victim *v = d->asking_for;
    return v && v->view.sm == sm && v->event == d->sm_events[sm] && !a->is_overdue &&
           (u32)__builtin_popcountll(d->rooms[sm].free_blocks) < d->config->sm.blocks;
}

static bool fits(const struct block_ask *a, u32 sm)
{
    const struct dispatcher *d = a->dispatcher;
    if (UNLIKELY(d->victims) && (d->draining[sm] != CYCLE_NEVER || is_sent_back(d, a, sm)))
        return false;
    return has_room(d, sm, d->asking) &&
           (LIKELY(!d->warps_of) || comes_first(d, sm, d->asking->source.application));
}

/* The SM for a block among those that got none this cycle; NO_SM: none. */
u32 dispatcher_choose(struct dispatcher *d, const struct grid_run *run, const u64 *given,
                      const struct victim *stopped, bool is_overdue)
{
    struct block_ask a = {.grid = &run->source,
                          .launch = run->launch,
                          .block = stopped ? stopped->view.block
                                           : grid_block(&run->source, run->next_block),
                          .stopped = stopped ? &stopped->view : NULL,
                          .is_overdue = is_overdue,
                          .first = d->ranges[run->source.application].first,
                          .end = d->ranges[run->source.application].end,
                          .next = d->next_sm[run->source.application],
                          .rooms = d->rooms,
                          .given = given,
                          .dispatcher = d,
                          .fits = fits};
    d->asking = run;
    d->asking_for = stopped;
    u32 sm = d->policy.ops->choose_sm(&d->policy, &a);
    if (sm != NO_SM && d->policy.ops->sent)
        d->policy.ops->sent(&d->policy, &a, sm);
    return sm;
}

/* Parts of a cycle that the next block is counted in. */
#define SEND_PARTS 1024u

/* The chip sends so many blocks per cycle and no more: false, this cycle's have gone. */
static bool may_send(const struct dispatcher *d, cycle_t now)
{
    return !d->send_interval || d->send_free < (now + 1) * SEND_PARTS;
}

/*
 * The SMs for a cluster among those of a GPC: those with the fewest of its blocks first, so that
 * each gets one if there are as many. False: they have no room for all.
 */
static bool choose_together(const struct dispatcher *d, const struct grid_run *run, u32 gpc,
                            u32 gpcs, u32 *sms)
{
    u8 taken[MOST_GPC_SMS] = {0};
    const struct grid_source *g = &run->source;
    u32 first = d->ranges[g->application].first, end = d->ranges[g->application].end;
    for (u32 n = 0; n < g->cluster_blocks; n++) {
        u32 best = NO_SM;
        for (u32 sm = first; sm < end; sm++) {
            const struct sm_room *r = &d->rooms[sm];
            u32 blocks = taken[sm - first] + 1u;
            if ((sm - first) / SMS_OF_TPC % gpcs != gpc ||
                (u32)__builtin_popcountll(r->free_blocks) < blocks ||
                r->warps < blocks * g->warps_per_block ||
                r->registers < blocks * run->registers_per_block ||
                r->shared < blocks * run->shared_per_block ||
                port_room(&d->sms[sm].launch) < blocks)
                continue;
            if (best == NO_SM || taken[sm - first] < taken[best - first])
                best = sm;
        }
        if (best == NO_SM)
            return false;
        taken[best - first]++;
        sms[n] = best;
    }
    return true;
}

/* A cluster goes out as a whole, to a GPC; these take turns. */
static bool send_cluster(struct dispatcher *d, struct grid_run *run, u64 *given, cycle_t now)
{
    u32 sms[MOST_CLUSTER], wide = d->config->launch.gpc_sms, size = run->source.cluster_blocks;
    const struct sm_range *range = &d->ranges[run->source.application];
    u32 gpcs = wide ? (range->end - range->first) / wide : 1;
    gpcs = gpcs ? gpcs : 1;
    for (u32 k = 0; k < gpcs; k++) {
        u32 gpc = (d->next_gpc + k) % gpcs;
        if (!choose_together(d, run, gpc, gpcs, sms))
            continue;
        for (u32 n = 0; n < size; n++) {
            send_block(d, sms[n], run, now);
            given[sms[n] / 64] |= (u64)1 << (sms[n] % 64);
        }
        d->send_free = max_u64(d->send_free, now * SEND_PARTS) + size * d->send_interval;
        d->next_gpc = (gpc + 1) % gpcs;
        return true;
    }
    return false;
}

/* An SM that got a block this cycle, of whichever grid, may have room for one in the next. */
static bool any_given(const u64 *given)
{
    u64 any = 0;
    for (u32 i = 0; i < GIVEN_WORDS; i++)
        any |= given[i];
    return any != 0;
}

/* False: no SM takes it now; of a grid with clusters, no GPC takes the next one. */
static bool send_next(struct dispatcher *d, struct grid_run *run, u64 *given, cycle_t now)
{
    if (UNLIKELY(run->source.cluster_blocks > 1))
        return send_cluster(d, run, given, now);
    u32 sm = dispatcher_choose(d, run, given, NULL, false);
    if (sm == NO_SM)
        return false;
    send_block(d, sm, run, now);
    d->send_free = max_u64(d->send_free, now * SEND_PARTS) + d->send_interval;
    given[sm / 64] |= (u64)1 << (sm % 64);
    d->next_sm[run->source.application] = (sm + 1) % d->config->sm.count;
    return true;
}

/* True: it could send more next cycle. */
static bool send_blocks(struct dispatcher *d, struct grid_run *run, u64 *given, cycle_t now)
{
    while (run->next_block < run->source.blocks) {
        if (!may_send(d, now))
            return true;
        if (!send_next(d, run, given, now))
            return any_given(given);
    }
    return false;
}

static bool has_blocks(const struct grid_run *run, cycle_t now)
{
    return run->runs && now >= run->may_start && run->next_block < run->source.blocks;
}

static void find_waiting(struct dispatcher *d, cycle_t now)
{
    d->waiting = 0;
    for (u32 i = 0; i < d->grid_count; i++)
        d->waiting |= (u32)has_blocks(d->grids[i], now) << d->grids[i]->source.application;
}

/* The first block of an application that finds an SM. */
static bool send_for(struct dispatcher *d, u32 application, u64 *given, cycle_t now)
{
    for (u32 i = 0; i < d->grid_count; i++) {
        struct grid_run *run = d->grids[i];
        if (run->source.application != application || !has_blocks(run, now) ||
            !send_next(d, run, given, now))
            continue;
        if (run->next_block == run->source.blocks)
            find_waiting(d, now);
        return true;
    }
    return false;
}

/* Applications take turns, a block each. True: more could go next cycle. */
static bool send_in_turns(struct dispatcher *d, u64 *given, cycle_t now)
{
    find_waiting(d, now);
    for (u32 in_vain = 0; d->waiting && in_vain < d->applications;) {
        if (!may_send(d, now))
            return true;
        in_vain = send_for(d, d->turn, given, now) ? 0 : in_vain + 1;
        d->turn = (d->turn + 1) % d->applications;
    }
    return d->waiting && any_given(given);
}

static void start_grid(struct dispatcher *d, struct grid_run *run, cycle_t now)
{
    run->waits = false;
    run->runs = true;
    run->started = max_u64(run->launched, now);
    d->kernel = hash_string(run->source.name);
    run->may_start = run->started + d->config->launch.cycles +
                     (run->source.is_nested ? d->config->launch.device_cycles : 0);
    if (d->on_start)
        d->on_start(d->context, run);
}

static void cut_grids(struct dispatcher *d, cycle_t now)
{
    d->is_cutting = false;
    for (u32 i = 0; i < d->grid_count; i++) {
        struct grid_run *run = d->grids[i];
        if (run->is_done)
            continue;
        run->is_cut = true;
        run->source.blocks = run->next_block;
        if (run->waits)
            run->is_done = true;
        else if (run->blocks_done == run->source.blocks)
            end_grid(d, run, now);
    }
    engine_stop(d->engine); /* all may be over */
}

static void ring(struct dispatcher *d, cycle_t now)
{
    struct block_policy *p = &d->policy;
    p->alarm = CYCLE_NEVER;
    p->ops->ring(p, now);
}

/* Neither the policy's alarm nor the date of a victim that has gone on keeps a machine going in
 * which nothing runs. */
static cycle_t with_alarm(struct dispatcher *d, cycle_t next)
{
    if (d->counts.running + d->victim_count)
        return min_u64(next, d->policy.alarm);
    if (next == CYCLE_NEVER)
        engine_cancel(d->engine, d->unit);
    return next;
}

static cycle_t dispatcher_tick(void *self, cycle_t now)
{
    struct dispatcher *d = self;
    cycle_t next = CYCLE_NEVER;
    u64 given[GIVEN_WORDS] = {0};
    u32 running[MOST_APPLICATIONS] = {0};
    bool in_turns = d->warps_of, holds = false;
    take_messages(d, now);
    if (UNLIKELY(now >= d->policy.alarm))
        ring(d, now);
    if (UNLIKELY(d->victim_count))
        next = stopped_blocks_send(d, given, now, &holds);
    if (UNLIKELY(d->is_cutting))
        cut_grids(d, now);
    for (u32 i = 0; i < d->grid_count && (in_turns || running[0] < d->config->launch.concurrent);
         i++) {
        struct grid_run *run = d->grids[i];
        u32 *count = &running[run->source.application];
        if (run->is_done || *count == d->config->launch.concurrent)
            continue;
        if (run->waits && !stream_is_busy(d, run))
            start_grid(d, run, now);
        if (!run->runs)
            continue;
        ++*count;
        if (now < run->may_start) {
            next = min_u64(next, run->may_start);
            continue;
        }
        if (!in_turns && !holds && send_blocks(d, run, given, now))
            next = now + 1;
    }
    if (in_turns && !holds && send_in_turns(d, given, now))
        return now + 1;
    return LIKELY(d->policy.alarm == CYCLE_NEVER && !d->victims) ? next : with_alarm(d, next);
}

/* Numbers of a grid are taken when it starts and when it ends. */
static bool dispatcher_can_wait(const void *self)
{
    const struct dispatcher *d = self;
    if (d->victims || d->is_cutting || d->warps_of || d->on_used || d->on_block ||
        d->policy.alarm != CYCLE_NEVER)
        return false;
    u64 messages = 0;
    for (u32 i = 0; i < d->config->sm.count; i++)
        messages += d->rung[i / 64] >> (i % 64) & 1 ? port_ready(&d->sms[i].done) : 0;
    for (u32 i = 0; i < d->grid_count; i++) {
        const struct grid_run *run = d->grids[i];
        if (!run->is_done && (run->waits || run->source.blocks - run->blocks_done <= messages))
            return false;
    }
    return true;
}

static void dispatcher_explain(void *self, struct waits *waits)
{
    const struct dispatcher *d = self;
    for (u32 i = 0; i < d->grid_count; i++) {
        const struct grid_run *run = d->grids[i];
        if (!run->is_done)
            waits_add(waits, UNIT_NONE, "kernel %s: %llu of %llu blocks have ended",
                      run->source.name, (unsigned long long)run->blocks_done,
                      (unsigned long long)run->source.blocks);
    }
    if (d->victims)
        stopped_blocks_explain(d, waits);
}

void dispatcher_init(struct dispatcher *d, const struct build_site *site, domain_id domain,
                     const struct gpu_config *c, struct sm *sms, struct policy_choice policy)
{
    struct sim *sim = site->sim;
    struct arena *a = &sim->arena;
    *d = (struct dispatcher){.config = c, .engine = &sim->engine, .domain = domain, .sms = sms};
    d->policy = (struct block_policy){.ops = (const struct block_policy_ops *)policy.ops,
                                      .config = policy.config,
                                      .state = arena_alloc(a, max_u64(1, policy.ops->state_bytes)),
                                      .dispatcher = d,
                                      .alarm = CYCLE_NEVER};
    d->applications = sim->applications;
    if (d->applications > 1)
        d->warps_of = arena_alloc(a, c->sm.count * sizeof *d->warps_of);
    for (u32 i = 0; i < MOST_APPLICATIONS; i++)
        d->ranges[i] = (struct sm_range){0, c->sm.count};
    if (c->launch.blocks_per_cycle > 0)
        d->send_interval = (u64)(SEND_PARTS / c->launch.blocks_per_cycle + 0.5);
    d->rung = ARENA_ARRAY(a, u64, (c->sm.count + 63) / 64);
    d->rooms = ARENA_ARRAY(a, struct sm_room, c->sm.count);
    d->placed = ARENA_ARRAY(a, struct placed_block *, c->sm.count);
    d->grids = ARENA_ARRAY(a, struct grid_run *, MOST_GRIDS);
    d->table = arena_alloc_sparse(a, MOST_GRIDS * sizeof *d->table);
    d->free_runs = ARENA_ARRAY(a, u32, MOST_GRIDS);
    while (d->free_count < MOST_GRIDS) {
        d->free_runs[d->free_count] = MOST_GRIDS - 1 - d->free_count;
        d->free_count++;
    }
    for (u32 i = 0; i < c->sm.count; i++) {
        d->placed[i] = ARENA_ARRAY(a, struct placed_block, c->sm.blocks);
        d->rooms[i] = (struct sm_room){
            .warps = c->sm.warps,
            .registers = c->sm.registers,
            .shared = c->sm.shared.bytes,
            .free_blocks = c->sm.blocks == 64 ? ~(u64)0 : ((u64)1 << c->sm.blocks) - 1};
    }
}

void dispatcher_join(struct dispatcher *d, const struct build_site *site)
{
    struct sim *sim = site->sim;
    const struct gpu_config *c = d->config;
    struct sm *sms = d->sms;
    d->unit = engine_add_unit(&sim->engine, d->domain, site_name_of(site, "dispatcher"),
                              dispatcher_tick, d);
    engine_explain_with(&sim->engine, d->unit, dispatcher_explain);
    engine_let_wait(&sim->engine, d->unit, dispatcher_can_wait);
    for (u32 i = 0; i < c->sm.count; i++) {
        port_connect(&sms[i].launch, d->unit, sms[i].unit);
        port_connect(&sms[i].done, sms[i].unit, d->unit);
        sms[i].done.bell = &d->rung[i / 64];
        sms[i].done.bell_bit = (u64)1 << (i % 64);
    }
}
