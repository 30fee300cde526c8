/*
 * A sweep as a person writes it, read from YAML; docs/howto/sweeps.md describes the
 * format. Nothing here knows chips or workloads: names and values are checked
 * by plan.h, against the chips' own tables.
 */
#ifndef CAMPAIGN_SWEEP_FILE_H
#define CAMPAIGN_SWEEP_FILE_H

#include "base/arena.h"
#include "base/err.h"
#include "run/warm.h"

struct yaml_node;

/* A text and where it is in the file. */
struct sweep_text {
    const char *text;
    struct src_pos at;
};

struct sweep_param {
    struct sweep_text name;
    struct sweep_text *values;
    u32 value_count; /* the same for all parameters of one axis */
};

struct sweep_workload {
    struct sweep_text name;
    const char *as;   /* what a study calls it: one program with another input; NULL: its name */
    bool is_program;  /* a CUDA executable, not a name or file of ours */
    bool is_mix;      /* a file of several programs: docs/howto/mixes.md */
    const char *size; /* "" when not given */
    const char **args;
    u32 arg_count;
    const char *launches, *bounds; /* as `heddle run` takes them; NULL: not given */
    struct sweep_text resume;      /* the checkpoint that its runs go on from; no text: none */
    bool has_seed;                 /* then `repeat` is not for it */
    u64 seed;
    u32 threads;             /* of an OpenMP program of the suite; 0: as many as usual */
    struct sweep_param *set; /* its own settings, one value each */
    u32 set_count;
};

static inline const char *sweep_workload_called(const struct sweep_workload *w)
{
    return w->as ? w->as : w->name.text;
}

/* Parameters that move together: one of `sweep`, or a group of `zip`. */
struct sweep_axis {
    struct sweep_param *params;
    u32 param_count, value_count;
};

struct sweep_file {
    const char *path;
    const char *name; /* of the sweep: `name:`, or the file's without its ending */
    struct sweep_text *chips;
    u32 chip_count;
    struct sweep_workload *workloads;
    u32 workload_count;
    struct sweep_param *set; /* one value each */
    u32 set_count;
    struct sweep_axis *axes;
    u32 axis_count;
    struct sweep_text *where;
    u32 where_count;
    const u64 *seeds;
    u32 seed_count;
    bool record;
    u64 max_cycles, watchdog; /* UINT64_MAX: not given */
    struct warm warm;         /* what does not count */
    const char *sample;       /* as `heddle run --sample` takes it; NULL: all is timed, as what
                                 cannot be executed always is */
    double timeout_s;         /* 0: not given */
    u64 threads;              /* of the suite's OpenMP programs; 0: not given */
};

/* All of it lives in the arena. */
bool sweep_file_read(struct sweep_file *file, const char *path, struct arena *arena,
                     struct err *err);
bool sweep_file_read_text(struct sweep_file *file, const char *path, const char *text,
                          size_t length, struct arena *arena, struct err *err);

/* Parts of it, for files that contain sweeps. A file without anything: every key adds to it. */
void sweep_file_init(struct sweep_file *file, const char *path, const char *name,
                     struct arena *arena);
/* One key of the mapping; one that no sweep has is refused. */
bool sweep_file_read_key(struct sweep_file *file, const struct yaml_node *node, struct arena *arena,
                         struct err *err);
/* No parameter twice, and chips and workloads there; `at`: what lacks them. */
bool sweep_file_check(struct sweep_file *file, struct src_pos at, struct arena *arena,
                      struct err *err);
/* A list of single values; a single value stands for a list of one. */
bool sweep_read_texts(const struct yaml_node *node, const char *what, struct sweep_text **out,
                      u32 *count, struct arena *arena, struct err *err);

#endif
