/* Lists of names in sentences, and the name a person probably meant. */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include "base/types.h"

/* "a, b or c" */
void names_join(char *out, size_t size, const char *const *names, size_t count);

/* The closest of names by edit distance (a swap of neighbours counts one), or
 * NULL when none is near enough to be a plausible slip. The first wins a tie. */
const char *names_nearest(const char *found, const char *const *names, size_t count);

#endif
