/*
 * A report: one HTML file with everything inside, from one or several results.
 *
 * The numbers travel as JSON, with what only the simulator knows beside each
 * result: peaks of the chip, measures, and where defaults come from. Drawing is
 * done by report/report.js in the reader's browser.
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "base/text.h"
#include "report/result.h"

/* title NULL: made from the runs */
void page_make(const struct result *runs, u32 count, const char *title, struct text *out);
/* What the page holds as data. */
json_t *page_data(const struct result *runs, u32 count);
/* JSON that may stand inside a script element. */
void page_append_json(const json_t *data, struct text *out);
void page_append_escaped(const char *s, struct text *out);

/* Beside, then renamed: a file of that name is always whole. */
bool page_write(const struct text *page, const char *path, struct err *err);

#endif
