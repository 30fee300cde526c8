/* Files written whole or not at all, and folders for them. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/err.h"
#include "base/text.h"

/* Beside it first, then under its name: whoever reads it sees the old or the new file. */
bool file_write(const char *path, const struct text *text, struct err *err);
/* A folder, and those on the way to it. */
bool folder_make(const char *path, struct err *err);

#endif
