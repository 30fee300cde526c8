/*
 * The end of a failure: a sentence on stderr, and a row for programs that read failures.
 *
 * Where HEDDLE_ERRORS names a file, every sentence is added to it as a line of JSON, schema
 * heddle.error/1 (docs/howto/python.md): its parts, the exit code that goes with it, and the
 * process. The Python module raises its exceptions from these lines.
 */
#ifndef BASE_ERR_REPORT_H
#define BASE_ERR_REPORT_H

#include "base/err.h"

/* Prints "heddle: SENTENCE". */
void err_report(const struct err *err);
/* A sentence that has been printed and has no parts; the program goes on. */
void err_report_said(const char *sentence);

#endif
