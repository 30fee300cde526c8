/*
 * Asking Slurm, through its commands: sbatch, squeue, scontrol, sacct, scancel.
 *
 * Slurm may be silent for a while (a controller that restarts): that is an answer of
 * its own and never means that a job has ended.
 */
#ifndef CAMPAIGN_SLURM_H
#define CAMPAIGN_SLURM_H

#include "base/arena.h"
#include "base/err.h"

#define SLURM_ID 32

/* Are the commands there? */
bool slurm_find(struct err *err);

/* The words of --slurm-options, ends with NULL: separated by blanks, '..' and ".." keep them, \
 * takes the next character as it is. Options that the sweep itself needs are refused. */
bool slurm_words(const char *options, struct arena *arena, const char *const **words,
                 struct err *err);

struct slurm_array {
    const char *name;            /* of the job */
    const char *script, *output; /* files; %a in output: the task */
    u32 tasks;
    const char *const *options; /* more of them, ends with NULL */
};
/* A file below a folder for sbatch's --output: a % of the folder stands for itself. */
const char *slurm_path(struct arena *arena, const char *folder, const char *pattern);
/* id: what the job is called from now on. */
bool slurm_submit(const struct slurm_array *array, char id[SLURM_ID], struct err *err);

enum slurm_state { SLURM_PENDING, SLURM_RUNNING, SLURM_ENDED };
/* By task; `reason` is why tasks are pending. False: Slurm does not answer, trouble has its words.
 */
bool slurm_look(const char *id, u32 tasks, enum slurm_state *states, char reason[64],
                char trouble[160]);
/* What squeue says about an array, a line `TASK|STATE|REASON` each; a task that is not listed has
 * ended. */
void slurm_read_states(char *answer, u32 tasks, enum slurm_state *states, char reason[64]);

/* How a task ended; "" where Slurm does not tell. */
struct slurm_end {
    char state[32];     /* NODE_FAIL ... */
    char exit_code[16]; /* code:signal */
    char node[64];
};
void slurm_ask_end(const char *id, u32 task, struct slurm_end *end);
/* From `scontrol show job`. */
void slurm_read_end(const char *answer, struct slurm_end *end);
/* From `sacct`, a line `STATE|CODE|NODE`. */
void slurm_read_account(const char *answer, struct slurm_end *end);

/* A job of that name; one that is gone is cancelled. False: Slurm does not answer. */
bool slurm_cancel(const char *id, const char *name);

#endif
