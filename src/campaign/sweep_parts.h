/* Between sweep.c, which leads a sweep, and the places where its points run. */
#ifndef CAMPAIGN_SWEEP_PARTS_H
#define CAMPAIGN_SWEEP_PARTS_H

#include "campaign/sweep.h"

#include <signal.h>
#include <sys/stat.h>

struct sweep {
    const struct plan *plan;
    const struct sweep_options *options;
    const struct sweep_watcher *watcher;
    struct sweep_program program;
    struct db db;
    struct run_queue queue;
    struct arena arena;
    void *state;              /* of the place */
    u32 running, claimed;     /* running: claimed and not ended */
    struct sweep_slot *slots; /* options->jobs: what the place has running, for the watcher */
    struct sweep_progress progress;
    sigset_t signals, before;
    double last_look, last_tick;
    bool is_waiting, is_empty, stop;
    struct err *err;
};

/* Where points run. */
struct sweep_place {
    bool (*open)(struct sweep *s); /* after the queue */
    bool (*fill)(struct sweep *s); /* claims and starts as many as there is room for */
    bool (*collect)(struct sweep *s);
    double (*patience)(const struct sweep *s); /* seconds until `collect` wants to be called */
    void (*close)(struct sweep *s); /* ends what still runs; also after an open that failed */
};
extern const struct sweep_place sweep_place_local; /* this machine */
extern const struct sweep_place sweep_place_slurm;

/* Claims a point; false: none now, or failure, which fills s->err. */
bool sweep_claim(struct sweep *s, u32 *point);
/* What has become of a claimed point, into the database and to the watcher. */
bool sweep_record(struct sweep *s, u32 point, const struct outcome *o);
/* Results of two builds must not mix unnoticed. */
bool sweep_program_check(const struct sweep_program *program, struct err *err);
double sweep_timeout_s(const struct sweep *s);

#endif
