/*
 * The bundled programs for GPUs: workloads/ of the source tree, built and installed as executables
 * with their PTX beside them. They are ordinary CUDA programs and run as such.
 */
#ifndef CLI_WORKLOAD_H
#define CLI_WORKLOAD_H

#include "base/err.h"

struct arena;
struct cli;

struct workload {
    const char *name;
    const char *about;   /* the first line of its PTX */
    const char *program; /* the executable */
};

/* All of them by name, in the arena; none where the folder is missing. */
u32 workload_list(struct arena *arena, struct workload **out);
/* Their names alone. */
u32 workload_names(struct arena *arena, const char ***out);
/* The file with the hashes of their sources. */
const char *workload_sources(struct arena *arena);
/* NULL: there is none of that name. */
const struct workload *workload_find(const char *name, struct arena *arena);

/* Its command line for what `heddle run` was asked; what is behind "--" is handed on. NULL: err. */
const char *const *workload_arguments(const struct workload *w, const struct cli *cli,
                                      struct arena *arena, struct err *err);

/* Is `name` a workload of a model or a bundled program? Fails with the nearest name otherwise. */
bool workload_check_name(const char *name, struct err *err);

#endif
