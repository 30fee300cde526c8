/* Issue: each scheduler picks one of its warps that can go, and the cycle is charged. */
#include "gpu/sm/sm.h"

#include <assert.h>

static bool pipe_accepts(const struct sm *sm, enum pipe pipe, u32 scheduler, cycle_t now)
{
    if (pipe == PIPE_FREE)
        return true;
    if (pipe >= PIPE_GLOBAL)
        return sm_memory_accepts(sm, pipe, now);
    return units_accept(&sm->units, pipe, scheduler, now) &&
           (LIKELY(!sm->units.collects) || units_collect(&sm->units, scheduler, now));
}

/* Warps of a scheduler whose next instruction finds its unit free; each wants one pipe. */
static u64 accepted(const struct sm *sm, u32 scheduler, u64 ready, cycle_t now)
{
    u64 mask = 0;
    for (u64 left = ready; left; left &= left - 1) {
        u8 pipe = sm->warps[__builtin_ctzll(left)].pipe;
        if (pipe_accepts(sm, (enum pipe)pipe, scheduler, now))
            mask |= sm->wants[pipe];
        left &= ~sm->wants[pipe] | (left & -left); /* others that want it have their answer */
    }
    return ready & mask;
}

static void issue_arithmetic(struct sm *sm, u32 slot, u32 scheduler, const struct instruction *i,
                             cycle_t now)
{
    if (UNLIKELY(sm_moves_lanes(sm, i))) {
        cycle_t last = lsu_access_shared(&sm->lsu, 1, now);
        scoreboard_set(&sm->scoreboard, slot, i, last + sm->config->sm.shared.shuffle_cycles,
                       false);
        return;
    }
    u32 conflicts;
    cycle_t ready = units_issue(&sm->units, scheduler, i, now, &conflicts);
    sm->counts.bank_conflict_cycles += conflicts;
    scoreboard_set(&sm->scoreboard, slot, i, ready, false);
}

/* Everything a warp has under way must end first; it is told when. */
static void wait_for_own(struct sm *sm, u32 slot, const struct instruction *i, cycle_t now)
{
    struct sm_warp *w = &sm->warps[slot];
    if (i->kind == WINST_FENCE && sm->config->sm.fence_cycles) {
        fence_begin_timed(sm, slot, i, now);
        return;
    }
    w->async_wait = i->kind == WINST_FENCE ? FENCE_STORES : i->bytes;
    bool does_more = sm->coherence || sm->config->sm.l1.flush_at_fence || sm->versions;
    if (UNLIKELY(does_more) && i->kind == WINST_FENCE && i->bytes) {
        fence_begin(sm, slot);
        return;
    }
    u32 left = i->kind == WINST_FENCE ? w->stores_left : async_under_way(w);
    if (left) {
        sm->fenced |= (u64)1 << slot;
        policy_changed(sm);
    }
}

/* Nobody in the cluster knows of an arrival before word of it has gone round. */
static void arrive_in_cluster(struct sm *sm, struct sm_warp *w, bool arrives_only, cycle_t now)
{
    if (arrives_only)
        w->rare->cluster_from = now + sm->config->sm.cluster_cycles;
    else
        w->not_before = max_u64(w->not_before, w->rare->cluster_from);
}

/* When a warp goes on behind a barrier of its block that opens now: one after the other, the last
 * slot first. An H200 says so: a block waits 2 cycles more for each of its warps whether they come
 * together or all but warp 0 have long been there (micro.csv, group chain). */
static cycle_t leaves_at(const struct sm *sm, u32 slot, const struct sm_block *b, cycle_t now)
{
    u64 before = b->warps & sm->used & ~(((u64)2 << slot) - 1);
    return max_u64(sm->barrier_free, now) + sm->config->sm.barrier_cycles +
           sm->config->sm.barrier_interval * (1u + (u32)__builtin_popcountll(before));
}

/* One that does not wait, as the last or as one that only arrives, does not overtake the others. */
static void arrive(struct sm *sm, u32 slot, const struct winst *x, cycle_t now)
{
    struct sm_warp *w = &sm->warps[slot];
    if (!sm->config->sm.barrier_interval || x->barrier == NO_BARRIER)
        return;
    if (!x->arrives_only)
        w->not_before = leaves_at(sm, slot, w->block, now);
    if (UNLIKELY(x->barrier == CLUSTER_BARRIER) && w->block->grid->cluster_blocks > 1)
        arrive_in_cluster(sm, w, x->arrives_only, now);
}

/* A product that others of the warp group have waited for: they go on when theirs is done. */
static void wake_group(struct sm *sm, const struct sm_block *b, cycle_t now)
{
    EACH_SLOT(other, b->warps & sm->waits & sm->used)
    {
        warp_advance(sm, (u32)other, now + 1);
    }
}

static void issue_kind(struct sm *sm, u32 slot, u32 scheduler, const struct winst *x, cycle_t now)
{
    const struct instruction *i = x->instruction;
    struct sm_warp *w = &sm->warps[slot];
    switch ((enum winst_kind)i->kind) {
    case WINST_LOAD:
    case WINST_STORE:
    case WINST_ATOMIC:
    case WINST_TEXTURE:
    case WINST_PREFETCH:
    case WINST_ASYNC_COPY:
        memory_issue(sm, slot, x, now);
        return;
    case WINST_ASYNC_COMMIT:
        w->async_group = (w->async_group + 1) % ASYNC_GROUPS;
        return;
    case WINST_TRANSFER:
        transfer_issue(sm, slot, x, now);
        return;
    case WINST_GROUP_MMA:
        group_mma_issue(sm, slot, scheduler, i, now);
        wake_group(sm, w->block, now);
        return;
    case WINST_GROUP_COMMIT:
    case WINST_GROUP_WAIT:
        group_mma_issue(sm, slot, scheduler, i, now);
        return;
    case WINST_FENCE:
    case WINST_ASYNC_WAIT:
        wait_for_own(sm, slot, i, now);
        return;
    case WINST_SLEEP:
        w->not_before = now + 1 + x->sleep_cycles;
        return;
    case WINST_BARRIER:
        arrive(sm, slot, x, now);
        return;
    case WINST_EXIT:
        return;
    case WINST_ARITHMETIC:
    case WINST_CONTROL:
        issue_arithmetic(sm, slot, scheduler, i, now);
        return;
    }
}

/* A barrier opened, or one warp fewer is expected: who waited may go on. */
void sm_wake_block(struct sm *sm, struct sm_block *b, cycle_t now)
{
    u32 interval = sm->config->sm.barrier_interval, left = 0;
    EACH_SLOT(other, b->warps & sm->waits & sm->used)
    {
        struct sm_warp *w = &sm->warps[other];
        warp_advance(sm, (u32)other, now + 1);
        if (w->next) {
            w->not_before = leaves_at(sm, (u32)other, b, now);
            warp_check(sm, (u32)other, now + 1);
            left++;
        }
    }
    if (left && interval)
        sm->barrier_free = max_u64(sm->barrier_free, now) + interval * (left + 1);
}

/* A phase of an mbarrier of the block is complete: its suspended warps look. */
void sm_begin_phase(struct sm *sm, struct sm_block *b, bool by_copy, cycle_t now)
{
    EACH_SLOT(other, b->warps & sm->used)
    {
        struct sm_warp *o = &sm->warps[other];
        if (o->not_before <= now || o->not_before != o->rare->suspended)
            continue;
        o->not_before = now + 1;
        group_mma_phase_began(&sm->groups[other], by_copy, now + 1);
        warp_check(sm, (u32)other, now + 1);
    }
}

/* mbarrier.try_wait suspends its warp until somebody of the block completes a phase, or for so long
 * as it may. A warp that is woken for another barrier's sake looks, and is suspended again. */
static __attribute__((noinline)) void phase_event(struct sm *sm, u32 slot, u8 phase, cycle_t now)
{
    struct sm_warp *w = &sm->warps[slot];
    if (phase == PHASE_AWAITED) {
        group_mma_awaits(&sm->groups[slot], now);
        w->rare->suspended = now + 1 + sm->config->sm.try_wait_cycles;
        w->not_before = max_u64(w->not_before, w->rare->suspended);
        return;
    }
    sm_begin_phase(sm, w->block, false, now);
}

/* Who wants to know of every instruction: the policy, the counts of a mix. */
static __attribute__((noinline)) void tell_issued(struct sm *sm, u32 slot, const struct winst *x)
{
    const struct instruction *i = x->instruction;
    if (sm->by_application) {
        struct application_counts *c = &sm->by_application[sm->warps[slot].application];
        c->warp_instructions++;
        c->thread_instructions += (u32)__builtin_popcount(x->mask);
    }
    if (sm->flush_logs)
        flush_note(&sm->flush_logs[sm->warps[slot].block - sm->blocks], x);
    if (!sm->policy.ops->issued)
        return;
    struct warp_issue issue = {
        .slot = slot, .pc = i->pc, .is_load = i->kind == WINST_LOAD && x->in_global};
    sm->policy.ops->issued(&sm->policy, &issue);
    policy_told(sm);
}

static void issue_one(struct sm *sm, u32 slot, u32 scheduler, cycle_t now)
{
    struct sm_warp *w = &sm->warps[slot];
    struct sm_block *b = w->block;
    struct winst x;
    if (!b->grid->ops->step(b->stream, w->index, &x)) {
        sm->faulted = true;
        sm->faulted_block = b;
        engine_stop(sm->engine);
        return;
    }
    struct sm_counts *c = &sm->counts;
    c->warp_instructions++;
    u32 lanes = (u32)__builtin_popcount(x.mask);
    c->thread_instructions += lanes;
    c->unit_instructions[x.instruction->unit]++;
    engine_progress(sm->engine);
    if (UNLIKELY(b->use))
        use_issued(b->use, &x, lanes);
    if (UNLIKELY(sm->tells_issues))
        tell_issued(sm, slot, &x);
    issue_kind(sm, slot, scheduler, &x, now);
    if (UNLIKELY(x.phase))
        phase_event(sm, slot, x.phase, now);
    if (UNLIKELY(x.is_put_off)) {
        sm->clear &= ~((u64)1 << slot);
        sm->put_off[sm->put_off_count++] = (u8)slot;
        return;
    }
    warp_advance(sm, slot, sm->config->sm.issue_width > 1 ? now : now + 1);
    if (x.wakes_others)
        sm_wake_block(sm, b, now);
}

/* Of warps that have an instruction and may issue it. */
static inline u8 classify_ready(const struct sm *sm, u64 can)
{
    u64 clear = can & sm->clear;
    if (!clear)
        return can & sm->on_load ? SLOT_DATA_MEM : SLOT_DATA_ALU;
    u64 memory = sm->wants[PIPE_GLOBAL] | sm->wants[PIPE_SHARED] | sm->wants[PIPE_SIDE];
    return clear & memory ? SLOT_STRUCT_MEM : SLOT_STRUCT_ALU;
}

/* The policy keeps some of these warps, which have an instruction, back. If only such are ready
 * it is to blame, whatever the others wait for; if its favourites lack an instruction, fetch is. */
static __attribute__((noinline)) u8 classify_held(const struct sm *sm, u64 live, u64 has)
{
    u64 can = policy_allowed(sm, has);
    if (has & ~can & sm->clear && !(can & sm->clear))
        return SLOT_THROTTLED;
    u64 fetching = live & ~sm->waits & ~sm->has & ~sm->fenced;
    if (!can && fetching & sm->policy.may_issue)
        return SLOT_FETCH;
    return classify_ready(sm, can ? can : has);
}

/* Why none of these warps issues; the order is that of spec S4. */
u8 sm_classify(const struct sm *sm, u64 slots)
{
    u64 live = sm->view.live & slots;
    if (!live)
        return SLOT_NO_WARP;
    u64 can = live & sm->has & ~sm->fenced;
    if (!can) {
        if (live & ~sm->waits & ~sm->has & ~sm->fenced)
            return SLOT_FETCH;
        return live & sm->fenced ? SLOT_DATA_MEM : SLOT_BARRIER;
    }
    return LIKELY(!(can & ~sm->open)) ? classify_ready(sm, can) : classify_held(sm, live, can);
}

void sm_issue(struct sm *sm, cycle_t now)
{
    u32 schedulers = sm->config->sm.schedulers, width = sm->config->sm.issue_width;
    u8 class[MOST_SCHEDULERS], core = SLOT_COUNT;
    u32 s = sm->first_scheduler, interval = sm->config->sm.issue_interval;
    for (u32 k = 0; k < schedulers; k++, s = s + 1 < schedulers ? s + 1 : 0) {
        u64 own = sm->view.scheduler[s];
        bool issued = false;
        for (u32 n = UNLIKELY(sm->issue_free[s] > now) ? width : 0; n < width; n++) {
            u64 ready = sm->has & sm->clear & ~sm->fenced & own;
            if (!ready)
                break;
            ready = sm_allowed(sm, ready);
            u64 candidates = accepted(sm, s, ready, now);
            if (!candidates)
                break;
            issued = true;
            /* units that schedulers share: who had them comes last next time */
            sm->first_scheduler = s + 1 < schedulers ? s + 1 : 0;
            u32 slot = sm->policy.ops->pick(&sm->policy, s, candidates);
            if (UNLIKELY(sm->uses)) {
                if (n == 0)
                    uses_select(sm, s, ready, candidates, 1);
                uses_picked(sm, s, slot);
            }
            issue_one(sm, slot, s, now);
            if (UNLIKELY(interval > 1))
                sm->issue_free[s] = now + interval;
            if (UNLIKELY(sm->faulted))
                return;
        }
        if (issued) {
            class[s] = core = SLOT_ISSUED;
            continue;
        }
        class[s] = sm_classify(sm, own);
        if (UNLIKELY(sm->uses) && class[s] == SLOT_STRUCT_MEM)
            uses_select(sm, s, sm_allowed(sm, sm->has & sm->clear & ~sm->fenced & own), 0, 1);
    }
    if (core != SLOT_ISSUED)
        core = sm_classify(sm, sm->slots);
    for (u32 k = 0; k < schedulers; k++)
        sm->counts.scheduler_slots[class[k]]++;
    sm->counts.core_slots[core]++;
    sm->charged_to = now + 1;
}
