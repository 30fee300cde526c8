/*
 * Issue: each scheduler of an SM picks one of its warps that can go, and every cycle is charged to
 * a cause.
 *
 * What a warp is ready for is kept in masks, one bit per slot, which the SM updates as things
 * happen. Of a scheduler's ready warps the policy holds some back, the units and the LSU refuse
 * some, and the policy picks one of the rest.
 *
 * Every scheduler-cycle is charged to one of enum slot_class (bandwidth-and-ccn spec S4). While the
 * SM sleeps its masks do not change, so the cycles slept are charged alike when it wakes.
 *
 * It knows its SM only as a client, and no warps: a slot is a number. What it does in every cycle
 * is in gpu/sm/issue_cycle.h.
 *
 * Contract: issue_unit_settle before anything else of a cycle, issue_unit_cycle once in it;
 * issue_unit_sleep before a cycle is left out. The client's `issue` leaves the masks as they are
 * for the warp's next instruction.
 */
#ifndef GPU_SM_ISSUE_H
#define GPU_SM_ISSUE_H

#include "gpu/config.h"
#include "gpu/sm/units.h"
#include "gpu/sm/warp_policy.h"

enum slot_class {
    SLOT_ISSUED,
    SLOT_FETCH,
    SLOT_DATA_MEM,
    SLOT_DATA_ALU,
    SLOT_STRUCT_MEM,
    SLOT_STRUCT_ALU,
    SLOT_BARRIER,
    SLOT_THROTTLED, /* a warp is ready that the policy holds back, and no other is */
    SLOT_NO_WARP,
    SLOT_COUNT,
};
extern const char *const slot_names[SLOT_COUNT];

/* What issue asks of the SM around it. */
struct issue_client_ops {
    /* Does the LSU take an instruction for that pipe, PIPE_GLOBAL to PIPE_READ_ONLY, then? */
    bool (*memory_accepts)(const void *sm, enum pipe pipe, cycle_t now);
    /* Of warps that the policy restricts, those whose next instruction it lets issue. */
    u64 (*allowed)(const void *sm, u64 slots);
    /* The warp's next instruction issues. False: it has failed, and the SM stops. */
    bool (*issue)(void *sm, u32 slot, u32 scheduler, cycle_t now);
    /* With is_watched: a scheduler has had these ready warps for so many cycles, of which the units
     * and the LSU would take some. Told before the warp that is picked issues. */
    void (*watch)(void *sm, u32 scheduler, u64 ready, u64 accepted, u64 cycles);
};

struct issue_parts {
    u32 schedulers, width, interval; /* width: instructions in a cycle; interval: of cycles */
    struct units *units;
    struct warp_policy *policy;
    const struct warp_view *view;      /* which warps live, and the slots of each scheduler */
    u64 *scheduler_slots, *core_slots; /* SLOT_COUNT counts of cycles each */
    const struct issue_client_ops *client;
    void *sm;
};

struct issue_unit {
    /* one bit per slot */
    u64 has;          /* an instruction is buffered */
    u64 clear;        /* its operands are there, it may issue */
    u64 on_load;      /* not clear: one of its operands comes from memory */
    u64 waits;        /* for other warps of its block */
    u64 fenced;       /* for its own stores or copies */
    u64 unrestricted; /* the policy holds back no instruction of it */
    u64 wants[PIPE_COUNT];
    u8 pipe[MOST_SM_WARPS];        /* of its next instruction: the one whose mask it is in */
    cycle_t from[MOST_SCHEDULERS]; /* from which on each may issue again */
    cycle_t charged_to;            /* cycles before this one have been charged */
    u32 first;                     /* scheduler to choose in the next cycle */
    u8 asleep[MOST_SCHEDULERS], core_asleep; /* classes of the cycles until the next tick */
    bool is_watched;
    struct issue_parts at;
};

void issue_unit_init(struct issue_unit *x, const struct issue_parts *parts);
/* The SM sleeps after this cycle: what the cycles until its next tick are charged to. */
void issue_unit_sleep(struct issue_unit *x);
/* Cycles that were slept through, up to this one, are charged. */
void issue_unit_settle(struct issue_unit *x, cycle_t now);
/* Why none of these warps issues; the order is that of spec S4. */
enum slot_class issue_unit_classify(const struct issue_unit *x, u64 slots);
/* A scheduler finds no warp that its units and the LSU take, for so many cycles: for the watcher.
 */
void issue_unit_refused(struct issue_unit *x, u32 scheduler, u64 cycles);
/* Of warps that are ready, those whose scheduler may issue in the next cycle; *next: when the
 * others' may. */
u64 issue_unit_in_turn(const struct issue_unit *x, u64 ready, cycle_t now, cycle_t *next);

/* After every hook of the policy: it may have changed its masks. */
static inline void issue_unit_policy_changed(struct issue_unit *x)
{
    x->unrestricted = x->at.policy->may_issue & x->at.policy->may_load;
}

/* Those of some slots whose next instruction the policy lets issue. */
static inline u64 issue_unit_allowed(const struct issue_unit *x, u64 slots)
{
    return LIKELY(!(slots & ~x->unrestricted)) ? slots : x->at.client->allowed(x->at.sm, slots);
}

/* Warps with an instruction that can go as far as they are concerned. */
static inline u64 issue_unit_ready(const struct issue_unit *x)
{
    return x->has & x->clear & ~x->fenced;
}

/* Warps whose next instruction is for the LSU. */
static inline u64 issue_unit_for_memory(const struct issue_unit *x)
{
    return x->wants[PIPE_GLOBAL] | x->wants[PIPE_SHARED] | x->wants[PIPE_READ_ONLY];
}

/* A warp's next instruction is for that pipe. */
static inline void issue_unit_want(struct issue_unit *x, u32 slot, enum pipe pipe)
{
    u64 bit = (u64)1 << slot;
    x->wants[x->pipe[slot]] &= ~bit;
    x->pipe[slot] = (u8)pipe;
    x->wants[pipe] |= bit;
}

/* A warp has no next instruction for now. */
static inline void issue_unit_want_nothing(struct issue_unit *x, u32 slot)
{
    x->wants[x->pipe[slot]] &= ~((u64)1 << slot);
}

/* A warp has ended, or has left its slot. */
static inline void issue_unit_forget(struct issue_unit *x, u32 slot)
{
    u64 others = ~((u64)1 << slot);
    x->has &= others;
    x->clear &= others;
    x->on_load &= others;
}

#endif
