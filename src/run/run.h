/*
 * One run from request to result: resolve the chip, build the machine, move
 * time, check every law, verify the answer.
 */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "run/mix.h"
#include "machine/model.h"
#include "run/warm.h"
#include "run/window.h"
#include "stats/series.h"

struct sampled;

struct run_request {
    struct config_request chip;
    const char *workload;  /* NULL: none, the machine is only looked at */
    bool is_cuda;          /* a CUDA program: its name may be that of another model's workload */
    const char *on;        /* the cluster that it runs on; NULL: the first that can */
    const struct mix *mix; /* NULL: one program; else where each is and what it plays is known */
    struct warm warm;      /* of one program; in a mix each has its own */
    bool is_placed;        /* its state can be saved and restored: run/machine_image.h */
    u64 seed;
    struct engine_options engine;
    const char *const *series; /* names; count 0: none */
    u32 series_count;
    cycle_t interval;     /* of the series, cycles of the first domain */
    const char *timeline; /* file to write, or NULL */
    const struct log *log;
};

struct run {
    struct config config;
    const struct model *model;
    const char *workload;
    const char *on;                          /* the cluster's name, or "": the first that can */
    const struct mix *mix;                   /* NULL: one program */
    struct application_result *applications; /* of the mix */
    struct warm warm;                        /* of one program */
    struct window window;
    struct sim sim;
    void *machine;
    struct series series;
    bool has_series;
    enum engine_end end;
    bool verified;
    double host_seconds, host_cpu_seconds;
    struct text hang;              /* the watchdog's report, if it hung */
    u64 failed_launches;           /* of a CUDA program, refused ones included */
    const char *first_failure;     /* why the first of them failed */
    const struct sampled *sampled; /* NULL: everything was timed */
};

/* Both on failure fill err; the run needs run_close either way. */
bool run_open(struct run *run, const struct run_request *request, struct err *err);
bool run_execute(struct run *run, struct err *err);
void run_close(struct run *run);
/* Some program of it runs before it counts. */
bool run_is_warmed(const struct run *run);
/* Ends the timeline's file, if one was asked for. */
bool run_end_timeline(struct run *run, struct err *err);
/* Seconds of this machine's clock. */
double host_now(void);
/* ... that this process has computed. */
double host_cpu_now(void);

/* A row for each program of a mix; nothing where it is none. */
void run_applications_summary(const struct run *run, struct text *out);

/* The whole result as one JSON file, written beside and then renamed, so that
 * a file of that name is always whole. csv: statistics only. */
bool run_write_json(const struct run *run, const char *path, struct err *err);
bool run_write_csv(const struct run *run, const char *path, struct err *err);

#endif
