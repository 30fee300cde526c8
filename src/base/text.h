/* A string that grows. data is always terminated and never NULL after a write. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/types.h"

struct text {
    char *data;
    size_t length, capacity;
};

void text_printf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_append(struct text *t, const char *bytes, size_t count);
/* With JSON's escapes, without the quotes. */
void text_append_json(struct text *t, const char *s);
void text_fini(struct text *t);

#endif
