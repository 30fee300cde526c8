/* The state of a warp: which instruction is next, whether it can issue, that it has ended. */
#include "gpu/sm/sm.h"

static enum pipe pipe_for(const struct sm *sm, const struct instruction *i)
{
    switch ((enum winst_kind)i->kind) {
    case WINST_LOAD:
    case WINST_STORE:
    case WINST_ATOMIC:
        return i->space == SPACE_SHARED                             ? PIPE_SHARED
               : i->space == SPACE_CONST || i->space == SPACE_PARAM ? PIPE_READ_ONLY
                                                                    : PIPE_GLOBAL;
    case WINST_PREFETCH:
    case WINST_ASYNC_COPY:
    case WINST_TRANSFER:
        return PIPE_GLOBAL;
    case WINST_TEXTURE:
        return sm->config->sm.texture_in_l1 ? PIPE_GLOBAL : PIPE_READ_ONLY;
    case WINST_ARITHMETIC:
    case WINST_CONTROL:
        if (UNLIKELY(sm_moves_lanes(sm, i)))
            return PIPE_SHARED;
        return i->unit == UNIT_MEMORY ? PIPE_FREE : (enum pipe)sm->units.pipe_of[i->unit];
    default:
        return PIPE_FREE;
    }
}

void warp_check(struct sm *sm, u32 slot, cycle_t at)
{
    struct sm_warp *w = &sm->warps[slot];
    u64 bit = (u64)1 << slot;
    sm->issue.clear &= ~bit;
    sm->issue.on_load &= ~bit;
    if (!w->next) {
        sm->issue.has &= ~bit;
        w->ready_from = CYCLE_NEVER;
        return;
    }
    sm->issue.has = (sm->issue.has & ~bit) | (u64)warp_fetch_has(&sm->fetch, slot) << slot;
    struct scoreboard_answer operands = scoreboard_ask(&sm->scoreboard, slot, w->next, at);
    u64 ready = operands.ready;
    if (w->next->kind == WINST_CONTROL && ready != READY_PENDING)
        ready += READY(sm->config->sm.branch_cycles, 0);
    cycle_t from = max_u64(ready == READY_PENDING ? CYCLE_NEVER : ready / 2, w->not_before);
    w->ready_from = from;
    if (from <= at) {
        sm->issue.clear |= bit;
        return;
    }
    sm->issue.on_load |= operands.on_load ? bit : 0;
    if (ready != READY_PENDING)
        sm_wake_at(sm, slot, from);
}

void warp_check_again(struct sm *sm, u32 slot, cycle_t now)
{
    struct sm_warp *w = &sm->warps[slot];
    u64 bit = (u64)1 << slot;
    if (!w->next)
        return;
    sm->issue.has = (sm->issue.has & ~bit) | (u64)warp_fetch_has(&sm->fetch, slot) << slot;
    if (w->ready_from <= now) {
        sm->issue.clear |= bit;
        sm->issue.on_load &= ~bit;
    } else if (w->ready_from != CYCLE_NEVER) {
        warp_check(sm, slot, now); /* what it waits for may be no load any more */
    }
}

static void set_next(struct sm *sm, u32 slot, const struct instruction *next, cycle_t at)
{
    struct sm_warp *w = &sm->warps[slot];
    w->next = next;
    if (warp_fetch_advance(&sm->fetch, slot, next->pc) && sm->config->sm.fetch.jump_cycles)
        w->not_before = max_u64(w->not_before, at + sm->config->sm.fetch.jump_cycles);
    issue_unit_want(&sm->issue, slot, pipe_for(sm, next));
}

/* There is no next instruction. */
static void clear_next(struct sm *sm, u32 slot)
{
    sm->warps[slot].next = NULL;
    warp_fetch_stop(&sm->fetch, slot);
    issue_unit_want_nothing(&sm->issue, slot);
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

void warp_advance(struct sm *sm, u32 slot, cycle_t at)
{
    struct sm_warp *w = &sm->warps[slot];
    u64 bit = (u64)1 << slot, was = sm->issue.waits;
    const struct instruction *next = NULL;
    enum warp_next state = w->block->grid->ops->next(w->block->stream, w->index, &next);
    if (w->next)
        warp_fetch_consume(&sm->fetch, slot, w->next->pc);
    if (state == NEXT_READY) {
        sm->issue.waits &= ~bit;
        set_next(sm, slot, next, at);
    } else {
        clear_next(sm, slot);
        sm->issue.waits = state == NEXT_WAITS ? sm->issue.waits | bit : sm->issue.waits & ~bit;
    }
    if (state == NEXT_ENDED && !w->ended) {
        end_warp(sm, slot);
    } else if (was != sm->issue.waits) {
        policy_changed(sm);
    }
    if (sm->used & bit)
        warp_check(sm, slot, at);
}

/* Seen from here a warp that stops has ended; when it goes on, its source knows better. */
void warp_stop(struct sm *sm, u32 slot)
{
    clear_next(sm, slot);
    issue_unit_forget(&sm->issue, slot);
    sm->issue.waits &= ~((u64)1 << slot);
    end_warp(sm, slot);
}
