#include "gpu/sm/issue.h"

const char *const slot_names[SLOT_COUNT] = {"issued",   "fetch",          "data_mem",
                                            "data_alu", "structural_mem", "structural_alu",
                                            "barrier",  "throttled",      "no_warp"};

void issue_unit_init(struct issue_unit *x, const struct issue_parts *parts)
{
    x->at = *parts;
    for (u32 s = 0; s < MOST_SCHEDULERS; s++)
        x->asleep[s] = SLOT_NO_WARP;
    x->core_asleep = SLOT_NO_WARP;
}

/* ---- what is charged --------------------------------------------------------------------- */

/* Of warps that have an instruction and may issue it. */
static inline enum slot_class classify_ready(const struct issue_unit *x, u64 can)
{
    u64 clear = can & x->clear;
    if (!clear)
        return can & x->on_load ? SLOT_DATA_MEM : SLOT_DATA_ALU;
    return clear & issue_unit_for_memory(x) ? SLOT_STRUCT_MEM : SLOT_STRUCT_ALU;
}

/* The policy holds some of these warps, which have an instruction, back. If only such are ready
 * it is to blame, whatever the others wait for; if its favourites lack an instruction, fetch is. */
static __attribute__((noinline)) enum slot_class classify_held(const struct issue_unit *x, u64 live,
                                                               u64 has)
{
    u64 can = x->at.client->allowed(x->at.sm, has);
    if (has & ~can & x->clear && !(can & x->clear))
        return SLOT_THROTTLED;
    u64 fetching = live & ~x->waits & ~x->has & ~x->fenced;
    if (!can && fetching & x->at.policy->may_issue)
        return SLOT_FETCH;
    return classify_ready(x, can ? can : has);
}

enum slot_class issue_unit_classify(const struct issue_unit *x, u64 slots)
{
    u64 live = x->at.view->live & slots;
    if (!live)
        return SLOT_NO_WARP;
    u64 can = live & x->has & ~x->fenced;
    if (!can) {
        if (live & ~x->waits & ~x->has & ~x->fenced)
            return SLOT_FETCH;
        return live & x->fenced ? SLOT_DATA_MEM : SLOT_BARRIER;
    }
    return LIKELY(!(can & ~x->unrestricted)) ? classify_ready(x, can) : classify_held(x, live, can);
}

/* A scheduler finds no warp that its units and the LSU take, for so many cycles. */
void issue_unit_refused(struct issue_unit *x, u32 scheduler, u64 cycles)
{
    u64 own = issue_unit_ready(x) & x->at.view->scheduler[scheduler];
    x->at.client->watch(x->at.sm, scheduler, issue_unit_allowed(x, own), 0, cycles);
}

void issue_unit_sleep(struct issue_unit *x)
{
    for (u32 s = 0; s < x->at.schedulers; s++)
        x->asleep[s] = (u8)issue_unit_classify(x, x->at.view->scheduler[s]);
    x->core_asleep = (u8)issue_unit_classify(x, ~(u64)0);
}

void issue_unit_settle(struct issue_unit *x, cycle_t now)
{
    if (now <= x->charged_to)
        return;
    u64 cycles = now - x->charged_to;
    for (u32 s = 0; s < x->at.schedulers; s++) {
        x->at.scheduler_slots[x->asleep[s]] += cycles;
        if (UNLIKELY(x->is_watched) && x->asleep[s] == SLOT_STRUCT_MEM)
            issue_unit_refused(x, s, cycles);
    }
    x->at.core_slots[x->core_asleep] += cycles;
    x->charged_to = now;
}

/* Of warps that are ready, those whose scheduler may issue in the next cycle; *next: when the
 * others' may. */
u64 issue_unit_in_turn(const struct issue_unit *x, u64 ready, cycle_t now, cycle_t *next)
{
    for (u32 s = 0; s < x->at.schedulers; s++) {
        if (!(ready & x->at.view->scheduler[s]) || x->from[s] <= now + 1)
            continue;
        *next = min_u64(*next, x->from[s]);
        ready &= ~x->at.view->scheduler[s];
    }
    return ready;
}
