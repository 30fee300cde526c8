/* Finds the files that come with heddle, beside the installed program or in its build folder. */
#ifndef BASE_PLACE_H
#define BASE_PLACE_H

#include "base/types.h"

#include <limits.h>

#define MOST_PLACES 2u

/* The folder of the program itself; "": it cannot be told. */
void place_own(char folder[PATH_MAX]);
/* Folders of that name that exist, in the installed share folder and in the source tree; returns
 * how many. */
u32 place_find(const char *name, char folders[MOST_PLACES][PATH_MAX]);

#endif
