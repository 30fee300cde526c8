/*
 * The points of a plan as rows of the database: which remain to be run, which
 * process runs each, how each ended.
 *
 * A row is claimed in a transaction that excludes other writers, so no two
 * processes run one point. A claimed row names its worker; when that process is
 * gone, the row is claimed anew.
 */
#ifndef CAMPAIGN_RUN_QUEUE_H
#define CAMPAIGN_RUN_QUEUE_H

#include "campaign/db.h"
#include "campaign/owner.h"
#include "campaign/plan.h"

enum run_status {
    RUN_QUEUED,
    RUN_RUNNING,
    RUN_DONE,
    RUN_FAILED,
    RUN_HUNG,
    RUN_TIMED_OUT,
    RUN_INTERRUPTED, /* ended from outside: the next sweep runs it again */
    RUN_STATUS_COUNT,
};

/* As the column holds it. */
const char *run_status_name(enum run_status status);
/* RUN_STATUS_COUNT: no such status. */
enum run_status run_status_find(const char *name);

/* Which finished rows are to be run again. */
enum run_queue_again { QUEUE_NEW, QUEUE_RETRY, QUEUE_AGAIN };

struct run_queue {
    struct db *db;
    const struct plan *plan;
    struct owner self;
    i64 worker;
    u8 *settled; /* by point: nothing more to do for this process */
    u32 first_open;
    struct arena arena;
    const char *const *known_paths; /* whose numbers in the database known_ids are */
    i64 *known_ids;
};

struct run_queue_counts {
    u32 by_status[RUN_STATUS_COUNT];
    u32 missing;        /* not in the database */
    u32 of_other_build; /* done, by a program of this version that was built from other sources */
};

/* Makes this process known as a worker; close takes it, and what it has claimed, back. */
bool run_queue_open(struct run_queue *q, struct db *db, const struct plan *plan, struct err *err);
bool run_queue_close(struct run_queue *q, struct err *err);

/* Adds the points that are missing, and queues those that `again` asks for. */
bool run_queue_add(struct run_queue *q, enum run_queue_again again, struct err *err);

enum run_queue_claim {
    QUEUE_CLAIMED,
    QUEUE_WAIT,  /* others run what is left, or a recording is not there yet */
    QUEUE_EMPTY, /* every point has ended */
    QUEUE_FAILED,
};
enum run_queue_claim run_queue_claim(struct run_queue *q, u32 *point, struct err *err);
/* Back to queued: it was not run to its end. */
bool run_queue_release(struct run_queue *q, u32 point, struct err *err);
/* Rows of workers that are gone become queued; tells the others that this one lives. */
bool run_queue_keep_alive(struct run_queue *q, struct err *err);

bool run_queue_count(struct db *db, const struct plan *plan, const char *build,
                     struct run_queue_counts *counts, struct err *err);
/* Has the worker with this number ended? Its files may then be removed. */
bool run_queue_worker_is_gone(struct run_queue *q, i64 worker, struct err *err);

/* The file that a POINT_RECORD writes: beside the database, by key. */
const char *run_queue_recording_path(const char *db_path, const struct plan_point *recording,
                                     struct arena *arena);

#endif
