/*
 * A file of synthetic kernels.
 *
 *     about: one line
 *     seed: 7
 *     kernels:
 *       - name: stream
 *         blocks: 128
 *         mix: {load: 1, fp32: 3}
 *         phases:
 *           - instructions: 1000
 *           - {instructions: 500, access: {stream: 0, random: 1}}
 *
 * A kernel's parameters are those of kernel.h's tables; what it says about a phase
 * holds for all its phases, unless a phase says otherwise. Without a list of phases
 * there is one.
 */
#ifndef SOURCE_SYNTHETIC_LOAD_H
#define SOURCE_SYNTHETIC_LOAD_H

#include "base/arena.h"
#include "source/synthetic/kernel.h"

struct synthetic_list {
    const char *about; /* "" when the file has none */
    u64 seed;
    struct synthetic_kernel *kernels;
    struct grid_source *grids; /* of the kernels, in order */
    u32 count;
};

extern const struct param synthetic_file_params[];

/* All of it lives in the arena. */
bool synthetic_load(struct synthetic_list *list, const char *path, struct arena *arena,
                    struct err *err);
bool synthetic_load_text(struct synthetic_list *list, const char *name, const char *text,
                         size_t length, struct arena *arena, struct err *err);

#endif
