/* Blocks and warps of an SM: starting, going on to the next instruction, ending. */
#include "gpu/block_message.h"
#include "gpu/block_policy.h"
#include "gpu/reduction.h"
#include "gpu/sm.h"

#include <stdio.h>
#include <string.h>

/* Kernels name other numbers of registers; the largest so far decides. */
static void scoreboard_reserve(struct sm *sm, u32 registers)
{
    if (registers <= sm->scoreboard_room)
        return;
    u32 slots = sm->config->sm.warps, old = sm->scoreboard_room;
    u64 *more = ARENA_ARRAY(&sm->sim->arena, u64, (size_t)slots * registers);
    for (u32 s = 0; s < slots; s++) {
        if (old)
            memcpy(more + (size_t)s * registers, sm->scoreboard + (size_t)s * old,
                   old * sizeof(u64));
        sm->warps[s].ready = more + (size_t)s * registers;
    }
    sm->scoreboard = more;
    sm->scoreboard_room = registers;
}

static enum pipe pipe_for(const struct sm *sm, const struct instruction *i)
{
    switch ((enum winst_kind)i->kind) {
    case WINST_LOAD:
    case WINST_STORE:
    case WINST_ATOMIC:
        return i->space == SPACE_SHARED                             ? PIPE_SHARED
               : i->space == SPACE_CONST || i->space == SPACE_PARAM ? PIPE_SIDE
                                                                    : PIPE_GLOBAL;
    case WINST_PREFETCH:
    case WINST_ASYNC_COPY:
        return PIPE_GLOBAL;
    case WINST_TEXTURE:
        return sm->config->sm.texture_in_l1 ? PIPE_GLOBAL : PIPE_SIDE;
    case WINST_ARITHMETIC:
    case WINST_CONTROL:
        return i->unit == UNIT_MEMORY ? PIPE_FREE : (enum pipe)sm->pipe_of[i->unit];
    default:
        return PIPE_FREE;
    }
}

/* The cycle from which the next instruction's registers can be used, and whether one of
 * those that cannot be used at `at` comes from memory. */
static u64 operands_ready(const struct sm_warp *w, u64 at, bool *on_load)
{
    const struct instruction *i = w->next;
    u64 latest = 0, late_load = 0, limit = READY(at, 1);
    u32 count = (u32)i->dst_count + i->src_count;
    for (u32 k = 0; k < count; k++) {
        u64 r = w->ready[i->regs[k]];
        latest = r > latest ? r : latest;
        late_load |= (r > limit) & r;
    }
    *on_load = late_load & 1;
    return latest;
}

/* Can it issue at cycle `at`? If not, it hangs on the wheel or waits for memory. */
void warp_check(struct sm *sm, u32 slot, cycle_t at)
{
    struct sm_warp *w = &sm->warps[slot];
    u64 bit = (u64)1 << slot;
    sm->clear &= ~bit;
    sm->on_load &= ~bit;
    if (!w->next) {
        sm->has &= ~bit;
        return;
    }
    sm->has = w->buffered ? sm->has | bit : sm->has & ~bit;
    bool on_load;
    u64 ready = operands_ready(w, at, &on_load);
    if (w->next->kind == WINST_CONTROL && ready != READY_PENDING)
        ready += READY(sm->config->sm.branch_cycles, 0);
    cycle_t from = max_u64(ready == READY_PENDING ? CYCLE_NEVER : ready / 2, w->not_before);
    if (from <= at) {
        sm->clear |= bit;
        return;
    }
    sm->on_load |= on_load ? bit : 0;
    if (ready != READY_PENDING)
        sm_wake_at(sm, slot, from);
}

static void set_next(struct sm *sm, u32 slot, const struct instruction *next, cycle_t at)
{
    struct sm_warp *w = &sm->warps[slot];
    u64 bit = (u64)1 << slot;
    w->next = next;
    if (next->pc != w->expected_pc) { /* somewhere else: what was fetched is of no use */
        w->buffered = w->coming = 0;
        if (sm->config->sm.fetch.jump_cycles)
            w->not_before = max_u64(w->not_before, at + sm->config->sm.fetch.jump_cycles);
    }
    for (u32 p = 0; p < PIPE_COUNT; p++)
        sm->wants[p] &= ~bit;
    sm->wants[pipe_for(sm, next)] |= bit;
    if (fetch_has_room(sm, w))
        sm->wants_fetch |= bit;
}

/* There is no next instruction. */
static void clear_next(struct sm *sm, u32 slot)
{
    u64 bit = (u64)1 << slot;
    sm->warps[slot].next = NULL;
    sm->wants_fetch &= ~bit;
    for (u32 p = 0; p < PIPE_COUNT; p++)
        sm->wants[p] &= ~bit;
}

static void end_warp(struct sm *sm, u32 slot)
{
    struct sm_warp *w = &sm->warps[slot];
    w->ended = true;
    sm->counts.warp_cycles += sm->now - w->block->started;
    sm->view.live &= ~((u64)1 << slot);
    policy_changed(sm);
    warp_drained(sm, slot);
}

/* Asks the source what the warp does next. */
void warp_advance(struct sm *sm, u32 slot, cycle_t at)
{
    struct sm_warp *w = &sm->warps[slot];
    u64 bit = (u64)1 << slot, was = sm->waits;
    const struct instruction *next = NULL;
    enum warp_next state = w->block->grid->ops->next(w->block->stream, w->index, &next);
    if (w->next) {
        w->expected_pc = w->next->pc + INSTRUCTION_BYTES;
        w->buffered = (u8)(w->buffered - (w->buffered > 0));
    }
    if (state == NEXT_READY) {
        sm->waits &= ~bit;
        set_next(sm, slot, next, at);
    } else {
        clear_next(sm, slot);
        sm->waits = state == NEXT_WAITS ? sm->waits | bit : sm->waits & ~bit;
    }
    if (state == NEXT_ENDED && !w->ended) {
        end_warp(sm, slot);
    } else if (was != sm->waits) {
        policy_changed(sm);
    }
    if (sm->used & bit)
        warp_check(sm, slot, at);
}

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

/* A warp that has ended and has nothing under way is gone; so is a block without warps. */
void warp_drained(struct sm *sm, u32 slot)
{
    struct sm_warp *w = &sm->warps[slot];
    u64 bit = (u64)1 << slot;
    if (!w->ended || w->loads_left || w->stores_left || !(sm->used & bit))
        return;
    struct sm_block *b = w->block;
    if (UNLIKELY(b->how) && lsu_holds_stores(&sm->lsu, slot))
        return; /* stores that are still to be sent */
    sm->used &= ~bit;
    sm->has &= ~bit;
    sm->clear &= ~bit;
    sm->on_load &= ~bit;
    sm->fenced &= ~bit;
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

/* Seen from here a warp that stops has ended; when it goes on, its source knows better. */
void warp_stop(struct sm *sm, u32 slot)
{
    u64 bit = (u64)1 << slot;
    clear_next(sm, slot);
    sm->has &= ~bit;
    sm->clear &= ~bit;
    sm->on_load &= ~bit;
    sm->waits &= ~bit;
    end_warp(sm, slot);
}

static void start_warp(struct sm *sm, struct sm_block *b, u32 index, u32 slot, cycle_t now)
{
    struct sm_warp *w = &sm->warps[slot];
    u64 bit = (u64)1 << slot, *ready = w->ready;
    *w = (struct sm_warp){.block = b,
                          .index = index,
                          .identity = (u16)sm->view.launched,
                          .application = b->grid->application,
                          .ready = ready};
    memset(ready, 0, sm->scoreboard_room * sizeof *ready);
    sm->used |= bit;
    sm->fenced &= ~bit;
    sm->fetch_missed &= ~bit;
    sm->view.live |= bit;
    sm->view.age[slot] = sm->view.launched++;
    b->warps |= bit;
    warp_advance(sm, slot, now);
}

/* Its warps take the lowest free slots. */
static void start_warps(struct sm *sm, struct sm_block *b, cycle_t now)
{
    const struct grid_source *g = b->grid;
    scoreboard_reserve(sm, g->scoreboard_registers + 1);
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

static void start_block(struct sm *sm, struct sm_block *b, cycle_t now)
{
    const struct grid_source *g = b->grid;
    u64 *last_launch = &sm->last_launch[g->application];
    if (b->launch != *last_launch)
        l1_prepare(sm, g), near_code_launch(sm);
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
        if (LIKELY(m.kind == BLOCK_START))
            start_block(sm, &sm->blocks[m.slot], now);
        else if (m.kind == BLOCK_STOP)
            context_stop(sm, m, now);
        else
            context_resume(sm, m.slot, now);
    }
}
