/*
 * Accel-Sim 2.0's .tracez: the lines of each warp packed apart, with a footer
 * that says where they are. Unpacked into the text of a .traceg, so that there
 * is one reader of lines.
 */
#ifndef SOURCE_SASS_TRACEZ_H
#define SOURCE_SASS_TRACEZ_H

#include "source/sass/unpack.h"

bool tracez_unpack(struct unpacked *out, const u8 *data, size_t length, const char *name,
                   struct err *err);

#endif
