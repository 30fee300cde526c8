#include "suite.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static u32 name_hash(const char *name)
{
    u32 h = 2166136261u;
    for (; *name; name++)
        h = (h ^ (u8)*name) * 16777619u;
    return h;
}

bool suite_fail(struct suite *s, const char *path, u32 line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int at = snprintf(s->error, sizeof s->error, "%s:%u: ", path, line);
    vsnprintf(s->error + at, sizeof s->error - (size_t)at, format, args);
    va_end(args);
    return false;
}

/* An entry name is a PTX identifier; the case's own name has dots and slashes. */
static const char *entry_name(struct arena *a, const char *name)
{
    char *entry = arena_format(a, "t_%s", name);
    for (char *c = entry; *c; c++) {
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *c))
            *c = '_';
    }
    return entry;
}

struct test_case *suite_add(struct suite *s, const char *name)
{
    if (s->count == s->room) {
        u32 room = s->room ? s->room * 2 : 1024;
        struct test_case **grown = arena_alloc(&s->arena, room * sizeof(struct test_case *));
        if (s->count)
            memcpy(grown, s->cases, s->count * sizeof(struct test_case *));
        s->cases = grown;
        s->room = room;
    }
    struct test_case *c = arena_alloc(&s->arena, sizeof *c);
    *c = (struct test_case){.name = name,
                            .entry = entry_name(&s->arena, name),
                            .target = 75,
                            .version = "8.5",
                            .grid = {1, 1, 1},
                            .block = {32, 1, 1}};
    return s->cases[s->count++] = c;
}

bool segment_append(struct segment *list, u32 *count, u32 *bytes, struct segment next)
{
    if (*count == SEGMENTS_MAX)
        return false;
    next.offset = (*bytes + 15) & ~15u;
    *bytes = next.offset + next.count * next.type->bytes;
    list[(*count)++] = next;
    return true;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name); /* alphasort follows the locale */
}

static bool load_folder(struct suite *s, const char *folder, const char *suffix,
                        bool (*load)(struct suite *, const char *))
{
    struct dirent **list;
    int n = scandir(folder, &list, NULL, by_name);
    if (n < 0) {
        snprintf(s->error, sizeof s->error, "%s: cannot be read", folder);
        return false;
    }
    bool ok = true;
    for (int i = 0; i < n; i++) {
        const char *dot = strrchr(list[i]->d_name, '.');
        if (ok && dot && !strcmp(dot, suffix))
            ok = load(s, arena_format(&s->arena, "%s/%s", folder, list[i]->d_name));
        free(list[i]);
    }
    free(list);
    return ok;
}

/* Names key the recorded results, so two cases must not share one. */
static bool names_are_unique(struct suite *s)
{
    u32 slots = 1;
    while (slots < s->count * 2)
        slots *= 2;
    struct test_case **table = arena_alloc(&s->arena, slots * sizeof(struct test_case *));
    for (u32 i = 0; i < s->count; i++) {
        u32 at = name_hash(s->cases[i]->entry) & (slots - 1);
        for (; table[at]; at = (at + 1) & (slots - 1)) {
            if (!strcmp(table[at]->entry, s->cases[i]->entry)) {
                snprintf(s->error, sizeof s->error, "%s: '%s' is also made at %s",
                         s->cases[i]->origin, s->cases[i]->name, table[at]->origin);
                return false;
            }
        }
        table[at] = s->cases[i];
    }
    return true;
}

bool suite_load(struct suite *s, const char *folder)
{
    return load_folder(s, arena_format(&s->arena, "%s/forms", folder), ".forms", forms_load) &&
           load_folder(s, arena_format(&s->arena, "%s/kernels", folder), ".kern", kernels_load) &&
           names_are_unique(s);
}

void suite_fini(struct suite *s)
{
    arena_fini(&s->arena);
    *s = (struct suite){0};
}

u32 module_extent(const struct suite *s, u32 first)
{
    enum { CASES_PER_MODULE = 48 };
    const struct test_case *head = s->cases[first];
    u32 n = 1;
    while (!head->own_module && n < CASES_PER_MODULE && first + n < s->count) {
        const struct test_case *next = s->cases[first + n];
        if (next->own_module || next->target != head->target ||
            strcmp(next->version, head->version))
            break;
        n++;
    }
    return n;
}

void module_write(struct text *t, struct test_case *const *cases, u32 count)
{
    text_add(t, ".version %s\n.target sm_%u\n.address_size 64\n", cases[0]->version,
             cases[0]->target);
    for (u32 i = 0; i < count; i++)
        text_add(t, "\n// %s (%s)\n%s", cases[i]->name, cases[i]->origin, cases[i]->ptx);
}

u64 case_fill(const struct test_case *c, u8 *inputs)
{
    memset(inputs, 0, c->in_bytes + c->image_bytes);
    for (u32 k = 0; k < c->ins; k++)
        segment_fill(&c->in[k], k, c->ins, c->cross, inputs + c->in[k].offset);
    if (c->image.dimensions) {
        struct segment texels = {.type = c->image.element,
                                 .count = c->image_bytes / c->image.element->bytes,
                                 .range =
                                     c->image.element->kind == KIND_FLOAT ? RANGE_UNIT : RANGE_ANY};
        segment_fill(&texels, 7, 8, false, inputs + c->in_bytes);
    }
    u64 h = 14695981039346656037u;
    for (u32 i = 0; i < c->in_bytes + c->image_bytes; i++)
        h = (h ^ inputs[i]) * 1099511628211u;
    return h;
}
