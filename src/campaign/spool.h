/*
 * The folder over which a sweep and its tasks on other nodes talk: no database is opened
 * over a network file system, the sweep alone writes it.
 *
 *   DB-slurm/WORKER/alive      the sweep's sign of life
 *   DB-slurm/WORKER/N/         its Nth job array:
 *     points                   what is to be run: a header, then a line per point
 *     job.sh, job, out.TASK    the script, the job's number and name, what tasks have written
 *     now.TASK                 which point a task has begun, on which node
 *     run.KEY.end              how a point ended; run.KEY.json its result, there before it
 *
 * Every file appears whole, by renaming it.
 */
#ifndef CAMPAIGN_SPOOL_H
#define CAMPAIGN_SPOOL_H

#include "campaign/child.h"

struct spool_header {
    char build[17]; /* of the program that must run the points */
    u32 tasks;      /* task T runs points T, T + tasks, ... */
    double timeout_s;
};

const char *spool_path(struct arena *arena, const char *folder, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool spool_put(const char *folder, const char *name, const char *text, struct err *err);
/* The first line of a small file; NULL: there is none. */
char *spool_get(const char *folder, const char *name, struct arena *arena);

/* The points file, a part at a time. */
struct spool_writer {
    void *file;
    const char *part, *path;
    bool is_odd; /* something could not be written as JSON */
    struct arena arena;
};
bool spool_begin(struct spool_writer *w, const char *folder, const struct spool_header *header,
                 struct err *err);
void spool_add(struct spool_writer *w, const struct child *c, const char *key);
bool spool_end(struct spool_writer *w, struct err *err);

struct spool_reader {
    void *file;
    const char *path;
    char *line;
    size_t room;
    u32 number; /* of the next point */
    struct spool_header header;
};
bool spool_open(struct spool_reader *r, const char *path, struct err *err);
/* The next of a task's points, ready to be started; false: no more, or failure. */
bool spool_next(struct spool_reader *r, u32 task, struct child *c, char key[KEY_LENGTH + 1],
                struct err *err);
void spool_close(struct spool_reader *r);

bool spool_put_outcome(const char *folder, const char *key, const char *build,
                       const struct outcome *o, struct err *err);
/* Texts live in the arena; build: which program it was. A file that cannot be read is a failed
 * run. */
void spool_get_outcome(const char *folder, const char *key, struct outcome *o, const char **build,
                       struct arena *arena);
/* With all that is in it. */
void spool_remove(const char *folder);

#endif
