/*
 * Which ready warp issues next, and which warps may use the L1.
 *
 * One instance per SM. pick() chooses among the warps of one scheduler that are ready and
 * whose execution unit has room. Three masks restrict warps: may_issue, may_load (global
 * loads) and may_fill (lines of their misses enter the L1). A policy changes the masks in its
 * hooks or at a cycle that it set as an alarm. The SM is visible only through this header,
 * which is installed: the same file is a built-in policy or, built with -DHEDDLE_PLUGIN, a
 * shared object (docs/howto/policies.md).
 *
 * Contract: all hooks except pick() may be NULL and then cost nothing; pick() returns one of
 * its candidates and may be called at most once per scheduler and cycle.
 */
#ifndef GPU_SM_WARP_POLICY_H
#define GPU_SM_WARP_POLICY_H

#include "sim/policy.h"

#define MOST_SM_WARPS 64
#define NO_SLOT UINT32_MAX

struct warp_policy_ops;
struct warp_policy;

/* State of the SM, kept up to date by it. One bit or entry per warp slot. */
struct warp_view {
    u64 live;         /* launched and not ended */
    u64 scheduler[4]; /* the slots of each scheduler */
    u64 waiting;      /* at a barrier or a fence */
    u64 launched;     /* warps launched so far: the age of the next one */
    u32 schedulers;
    u32 sm, sms;            /* number of this SM; SMs of the chip */
    u32 l1_sets, l1_ways;   /* of its data cache */
    u64 seed;               /* of the run */
    const cycle_t *now;     /* the SM's cycle */
    u64 age[MOST_SM_WARPS]; /* launch order: smaller is older */
};

/* Counts since the start; take differences for a window. The seven counters of the Poise
 * spec, section 4.2. */
struct warp_counters {
    u64 accesses, hits, own_hits; /* load requests to L1; hits; hits on the warp's own lines */
    u64 latency_cycles, returned; /* of answered misses, bypasses included */
    u64 instructions;             /* warp instructions issued */
    u64 load_instructions;        /* of these, loads from global memory */
};

/* struct warp_counters as an array, and the names of its elements. */
#define WARP_COUNTERS 7u
extern const char *const warp_counter_names[WARP_COUNTERS];

/* Clocks in which DRAM data pins were busy, and all clocks, summed over channels. */
struct warp_memory_use {
    u64 busy_clocks, clocks;
};

/* A kernel whose first block is about to start on this SM. */
struct warp_kernel {
    const char *name;
    u64 number; /* of its launch, from 0 */
    u32 warps;  /* resident on an SM by occupancy */
    u32 limit;  /* the same per scheduler, rounded up: W of the spec */
};

/* An instruction that issues. */
struct warp_issue {
    u32 slot;
    u64 pc;
    bool is_load; /* from global memory */
};

/* A load request and its line in L1. */
struct warp_access {
    u64 line, pc;
    u32 slot; /* of the warp; for an evicted line, of its owner (NO_SLOT if that warp has ended) */
    u32 set, way; /* position of the line; way is undefined for a miss */
    bool own;     /* hit: this warp fetched the line */
    bool merged;  /* miss: the line is already outstanding */
};

/* A decision for the log: appears in `warp_notes` of the result. */
struct warp_note {
    cycle_t cycle;
    u64 kernel;
    const char *what; /* a word that the policy chooses */
    u32 n, p;
};

/* Services of the machine for a policy. */
struct warp_host {
    void (*counters)(const struct warp_policy *p, struct warp_counters *out);
    void (*memory_use)(const struct warp_policy *p, struct warp_memory_use *out);
    /* For init: sets an error that begins with the policy's name; returns false. */
    bool (*refuse)(const struct warp_policy *p, struct err *err, const char *fmt, ...)
        __attribute__((format(printf, 3, 4)));
    /* Only the first 4,096 of each SM are kept. */
    void (*note)(const struct warp_policy *p, const struct warp_note *note);
    /* Prints a warning that begins with the policy's name. */
    void (*warn)(const struct warp_policy *p, const char *fmt, ...)
        __attribute__((format(printf, 2, 3)));
    /* A sampling window at (W, W) or, with at_least, at (1, 1) has ended. */
    void (*sampled)(const struct warp_policy *p, bool at_least, const struct warp_counters *from,
                    const struct warp_counters *to);
};

struct warp_policy {
    const struct warp_policy_ops *ops;
    const struct warp_view *view;
    const struct warp_host *host;
    void *machine;                     /* private to the host */
    const void *config;                /* as ops->params say */
    void *state;                       /* ops->state_bytes of zeros */
    void *shared;                      /* ops->shared_bytes of zeros, one for all SMs of the chip */
    u64 may_issue, may_load, may_fill; /* all ones until the policy changes them */
    cycle_t alarm;                     /* cycle of the next ring(); CYCLE_NEVER: none */
};

struct warp_policy_ops {
    POLICY_HEAD;
    size_t shared_bytes; /* of zeros, one for all SMs of the chip */
    /* Optional. Returns false, with err set, if the policy cannot run as configured. */
    bool (*init)(struct warp_policy *p, struct arena *arena, struct err *err);
    /* candidates: never empty, all of one scheduler. The warp returned issues now. */
    u32 (*pick)(struct warp_policy *p, u32 scheduler, u64 candidates);
    /* A warp was launched or ended, or started or stopped waiting. */
    void (*changed)(struct warp_policy *p);
    /* Called before the warps of the kernel's first block are launched. */
    void (*kernel)(struct warp_policy *p, const struct warp_kernel *k);
    /* Called at the start of cycle p->alarm, so counts belong to earlier cycles. Must set the next
     * alarm. An SM without warps does not wake for alarms: missed alarms are delivered before the
     * next block starts, once each; `at` is the cycle each was set for. */
    void (*ring)(struct warp_policy *p, cycle_t at);
    /* Statistics are about to be read: bring counts over time up to this cycle. */
    void (*settle)(struct warp_policy *p, cycle_t now);
    void (*issued)(struct warp_policy *p, const struct warp_issue *i);
    /* May the line of this load be kept in L1? Checked in addition to may_fill. */
    bool (*keeps)(struct warp_policy *p, u32 slot, u64 pc);
    /* Loads at the L1: hit, missed, allocated a line (which may still be outstanding); and lines
     * that were evicted. */
    void (*hit)(struct warp_policy *p, const struct warp_access *a);
    void (*missed)(struct warp_policy *p, const struct warp_access *a);
    void (*placed)(struct warp_policy *p, const struct warp_access *a);
    void (*evicted)(struct warp_policy *p, const struct warp_access *a);
    /* Ways of a set that must not be evicted, as bits. A miss that finds no other way bypasses the
     * cache. */
    u64 (*protects)(struct warp_policy *p, u32 set);
    bool samples; /* it calls host->sampled for its windows */
};

/* Has it what it cannot do without? */
static inline bool warp_policy_is_whole(const struct warp_policy_ops *p)
{
    return p->pick != NULL;
}

#define WARP_POLICY(id) POLICY(warp_policy, id)

/* The oldest of the candidates. */
static inline u32 warp_oldest(const struct warp_view *v, u64 candidates)
{
    u32 best = (u32)__builtin_ctzll(candidates);
    for (u64 left = candidates & (candidates - 1); left; left &= left - 1) {
        u32 slot = (u32)__builtin_ctzll(left);
        if (v->age[slot] < v->age[best])
            best = slot;
    }
    return best;
}

#endif
