/*
 * A result file of `heddle run`, read back: schema heddle.run/1 of docs/reference/statistics.md.
 *
 * What result_read lets through has the shape that the page and the comparison
 * rely on; anything else is refused with the file and what was expected. Keys
 * that are not known are left alone: newer files may have them.
 */
#ifndef REPORT_RESULT_H
#define REPORT_RESULT_H

#include "report/json_file.h"

#define RESULT_FILE "a file that `heddle run -o FILE.json` wrote"

struct result {
    const char *file; /* borrowed */
    json_t *root;
};

/* On failure err says why and the result needs no fini. */
bool result_read(struct result *r, const char *file, struct err *err);
/* The same from memory; `file` is for messages. */
bool result_parse(struct result *r, const char *file, const char *bytes, size_t size,
                  struct err *err);
/* The same from JSON that was read already and is taken over; NULL: fails with the err there is. */
bool result_take(struct result *r, const char *file, json_t *root, struct err *err);
void result_fini(struct result *r);

/* Members of `run`: "" when there is none of that name. */
const char *result_about(const struct result *r, const char *key);
/* Cycles of the first clock, which is the cores'. */
double result_cycles(const struct result *r);
double result_seconds(const struct result *r); /* of simulated time */
/* A parameter as it was written; NULL: the run had none of that name. */
const char *result_config(const struct result *r, const char *path);
/* A statistic summed over the chip, NAN when there is none or nothing was sampled. "name:label" is
 * one element of an array, "name:*" the sum of all. */
double result_total(const struct result *r, const char *name);
/* The kernels as an array, empty when the file has none. */
json_t *result_kernels(const struct result *r);

#endif
