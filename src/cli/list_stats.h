#ifndef CLI_LIST_STATS_H
#define CLI_LIST_STATS_H

#include <stdbool.h>

struct err;

/* Every statistic of `chip`, of its kernels and of each policy, by name alone, as text, or as a
 * page. */
bool list_stats(const char *chip, bool names_only, bool markdown, struct err *err);

#endif
