/*
 * A chip divided by one factor: `scale: 8`.
 *
 * Each model lists what is divided, beside its parameters; what is not listed stays. Divided is
 * what the files that a chip is based on say, and defaults: what stands in the same file as
 * `scale`, or on the command line, is what the chip has.
 */
#ifndef CONFIG_SCALE_H
#define CONFIG_SCALE_H

#include "config/config.h"

enum scale_kind {
    /* What a file says of these must be a multiple; defaults are rounded up. */
    SCALE_CAPACITY,  /* bytes */
    SCALE_COUNT,     /* cores */
    SCALE_BANDWIDTH, /* what moves in a cycle */
    SCALE_PERIOD,    /* times, and counts of events in them: rounded up */
    SCALE_KINDS,
};
extern const char *const scale_kind_names[SCALE_KINDS];

/* A path from its end: "sm.count" is also "gpus.gpu.sm.count"; a segment may be "*". */
struct scale_row {
    const char *path;
    enum scale_kind kind;
};

/* Does the row mean this path? */
bool scale_row_is_of(const struct scale_row *row, const char *path);
/* By the parameter `scale` of a chip whose values are all known; false: a value is no multiple. */
bool config_scale(struct config *config, struct err *err);

#endif
