/*
 * Which of the warps that could issue does, and which may use the L1.
 *
 * One instance per SM. The SM asks pick() with the warps of one scheduler that
 * are ready and whose unit has room. A policy may keep warps from issuing
 * (may_issue) or from issuing loads (may_load), and keep the lines of their
 * misses out of the L1 (may_fill); it changes these masks when it is told that
 * something happened, or at a cycle it asked for (alarm). It sees the SM only
 * through this header, which is installed: the same file is a built-in policy,
 * or built with -DHEDDLE_PLUGIN as a shared object (docs/mechanisms/warp-policies.md).
 *
 * Every hook but pick() may be NULL, and then costs nothing.
 */
#ifndef GPU_SM_WARP_POLICY_H
#define GPU_SM_WARP_POLICY_H

#include "sim/policy.h"

#define MOST_SM_WARPS 64
#define NO_SLOT UINT32_MAX

struct warp_policy_ops;
struct warp_policy;

/* What a policy may look at; the SM keeps it up to date. A bit or an entry per slot. */
struct warp_view {
    u64 live;         /* launched and not ended */
    u64 scheduler[4]; /* the slots of each scheduler */
    u64 waiting;      /* at a barrier or a fence */
    u64 launched;     /* warps so far: the next one's age */
    u32 schedulers;
    u32 sm, sms;            /* number of this SM, and how many there are */
    u32 l1_sets, l1_ways;   /* of its data cache */
    u64 seed;               /* of the run */
    const cycle_t *now;     /* the SM's cycle */
    u64 age[MOST_SM_WARPS]; /* in order of launch: smaller is older */
};

/* What has been counted since the start; differences belong to a window. The seven counters
 * of the Poise spec, section 4.2. */
struct warp_counters {
    u64 accesses, hits, own_hits; /* load requests to L1; found; found what the warp brought */
    u64 latency_cycles, returned; /* of the misses that came back, with bypasses */
    u64 instructions;             /* warp instructions issued */
    u64 load_instructions;        /* of them loads from global memory */
};

/* The counters one by one, by name: an array of so many u64. */
#define WARP_COUNTERS 7u
extern const char *const warp_counter_names[WARP_COUNTERS];

/* How busy the data pins of DRAM have been, in clocks of all channels. */
struct warp_memory_use {
    u64 busy_clocks, clocks;
};

/* A kernel whose first block comes to this SM. */
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
    u32 slot;     /* of the warp; of an evicted line's owner, NO_SLOT if that has gone */
    u32 set, way; /* where the line is; way is meaningless for a miss */
    bool own;     /* hit: the line was brought by this warp */
    bool merged;  /* miss: the line is on its way already */
};

/* A decision worth keeping: goes to `warp_notes` of the result. */
struct warp_note {
    cycle_t cycle;
    u64 kernel;
    const char *what; /* a word of the policy's */
    u32 n, p;
};

/* What the machine does for a policy. */
struct warp_host {
    void (*counters)(const struct warp_policy *p, struct warp_counters *out);
    void (*memory_use)(const struct warp_policy *p, struct warp_memory_use *out);
    /* For init: always false, with a sentence that begins with the policy's name. */
    bool (*refuse)(const struct warp_policy *p, struct err *err, const char *fmt, ...)
        __attribute__((format(printf, 3, 4)));
    /* The first so many are kept. */
    void (*note)(const struct warp_policy *p, const struct warp_note *note);
    /* One line for the person who runs it, that begins with the policy's name. */
    void (*warn)(const struct warp_policy *p, const char *fmt, ...)
        __attribute__((format(printf, 2, 3)));
    /* A window of a policy that `samples` is over: at (W, W), or at (1, 1). */
    void (*sampled)(const struct warp_policy *p, bool at_least, const struct warp_counters *from,
                    const struct warp_counters *to);
};

struct warp_policy {
    const struct warp_policy_ops *ops;
    const struct warp_view *view;
    const struct warp_host *host;
    void *machine;                     /* the host's own */
    const void *config;                /* as ops->params say */
    void *state;                       /* ops->state_bytes of zeros */
    void *shared;                      /* ops->shared_bytes of zeros, one for all SMs of the chip */
    u64 may_issue, may_load, may_fill; /* all ones unless the policy says otherwise */
    cycle_t alarm;                     /* the cycle in which ring() is wanted; CYCLE_NEVER: none */
};

struct warp_policy_ops {
    POLICY_HEAD;
    size_t shared_bytes; /* of zeros, one for all SMs of the chip */
    /* Optional. False: it cannot run as configured, with the sentence in err. */
    bool (*init)(struct warp_policy *p, struct arena *arena, struct err *err);
    /* candidates: never empty, all of one scheduler. The answer issues now. */
    u32 (*pick)(struct warp_policy *p, u32 scheduler, u64 candidates);
    /* Slots that were launched, ended, or began or ceased to wait. */
    void (*changed)(struct warp_policy *p);
    /* Comes before the warps of the kernel's first block are launched. */
    void (*kernel)(struct warp_policy *p, const struct warp_kernel *k);
    /* Cycle p->alarm has come: first thing in it, so that all that was counted belongs to the
     * cycles before. It must set another alarm. An SM without warps does not wake for an alarm;
     * it rings late then, before the next block, as often as is due: `at` is when it was for. */
    void (*ring)(struct warp_policy *p, cycle_t at);
    /* Statistics are about to be read: what is counted over time is due up to this cycle. */
    void (*settle)(struct warp_policy *p, cycle_t now);
    void (*issued)(struct warp_policy *p, const struct warp_issue *i);
    /* May the line of this load be kept in L1? Asked besides may_fill. */
    bool (*keeps)(struct warp_policy *p, u32 slot, u64 pc);
    /* Loads at the L1: found, not found, given a line (it may be on its way yet); and lines
     * that leave to make room. */
    void (*hit)(struct warp_policy *p, const struct warp_access *a);
    void (*missed)(struct warp_policy *p, const struct warp_access *a);
    void (*placed)(struct warp_policy *p, const struct warp_access *a);
    void (*evicted)(struct warp_policy *p, const struct warp_access *a);
    /* Ways of a set that must not be given up, as bits. A miss that finds all others taken
     * bypasses the cache. */
    u64 (*protects)(struct warp_policy *p, u32 set);
    bool samples; /* it tells what its windows counted: `sampled` of kernels' records */
};

#define WARP_POLICY(id) POLICY(warp_policy, id)

/* The oldest of some warps. */
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
