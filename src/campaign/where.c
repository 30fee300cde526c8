#include "campaign/where.h"

#include "base/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 32
#define MOST_NAMES 264
#define LONGEST_WORD 128

struct operand {
    bool is_text;
    double number;
    char text[LONGEST_WORD];
};

/* Values are worked out while reading: a condition is short, and both sides of
 * `and` are always read, so that a mistake never hides behind the first one. */
struct parser {
    const char *all, *at;
    struct src_pos pos;
    const struct where_value *values;
    u32 value_count, depth;
    struct err *err;
};

static bool fail(struct parser *p, const char *what)
{
    return err_at(p->err, p->pos, "condition '%s': %s at '%s'", p->all, what,
                  *p->at ? p->at : "its end");
}

static void skip_blanks(struct parser *p)
{
    while (*p->at == ' ')
        p->at++;
}

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static bool take(struct parser *p, const char *token)
{
    skip_blanks(p);
    size_t n = strlen(token);
    if (strncmp(p->at, token, n) != 0)
        return false;
    if (isalpha((unsigned char)token[0]) && is_word_char(p->at[n]))
        return false;
    p->at += n;
    return true;
}

static bool read_or(struct parser *p, struct operand *out);

static bool read_number(struct parser *p, struct operand *out)
{
    char *end, unit[8] = "";
    out->number = strtod(p->at, &end);
    size_t n = 0;
    while (isalpha((unsigned char)end[n]) && n + 1 < sizeof unit) {
        unit[n] = end[n];
        n++;
    }
    unit[n] = '\0';
    const struct unit_def *u = n ? unit_find(unit) : NULL;
    if (n && (!u || (strcmp(u->dimension, "size") != 0 && strcmp(u->dimension, "frequency") != 0)))
        return fail(p, "only sizes and frequencies take a unit here, expected a plain number");
    if (u)
        out->number *= pow(10, u->exponent10) * pow(2, u->exponent2);
    p->at = end + n;
    return isfinite(out->number) || fail(p, "the number is too large");
}

static bool read_quoted(struct parser *p, struct operand *out)
{
    char quote = *p->at;
    const char *end = strchr(p->at + 1, quote);
    if (!end)
        return fail(p, "a quote is not closed");
    out->is_text = true;
    snprintf(out->text, sizeof out->text, "%.*s", (int)(end - p->at - 1), p->at + 1);
    p->at = end + 1;
    return true;
}

static const char *last_part(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

static const struct where_value *find(const struct parser *p, const char *name, bool *ambiguous)
{
    const struct where_value *found = NULL;
    *ambiguous = false;
    for (u32 i = 0; i < p->value_count; i++) {
        const struct where_value *v = &p->values[i];
        if (strcmp(v->name, name) == 0) {
            *ambiguous = false;
            return v;
        }
        if (strcmp(last_part(v->name), name) == 0) {
            *ambiguous = found != NULL;
            found = v;
        }
    }
    return found;
}

static bool unknown_name(struct parser *p, const char *name)
{
    const char *names[MOST_NAMES];
    u32 count = 0;
    for (; count < p->value_count && count < MOST_NAMES; count++)
        names[count] = p->values[count].name;
    return err_unknown(p->err, p->pos, "name in a condition:", name, names, count,
                       "set:, sweep: and zip:");
}

static bool read_name(struct parser *p, struct operand *out)
{
    char name[LONGEST_WORD];
    size_t n = 0;
    while (is_word_char(p->at[n]) && n + 1 < sizeof name) {
        name[n] = p->at[n];
        n++;
    }
    name[n] = '\0';
    if (n == 0)
        return fail(p, "a name or number is missing");
    if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0) {
        out->number = name[0] == 't';
        p->at += n;
        return true;
    }
    bool ambiguous;
    const struct where_value *v = find(p, name, &ambiguous);
    if (!v)
        return unknown_name(p, name);
    if (ambiguous)
        return fail(p, "the name fits several parameters, expected a whole path");
    p->at += n;
    out->is_text = v->text != NULL;
    out->number = v->number;
    if (v->text)
        snprintf(out->text, sizeof out->text, "%s", v->text);
    return true;
}

static bool need_number(struct parser *p, const struct operand *o)
{
    return !o->is_text || fail(p, "a text stands where a number is expected,");
}

static bool read_factor(struct parser *p, struct operand *out)
{
    *out = (struct operand){0};
    skip_blanks(p);
    if (p->depth > DEEPEST)
        return fail(p, "nesting is too deep");
    if (take(p, "(")) {
        p->depth++;
        bool ok = read_or(p, out);
        p->depth--;
        return ok && (take(p, ")") || fail(p, "a closing parenthesis is missing"));
    }
    if (take(p, "-")) {
        p->depth++;
        bool ok = read_factor(p, out) && need_number(p, out);
        p->depth--;
        out->number = -out->number;
        return ok;
    }
    if (isdigit((unsigned char)*p->at))
        return read_number(p, out);
    if (*p->at == '"' || *p->at == '\'')
        return read_quoted(p, out);
    return read_name(p, out);
}

static bool read_product(struct parser *p, struct operand *out)
{
    if (!read_factor(p, out))
        return false;
    for (;;) {
        char op = take(p, "*") ? '*' : take(p, "/") ? '/' : 0;
        struct operand right = {0};
        if (!op)
            return true;
        if (!need_number(p, out) || !read_factor(p, &right) || !need_number(p, &right))
            return false;
        if (op == '/' && right.number == 0)
            return fail(p, "a division by zero");
        out->number = op == '*' ? out->number * right.number : out->number / right.number;
    }
}

static bool read_sum(struct parser *p, struct operand *out)
{
    if (!read_product(p, out))
        return false;
    for (;;) {
        char op = take(p, "+") ? '+' : take(p, "-") ? '-' : 0;
        struct operand right = {0};
        if (!op)
            return true;
        if (!need_number(p, out) || !read_product(p, &right) || !need_number(p, &right))
            return false;
        out->number += op == '+' ? right.number : -right.number;
    }
}

static bool compare(struct parser *p, const char *op, const struct operand *a,
                    const struct operand *b, bool *holds)
{
    bool is_equality = strcmp(op, "==") == 0 || strcmp(op, "!=") == 0;
    if (a->is_text != b->is_text)
        return fail(p, "a text is compared with a number,");
    if (a->is_text && !is_equality)
        return fail(p, "texts compare with == and != alone,");
    int order = a->is_text              ? strcmp(a->text, b->text)
                : a->number < b->number ? -1
                                        : a->number > b->number;
    bool with_equal = op[1] == '=';
    *holds = op[0] == '='   ? order == 0
             : op[0] == '!' ? order != 0
             : op[0] == '<' ? order < 0 || (with_equal && order == 0)
                            : order > 0 || (with_equal && order == 0);
    return true;
}

static bool read_comparison(struct parser *p, struct operand *out)
{
    static const char *const operators[] = {"==", "!=", "<=", ">=", "<", ">"};
    if (!read_sum(p, out))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(operators); i++) {
        struct operand right = {0};
        bool holds = false;
        if (!take(p, operators[i]))
            continue;
        if (!read_sum(p, &right) || !compare(p, operators[i], out, &right, &holds))
            return false;
        *out = (struct operand){.number = holds};
        return true;
    }
    return true;
}

static bool read_not(struct parser *p, struct operand *out)
{
    if (!take(p, "not"))
        return read_comparison(p, out);
    if (++p->depth > DEEPEST)
        return fail(p, "nesting is too deep");
    bool ok = read_not(p, out) && need_number(p, out);
    p->depth--;
    out->number = out->number == 0;
    return ok;
}

static bool read_and(struct parser *p, struct operand *out)
{
    if (!read_not(p, out))
        return false;
    while (take(p, "and")) {
        struct operand right = {0};
        if (!need_number(p, out) || !read_not(p, &right) || !need_number(p, &right))
            return false;
        out->number = out->number != 0 && right.number != 0;
    }
    return true;
}

static bool read_or(struct parser *p, struct operand *out)
{
    if (!read_and(p, out))
        return false;
    while (take(p, "or")) {
        struct operand right = {0};
        if (!need_number(p, out) || !read_and(p, &right) || !need_number(p, &right))
            return false;
        out->number = out->number != 0 || right.number != 0;
    }
    return true;
}

bool where_holds(struct sweep_text condition, const struct where_value *values, u32 count,
                 bool *holds, struct err *err)
{
    struct parser p = {.all = condition.text,
                       .at = condition.text,
                       .pos = condition.at,
                       .values = values,
                       .value_count = count,
                       .err = err};
    struct operand o = {0};
    if (!read_or(&p, &o) || !need_number(&p, &o))
        return false;
    skip_blanks(&p);
    if (*p.at)
        return fail(&p, "something is left over");
    *holds = o.number != 0;
    return true;
}
