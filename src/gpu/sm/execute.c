/* What an instruction does in its SM when it issues; and the SM as issue sees it. */
#include "gpu/sm/issue_cycle.h"
#include "gpu/sm/sm.h"

#include <assert.h>

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
        sm->issue.fenced |= (u64)1 << slot;
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
    EACH_SLOT(other, b->warps & sm->issue.waits & sm->used)
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
        if (x->mask) /* else its guard is false in all lanes */
            wait_for_own(sm, slot, i, now);
        return;
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
    EACH_SLOT(other, b->warps & sm->issue.waits & sm->used)
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
    issue_unit_policy_changed(&sm->issue);
}

/* Part of the cycle: called for every instruction, it took 0.5 % more host instructions. */
static inline __attribute__((always_inline)) bool issue_one(void *self, u32 slot, u32 scheduler,
                                                            cycle_t now)
{
    struct sm *sm = self;
    struct sm_warp *w = &sm->warps[slot];
    struct sm_block *b = w->block;
    struct winst x;
    if (UNLIKELY(sm->uses))
        uses_picked(sm, scheduler, slot);
    if (!b->grid->ops->step(b->stream, w->index, &x)) {
        sm->faulted = true;
        sm->faulted_block = b;
        engine_stop(sm->engine);
        return false;
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
        sm->issue.clear &= ~((u64)1 << slot);
        sm->put_off[sm->put_off_count++] = (u8)slot;
        return true;
    }
    warp_advance(sm, slot, sm->config->sm.issue_width > 1 ? now : now + 1);
    if (x.wakes_others)
        sm_wake_block(sm, b, now);
    return true;
}

/* ---- the SM as issue sees it -------------------------------------------------------------- */

static bool memory_accepts(const void *sm, enum pipe pipe, cycle_t now)
{
    return sm_memory_accepts(sm, pipe, now);
}

static u64 allowed(const void *sm, u64 slots)
{
    return policy_allowed(sm, slots);
}

static void watch(void *sm, u32 scheduler, u64 ready, u64 accepted, u64 cycles)
{
    uses_select(sm, scheduler, ready, accepted, cycles);
}

static const struct issue_client_ops client = {memory_accepts, allowed, issue_one, watch};

void issue_client_init(struct sm *sm)
{
    const struct sm_config *c = &sm->config->sm;
    issue_unit_init(&sm->issue, &(struct issue_parts){.schedulers = c->schedulers,
                                                      .width = c->issue_width,
                                                      .interval = c->issue_interval,
                                                      .units = &sm->units,
                                                      .policy = &sm->policy,
                                                      .view = &sm->view,
                                                      .scheduler_slots = sm->counts.scheduler_slots,
                                                      .core_slots = sm->counts.core_slots,
                                                      .client = &client,
                                                      .sm = sm});
}

void sm_issue(struct sm *sm, cycle_t now)
{
    issue_unit_cycle(&sm->issue, &client, now);
}

cycle_t sm_issue_next(const struct sm *sm, cycle_t now, bool *ready)
{
    return issue_unit_next(&sm->issue, &client, now, ready);
}
