/* The studies that come along: folders with a study.yaml, and the last verdict of each. */
#ifndef CLI_STUDIES_H
#define CLI_STUDIES_H

#include "base/arena.h"
#include "base/text.h"

#define STUDIES_OUTPUT "heddle-out/studies" /* verdicts and pages, by name of the study */

/* Their names, in order. */
u32 studies_list(struct arena *arena, const char ***names);
/* Its one line. */
const char *studies_about(const char *name, struct arena *arena);
/* Each with what it is about and its last verdict. */
void studies_text(struct text *out);

#endif
