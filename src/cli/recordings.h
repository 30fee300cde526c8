/*
 * Recordings of bundled GPU programs in the user's cache folder, so that the runs of a sweep or
 * study that have the same program in a mix record it once.
 *
 * A recording is found by the hash of all that it depends on: heddle's CUDA library, the program
 * with its PTX, size and arguments, and what the chip says of its GPU; policies are no part of
 * that. A file is complete or absent; if two runs want the same one, one records and
 * the other waits. A run holds what it plays by a link of its own, so that it cannot be removed
 * meanwhile. Past RECORDINGS_MOST_BYTES those that were not used for longest go.
 */
#ifndef CLI_RECORDINGS_H
#define CLI_RECORDINGS_H

#include "base/arena.h"
#include "base/err.h"

#define RECORDINGS_MOST_BYTES ((u64)4 << 30)

struct application;
struct gpu_config;

struct recordings {
    const char *cache; /* NULL: there is no folder that can be written */
    const char *folder;
    char library[65]; /* the hash of heddle's CUDA library; "": not known yet */
    int lock;         /* on the cache's file of locks */
};

/* Makes the folder of this run, in the cache or else where temporary files are. */
bool recordings_open(struct recordings *r, struct arena *arena, struct err *err);
void recordings_close(struct recordings *r);
/* The name of an application's recording in the cache. False: err, which is only that files cannot
 * be read. */
bool recordings_name(struct recordings *r, const struct application *a,
                     const struct gpu_config *chip, const char *chip_name, u64 most_instructions,
                     const char **name, struct arena *arena, struct err *err);
/* Waits until no other run records that one; until recordings_done it is this run's. */
void recordings_take(struct recordings *r, const char *name);
void recordings_done(struct recordings *r, const char *name);
/* The file of that name is also `file` now, of this run. False: there is none, or it is damaged. */
bool recordings_find(const struct recordings *r, const char *name, const char *file);
/* And the other way round; the oldest go where it is too much. */
void recordings_keep(const struct recordings *r, const char *name, const char *file);

#endif
