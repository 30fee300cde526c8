/*
 * Reports: one HTML file with everything inside, from results of runs, from a
 * sweep in the results database, or from a study's verdict.
 *
 * The numbers travel as JSON, with what only the simulator knows beside them:
 * peaks of the chip, measures, and where defaults come from. Drawing is done by
 * the scripts of report/ in the reader's browser.
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "base/text.h"
#include "report/result.h"

/* What report/page.html has marks for. */
struct page {
    const char *title;
    const struct text *data;    /* JSON that may stand inside a script element */
    const char *const *scripts; /* of report/, in order; ends with NULL */
};
void page_frame(const struct page *page, struct text *out);

/* A page of runs. title NULL: made from the runs. */
void page_make(const struct result *runs, u32 count, const char *title, struct text *out);
/* What the page holds as data. */
json_t *page_data(const struct result *runs, u32 count);
/* What the tables say about a parameter: unit, meaning, source. NULL: nothing. */
json_t *page_parameter(const char *model, const char *path);
/* JSON that may stand inside a script element. */
void page_append_json(const json_t *data, struct text *out);
void page_append_escaped(const char *s, struct text *out);

/* A page of a study from the verdict.json that `heddle study` writes: docs/howto/reports.md. */
#define STUDY_FORMAT "heddle-study-1"
bool page_study(const char *verdict_path, const char *out_path, struct err *err);
/* The same from JSON that was read already. title NULL: the study's name. */
bool page_study_make(const char *file, const json_t *verdict, const char *title, struct text *out,
                     struct err *err);

/* A page of all points of a sweep. sweep NULL: the only one in the database; title NULL: its
 * name. `points` becomes their number. */
bool page_sweep_make(const char *db_path, const char *sweep, const char *title, struct text *out,
                     u32 *points, struct err *err);

#endif
