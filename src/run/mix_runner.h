/*
 * The programs of a run, played on its machine: those of a mix, or one.
 *
 * All start at once; one that has ended starts again until the window of each has ended. A program
 * enters its window when it has done its warm part, perhaps in a later run than its first, and
 * leaves it at the end of that run: without a warm part the window is its first run. One that ends
 * before all programs have entered theirs is entered again, at the same place of the next run.
 *
 * What a program is, and how it is played, its kind knows: on SMs (run/gpu_player.c), on CPU
 * cores (run/cpu_player.c).
 */
#ifndef RUN_MIX_RUNNER_H
#define RUN_MIX_RUNNER_H

#include "machine/machine.h"
#include "run/run.h"

struct mix_runner;

enum player_window { WINDOW_AHEAD, WINDOW_ENTERED, WINDOW_DONE };

/* One program, as far as it has come. */
struct player {
    struct mix_runner *runner;
    const struct player_kind *kind;
    u8 application;
    const char *path; /* of what is played */
    const char *cluster;
    u32 first, end;                    /* of the cluster's agents; 0, 0: all */
    struct application_result *result; /* NULL: nobody asks */
    u64 complete_runs;
    /* What is measured of it. Work is instructions of its furthest thread, or launches that ended.
     */
    u64 warm;           /* work before its window */
    bool is_functional; /* which is done without time, where its kind can */
    enum player_window window;
    bool has_entered; /* once, perhaps in vain */
    u64 enters_at;    /* work since the beginning */
    u64 run_began;    /* the same, when this run of it began */
    u64 entered_work, entered_fs;
    cycle_t entered; /* in its own clock */
    struct application_counts entered_counts;
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
    /* Work since the beginning. */
    u64 (*work)(const struct player *p);
    /* The engine is to stop when so much is done; optional where it does anyway. */
    void (*stop_at)(struct player *p, u64 work);
    /* Optional: so much more work without time, in this run of the program or the next. False as
     * above. */
    bool (*warm)(struct player *p, u64 work);
    /* It enters its window: the cycle, of its own clock, from which it counts. */
    cycle_t (*enter)(struct player *p);
    /* Its window has ended, with its run. */
    void (*leave)(struct player *p);
    /* It sends no more; what is under way ends. */
    void (*cut)(struct player *p);
    bool (*is_idle)(const struct player *p);
    void (*close)(struct player *p);
};

/* One line per kind. */
extern const struct player_kind player_gpu, player_cpu;

struct mix_runner {
    struct run *run;
    struct machine *machine;
    struct err *err;
    struct player *players;
    u32 count, unfinished; /* those whose window has not ended */
    u32 entered;           /* those that have entered theirs */
    enum engine_end end;
};

/* Plays what run->mix or run->workload says on run->machine, and lets the machine drain. err is
 * filled when a program cannot be used. */
enum engine_end mix_run(struct run *run, struct err *err);

#endif
