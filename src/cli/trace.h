/* What the words of `heddle trace` do; recording is what it does without one. */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

#include "cli/command.h"

bool trace_record(struct cli *cli, struct err *err);
bool trace_show(struct cli *cli, struct err *err);
bool trace_stats(struct cli *cli, struct err *err);
bool trace_convert(struct cli *cli, struct err *err);

/* The one file that a word takes. */
bool trace_file(const struct cli *cli, const char *word, const char **path, struct err *err);

#endif
