#include "stats/expr.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 32

struct number {
    bool defined, whole;
    i128 integer;
    double real;
};

struct parser {
    const struct stats *stats;
    struct stat_scope scope;
    const char *all, *at;
    struct arena *arena;
    struct err *err;
    struct text *shown; /* NULL: evaluate silently */
    u32 depth;
};

static bool fail(struct parser *p, const char *what)
{
    return err_kind(p->err, ERR_INTERNAL, "statistic expression '%s': %s at '%s'", p->all, what,
                    p->at);
}

static void skip_blanks(struct parser *p)
{
    while (*p->at == ' ')
        p->at++;
}

static bool take(struct parser *p, const char *token)
{
    skip_blanks(p);
    size_t n = strlen(token);
    if (strncmp(p->at, token, n) != 0)
        return false;
    p->at += n;
    if (p->shown)
        text_printf(p->shown,
                    isalnum((unsigned char)token[0]) || strchr("()", token[0]) ? "%s" : " %s ",
                    token);
    return true;
}

static void show_number(struct parser *p, const struct number *n)
{
    if (!p->shown)
        return;
    if (!n->defined)
        text_printf(p->shown, "undefined");
    else if (n->whole)
        text_printf(p->shown, "%lld", (long long)n->integer);
    else
        text_printf(p->shown, "%.9g", n->real);
}

static struct number whole(i128 v)
{
    return (struct number){true, true, v, (double)v};
}

static struct number real(double v)
{
    return (struct number){true, false, 0, v};
}

static bool parse_sum(struct parser *p, struct number *out);

static bool parse_name(struct parser *p, struct number *out)
{
    char name[128];
    size_t n = 0;
    while (isalnum((unsigned char)*p->at) || *p->at == '_' || *p->at == '.') {
        if (n + 1 == sizeof name)
            return fail(p, "a name is too long");
        name[n++] = *p->at++;
    }
    name[n] = '\0';
    if (n == 0)
        return fail(p, "a name or number is missing");
    struct stat_scope found;
    const struct stat_def *def = stats_resolve(p->stats, p->scope, name, p->arena, &found);
    if (!def || def->kind == STAT_LAW)
        return fail(p, "unknown statistic");
    if (++p->depth > DEEPEST)
        return fail(p, "formulas refer to each other in a circle");
    struct stat_value v;
    if (def->kind == STAT_FORMULA) {
        struct parser inner = *p;
        inner.scope = found;
        inner.all = inner.at = def->expression;
        inner.shown = NULL;
        if (!parse_sum(&inner, out))
            return false;
    } else {
        if (!stats_evaluate(p->stats, found, def, p->arena, &v, p->err))
            return false;
        if (v.shape == STAT_LIST) { /* an array stands for its total */
            i128 sum = 0;
            for (u32 i = 0; i < def->label_count; i++)
                sum += v.list[i];
            *out = whole(sum);
        } else if (v.shape == STAT_BINS) { /* a histogram for its number of samples */
            *out = whole(v.bins.samples);
        } else {
            *out = v.whole ? whole(v.integer) : real(v.number);
            out->defined = v.defined;
        }
    }
    p->depth--;
    show_number(p, out);
    return true;
}

static bool parse_factor(struct parser *p, struct number *out)
{
    skip_blanks(p);
    if (take(p, "(")) {
        if (++p->depth > DEEPEST)
            return fail(p, "too many parentheses");
        bool ok = parse_sum(p, out);
        p->depth--;
        return ok && (take(p, ")") || fail(p, "a closing parenthesis is missing"));
    }
    if (isdigit((unsigned char)*p->at)) {
        char *end;
        double v = strtod(p->at, &end);
        bool is_whole = strcspn(p->at, ".eE") >= (size_t)(end - p->at) && v < 0x1p53;
        p->at = end;
        *out = is_whole ? whole((i128)v) : real(v);
        show_number(p, out);
        return true;
    }
    return parse_name(p, out);
}

static struct number combine(struct number a, struct number b, char op)
{
    struct number r = {.defined = a.defined && b.defined && !(op == '/' && b.real == 0)};
    if (!r.defined)
        return r;
    if (a.whole && b.whole && op != '/')
        return whole(op == '+'   ? a.integer + b.integer
                     : op == '-' ? a.integer - b.integer
                                 : a.integer * b.integer);
    return real(op == '+'   ? a.real + b.real
                : op == '-' ? a.real - b.real
                : op == '*' ? a.real * b.real
                            : a.real / b.real);
}

static bool parse_product(struct parser *p, struct number *out)
{
    if (!parse_factor(p, out))
        return false;
    for (;;) {
        char op = take(p, "*") ? '*' : take(p, "/") ? '/' : 0;
        struct number right;
        if (!op)
            return true;
        if (!parse_factor(p, &right))
            return false;
        *out = combine(*out, right, op);
    }
}

static bool parse_sum(struct parser *p, struct number *out)
{
    if (!parse_product(p, out))
        return false;
    for (;;) {
        char op = take(p, "+") ? '+' : take(p, "-") ? '-' : 0;
        struct number right;
        if (!op)
            return true;
        if (!parse_product(p, &right))
            return false;
        *out = combine(*out, right, op);
    }
}

static int order(struct number a, struct number b)
{
    if (a.whole && b.whole)
        return a.integer < b.integer ? -1 : a.integer > b.integer;
    return a.real < b.real ? -1 : a.real > b.real;
}

static bool parse_comparison(struct parser *p, struct number *out)
{
    static const char *const operators[] = {"==", "<=", ">=", "<", ">"};
    if (!parse_sum(p, out))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(operators); i++) {
        struct number right;
        if (!take(p, operators[i]))
            continue;
        if (!parse_sum(p, &right))
            return false;
        int o = order(*out, right);
        bool holds[] = {o == 0, o <= 0, o >= 0, o<0, o> 0};
        bool defined = out->defined && right.defined;
        *out = whole(holds[i]);
        out->defined = defined;
        break;
    }
    skip_blanks(p);
    return *p->at == '\0' || fail(p, "something is left over");
}

bool expr_evaluate(const struct stats *s, struct stat_scope scope, const char *expression,
                   struct arena *arena, struct stat_value *out, struct err *err)
{
    struct parser p = {.stats = s,
                       .scope = scope,
                       .all = expression,
                       .at = expression,
                       .arena = arena,
                       .err = err};
    struct number n;
    if (!parse_comparison(&p, &n))
        return false;
    *out = (struct stat_value){.defined = n.defined, .number = n.real};
    if (n.whole && n.integer >= 0 && n.integer <= UINT64_MAX) {
        out->whole = true;
        out->integer = (u64)n.integer;
    }
    return true;
}

void expr_show(const struct stats *s, struct stat_scope scope, const char *expression,
               struct text *out)
{
    struct arena scratch = {0};
    struct err err = ERR_INIT;
    struct parser p = {.stats = s,
                       .scope = scope,
                       .all = expression,
                       .at = expression,
                       .arena = &scratch,
                       .err = &err,
                       .shown = out};
    struct number n;
    parse_comparison(&p, &n);
    arena_fini(&scratch);
}
