/*
 * Several programs on one machine: what a file for `heddle run --mix` says.
 *
 *     about: one line
 *     applications:
 *       - {workload: matmul, size: tiny, sms: 0-6}
 *       - {workload: bfs, size: tiny, sms: 7-14}
 *       - {workload: bfs, on: right} (of a machine with such a cluster)
 *     alone: true (each program is run alone, too)
 *     warm: {instructions: 10000000, launches: 1} (each runs so long before it counts)
 *
 * An application is a program on a set of agents. What kinds of programs there
 * are, and which agents they run on, is a table.
 */
#ifndef RUN_MIX_H
#define RUN_MIX_H

#include "base/arena.h"
#include "base/err.h"
#include "run/warm.h"
#include "mem/agent.h"
#include "mem/application.h"

struct config;
struct model;

struct program_kind {
    const char *key; /* in a file */
    const char *meaning;
    u8 agents;        /* enum agent_kind that it runs on */
    bool is_workload; /* the value is the name of a bundled program */
    bool is_recorded; /* it is run for its answers first: what is played is its recording */
};
extern const struct program_kind program_kinds[]; /* ends with a NULL key */

struct application {
    const char *name;
    const struct program_kind *kind;
    const char *program; /* a workload's name, or a file */
    const char *size;    /* NULL: the workload's own */
    const char **args;
    u32 arg_count;
    const char *on;                 /* the cluster, as written; NULL: the first that can */
    const char *cluster;            /* its name, or "": the only one; see mix_place */
    const char *place, *place_word; /* as written, and its key; NULL: all */
    u64 warm; /* instructions of a CPU program, launches of a GPU program, that do not count */
    bool is_functional;  /* without time */
    bool has_warm;       /* it says so itself */
    u32 first, end;      /* the agents: first to end - 1; see mix_place */
    const char *plays;   /* the file that is played; see cli/mix_programs.h */
    u32 threads;         /* of a CPU program, each for a core of its own */
    const char *machine; /* that a CPU program is for, or "": not known */
    struct src_pos at, program_at, place_at, on_at;
};

struct mix {
    const char *path;
    struct application *applications;
    u32 count;
    struct warm warm; /* of those that do not say */
    bool
        alone; /* each is run alone before, on the same agents, to say how much it is slowed down */
};

/* "SMs" or "cores". */
const char *agent_words(u8 kind);

/* Names are those of the bundled workloads. Everything that the file alone can be wrong in is
 * checked, and that its programs and files are there. */
bool mix_read(struct mix *mix, const char *path, const char *const *names, u32 name_count,
              struct arena *arena, struct err *err);
bool mix_read_text(struct mix *mix, const char *path, const char *text, size_t length,
                   const char *const *names, u32 name_count, struct arena *arena, struct err *err);
/* How long they run before they count, for those that do not say it themselves. */
void mix_warm(struct mix *mix, const struct warm *warm);
/* Gives each application its agents of a chip; false: it has none such, or not so many. */
bool mix_place(struct mix *mix, const struct model *model, const struct config *chip,
               struct arena *arena, struct err *err);

/* What a run tells of an application. */
struct application_result {
    bool has_ended; /* its window has */
    u64 cycles, fs; /* of its window: from the start to the end of its first run, without warm */
    u64 kernels;    /* of its window, or so far */
    u64 complete_runs;
    bool has_memory;                  /* what follows the instructions was counted */
    struct application_counts counts; /* of its window, or so far */
    bool has_alone;                   /* it was run alone, and ended */
    u64 alone_cycles;
    double alone_ipc;
};

/* Instructions per cycle of its window: of CPU cores, or of warps. */
double application_ipc(const struct application *a, const struct application_result *r);
/* IPC in company over IPC alone: 0.5 is half as fast. Where has_alone. */
double application_slowdown(const struct application *a, const struct application_result *r);

#endif
