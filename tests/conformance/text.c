#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* vasprintf */
#endif
#include "text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena_block {
    struct arena_block *previous;
    size_t used, room;
    _Alignas(16) char data[];
};

static void *must(void *p)
{
    if (!p) {
        fputs("conform: out of memory\n", stderr);
        exit(2);
    }
    return p;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
    enum { BLOCK_BYTES = 1 << 18 };
    bytes = (bytes + 15) & ~(size_t)15;
    if (!a->last || a->last->room - a->last->used < bytes) {
        size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        struct arena_block *b = must(calloc(1, sizeof *b + room));
        b->previous = a->last;
        b->room = room;
        a->last = b;
    }
    void *p = a->last->data + a->last->used;
    a->last->used += bytes;
    return p;
}

char *arena_copy(struct arena *a, const char *from, size_t length)
{
    char *to = arena_alloc(a, length + 1);
    memcpy(to, from, length);
    return to;
}

char *arena_format(struct arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *made = NULL;
    int length = vasprintf(&made, format, args);
    va_end(args);
    must(length < 0 ? NULL : made);
    char *copy = arena_copy(a, made, (size_t)length);
    free(made);
    return copy;
}

void arena_fini(struct arena *a)
{
    while (a->last) {
        struct arena_block *b = a->last;
        a->last = b->previous;
        free(b);
    }
}

void text_append(struct text *t, const char *from, size_t length)
{
    if (t->length + length + 1 > t->room) {
        t->room = (t->length + length + 1) * 2;
        t->data = must(realloc(t->data, t->room));
    }
    memcpy(t->data + t->length, from, length);
    t->length += length;
    t->data[t->length] = 0;
}

void text_add(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *made = NULL;
    int length = vasprintf(&made, format, args);
    va_end(args);
    must(length < 0 ? NULL : made);
    text_append(t, made, (size_t)length);
    free(made);
}

void text_fini(struct text *t)
{
    free(t->data);
    *t = (struct text){0};
}

char *file_read(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    struct text t = {0};
    char chunk[65536];
    size_t got;
    text_append(&t, "", 0);
    while ((got = fread(chunk, 1, sizeof chunk, f)) > 0)
        text_append(&t, chunk, got);
    bool failed = ferror(f) != 0;
    fclose(f);
    if (failed) {
        text_fini(&t);
        return NULL;
    }
    if (bytes)
        *bytes = t.length;
    return t.data;
}

static u32 alternatives(const char *open)
{
    u32 n = 1;
    for (const char *c = open + 1; *c && *c != '}'; c++)
        n += *c == ',';
    return n;
}

u32 template_count(const char *pattern)
{
    u32 n = 1;
    for (const char *c = strchr(pattern, '{'); c; c = strchr(c + 1, '{'))
        n *= alternatives(c);
    return n;
}

char *choices_substitute(struct arena *a, const char *from, const struct choices *chosen)
{
    struct text t = {0};
    text_append(&t, "", 0);
    for (const char *c = from; *c; c++) {
        u32 which = c[0] == '$' && c[1] >= '1' && c[1] <= '9' ? (u32)(c[1] - '1') : CHOICES_MAX;
        if (which < chosen->count) {
            const char *value = chosen->value[which];
            if (!*value && t.length && t.data[t.length - 1] == '.')
                t.length--; /* `atom.$1.add` with nothing chosen is atom.add */
            text_add(&t, "%s", value[0] == '.' ? value + 1 : value);
            c++;
        } else {
            text_append(&t, c, 1);
        }
    }
    char *made = arena_copy(a, t.data, t.length);
    text_fini(&t);
    return made;
}

/* The first group varies slowest, so neighbours in the list differ in their last modifier and
 * their results compress well against each other. */
char *template_expand(struct arena *a, const char *pattern, u32 index, struct choices *chosen)
{
    struct text t = {0};
    text_append(&t, "", 0);
    chosen->count = 0;
    u32 below = template_count(pattern);
    for (const char *c = pattern; *c; c++) {
        if (*c != '{') {
            text_append(&t, c, 1);
            continue;
        }
        u32 n = alternatives(c);
        assert(n > 0 && below >= n);
        below /= n;
        u32 pick = index / below % n;
        const char *start = c + 1;
        for (u32 skip = 0; skip < pick; skip++)
            start = strchr(start, ',') + 1;
        size_t length = strcspn(start, ",}");
        text_append(&t, start, length);
        if (chosen->count < CHOICES_MAX && length < CHOICE_BYTES) {
            memcpy(chosen->value[chosen->count], start, length);
            chosen->value[chosen->count++][length] = 0;
        }
        c = strchr(c, '}');
        if (!c)
            break;
    }
    char *made = choices_substitute(a, t.data, chosen);
    text_fini(&t);
    return made;
}

bool glob_match(const char *pattern, const char *text)
{
    for (; *pattern; pattern++, text++) {
        if (*pattern == '*') {
            while (pattern[1] == '*')
                pattern++;
            for (;; text++) {
                if (glob_match(pattern + 1, text))
                    return true;
                if (!*text)
                    return false;
            }
        }
        if (!*text || (*pattern != '?' && *pattern != *text))
            return false;
    }
    return !*text;
}
