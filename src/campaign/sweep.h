/*
 * Running a plan: claims points, runs each as a process of its own, several at
 * once, here or as jobs of a Slurm cluster, and puts the outcomes into the
 * database, until none are left.
 */
#ifndef CAMPAIGN_SWEEP_H
#define CAMPAIGN_SWEEP_H

#include "campaign/child.h"

#include <sys/stat.h>

/* A run that has not ended after a day never will, unless a time limit allows more. */
#define SWEEP_TIMEOUT_S 86400.0

struct sweep_options {
    const char *db;   /* the file */
    u32 jobs;         /* processes at once; tasks, where Slurm runs them */
    double timeout_s; /* of one run; 0: as the file says */
    u64 limit;        /* run at most so many; 0: all */
    enum run_queue_again again;
    bool is_worker; /* adds no points and does not wait for others: a job of many on one database */
    bool slurm;
    const char *slurm_options; /* for sbatch, as one writes them; NULL: none */
};

/* A run that goes on now. */
struct sweep_slot {
    bool is_busy;
    u32 point; /* of the plan */
    double started;
};

/* What a watcher may show. */
struct sweep_progress {
    const struct plan *plan;
    const struct sweep_slot *slots; /* as many as jobs */
    u32 jobs;
    u32 at_once;                 /* runs that go on at the same time */
    const char *note;            /* one more line, or NULL */
    u32 before;                  /* points that needed no run */
    u32 ended;                   /* by this process */
    u32 not_done;                /* of those: failed, hung, timed out, interrupted */
    double started, run_seconds; /* run_seconds: of all ended runs together */
};

struct sweep_watcher {
    void *context;
    void (*run_ended)(void *context, const struct sweep_progress *p, const struct plan_point *point,
                      const struct outcome *outcome);
    void (*tick)(void *context, const struct sweep_progress *p); /* several times a second */
    void (*news)(void *context, const char *sentence);           /* worth a line of its own */
};

struct sweep_result {
    struct run_queue_counts counts; /* at the end */
    u32 ran;
    bool interrupted;
};

/* The program that runs the points, and its build. */
struct sweep_program {
    char path[4096];
    char build[17]; /* start of the hash of the file */
    struct stat file;
};
bool sweep_program_find(struct sweep_program *program, struct err *err);

/* Points that failed are no failure of this function. */
bool sweep_run(const struct plan *plan, const struct sweep_options *options,
               const struct sweep_watcher *watcher, struct sweep_result *result, struct err *err);

/* How long the runs that are left will take, from runs of the same workload on the same chip. */
struct sweep_estimate {
    u32 to_run, unknown; /* unknown: for so many of them there is nothing to go by */
    double seconds;      /* of the others together, on one core */
};
/* db NULL: there is no database yet. */
bool sweep_estimate(struct db *db, const struct plan *plan, enum run_queue_again again,
                    struct sweep_estimate *estimate, struct err *err);

#endif
