/*
 * A chip's simulation beside the real one: the launches that a silicon folder records, run on
 * the chip, compared counter by counter. docs/internals/fidelity.md has the method.
 *
 * correlate_open chooses programs, correlate_plan makes their runs, correlate_read compares
 * what the database holds of them. The programs are split in two halves by name: parameters
 * may be fitted on one, the other is what is judged.
 */
#ifndef SILICON_CORRELATE_H
#define SILICON_CORRELATE_H

#include "views/measure.h"
#include "gpu/sm/sm.h"
#include "campaign/db.h"
#include "campaign/kernel_values.h"
#include "campaign/plan.h"
#include "silicon/silicon_stalls.h"
#include "silicon/silicon_table.h"

#define MOST_COUNTERS 20u

enum correlate_half { HALF_TUNE, HALF_TEST, HALF_BOTH, HALF_COUNT };
extern const char *const half_names[HALF_COUNT];
/* By the first digit of the name's SHA-256: 0 to 7 tune, 8 to f test. */
enum correlate_half correlate_half_of(const char *program);

/* ---- counters ---- */

enum counter_kind { COUNTER_AMOUNT, COUNTER_PERCENT };
/* What the same counter is called on either side, and what it counts. */
struct counter {
    const char *id, *words;
    enum counter_kind kind; /* errors are relative, or in points */
    int helps;              /* -1: more of it takes longer, 1: more of it is quicker, 0: neither */
    double floor;           /* of amounts: what is smaller on both sides is noise */
    /* Columns of the silicon's table, and members of a kernel's record: one sum, or the share in
     * percent that one has in another. */
    struct measure silicon, simulated;
};
extern const struct counter correlate_counters[]; /* ends with a NULL id; the first is cycles */
u32 counter_count(void);
u32 counter_find(const char *id); /* it must be there */
/* In percent of silicon, or in points; NAN: cannot be compared, or too little of it. */
double counter_error(const struct counter *c, double silicon, double simulated);

/* NAN: a number is not there, or too small to have a share in it. */
double counter_on_silicon(const struct counter *c, const struct silicon_table *t,
                          const struct silicon_launch *l);
struct simulated_launch {
    struct kernel_values kernel;
    double warp_slots, launch_cycles; /* of the chip: sm.warps, launch.cycles */
};
double counter_simulated(const struct counter *c, const struct simulated_launch *l);

/* ---- what is compared ---- */

struct correlate_launch {
    const struct silicon_launch *silicon;
    u32 kernel; /* of the result's kernels */
    bool counts;
    double on_silicon[MOST_COUNTERS], simulated[MOST_COUNTERS], error[MOST_COUNTERS];
    double slots[SLOT_COUNT]; /* the CPI stack: cycles of the schedulers */
    const char *bound_by;
};

/* All launches of one kernel of one program that count: means over them. */
struct correlate_kernel {
    const char *program, *name;
    enum correlate_half half;
    u32 launches;
    double on_silicon[MOST_COUNTERS], simulated[MOST_COUNTERS];
    double error[MOST_COUNTERS], absolute[MOST_COUNTERS]; /* means of the launches' errors */
    double slots[SLOT_COUNT];                             /* sums */
    const char *bound_by;                                 /* of its longest launch */
    const struct silicon_stall_row *stalls;               /* on silicon; NULL: not recorded */
};

struct correlate_program {
    const char *name;
    enum correlate_half half;
    u32 recorded, launches, kernels; /* on silicon; that count; of how many kernels */
    double error[MOST_COUNTERS], absolute[MOST_COUNTERS]; /* means of its kernels */
    const char *failure;                                  /* why it is not compared; NULL: it is */
    bool is_mismatch; /* the failure: what ran is not what was recorded */
};

/* One half, or both, by one counter. */
struct correlate_score {
    u32 launches, kernels, programs;
    double error, absolute;            /* means over kernels */
    double by_launch;                  /* absolute, mean over launches */
    double pearson, pearson_log, rank; /* over kernels */
};

struct correlate_goal {
    const char *what;
    double limit, measured;
    bool at_least; /* otherwise at most */
    int digits;    /* behind the point */
    const char *unit;
};
#define GOAL_COUNT 7u
enum goal_verdict { GOAL_MET, GOAL_MISSED, GOAL_OPEN };
enum goal_verdict goal_judge(const struct correlate_goal *g);

struct correlate_result {
    struct correlate_launch *launches;
    u32 launch_count;
    struct correlate_kernel *kernels; /* that have a launch that counts */
    u32 kernel_count;
    struct correlate_program *programs;
    u32 program_count;
    struct correlate_score scores[HALF_COUNT][MOST_COUNTERS];
    struct correlate_goal goals[GOAL_COUNT];
    u32 runs_done, runs_missing;
    double seconds;
};

struct correlate_request {
    const char *folder, *name; /* of the measurements */
    const char *chip, *size;
    const char *const *programs; /* names; none: all of the table */
    u32 program_count;
    double least_cycles; /* launches count that take more on silicon */
    bool quick;          /* the six programs of each half with the least to execute */
    /* Instead of a folder: one table, perhaps of Nsight Compute, and the executables of its
     * programs, all in one folder or one with its arguments. */
    const char *table, *executables;
    const char *const *program; /* NULL: none is given */
    u32 program_words;
    const char *launches, *bounds; /* as `heddle run` takes them; NULL: not given */
};

struct correlate {
    struct correlate_request request;
    struct silicon_table silicon;
    struct silicon_stalls stalls; /* none where the folder has no such table */
    struct study_host host;
    u32 *programs; /* chosen: of the table's */
    u32 program_count;
    struct arena *arena;
    u64 seed;
};

bool correlate_open(struct correlate *c, const struct correlate_request *request,
                    const struct study_host *host, struct arena *arena, struct err *err);
/* What runs for a program of the table: a bundled one's name, or a file. */
const char *correlate_workload(const struct correlate *c, u32 program);
/* sets: "PARAM=VALUE". The plan and its file live in the arena. */
bool correlate_plan(const struct correlate *c, enum correlate_half half, const char *const *sets,
                    u32 set_count, struct plan **plan, struct err *err);
/* What became of a plan's runs. A program without a result has its failure. */
bool correlate_read(const struct correlate *c, const struct plan *plan, struct db *db,
                    struct correlate_result *out, struct err *err);
/* correlate_sums.c: kernels, programs, scores and goals from the launches; read does it. */
void correlate_sum(const struct correlate *c, struct correlate_result *out);

/* ---- fitting ---- */

/* "PARAM=V1,V2": every combination of what several of them say. */
struct correlate_fit {
    const char **params;
    const char ***values;
    u32 *value_counts;
    u32 count, combinations;
};
#define MOST_COMBINATIONS 200u
bool fit_read(struct correlate_fit *fit, const char *const *texts, u32 count, struct arena *arena,
              struct err *err);
/* Its settings as "PARAM=VALUE", fit->count of them. */
const char *const *fit_settings(const struct correlate_fit *fit, u32 combination,
                                struct arena *arena);

struct fit_trial {
    const char *const *settings;
    double absolute; /* mean absolute cycle error of the half for tuning */
    u32 kernels;
};
/* The trial with the least error among those that compare the most kernels; UINT32_MAX: none. */
u32 fit_choose(const struct fit_trial *trials, u32 count);

#endif
