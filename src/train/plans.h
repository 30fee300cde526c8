/* The runs of a profile: programs that are recorded once and replayed, and those run at every
 * tuple. */
#ifndef TRAIN_PLANS_H
#define TRAIN_PLANS_H

#include "campaign/plan.h"
#include "train/grid.h"

struct train_plan {
    struct sweep_file file;
    struct plan plan; /* no points: no program is of this kind */
    const char **programs;
    u32 program_count;
};

struct train_plans {
    struct train_plan recorded, direct;
    struct train_plan windows; /* of all programs, where that is asked for */
};

struct train_request {
    const char *chip, *size;
    const char *const *programs; /* of those that come along */
    u32 program_count;
    const struct sweep_workload *inputs; /* of programs with an input of their own */
    u32 input_count;
    struct tuple_grid grid;
    bool direct;  /* no recordings at all */
    bool windows; /* features from the policy's own windows */
};

/* All of it lives in the arena. */
bool train_plans_make(struct train_plans *plans, const struct train_request *request,
                      const struct study_host *host, struct arena *arena, struct err *err);
/* The one that has the program. */
const struct plan *train_plans_find(const struct train_plans *plans, const char *program);

#endif
