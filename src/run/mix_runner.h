/*
 * The programs of a run, played on its machine: those of a mix, or one.
 *
 * All start at once; one that has ended starts again until each has ended once. What a program is,
 * and how it is played, its kind knows: on SMs (chip/gpu_workload.c), on CPU cores
 * (chip/cpu_workload.c).
 */
#ifndef CHIP_STAGE_H
#define CHIP_STAGE_H

#include "chip/machine.h"
#include "chip/run.h"

struct stage;

/* One program, as far as it has come. */
struct player {
    struct stage *stage;
    const struct player_kind *kind;
    u8 application;
    const char *path; /* of what is played */
    const char *cluster;
    u32 first, end;                    /* of the cluster's agents; 0, 0: all */
    struct application_result *result; /* NULL: nobody asks */
    u64 complete_runs;
    void *own; /* the kind's; NULL: it was not opened */
};

struct player_kind {
    /* False: it cannot be used, with the sentence in stage->err. */
    bool (*open)(struct player *p);
    /* As far as it comes without waiting; false as above. */
    bool (*go_on)(struct player *p);
    /* The engine stopped: what has ended is noticed. False: a step failed. */
    bool (*collect)(struct player *p);
    bool (*has_ended)(const struct player *p);
    bool (*start_again)(struct player *p);
    /* It sends no more; what is under way ends. */
    void (*cut)(struct player *p);
    bool (*is_idle)(const struct player *p);
    void (*close)(struct player *p);
};

/* One line per kind. */
extern const struct player_kind player_gpu, player_cpu;

struct stage {
    struct run *run;
    struct machine *machine;
    struct err *err;
    struct player *players;
    u32 count, unfinished; /* those whose first run has not ended */
    enum engine_end end;
};

/* Plays what run->mix or run->workload says on run->machine, and lets the machine drain. err is
 * filled when a program cannot be used. */
enum engine_end stage_run(struct run *run, struct err *err);

#endif
