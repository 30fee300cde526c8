/*
 * The files of report/ inside the program, packed with zlib.
 *
 * report/embed.py writes the table when heddle is built, so that a page can be
 * made from the build folder and after installation alike.
 */
#ifndef REPORT_ASSETS_H
#define REPORT_ASSETS_H

#include "base/text.h"

struct asset {
    const char *name; /* of the file, without its folder */
    const u8 *packed;
    size_t packed_bytes, bytes;
};

extern const struct asset report_assets[]; /* ends with a NULL name */

/* Appends the file's bytes; the name is one of the table's. */
void asset_append(const char *name, struct text *out);

#endif
