#include "base/err.h"

#include "base/names.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* More names than this make a sentence nobody reads. */
#define NAMES_IN_SENTENCE 9

static bool err_start(struct err *err, enum err_kind kind, struct src_pos at)
{
    if (err->kind != ERR_NONE)
        return false;
    *err = ERR_INIT;
    err->kind = kind;
    snprintf(err->file, sizeof err->file, "%s", at.file ? at.file : "");
    err->line = at.line;
    err->column = at.column;
    return true;
}

bool err_at(struct err *err, struct src_pos at, const char *fmt, ...)
{
    if (err_start(err, ERR_INPUT, at)) {
        va_list args;
        va_start(args, fmt);
        vsnprintf(err->what, sizeof err->what, fmt, args);
        va_end(args);
    }
    return false;
}

bool err_found(struct err *err, struct src_pos at, const char *subject, const char *found,
               const char *expected_fmt, ...)
{
    if (err_start(err, ERR_INPUT, at)) {
        snprintf(err->found, sizeof err->found, "%s", found);
        snprintf(err->what, sizeof err->what, "%s is %s", subject, err->found);
        va_list args;
        va_start(args, expected_fmt);
        vsnprintf(err->expected, sizeof err->expected, expected_fmt, args);
        va_end(args);
    }
    return false;
}

bool err_unknown(struct err *err, struct src_pos at, const char *noun, const char *found,
                 const char *const *names, size_t count, const char *where)
{
    if (!err_start(err, ERR_INPUT, at))
        return false;
    snprintf(err->found, sizeof err->found, "%s", found);
    snprintf(err->what, sizeof err->what, "unknown %s '%s'", noun, err->found);
    if (count > 0 && count <= NAMES_IN_SENTENCE)
        names_join(err->expected, sizeof err->expected, names, count);
    else if (where)
        snprintf(err->expected, sizeof err->expected, "a name from `%s`", where);
    const char *nearest = names_nearest(found, names, count);
    if (nearest)
        snprintf(err->nearest, sizeof err->nearest, "%s", nearest);
    return false;
}

bool err_kind(struct err *err, enum err_kind kind, const char *fmt, ...)
{
    if (err_start(err, kind, (struct src_pos){0})) {
        va_list args;
        va_start(args, fmt);
        vsnprintf(err->what, sizeof err->what, fmt, args);
        va_end(args);
    }
    return false;
}

size_t err_text(const struct err *err, char *out, size_t size)
{
    char place[sizeof err->file + 32] = "";
    if (err->file[0] && err->line && !err->column)
        snprintf(place, sizeof place, "%s:%u: ", err->file, err->line);
    else if (err->file[0] && err->line)
        snprintf(place, sizeof place, "%s:%u:%u: ", err->file, err->line, err->column);
    else if (err->file[0])
        snprintf(place, sizeof place, "%s: ", err->file);
    int n =
        snprintf(out, size, "%s%s%s%s%s%s%s", place, err->what,
                 err->expected[0] ? ", expected " : "", err->expected,
                 err->nearest[0] ? " (nearest: " : "", err->nearest, err->nearest[0] ? ")" : "");
    return n < 0 ? 0 : (size_t)n;
}
