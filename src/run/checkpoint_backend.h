/*
 * Backends (cuda/core/backend.h) that save and resume a program: each stands before the one that
 * runs its kernels.
 *
 * When the launch with the given number is about to start, the checkpoint is written and the
 * process ends. Resuming, earlier launches are not executed: what the host saw of them comes from
 * the checkpoint. After a run without timing work is carried out at once until then, and one launch
 * at a time, so that it comes in the same order. After one with timing work waits as it did there,
 * launches end in the order in which they ended, the host's events get the times they got, and the
 * machine is then in the state in which it was.
 */
#ifndef RUN_CHECKPOINT_BACKEND_H
#define RUN_CHECKPOINT_BACKEND_H

#include "cuda/core/backend.h"
#include "run/checkpoint.h"

/* The machine of a run with timing. */
struct timed_machine {
    struct checkpoint_machine state;
    void (*build)(void);   /* unless it has been: its image begins */
    void (*resumed)(void); /* it is in the state that was saved */
};

struct save_request {
    const char *path, *workload;
    u64 launch;
    const struct timed_machine *machine; /* NULL: without timing */
    bool is_quiet;                       /* no progress line */
};

/* Without timing `inner` must finish a kernel before start() returns. NULL: the file cannot be
 * written. */
const struct cuda_backend *save_backend(const struct cuda_backend *inner,
                                        const struct save_request *r, struct err *err);
/* The program has ended by itself. False: before that launch. */
bool save_end(struct err *err);
/* The process ends early: nothing of the file is left. */
void save_discard(void);

struct resume_request {
    const char *path, *workload;
    struct timed_machine *machine; /* NULL: without timing */
    const char *only_untimed; /* an option with which it can go on from such a run alone, or NULL */
};

/* NULL: the checkpoint cannot be used. *launch: the first that is executed. */
const struct cuda_backend *resume_backend(const struct cuda_backend *inner,
                                          const struct resume_request *r, u64 *launch,
                                          struct err *err);
bool resume_end(struct err *err);

#endif
