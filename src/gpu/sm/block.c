/* Blocks of an SM: starting, going on after a stop, ending. */
#include "gpu/dispatch/block_message.h"
#include "gpu/dispatch/block_policy.h"
#include "gpu/preempt/reduction.h"
#include "gpu/sm/sm.h"

#include <stdio.h>

/* SMs may tick at the same time: they are drawn in order, at the end of the cycle. */
void sm_draw_blocks(struct sm *sm)
{
    for (; sm->left_slots; sm->left_slots &= sm->left_slots - 1) {
        u32 slot = (u32)__builtin_ctzll(sm->left_slots);
        const struct sm_block *b = &sm->left[slot];
        char name[96];
        snprintf(name, sizeof name, "%.64s block %llu", b->grid->name, (unsigned long long)b->id);
        timeline_span_with(sm->sim->timeline, sm->tracks[slot], name, b->started_fs,
                           sm->engine->now_fs, b->how ? "stopped" : NULL,
                           stop_reason_names[b->why]);
    }
}

void warp_drained(struct sm *sm, u32 slot)
{
    struct sm_warp *w = &sm->warps[slot];
    u64 bit = (u64)1 << slot;
    if (!w->ended || w->loads_left || w->stores_left || !(sm->used & bit))
        return;
    struct sm_block *b = w->block;
    sm->used &= ~bit;
    issue_unit_forget(&sm->issue, slot);
    sm->issue.fenced &= ~bit;
    if (--b->left)
        return;
    if (UNLIKELY(sm->sim->timeline)) {
        sm->left[b - sm->blocks] = *b;
        sm->left_slots |= (u64)1 << (b - sm->blocks);
    }
    if (UNLIKELY(sm->uses))
        uses_end(sm, b, sm->now);
    if (UNLIKELY(b->how)) {
        context_drained(sm, b);
        return;
    }
    if (UNLIKELY(sm->reduction))
        reduction_forget(sm, b);
    u32 codes = sm->uses ? use_codes(sm->uses->of[b - sm->blocks].code) : 0;
    lock_take(&sm->sim->sources);
    b->grid->ops->block_end(b->grid->self, b->stream);
    lock_give(&sm->sim->sources);
    port_push(&sm->done, block_message_write((struct block_message){
                             .kind = BLOCK_ENDED, .slot = (u32)(b - sm->blocks), .place = codes}));
    engine_progress(sm->engine);
}

static void start_warp(struct sm *sm, struct sm_block *b, u32 index, u32 slot, cycle_t now)
{
    struct sm_warp *w = &sm->warps[slot];
    u64 bit = (u64)1 << slot;
    *w->rare = (struct sm_warp_rare){0};
    *w = (struct sm_warp){
        .block = b, .rare = w->rare, .index = index, .application = b->grid->application};
    scoreboard_clear(&sm->scoreboard, slot);
    warp_fetch_start(&sm->fetch, slot, application_base(b->grid->application));
    l1_warp_comes(&sm->l1, slot, (u16)sm->view.launched);
    sm->groups[slot] = (struct group_mma){0};
    sm->used |= bit;
    sm->issue.fenced &= ~bit;
    sm->view.live |= bit;
    sm->view.age[slot] = sm->view.launched++;
    b->warps |= bit;
    warp_advance(sm, slot, now);
}

/* Its warps take the lowest free slots. */
static void start_warps(struct sm *sm, struct sm_block *b, cycle_t now)
{
    const struct grid_source *g = b->grid;
    scoreboard_reserve(&sm->scoreboard, &sm->sim->arena, g->scoreboard_registers + 1);
    b->left = g->warps_per_block;
    b->warps = 0;
    b->started_fs = sm->engine->now_fs;
    b->started = now;
    if (UNLIKELY(sm->uses))
        uses_start(sm, b, now);
    u64 free = sm->slots & ~sm->used;
    for (u32 i = 0; i < g->warps_per_block; i++, free &= free - 1)
        start_warp(sm, b, i, (u32)__builtin_ctzll(free), now);
    policy_changed(sm);
}

/* A kernel's first block comes to this SM: the L1 may start empty, and has what shared memory
 * leaves of the memory that they share. */
static void prepare_l1(struct sm *sm, const struct grid_source *grid)
{
    const struct sm_config *c = &sm->config->sm;
    if (c->l1.flush_at_kernel_end)
        cache_flush(&sm->l1.cache);
    if (!c->l1.unified_bytes || sm->used || sm->l1.cache.mshr.in_use)
        return; /* not while it is in use */
    u32 shared = shared_carved(c, grid);
    l1_resize(&sm->l1, c->l1.unified_bytes > shared ? c->l1.unified_bytes - shared : 0);
}

static void start_block(struct sm *sm, struct sm_block *b, cycle_t now)
{
    const struct grid_source *g = b->grid;
    u64 *last_launch = &sm->last_launch[g->application];
    if (b->launch != *last_launch)
        prepare_l1(sm, g), l0_icache_launch(&sm->l0_icache);
    *last_launch = b->launch;
    if (b->launch > sm->newest_launch)
        policy_kernel(sm, b);
    lock_take(&sm->sim->sources);
    b->stream = g->ops->block_begin(g->self, b->id, &sm->place);
    lock_give(&sm->sim->sources);
    if (UNLIKELY(sm->flush_logs))
        sm->flush_logs[b - sm->blocks] = (struct flush_log){0};
    sm->counts.blocks++;
    sm->counts.warps += g->warps_per_block;
    start_warps(sm, b, now);
}

void block_resume(struct sm *sm, struct sm_block *b, cycle_t now)
{
    const struct grid_source *g = b->grid;
    lock_take(&sm->sim->sources);
    if (g->ops->block_move)
        g->ops->block_move(g->self, b->stream, &sm->place);
    lock_give(&sm->sim->sources);
    start_warps(sm, b, now);
}

void sm_take_blocks(struct sm *sm, cycle_t now)
{
    while (port_ready(&sm->launch)) {
        struct block_message m = block_message_read(port_pop(&sm->launch));
        if (LIKELY(m.kind == BLOCK_START)) {
            start_block(sm, &sm->blocks[m.slot], now);
            continue;
        }
        sm->uses_rare = true;
        if (m.kind == BLOCK_STOP)
            context_stop(sm, m, now);
        else
            context_resume(sm, m.slot, now);
    }
}
