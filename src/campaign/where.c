#include "campaign/where.h"

#include "base/infix.h"
#include "base/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NAMES 264
#define LONGEST_WORD 128

struct operand {
    bool is_text;
    double number;
    char text[LONGEST_WORD];
};

/* Both sides of `and` are always read, so that a mistake never hides behind the first one. */
struct conditions {
    struct src_pos pos;
    const struct where_value *values;
    u32 value_count;
    struct err *err;
};

static bool fail(struct infix *p, const char *what)
{
    const struct conditions *c = p->context;
    return err_at(c->err, c->pos, "condition '%s': %s at '%s'", p->all, what,
                  *p->at ? p->at : "its end");
}

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* ---- operands ---- */

static bool read_number(struct infix *p, struct operand *out)
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

static bool read_quoted(struct infix *p, struct operand *out)
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

static const struct where_value *find(const struct conditions *c, const char *name, bool *ambiguous)
{
    const struct where_value *found = NULL;
    *ambiguous = false;
    for (u32 i = 0; i < c->value_count; i++) {
        const struct where_value *v = &c->values[i];
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

static bool unknown_name(const struct conditions *c, const char *name)
{
    const char *names[MOST_NAMES];
    u32 count = 0;
    for (; count < c->value_count && count < MOST_NAMES; count++)
        names[count] = c->values[count].name;
    return err_unknown(c->err, c->pos, "name in a condition:", name, names, count,
                       "set:, sweep: and zip:");
}

static bool read_name(struct infix *p, struct operand *out)
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
    const struct where_value *v = find(p->context, name, &ambiguous);
    if (!v)
        return unknown_name(p->context, name);
    if (ambiguous)
        return fail(p, "the name fits several parameters, expected a whole path");
    p->at += n;
    out->is_text = v->text != NULL;
    out->number = v->number;
    if (v->text)
        snprintf(out->text, sizeof out->text, "%s", v->text);
    return true;
}

static bool read_operand(struct infix *p, void *out)
{
    struct operand *o = out;
    *o = (struct operand){0};
    if (isdigit((unsigned char)*p->at))
        return read_number(p, o);
    if (*p->at == '"' || *p->at == '\'')
        return read_quoted(p, o);
    return read_name(p, o);
}

/* ---- operators ---- */

static bool need_number(struct infix *p, const struct operand *o)
{
    return !o->is_text || fail(p, "found text, expected a number,");
}

static bool compare(struct infix *p, enum infix_operator op, const struct operand *a,
                    const struct operand *b, bool *holds)
{
    if (a->is_text != b->is_text)
        return fail(p, "a text is compared with a number,");
    if (a->is_text && op != INFIX_EQUAL && op != INFIX_UNEQUAL)
        return fail(p, "texts compare only with == and !=,");
    int order = a->is_text              ? strcmp(a->text, b->text)
                : a->number < b->number ? -1
                                        : a->number > b->number;
    *holds = op == INFIX_EQUAL      ? order == 0
             : op == INFIX_UNEQUAL  ? order != 0
             : op == INFIX_AT_MOST  ? order <= 0
             : op == INFIX_AT_LEAST ? order >= 0
             : op == INFIX_BELOW    ? order < 0
                                    : order > 0;
    return true;
}

static double combine(enum infix_operator op, double a, double b)
{
    switch (op) {
    case INFIX_OR:
        return a != 0 || b != 0;
    case INFIX_AND:
        return a != 0 && b != 0;
    case INFIX_NOT:
        return a == 0;
    case INFIX_NEGATE:
        return -a;
    case INFIX_PLUS:
        return a + b;
    case INFIX_MINUS:
        return a - b;
    case INFIX_TIMES:
        return a * b;
    default:
        return a / b;
    }
}

static bool apply(struct infix *p, enum infix_operator op, void *left, const void *right,
                  const char *start)
{
    struct operand *a = left;
    const struct operand *b = right;
    bool holds = false;
    (void)start;
    if (op >= INFIX_EQUAL && op <= INFIX_ABOVE) {
        if (!compare(p, op, a, b, &holds))
            return false;
        *a = (struct operand){.number = holds};
        return true;
    }
    if (!need_number(p, a) || (b && !need_number(p, b)))
        return false;
    if (op == INFIX_OVER && b && b->number == 0)
        return fail(p, "a division by zero");
    a->number = combine(op, a->number, b ? b->number : 0);
    return true;
}

static const struct infix_reader reader = {
    .bytes = sizeof(struct operand), .operand = read_operand, .apply = apply, .fail = fail};

bool where_holds(struct sweep_text condition, const struct where_value *values, u32 count,
                 bool *holds, struct err *err)
{
    struct conditions c = {.pos = condition.at, .values = values, .value_count = count, .err = err};
    struct infix p = {
        .reader = &reader, .context = &c, .all = condition.text, .at = condition.text};
    struct operand o = {0};
    if (!infix_read_all(&p, &o) || !need_number(&p, &o))
        return false;
    *holds = o.number != 0;
    return true;
}
