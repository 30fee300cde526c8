/*
 * One point as a process of its own: `heddle run ... -q -o FILE`. However it ends, even by a crash,
 * the end is an outcome. It dies with the process that started it.
 */
#ifndef CAMPAIGN_CHILD_H
#define CAMPAIGN_CHILD_H

#include "base/arena.h"
#include "campaign/ingest.h"

#include <sys/types.h>

struct child {
    pid_t pid; /* 0: none */
    u32 point; /* of the plan */
    double started, deadline;
    bool is_late; /* ended by us, for taking too long */
    struct arena arena;
    const char *const *arguments;  /* of the process, ends with NULL */
    const char *result, *messages; /* files */
    const char *command;           /* to run it by hand */
};

/* The arguments of `heddle run` for a point, ends with NULL; result: where -o goes, or NULL. */
const char *const *point_command(const struct plan *plan, const struct plan_point *point,
                                 const char *heddle, const char *db_path, const char *result,
                                 struct arena *arena);
/* The same as one line for a shell. */
const char *command_line(const char *const *arguments, struct arena *arena);

/* What is to be run. `files`: what the names of its files begin with. */
void child_init(struct child *c, const struct plan *plan, u32 point, const char *heddle,
                const char *db_path, const char *files);
/* Starts it; timeout_s: 0 for none. */
bool child_start(struct child *c, double timeout_s, struct err *err);
/* Ends it and all that it started. */
void child_kill(struct child *c);
/* After waitpid gave this status. Texts live as long as the child's arena. */
struct outcome child_outcome(struct child *c, int wait_status);
/* Removes its files. */
void child_fini(struct child *c);

/* The last lines of a file, without what ends them; "" where there is none. */
char *file_end(const char *path, struct arena *arena);

#endif
