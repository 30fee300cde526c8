#include "gpu/sm/sm.h"

#include <string.h>

void transfers_init(struct transfer_unit *u)
{
    u->next = CYCLE_NEVER;
}

static u32 free_transfer(const struct transfer_unit *u)
{
    u32 i = 0;
    while (u->all[i].is_used)
        i++;
    return i;
}

/* What was too short is left to the arena: in the end as much as the longest. */
static void keep_lines(struct transfer *t, const struct transfer_view *v, struct arena *arena)
{
    if (v->line_count > t->room) {
        t->room = (u32)max_u64(v->line_count, 2 * (u64)t->room);
        t->lines = arena_alloc(arena, t->room * sizeof *t->lines);
    }
    if (v->line_count)
        memcpy(t->lines, v->lines, v->line_count * sizeof *t->lines);
}

void transfer_issue(struct sm *sm, u32 slot, const struct winst *x, cycle_t now)
{
    struct transfer_unit *u = &sm->transfers;
    const struct transfer_view *v = x->transfer;
    struct sm_warp *w = &sm->warps[slot];
    sm->groups[slot].copies = true;
    if (!v || !v->boxes)
        return;
    u32 i = free_transfer(u);
    struct transfer *t = &u->all[i];
    keep_lines(t, v, &sm->sim->arena);
    t->count = t->left = v->line_count;
    t->sent = 0;
    t->token = v->token;
    t->boxes = v->boxes;
    t->warp = slot;
    t->group = w->async_group;
    t->stream = w->block->stream;
    t->application = w->application;
    t->is_store = v->is_store;
    t->is_used = true;
    t->from = now + sm->config->sm.transfer.cycles;
    if (t->is_store)
        w->rare->async_left[t->group]++;
    u->queue[u->queued++] = (u8)i;
    sm->uses_rare = true;
    u->used++;
    u->copies += v->boxes;
    u->next = min_u64(u->next, max_u64(u->next == CYCLE_NEVER ? t->from : u->next, now + 1));
}

static void tell_source(struct sm *sm, const struct transfer *t, cycle_t now)
{
    struct sm_block *b = sm_block_of(sm, t->stream);
    if (t->token == NO_TOKEN || !b)
        return;
    if (b->grid->ops->arrived(b->stream, t->token) == PHASE_BEGUN)
        sm_begin_phase(sm, b, true, now + sm->config->sm.transfer.arrival_cycles);
}

/* Shared memory has been read: a warp that waits for its group goes on. */
static void leave_group(struct sm *sm, const struct transfer *t)
{
    struct sm_warp *w = &sm->warps[t->warp];
    struct sm_block *b = sm_block_of(sm, t->stream);
    if (!b || w->block != b)
        return;
    warp_copied(sm, t->warp, t->group);
}

static void end_transfer(struct sm *sm, struct transfer *t, cycle_t now)
{
    tell_source(sm, t, now);
    t->is_used = false;
    sm->transfers.used--;
}

static void send_line(struct sm *sm, struct transfer *t, cycle_t now)
{
    const struct gpu_config *c = sm->config;
    handle_t h = pool_alloc(sm->requests);
    *sm_request(sm, h) = (struct request){
        .line = t->lines[t->sent] + application_base(t->application),
        .sectors = (1u << (c->line_bytes / SECTOR_BYTES)) - 1,
        .agent = sm->agent.number,
        .reply_to = sm->agent.node,
        .kind = t->is_store ? REQUEST_STORE : REQUEST_LOAD,
        .flags = (u16)((t->is_store ? REQUEST_WHOLE : 0) | REQUEST_NO_L1),
        .application = t->application,
        .ticket = ticket_write((struct sm_ticket){.entry = (u32)(t - sm->transfers.all),
                                                  .warp = (u16)t->warp,
                                                  .client = CLIENT_TRANSFER}),
        .issued = now};
    t->sent++;
    sm->transfers.lines++;
    sm->l1.counts.sent++;
    sm_send(sm, h, &sm->miss, now);
}

void transfers_cycle(struct sm *sm, cycle_t now)
{
    struct transfer_unit *u = &sm->transfers;
    u->next = CYCLE_NEVER;
    if (!u->queued)
        return;
    struct transfer *t = &u->all[u->queue[0]];
    if (t->from > now) {
        u->next = t->from;
        return;
    }
    if (t->sent < t->count) {
        if (!sm_can_send(sm, &sm->miss, 1))
            return; /* woken when there is room */
        send_line(sm, t, now);
    }
    u->next = now + sm->config->sm.transfer.interval;
    if (t->sent < t->count)
        return;
    memmove(u->queue, u->queue + 1, --u->queued);
    if (u->queued) {
        struct transfer *after = &u->all[u->queue[0]];
        after->from =
            max_u64(after->from, t->from + t->boxes * sm->config->sm.transfer.box_interval);
    }
    if (t->is_store)
        leave_group(sm, t);
    if (t->is_used && !t->left) /* nothing of it lies inside its tensor */
        end_transfer(sm, t, now);
    if (!u->queued)
        u->next = CYCLE_NEVER;
}

void transfer_answered(struct sm *sm, handle_t h, cycle_t now)
{
    struct transfer *t = &sm->transfers.all[ticket_read(sm_request(sm, h)).entry];
    pool_free(sm->requests, h);
    sm->l1.counts.acknowledged++;
    if (--t->left == 0 && t->sent == t->count)
        end_transfer(sm, t, now);
    if (sm->transfers.queued)
        sm->transfers.next = min_u64(sm->transfers.next, now + 1);
}
