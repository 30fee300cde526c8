/*
 * What warps waited for on a real GPU: stalls-SIZE.csv of a folder that tools/silicon makes,
 * summed over the launches of each kernel.
 */
#ifndef SILICON_SILICON_STALLS_H
#define SILICON_SILICON_STALLS_H

#include "base/csv.h"

#define MOST_STALLS 24u

struct silicon_stall_row {
    const char *program, *kernel;
    double cycles[MOST_STALLS]; /* of warps, by reason */
};

struct silicon_stalls {
    struct silicon_stall_row *rows; /* one for each kernel of each program */
    u32 count;
};

/* Reasons in which a warp waits: the columns, and how a sentence goes on after "wait". */
struct stall_reason {
    const char *column, *words;
};
extern const struct stall_reason stall_reasons[]; /* ends with a NULL column */

bool silicon_stalls_read_text(struct silicon_stalls *s, const char *path, const char *text,
                              size_t length, struct arena *arena, struct err *err);
bool silicon_stalls_read(struct silicon_stalls *s, const char *path, struct arena *arena,
                         struct err *err);
/* NULL: not recorded. */
const struct silicon_stall_row *silicon_stalls_of(const struct silicon_stalls *s,
                                                  const char *program, const char *kernel);

#endif
