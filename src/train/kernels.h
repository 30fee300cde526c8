/*
 * The kernels of profiled programs, from the results database: what each took at
 * every tuple, its features, and whether training learns from it (Poise spec 4.3).
 */
#ifndef TRAIN_KERNELS_H
#define TRAIN_KERNELS_H

#include "policy/warp/features.h"
#include "campaign/db.h"
#include "campaign/plan.h"
#include "train/profile.h"

enum kernel_verdict {
    KERNEL_KEPT,
    KERNEL_NOT_EVERYWHERE, /* some run of the grid has no such launch */
    KERNEL_NO_HITS,        /* at (1, 1) */
    KERNEL_SHORT,
    KERNEL_NO_GAIN, /* at its best tuple, or at the target */
    KERNEL_VERDICTS,
};
extern const char *const kernel_verdict_names[KERNEL_VERDICTS];

struct train_options {
    double least_gain;   /* over (W, W), as a fraction */
    u64 least_cycles;    /* at (W, W) */
    bool gain_at_target; /* least_gain is for the target, not for the best tuple */
    enum score_rule rule;
    double dispersion, divisor, scale; /* scale: the W that targets are brought to */
    bool without[FEATURE_COUNT];
};
extern const struct train_options train_defaults;

struct train_kernel {
    const char *program, *name;
    u64 number; /* of its launch */
    u32 runs;   /* that have it */
    struct profile profile;
    struct feature_sample at_most, at_least; /* of the whole runs at (W, W) and (1, 1), ... */
    bool is_sampled;                         /* ... or of the policy's own windows */
    /* by kernel_judge */
    enum kernel_verdict verdict;
    double x[FEATURE_COUNT];
    struct warp_tuple best, target;
};

struct train_set {
    struct train_kernel *kernels;
    u32 count, room;
};

/* The values of one row of the table `kernels`. */
struct kernel_row {
    const char *name;
    u64 number, cycles;
    u32 limit; /* W */
    struct warp_counters counters;
};
/* W of a kernel: resident warps per scheduler, rounded up (Poise spec A11), or those of an SM's
 * share of the grid where that is less. */
u32 kernel_limit(u64 blocks, u64 blocks_per_sm, u64 threads_per_block, u64 schedulers, u64 sms);

/* Has the database every point of that program? */
bool profile_is_complete(struct db *db, const struct plan *plan, const char *program, u32 *missing,
                         struct err *err);
/* Adds the kernels of a program; points that are missing are an error. */
bool train_set_read(struct train_set *set, struct db *db, const struct plan *plan,
                    const char *program, struct arena *arena, struct err *err);
/* windows.c: features of that program's kernels from the windows of a run with
 * policy.warp.poise.samples_only; kernels that are over before keep those of whole runs. */
bool train_set_read_windows(struct train_set *set, struct db *db, const struct plan *plan,
                            const char *program, struct err *err);
void train_set_fini(struct train_set *set);

/* Works out features, best tuple and target, and applies the filters; `runs`: of the grid. */
void kernel_judge(struct train_kernel *k, u32 runs, const struct train_options *options);
void train_set_judge(struct train_set *set, u32 runs, const struct train_options *options);

#endif
