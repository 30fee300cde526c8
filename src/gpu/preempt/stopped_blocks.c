/* Blocks that were stopped: the queue of victims, and the way back to an SM. */
#include "gpu/dispatch/dispatch.h"
#include "gpu/preempt/reduction.h"

#include <string.h>

/* clang-format off */
const struct stat_def dispatch_stats[] = {
    S_COUNT(dispatch_counts, started, "blocks", "blocks sent to an SM for the first time"),
    S_COUNT(dispatch_counts, asked_to_stop, "blocks", "requests to an SM to stop a block"),
    S_COUNT(dispatch_counts, stopped, "blocks", "blocks stopped"),
    S_COUNT(dispatch_counts, resumed, "blocks", "blocks resumed"),
    S_COUNT(dispatch_counts, ended, "blocks", "blocks completed"),
    S_COUNT(dispatch_counts, refused_full, "blocks", "requests to stop a block refused because the queue of stopped blocks was full"),
    S_COUNT(dispatch_counts, switched_flushes, "blocks", "blocks saved instead of dropped because they had restarted too often"),
    S_COUNT(dispatch_counts, drained_sms, "SMs", "SMs drained: no new block until all theirs had ended"),
    S_COUNT(dispatch_counts, drain_cycles, "cycles", "total cycles spent draining SMs"),
    S_COUNT(dispatch_counts, overdue, "blocks", "blocks resumed because they had waited too long"),
    S_LEVEL(dispatch_counts, running, "blocks", "blocks on SMs"),
    S_LEVEL(dispatch_counts, waiting, "blocks", "blocks waiting to be resumed"),
    S_LEVEL(dispatch_counts, most_waiting, "blocks", "most blocks waiting at once"),
    S_LEVEL(dispatch_counts, longest_wait_cycles, "cycles", "most cycles a block waited to be resumed"),
    S_LAW(conserved, "started + resumed == running + stopped + ended", "every block that went to an SM is there, was stopped or has ended"),
    S_LAW(victims, "stopped == resumed + waiting", "every block that was stopped waits or went on"),
    S_END,
};
/* clang-format on */

/* ---- what the policy may ask and do ---------------------------------------------------------- */

static const struct block_view *machine_running(const struct block_policy *p, u32 sm, u32 slot)
{
    const struct dispatcher *d = p->dispatcher;
    return d->rooms[sm].free_blocks >> slot & 1 ? NULL : &d->placed[sm][slot].view;
}

/* An SM takes no more blocks until it has none. */
static bool drain(struct dispatcher *d, u32 sm)
{
    if (d->draining[sm] != CYCLE_NEVER)
        return false;
    d->draining[sm] = engine_cycle(d->engine, d->domain);
    return true;
}

static bool machine_stop(struct block_policy *p, u32 sm, u32 slot, enum block_stop how,
                         enum stop_reason why)
{
    struct dispatcher *d = p->dispatcher;
    struct placed_block *b = &d->placed[sm][slot];
    if (!machine_running(p, sm, slot) || b->view.is_stopping || b->view.is_coming)
        return false;
    if (how == STOP_DRAIN)
        return drain(d, sm);
    bool is_worn_out = how == STOP_FLUSH && b->view.restarts >= d->config->context.most_restarts;
    if (d->victim_count + d->stopping >= d->config->context.victims) {
        d->counts.refused_full++;
        return false;
    }
    if ((b->place == NO_PLACE && !d->free_place_count) || !port_can_push(&d->sms[sm].launch))
        return false;
    if (b->place == NO_PLACE)
        b->place = d->free_places[--d->free_place_count];
    if (how == STOP_SHUFFLE && d->buffers_taken == d->config->context.buffers)
        how = STOP_SWITCH;
    if (is_worn_out) {
        how = STOP_SWITCH;
        d->counts.switched_flushes++;
    }
    d->buffers_taken += how == STOP_SHUFFLE;
    d->stopping++;
    b->view.is_stopping = true;
    b->how = how;
    b->why = why;
    d->counts.asked_to_stop++;
    dispatcher_send(d, sm, slot, BLOCK_STOP);
    return true;
}

/* ---- in and out ------------------------------------------------------------------------------ */

void stopped_blocks_add(struct dispatcher *d, u32 sm, u32 slot, cycle_t now)
{
    const struct placed_block *b = &d->placed[sm][slot];
    struct victim *v = &d->victims[d->victim_count++];
    d->stopping--;
    *v = (struct victim){.view = b->view,
                         .grid = b->grid,
                         .place = b->place,
                         .stream = d->sms[sm].blocks[slot].stream,
                         .in_buffer = d->sms[sm].blocks[slot].in_buffer,
                         .context_bytes = d->sms[sm].blocks[slot].context_bytes,
                         .event = d->sm_events[sm]};
    d->buffers_taken -= b->how == STOP_SHUFFLE && !v->in_buffer; /* it was too large for one */
    v->view.is_stopping = false;
    v->view.since = now;
    v->view.stops++;
    v->view.restarts += b->how == STOP_FLUSH;
    d->counts.running--;
    d->counts.stopped++;
    d->counts.waiting++;
    d->counts.most_waiting = max_u64(d->counts.most_waiting, d->counts.waiting);
}

void stopped_blocks_ended(struct dispatcher *d, const struct placed_block *b)
{
    d->stopping -= b->view.is_stopping;
    d->buffers_taken -= b->view.is_stopping && b->how == STOP_SHUFFLE;
    if (b->place != NO_PLACE)
        d->free_places[d->free_place_count++] = (u16)b->place;
}

void stopped_blocks_sm_emptied(struct dispatcher *d, u32 sm, cycle_t now)
{
    d->sm_events[sm]++;
    u32 blocks = d->config->sm.blocks;
    if (d->draining[sm] == CYCLE_NEVER ||
        (u32)__builtin_popcountll(d->rooms[sm].free_blocks) < blocks)
        return;
    d->counts.drained_sms++;
    d->counts.drain_cycles += now - d->draining[sm];
    d->draining[sm] = CYCLE_NEVER;
}

static void resume(struct dispatcher *d, u32 index, u32 sm, cycle_t now)
{
    struct victim v = d->victims[index];
    struct grid_run *run = &d->table[v.grid];
    u32 slot = dispatcher_take_room(d, sm, run);
    d->counts.longest_wait_cycles = max_u64(d->counts.longest_wait_cycles, now - v.view.since);
    v.view.sm = sm;
    v.view.since = now;
    v.view.is_coming = v.stream != NULL;
    d->placed[sm][slot] = (struct placed_block){
        .view = v.view, .grid = v.grid, .place = v.place, .in_buffer = v.in_buffer};
    d->sms[sm].blocks[slot] = (struct sm_block){.grid = &run->source,
                                                .regions = run->regions,
                                                .stream = v.stream,
                                                .id = v.view.block,
                                                .launch = run->launch,
                                                .place = v.place,
                                                .in_buffer = v.in_buffer,
                                                .context_bytes = v.context_bytes};
    memmove(&d->victims[index], &d->victims[index + 1],
            (--d->victim_count - index) * sizeof *d->victims);
    dispatcher_poll(d, sm, slot);
    d->counts.resumed++;
    d->counts.running++;
    d->counts.waiting--;
    dispatcher_send(d, sm, slot, v.stream ? BLOCK_RESUME : BLOCK_START);
}

static bool send_victim(struct dispatcher *d, u32 index, u64 *given, cycle_t now, bool is_overdue)
{
    const struct victim *v = &d->victims[index];
    u32 sm = dispatcher_choose(d, &d->table[v->grid], given, v, is_overdue);
    if (sm == NO_SM)
        return false;
    given[sm / 64] |= (u64)1 << (sm % 64);
    resume(d, index, sm, now);
    return true;
}

/* The oldest has waited too long: it goes anywhere, and nobody else until it has. */
static bool send_overdue(struct dispatcher *d, u64 *given, cycle_t now)
{
    while (d->victim_count && d->victim_wait && now >= d->victims[0].view.since + d->victim_wait) {
        if (!send_victim(d, 0, given, now, true))
            return false;
        d->counts.overdue++;
    }
    return true;
}

cycle_t stopped_blocks_send(struct dispatcher *d, u64 *given, cycle_t now, bool *holds)
{
    if (!send_overdue(d, given, now)) {
        *holds = true;
        return CYCLE_NEVER; /* when a block ends there is more room */
    }
    bool any = false;
    for (u32 i = d->victim_count; i-- > 0;)
        any |= send_victim(d, i, given, now, false);
    if (!d->victim_count)
        return CYCLE_NEVER;
    if (any) /* an SM that got one may take another */
        return now + 1;
    return d->victim_wait ? d->victims[0].view.since + d->victim_wait : CYCLE_NEVER;
}

void stopped_blocks_explain(const struct dispatcher *d, struct waits *waits)
{
    for (u32 i = 0; i < d->victim_count; i++) {
        const struct block_view *v = &d->victims[i].view;
        waits_add(
            waits, UNIT_NONE,
            "kernel %s: block %llu was stopped on SM %u in cycle %llu and waits for an SM that "
            "block policy %s gives it",
            v->grid->name, (unsigned long long)v->block, v->sm, (unsigned long long)v->since,
            d->policy.ops->name);
    }
}

/* ---- building -------------------------------------------------------------------------------- */

bool stopped_blocks_init(struct dispatcher *d, const struct build_site *site, struct err *err)
{
    const struct gpu_config *c = d->config;
    struct arena *a = &site->sim->arena;
    u64 one = context_most_bytes(&c->sm);
    if (one > c->device.memory_bytes)
        return err_at(err, (struct src_pos){0},
                      "block policy %s stops blocks, and a context can have %llu bytes: "
                      "device.memory_bytes is %llu, expected at least that",
                      d->policy.ops->name, (unsigned long long)one,
                      (unsigned long long)c->device.memory_bytes);
    d->victims = ARENA_ARRAY(a, struct victim, c->context.victims + 1);
    d->free_place_count =
        (u32)min_u64(NO_PLACE, c->context.victims + (u64)c->sm.count * c->sm.blocks);
    d->free_places = ARENA_ARRAY(a, u16, d->free_place_count);
    for (u32 i = 0; i < d->free_place_count; i++)
        d->free_places[i] = (u16)(d->free_place_count - 1 - i);
    d->sm_events = ARENA_ARRAY(a, u64, c->sm.count);
    d->draining = ARENA_ARRAY(a, cycle_t, c->sm.count);
    for (u32 i = 0; i < c->sm.count; i++)
        d->draining[i] = CYCLE_NEVER;
    if (c->context.reduced) {
        struct array_list *lists =
            reduction_lists(a, d->free_place_count, c->context.array_entries);
        for (u32 i = 0; i < c->sm.count; i++)
            reduction_init(&d->sms[i], a, lists);
    }
    d->victim_wait = c->context.victim_wait_us * (c->sm.clock_hz / 1000000);
    return true;
}

bool dispatcher_init_policy(struct dispatcher *d, const struct build_site *site, struct err *err)
{
    struct block_policy *p = &d->policy;
    struct arena *a = &site->sim->arena;
    struct block_machine *m = ARENA_NEW(a, struct block_machine);
    const struct sm_config *c = &d->config->sm;
    for (u32 i = 0; (c->block_use || c->block_phases || p->ops->poll) && i < c->count; i++)
        uses_init(&d->sms[i], a);
    *m = (struct block_machine){.sms = c->count,
                                .blocks_per_sm = c->blocks,
                                .schedulers = c->schedulers,
                                .clock_hz = c->clock_hz,
                                .seed = site->sim->seed,
                                .running = machine_running,
                                .stop = machine_stop};
    p->machine = m;
    if (p->ops->stops_blocks && !stopped_blocks_init(d, site, err))
        return false;
    if (p->ops->init && !p->ops->init(p, a, err))
        return false;
    for (u32 i = 0; p->flushes && i < c->count; i++)
        d->sms[i].flush_logs = ARENA_ARRAY(a, struct flush_log, c->blocks);
    return true;
}
