/*
 * The result of a machine of several clusters as each of them sees it: its own statistics under
 * their plain names, its kernels, and what all share. A view is a result like any other, of the
 * model that describes the cluster, so that pages and comparisons need not know of clusters.
 */
#ifndef REPORT_VIEW_H
#define REPORT_VIEW_H

#include "report/result.h"

/* 0: the result is of a machine without names for its clusters. */
u32 result_view_count(const struct result *r);
/* "big" */
const char *result_view_name(const struct result *r, u32 index);
/* Needs result_fini; the file's name is borrowed. */
void result_view(struct result *out, const struct result *r, u32 index);

#endif
