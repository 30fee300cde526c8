/*
 * Numbers are read and written as in C, whatever locale a program has chosen.
 *
 * heddle's own program never chooses one. Inside a CUDA program its code runs
 * between locale_enter and locale_leave, which count: in between, this thread
 * is in the C locale, other threads and the program's own calls are not.
 */
#ifndef BASE_LOCALE_H
#define BASE_LOCALE_H

#include "base/types.h"

bool locale_enter(void);
/* The argument is for LOCALE_GUARD. */
void locale_leave(const bool *entered);

/* From here to the end of the block. */
#define LOCALE_GUARD                                                                               \
    bool in_c_locale __attribute__((cleanup(locale_leave), unused)) = locale_enter();

#endif
