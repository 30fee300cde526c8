#ifndef RUN_MIX_SERIES_H
#define RUN_MIX_SERIES_H

#include "base/types.h"

struct arena;
struct mix;
struct stats;

/* The names of series with `programs` replaced by statistics of each program of the mix and of the
 * network that they share, if `stats` has one. mix NULL: nothing is replaced. `programs` may stand
 * once. */
const char **mix_series(const struct mix *mix, const struct stats *stats, const char *const *names,
                        u32 *count, struct arena *arena);

#endif
