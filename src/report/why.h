/*
 * What bounds each kernel, and what would help, in words: the answer of `heddle why`.
 *
 * Facts are measures that the chip's model declares (views/measure.h), of the run on the chip as
 * it is, each with the statistics it is made of. What the statistics say is what a run's summary
 * says (views/gpu_bound.h); it is claimed where a run confirms it. Otherwise rules look at facts
 * and at the gains that were measured. The first rule that holds names the bound, with the gain it
 * stands on.
 */
#ifndef REPORT_WHY_H
#define REPORT_WHY_H

#include "base/text.h"
#include "views/measure.h"
#include "why/why.h"

#include <jansson.h>

/* A fact of the chip's model; it must be there, for ids are written in our own tables. */
const struct measure *fact_find(const struct why *why, const char *id);
/* NAN where the run has no such statistic, or nothing to divide by. */
double fact_value(const struct measure *f, const struct why *why, const struct why_row *row);
/* The same by id. */
double fact_of(const struct why *why, const struct why_row *row, const char *id);
/* "63.1 % of scheduler cycles: ... (scheduler_slots.data_mem)" */
void fact_text(const struct measure *f, double value, struct text *out);
/* The statistics it is made of, as a result file calls them. */
void fact_cites(const struct measure *f, struct text *out);

#define MOST_CITED 5u
#define MOST_REMARKS 8u
#define MOST_MEASURED 4u

struct why_remark {
    const struct measure *fact;
    const char *advice;
};

/* What memory costs: factors whose product is what a perfect memory below L1 gains. */
struct why_costs {
    double dram;    /* contention in DRAM: P_DRAM */
    double path;    /* contention on the way: P_inf / P_DRAM */
    double latency; /* of an uncongested memory: PerfX / P_inf */
    double all;     /* PerfX */
};

struct why_gain_row {
    u32 variant;
    double gain;
};

/* What the run's statistics say, where runs do not confirm it. */
struct why_doubt {
    const char *claim;            /* in words; NULL: nothing was refuted */
    struct why_gain_row measured; /* the best of what should help */
};

/* One kernel, or the program, judged. */
struct why_verdict {
    const struct why_row *row;
    const char *rule;                            /* id of the rule that held */
    const char *bound;                           /* what bounds it, in words */
    struct why_gain_row measured[MOST_MEASURED]; /* the runs that say so, the best first */
    u32 measured_count;
    struct why_doubt doubt;
    const struct measure *cited[MOST_CITED];
    u32 cited_count;
    struct why_costs costs; /* NAN: not measured */
    struct why_remark remarks[MOST_REMARKS];
    u32 remark_count;
    struct why_gain_row gains[MOST_WHATIFS]; /* of what could be built, the best first */
    u32 gain_count;
};

void why_judge(const struct why *why, const struct why_row *row, struct why_verdict *out);

/* most_kernels: so many of the longest. */
void why_to_text(const struct why *why, u32 most_kernels, struct text *out);
json_t *why_to_json(const struct why *why);

#endif
