/* The parts of a sweep's place on a Slurm cluster: sweep_slurm.c, and its submitting, collecting
 * and leftovers. */
#ifndef CAMPAIGN_SWEEP_SLURM_H
#define CAMPAIGN_SWEEP_SLURM_H

#include "campaign/slurm.h"
#include "campaign/spool.h"
#include "campaign/sweep_parts.h"

#define NO_POINT UINT32_MAX

/* A task of an array. */
struct task {
    u32 left;      /* points without an outcome */
    u32 now;       /* what it has begun last */
    double since;  /* seen first */
    char node[64]; /* "": it has begun nothing */
    bool is_over;
};

/* A job array. */
struct array {
    struct array *next;
    u32 number; /* of the folder */
    char id[SLURM_ID];
    const char *folder;
    u32 tasks, live;
    struct task *task;
    enum slurm_state *states;
};

struct slurm {
    const char *root, *folder, *adopted; /* of all sweeps, of this one, what others left */
    const char *name;                    /* of the jobs */
    const char *const *options;
    u32 *by_key;   /* points in the order of their keys */
    u32 *array_of; /* by point: number of its array, 0: none */
    u32 *task_of;  /* by point */
    u8 *losses;    /* by point: tasks that ended while they were at it */
    u32 *ready;    /* claimed, not submitted yet */
    u32 ready_count, array_count;
    struct array *arrays; /* those that have live tasks */
    u64 signs;
    double last_look, last_ask, last_submit;
    bool has_looked;
    char note[256], reason[64], trouble[160]; /* reason: why tasks are pending */
};

/* What is to be submitted again because its tasks have ended. */
struct slurm_lost {
    u32 *points;
    u32 count, tasks;
};

/* A sentence for the watcher. */
void slurm_news(struct sweep *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* sweep_slurm_submit.c: a new array, of so many tasks at most. */
bool slurm_submit_points(struct sweep *s, const u32 *points, u32 count, u32 tasks);

/* sweep_slurm_collect.c */
/* The KEY of "run.KEY.end"; false: another file. */
bool slurm_key_of_file(const char *name, char key[KEY_LENGTH + 1]);
/* An outcome into the database, and away with its files. */
bool slurm_ingest(struct sweep *s, const char *folder, u32 point);
/* All that is new in an array's folder. */
bool slurm_scan(struct sweep *s, struct array *a);
/* Tasks that have ended, by a->states, and what they leave. Slurm must have been asked before the
 * folder was read: what an ended task has left is then not to come. */
bool slurm_end_tasks(struct sweep *s, struct array *a, struct slurm_lost *lost);

/* sweep_slurm_leftovers.c: what sweeps that were killed have left: their jobs end, their results
 * are moved to where `fill` finds them. */
bool slurm_take_over(struct sweep *s);

#endif
