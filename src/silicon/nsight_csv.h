/*
 * What `ncu --csv` prints, as a table of launches: the page "raw" (a column for each metric, a row
 * of units below the names), the page "details" and lists of metrics (a row for each). Lines of the
 * program and of ncu itself may stand around it, and several such outputs one behind the other.
 */
#ifndef SILICON_NSIGHT_CSV_H
#define SILICON_NSIGHT_CSV_H

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"

/* Has it the head of one? */
bool nsight_csv_is(const char *text, size_t length);
/* The same launches as lines of kernels-SIZE.csv, for silicon_table_read_text. A process is a
 * program; its launches count from 0 in their order. Kernels have their plain names. */
bool nsight_csv_convert(const char *path, const char *text, size_t length, const char *size,
                        struct text *out, struct err *err);
/* A kernel's name without parameters, template arguments, spaces of names: of "void ns::f<3>(int
 * *)" and of
 * "_ZN2ns1fILi3EEEvPi" it is "f". */
const char *nsight_plain_name(const char *name, struct arena *arena);

#endif
