/* The studies that come along: folders with a study.yaml, and the last verdict of each. */
#ifndef CLI_STUDIES_H
#define CLI_STUDIES_H

#include "base/arena.h"
#include "base/text.h"
#include "study/study_brief.h"

#define STUDIES_OUTPUT "heddle-out/studies" /* verdicts and pages, by name of the study */

/* Their names, in order. */
u32 studies_list(struct arena *arena, const char ***names);
/* Its one line. */
const char *studies_about(const char *name, struct arena *arena);
/* In brief, with the results of a folder; NULL: with those that come along. */
bool studies_read(struct study_brief *brief, const char *name, const char *results,
                  struct arena *arena, struct err *err);
/* Each with what it is about and how its headline claims came out the last time. */
bool studies_text(struct text *out, struct err *err);
/* studies_page.c: docs/studies.md, all of them with the results that come along. */
bool studies_page(struct text *out, struct err *err);

#endif
