/* Files written whole or not at all. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/err.h"
#include "base/text.h"

/* Beside it first, then under its name: whoever reads it sees the old or the new file. */
bool file_write(const char *path, const struct text *text, struct err *err);

#endif
