/*
 * A comparison of a chip with silicon (silicon/correlate.h) for people and for programs: text,
 * JSON, CSV, a page, and for the kernels that are furthest off a sentence that says why.
 */
#ifndef REPORT_CORRELATE_H
#define REPORT_CORRELATE_H

#include "base/text.h"
#include "silicon/correlate.h"

#include <jansson.h>

#define CORRELATE_FORMAT "heddle-correlate-1"
#define MOST_OUTLIERS 10u

/* What a fit tried; count 0: there was none. */
struct correlate_fitted {
    const struct fit_trial *trials;
    u32 count, settings, chosen; /* settings: of each trial */
};

/* Kernels by how far their cycles are off, furthest first: a list of indices in the arena. */
const u32 *correlate_order(const struct correlate *c, const struct correlate_result *r);
/* Where the cycles of a kernel went and which counter differs in a way that explains it. */
void correlate_diagnose(const struct correlate_kernel *k, struct text *out);

/* by_kernel: a line for each kernel instead of one for each program. */
void correlate_text(const struct correlate *c, const struct correlate_result *r,
                    const struct correlate_fitted *fit, bool by_kernel, struct text *out);
/* Every launch and counter: simulated, silicon, error. */
void correlate_csv(const struct correlate *c, const struct correlate_result *r, struct text *out);
json_t *correlate_json(const struct correlate *c, const struct correlate_result *r,
                       const struct correlate_fitted *fit);
/* A page of the same. */
void page_correlate_make(const json_t *data, struct text *out);

#endif
