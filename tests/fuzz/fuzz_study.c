/*
 * Any bytes as a table and as formulas: each is read, or there is one message.
 */
#include "base/csv.h"
#include "study/formula.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void check_message(const struct err *err)
{
    if (err->kind != ERR_INPUT || !err->what[0])
        abort();
}

static bool numbers(struct formula_table *out)
{
    static const char *const labels[] = {"1", "2"};
    static const double places[] = {1, 2};
    static const struct formula_axis axis = {"x", labels, places, 2};
    static double cells[] = {1, 2, 3, 4};
    *out = (struct formula_table){2, 2, &axis, cells};
    return true;
}

static bool statistic(void *context, const char *run, const char *name, struct formula_table *out,
                      struct src_pos at, struct err *err)
{
    (void)context, (void)run, (void)name, (void)at, (void)err;
    return numbers(out);
}

static bool value(void *context, const char *name, struct formula_table *out, struct src_pos at,
                  struct err *err)
{
    (void)context, (void)name, (void)at, (void)err;
    return numbers(out);
}

static bool group(void *context, const char *name, const u8 **members, struct src_pos at,
                  struct err *err)
{
    static const u8 first[] = {1, 0};
    (void)context, (void)name, (void)at, (void)err;
    *members = first;
    return true;
}

static double published(void *context, const char *name, u32 program)
{
    (void)context, (void)name;
    return program;
}

static void evaluate(const char *text, struct arena *arena)
{
    static const char *const programs[] = {"mm", "ss"};
    struct formula_scope scope = {.programs = programs,
                                  .program_count = 2,
                                  .arena = arena,
                                  .statistic = statistic,
                                  .value = value,
                                  .group = group,
                                  .published = published};
    struct formula_table out;
    struct err err = ERR_INIT;
    if (!formula_evaluate(&scope, text, (struct src_pos){"input", 1, 1}, &out, &err))
        check_message(&err);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct csv csv;
    if (!csv_read_text(&csv, "input", (const char *)data, size, &arena, &err))
        check_message(&err);
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    evaluate(text, &arena);
    free(text);
    arena_fini(&arena);
    return 0;
}
