/*
 * One workload on one chip and on its what-ifs (why/whatif.h): the list of those runs, and
 * their results, kernel by kernel.
 *
 * A program is executed once, on the chip as it is, and its recording is timed on the
 * what-ifs: all of them then do the same work. The runs are points of a plan like those
 * of a sweep, kept in the results database and not run twice.
 */
#ifndef WHY_WHY_H
#define WHY_WHY_H

#include "campaign/sweep.h"
#include "why/whatif.h"

struct why_request {
    const char *chip;
    const char *const *sets; /* "a.b=value" */
    u32 set_count;
    struct sweep_workload workload;
    u64 seed;
    bool is_quick;      /* the ladder alone */
    bool execute;       /* a program at every point, instead of its recording */
    const char *sample; /* as `heddle run --sample` takes it; NULL: all is timed */
};

struct why_variant {
    const struct whatif *whatif;
    struct whatif_settings settings;
    const struct plan_point *point; /* NULL: not run, the chip leaves nothing to change */
    bool is_done;
    const char *error; /* why it has no result */
};

/* One kernel, all its launches together, or the whole program. */
struct why_row {
    const char *name;
    u32 launches;
    double *values;              /* by column: sums over the launches on the chip as it is */
    double cycles[MOST_WHATIFS]; /* by variant; NAN: not measured */
};

struct why {
    struct arena arena;
    struct config chip;
    struct sweep_file file;
    struct plan plan;
    u64 seed;
    bool is_replayed;
    bool is_sampled;                /* cycles are estimates, and kernels have none */
    double timed_share, half_width; /* of the base, if sampled: instructions timed; of the 95 %
                                       interval of its cycles, NAN: not known */
    struct why_variant variants[MOST_WHATIFS]; /* the first is the base */
    u32 variant_count;
    const char **columns; /* of the kernels' statistics: docs/howto/sweeps.md */
    u32 column_count;
    struct why_row all;
    struct why_row *kernels; /* the longest first */
    u32 kernel_count;
};

/* On failure too the result needs a fini. */
bool why_plan(struct why *why, const struct why_request *request, const struct study_host *host,
              struct err *err);
/* After the plan was run. */
bool why_read(struct why *why, const char *db, struct err *err);
void why_fini(struct why *why);

/* A member of the kernel's record (campaign/kernel_values.h), NAN where it has none of that name.
 */
double why_value(const struct why *why, const struct why_row *row, const char *field);
/* Times faster than the base; NAN: not measured. `id`: of a what-if. */
double why_gain(const struct why *why, const struct why_row *row, const char *id);

#endif
