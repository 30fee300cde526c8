/* JSON files, with a sentence and a place for those that are none. */
#ifndef REPORT_JSON_FILE_H
#define REPORT_JSON_FILE_H

#include "base/err.h"

#include <jansson.h>

/* `expected` says what kind of file would do. NULL: err. The caller owns the result. */
json_t *json_read(const char *file, const char *expected, struct err *err);
/* The same from memory; `file` is for messages. */
json_t *json_parse(const char *file, const char *bytes, size_t size, const char *expected,
                   struct err *err);

/* A number in an object, NAN when it is none. */
double json_number_at(const json_t *object, const char *key);
/* A string in an object, "" when it is none. */
const char *json_text_at(const json_t *object, const char *key);

#endif
