/* What an SM and its warp policy tell each other, apart from the choice itself. */
#include "gpu/sm/sm.h"

#include "dram/channel.h"

#include <stdarg.h>
#include <stdio.h>

void policy_changed(struct sm *sm)
{
    sm->view.waiting = sm->issue.waits | sm->issue.fenced;
    if (!sm->policy.ops->changed)
        return;
    sm->policy.ops->changed(&sm->policy);
    issue_unit_policy_changed(&sm->issue);
}

void policy_kernel(struct sm *sm, const struct sm_block *b)
{
    const struct sm_config *c = &sm->config->sm;
    sm->newest_launch = b->launch;
    if (!sm->policy.ops->kernel)
        return;
    /* From the kernel's occupancy, not from the warps of this moment (Poise spec A11); a grid that
     * does not fill the SMs gives each its share. */
    u64 share = (b->grid->blocks + c->count - 1) / c->count;
    u32 fit = sm_blocks_that_fit(c, b->grid);
    u32 warps = (u32)min_u64(fit, share) * b->grid->warps_per_block;
    struct warp_kernel k = {.name = b->grid->name,
                            .number = b->launch - 1,
                            .warps = warps,
                            .limit = (warps + c->schedulers - 1) / c->schedulers};
    sm->policy.ops->kernel(&sm->policy, &k);
    issue_unit_policy_changed(&sm->issue);
}

/* Nothing is counted while an SM has no warps: alarms of that time lose nothing by waiting. */
void policy_ring(struct sm *sm, cycle_t now)
{
    struct warp_policy *p = &sm->policy;
    if (!sm->used && !port_ready(&sm->launch))
        return;
    while (p->alarm <= now) {
        cycle_t at = p->alarm;
        p->alarm = CYCLE_NEVER;
        p->ops->ring(p, at);
    }
    issue_unit_policy_changed(&sm->issue);
}

u64 policy_allowed(const struct sm *sm, u64 slots)
{
    u64 held = 0;
    slots &= sm->policy.may_issue;
    EACH_SLOT(slot, slots & ~sm->policy.may_load & sm->issue.wants[PIPE_GLOBAL])
    {
        const struct instruction *i = sm->warps[slot].next;
        held |= (u64)(i && i->kind == WINST_LOAD) << slot;
    }
    return slots & ~held;
}

/* ---- what the policy may ask ----------------------------------------------------------------- */

static void host_counters(const struct warp_policy *p, struct warp_counters *out)
{
    const struct sm *sm = p->machine;
    const struct l1_counts *l = &sm->l1.counts;
    *out = (struct warp_counters){.accesses = l->loads,
                                  .hits = l->hits,
                                  .own_hits = l->intra_warp_hits,
                                  .latency_cycles = l->latency_cycles,
                                  .returned = l->answered,
                                  .instructions = sm->counts.warp_instructions,
                                  .load_instructions = sm->counts.load_requests};
}

static void host_memory_use(const struct warp_policy *p, struct warp_memory_use *out)
{
    const struct sm *sm = p->machine;
    *out = (struct warp_memory_use){0};
    for (u32 i = 0; i < sm->channel_count; i++) {
        const struct dram_channel *c = &sm->channels[i];
        out->busy_clocks += c->counts.bus_busy_cycles;
        out->clocks += engine_cycle(sm->engine, sm->memory_domain);
    }
}

static void host_note(const struct warp_policy *p, const struct warp_note *note)
{
    struct sm *sm = p->machine;
    if (sm->note_count == NOTE_ROOM)
        sm->notes_dropped++;
    else
        sm->notes[sm->note_count++] = *note;
}

static bool __attribute__((format(printf, 3, 4)))
host_refuse(const struct warp_policy *p, struct err *err, const char *fmt, ...)
{
    char why[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    return err_at(err, (struct src_pos){0}, "warp policy %s: %s", p->ops->name, why);
}

static void __attribute__((format(printf, 2, 3)))
host_warn(const struct warp_policy *p, const char *fmt, ...)
{
    const struct sm *sm = p->machine;
    char what[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    log_warning(sm->sim->log, "warp policy %s: %s", p->ops->name, what);
}

static void host_sampled(const struct warp_policy *p, bool at_least,
                         const struct warp_counters *from, const struct warp_counters *to)
{
    struct sm *sm = p->machine;
    u64 *sum = at_least ? sm->samples.at_least : sm->samples.at_most;
    const u64 *before = (const u64 *)(const void *)from, *after = (const u64 *)(const void *)to;
    _Static_assert(sizeof *from == WARP_COUNTERS * sizeof(u64), "counters are an array");
    for (u32 i = 0; i < WARP_COUNTERS; i++)
        sum[i] += after[i] - before[i];
}

static const struct warp_host host = {.counters = host_counters,
                                      .memory_use = host_memory_use,
                                      .refuse = host_refuse,
                                      .note = host_note,
                                      .warn = host_warn,
                                      .sampled = host_sampled};

bool sm_init_policy(struct sm *sm, const struct warp_policy_ops *ops, const void *config,
                    void *shared, struct err *err)
{
    struct arena *arena = &sm->sim->arena;
    sm->policy = (struct warp_policy){.ops = ops,
                                      .view = &sm->view,
                                      .host = &host,
                                      .machine = sm,
                                      .config = config,
                                      .shared = shared,
                                      .may_issue = ~(u64)0,
                                      .may_load = ~(u64)0,
                                      .may_fill = ~(u64)0,
                                      .alarm = CYCLE_NEVER};
    sm->tells_issues = ops->issued || sm->by_application || sm->flush_logs;
    l1_attach_policy(sm);
    sm->policy.state = arena_alloc(arena, ops->state_bytes ? ops->state_bytes : 1);
    if (ops->kernel || ops->ring) /* without them there is nothing to decide */
        sm->notes = ARENA_ARRAY(arena, struct warp_note, NOTE_ROOM);
    bool ok = !ops->init || ops->init(&sm->policy, arena, err);
    issue_unit_policy_changed(&sm->issue);
    return ok;
}
