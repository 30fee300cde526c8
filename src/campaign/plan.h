/*
 * Every run that a sweep file asks for, in order, each with its key.
 *
 * Expansion checks everything that can be known before a run: chips, workloads,
 * parameter names and values, and that each combination makes a chip.
 */
#ifndef CAMPAIGN_PLAN_H
#define CAMPAIGN_PLAN_H

#include "base/text.h"
#include "config/config.h"
#include "campaign/sweep_file.h"

#define KEY_LENGTH 32 /* hexadecimal digits */
#define MOST_POINTS 100000u

struct mix;

/* What the program around knows and the library does not. */
struct study_host {
    const char *const *chip_folders; /* ends with NULL */
    const char *const *bundled;      /* names of the GPU programs that come along */
    u32 bundled_count;
    bool only_accepted;   /* of the suite (cpu_trace/suite.h) */
    bool runs_nothing;    /* results are only read: accepted traces need not be recorded here */
    const char *accepted; /* table of the GPU programs that mixes may hold; NULL: any */
    const char *sources;  /* table of the bundled programs with the hash of their sources */
};

enum workload_kind {
    WORKLOAD_BUNDLED,
    WORKLOAD_MODEL, /* contained in the chip's model */
    WORKLOAD_SYNTHETIC,
    WORKLOAD_TRACE,
    WORKLOAD_RECORDING,
    WORKLOAD_PROGRAM,
    WORKLOAD_MIX,
    WORKLOAD_CPU, /* a synthetic CPU kernel or a CPU trace */
};

/* A workload, found. */
struct plan_workload {
    const struct sweep_workload *as_written;
    enum workload_kind kind;
    const char *name;    /* without folders: what rows and people call it */
    const char *path;    /* how `heddle run` is told: a name, or a file seen from here */
    const char *content; /* hash of the file, or "" */
    const char *resume,
        *resume_content; /* checkpoint, as seen from here, and its hash; NULL: none */
    struct mix *mix;     /* NULL: it is none */
    const char *size;
};

/* A resolved chip; one for all points that share it. */
struct plan_config {
    char id[KEY_LENGTH + 1];
    const char *model;
    const char *const *paths;  /* of all parameters that matter, in table order */
    const char *const *values; /* as one would write them */
    u32 count;
};

struct plan_setting {
    const char *name, *value;
    bool is_swept; /* not one of `set` */
};

enum point_mode { POINT_DIRECT, POINT_RECORD, POINT_REPLAY };

struct plan_point {
    char key[KEY_LENGTH + 1];
    enum point_mode mode;
    const struct plan_point *recording; /* what POINT_REPLAY replays */
    const char *chip;                   /* how `heddle run` is told */
    const char *chip_name;
    const struct plan_workload *workload;
    u64 seed;
    const char *sample; /* as `heddle run --sample` takes it; NULL: all is timed */
    const struct plan_setting *settings;
    u32 setting_count;
    const struct plan_config *config;
};

struct plan {
    const struct sweep_file *file;
    const struct plan_point *const *points;
    u32 count;
};

/* All of it lives in the arena. `record`: as if the file said so. */
bool plan_expand(struct plan *plan, const struct sweep_file *file, const struct study_host *host,
                 bool record, struct arena *arena, struct err *err);

/* campaign/point.c */
const char *point_mode_name(enum point_mode mode);
void plan_config_set_id(struct plan_config *config);
/* The text whose hash is the key: docs/howto/sweeps.md. */
void point_key_text(const struct plan *plan, const struct plan_point *point, struct text *out);
void point_set_key(const struct plan *plan, struct plan_point *point);
/* "bfs tiny seed 2 on fermi15, sm.l1.ways=4": what a person calls it. */
void point_text(const struct plan_point *point, struct text *out);

/* Its chip with its settings, for config_load; in the arena. */
struct config_request point_chip(const struct plan_point *point, const char *const *chip_folders,
                                 struct arena *arena);

/* campaign/plan_workload.c */
extern const char *const workload_sizes[]; /* of the bundled programs, ends with NULL */
bool workload_check_size(const char *size, struct src_pos at, struct err *err);
const char *workload_kind_name(enum workload_kind kind);
bool plan_find_workload(struct plan_workload *found, const struct sweep_workload *w,
                        const char *sweep_path, const struct study_host *host, struct arena *arena,
                        struct err *err);
/* A path in a sweep file is relative to that file. */
const char *plan_path(const char *path, const char *sweep_path, struct arena *arena);

#endif
