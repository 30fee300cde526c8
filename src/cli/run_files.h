/* The files that `heddle run` writes: where they go, and whether they can be written. */
#ifndef CLI_RUN_FILES_H
#define CLI_RUN_FILES_H

#include "base/err.h"

struct arena;
struct cli;

struct run_files {
    const char *stats, *timeline, *record; /* NULL: none */
};

/* What a file of kernels is called: without folder and ending. */
const char *run_files_name(const char *path, struct arena *arena);
/* Statistics go to heddle-out/WORKLOAD-CHIP.json unless --stats says otherwise. All of it is
 * checked before the run. */
bool run_files_find(struct run_files *files, const struct cli *cli, const char *workload,
                    const char *chip, struct arena *arena, struct err *err);
bool ends_with(const char *s, const char *ending);

#endif
