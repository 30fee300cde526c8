/*
 * Strings for a program that builds a lot of text: an arena that owns every string of a suite,
 * a growing buffer, and the brace expander that turns one table line into many forms.
 */
#ifndef CONFORM_TEXT_H
#define CONFORM_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

/* Everything allocated from an arena is freed with it. Running out of memory ends the program. */
struct arena {
    struct arena_block *last;
};

void *arena_alloc(struct arena *a, size_t bytes); /* zeroed, 16-byte aligned */
char *arena_format(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_copy(struct arena *a, const char *from, size_t length);
void arena_fini(struct arena *a);

/* A zero-terminated buffer that grows; zero-initialise before use. */
struct text {
    char *data;
    size_t length, room;
};

void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_append(struct text *t, const char *from, size_t length);
void text_fini(struct text *t);

/* The whole file, zero-terminated, malloc'd; NULL with errno set when it cannot be read. */
char *file_read(const char *path, size_t *bytes);

/*
 * `add{,.sat}.{s32,u32}` has four expansions. Choices are numbered from 1 as the groups appear;
 * `$1` elsewhere in the template stands for what group 1 chose, without a leading dot; where that
 * is nothing, a dot before the `$1` goes too.
 */
enum { CHOICES_MAX = 9, CHOICE_BYTES = 96 };

struct choices {
    u32 count;
    char value[CHOICES_MAX][CHOICE_BYTES];
};

u32 template_count(const char *pattern);
char *template_expand(struct arena *a, const char *pattern, u32 index, struct choices *chosen);
char *choices_substitute(struct arena *a, const char *from, const struct choices *chosen);

bool glob_match(const char *pattern, const char *text); /* `*` and `?` only */

#endif
