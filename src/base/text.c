#include "base/text.h"

#include "base/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(struct text *t, size_t more)
{
    if (t->length + more + 1 <= t->capacity)
        return;
    size_t want = t->capacity ? t->capacity * 2 : 256;
    while (want < t->length + more + 1)
        want *= 2;
    t->data = xrealloc(t->data, want);
    t->capacity = want;
}

void text_append(struct text *t, const char *bytes, size_t count)
{
    reserve(t, count);
    memcpy(t->data + t->length, bytes, count);
    t->length += count;
    t->data[t->length] = '\0';
}

void text_printf(struct text *t, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    assert(n >= 0);
    reserve(t, (size_t)n);
    vsnprintf(t->data + t->length, (size_t)n + 1, fmt, again);
    va_end(again);
    t->length += (size_t)n;
}

void text_append_json(struct text *t, const char *s)
{
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            text_printf(t, "\\%c", c);
        else if (c < 0x20)
            text_printf(t, "\\u%04x", c);
        else
            text_append(t, s, 1);
    }
}

void text_fini(struct text *t)
{
    free(t->data);
    *t = (struct text){0};
}
