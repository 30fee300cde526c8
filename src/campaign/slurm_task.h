/* A task of a job array, on its node: runs its share of the points that a sweep has put into
 * a folder, one after the other, and puts their outcomes there (campaign/spool.h). */
#ifndef CAMPAIGN_SLURM_TASK_H
#define CAMPAIGN_SLURM_TASK_H

#include "base/err.h"

/* Which task: SLURM_ARRAY_TASK_ID. A point that fails is no failure of this function. */
bool slurm_task_run(const char *folder, struct err *err);

#endif
