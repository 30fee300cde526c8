#include "stats/expr.h"

#include "base/infix.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 32

struct number {
    bool defined, whole;
    i128 integer;
    double real;
};

struct reading {
    const struct stats *stats;
    struct stat_scope scope;
    struct arena *arena;
    struct err *err;
    struct text *shown; /* NULL: evaluate silently */
    u32 depth;          /* of formulas in formulas */
};

static bool fail(struct infix *x, const char *what)
{
    const struct reading *p = x->context;
    return err_kind(p->err, ERR_INTERNAL, "statistic expression '%s': %s at '%s'", x->all, what,
                    x->at);
}

static void show_token(struct infix *x, const char *token)
{
    const struct reading *p = x->context;
    if (p->shown)
        text_printf(p->shown, strchr("()", token[0]) ? "%s" : " %s ", token);
}

static void show_number(const struct reading *p, const struct number *n)
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

/* ---- operands ---- */

#define ALL_LABELS UINT32_MAX

static bool read_expression(struct reading *p, const char *expression, struct number *out);

/* label: of an array; ALL_LABELS: their sum. */
static bool value_of(struct reading *p, struct stat_scope scope, const struct stat_def *def,
                     u32 label, struct number *out)
{
    struct stat_value v;
    if (!stats_evaluate(p->stats, scope, def, p->arena, &v, p->err))
        return false;
    if (v.shape == STAT_LIST) {
        i128 sum = 0;
        for (u32 i = 0; i < def->label_count; i++)
            sum += label == ALL_LABELS || label == i ? v.list[i] : 0;
        *out = whole(sum);
    } else if (v.shape == STAT_BINS) { /* a histogram for its number of samples */
        *out = whole(v.bins.samples);
    } else {
        *out = v.whole ? whole(v.integer) : real(v.number);
        out->defined = v.defined;
    }
    return true;
}

/* The [label] behind an array's name, if there is one. */
static bool read_label(struct infix *x, const struct stat_def *def, u32 *out)
{
    *out = ALL_LABELS;
    if (*x->at != '[')
        return true;
    size_t n = strcspn(x->at, "]");
    for (u32 i = 0; def->kind == STAT_ARRAY && i < def->label_count; i++) {
        if (strlen(def->labels[i]) == n - 1 && !strncmp(def->labels[i], x->at + 1, n - 1))
            *out = i;
    }
    if (*out == ALL_LABELS || !x->at[n])
        return fail(x, "unknown label");
    x->at += n + 1;
    return true;
}

static bool read_name(struct infix *x, struct number *out)
{
    struct reading *p = x->context;
    char name[128];
    size_t n = 0;
    while (isalnum((unsigned char)*x->at) || *x->at == '_' || *x->at == '.') {
        if (n + 1 == sizeof name)
            return fail(x, "a name is too long");
        name[n++] = *x->at++;
    }
    name[n] = '\0';
    if (n == 0)
        return fail(x, "a name or number is missing");
    struct stat_scope found;
    const struct stat_def *def = stats_resolve(p->stats, p->scope, name, p->arena, &found);
    if (!def || def->kind == STAT_LAW)
        return fail(x, "unknown statistic");
    u32 label;
    if (!read_label(x, def, &label))
        return false;
    if (p->depth == DEEPEST)
        return fail(x, "formulas refer to each other in a circle");
    struct reading inner = *p;
    inner.scope = found;
    inner.shown = NULL;
    inner.depth++;
    if (def->kind == STAT_FORMULA ? !read_expression(&inner, def->expression, out)
                                  : !value_of(p, found, def, label, out))
        return false;
    show_number(p, out);
    return true;
}

static bool read_operand(struct infix *x, void *out)
{
    if (!isdigit((unsigned char)*x->at))
        return read_name(x, out);
    char *end;
    double v = strtod(x->at, &end);
    bool is_whole = strcspn(x->at, ".eE") >= (size_t)(end - x->at) && v < 0x1p53;
    x->at = end;
    *(struct number *)out = is_whole ? whole((i128)v) : real(v);
    show_number(x->context, out);
    return true;
}

/* ---- operators ---- */

static struct number combine(struct number a, struct number b, enum infix_operator op)
{
    struct number r = {.defined = a.defined && b.defined && !(op == INFIX_OVER && b.real == 0)};
    if (!r.defined)
        return r;
    if (a.whole && b.whole && op != INFIX_OVER)
        return whole(op == INFIX_PLUS    ? a.integer + b.integer
                     : op == INFIX_MINUS ? a.integer - b.integer
                                         : a.integer * b.integer);
    return real(op == INFIX_PLUS    ? a.real + b.real
                : op == INFIX_MINUS ? a.real - b.real
                : op == INFIX_TIMES ? a.real * b.real
                                    : a.real / b.real);
}

static int order(struct number a, struct number b)
{
    if (a.whole && b.whole)
        return a.integer < b.integer ? -1 : a.integer > b.integer;
    return a.real < b.real ? -1 : a.real > b.real;
}

static struct number compare(struct number a, struct number b, enum infix_operator op)
{
    int o = order(a, b);
    struct number r = whole(op == INFIX_EQUAL      ? o == 0
                            : op == INFIX_UNEQUAL  ? o != 0
                            : op == INFIX_AT_MOST  ? o <= 0
                            : op == INFIX_AT_LEAST ? o >= 0
                            : op == INFIX_BELOW    ? o < 0
                                                   : o > 0);
    r.defined = a.defined && b.defined;
    return r;
}

static bool apply(struct infix *x, enum infix_operator op, void *left, const void *right,
                  const char *start)
{
    struct number *a = left;
    (void)start;
    if (op == INFIX_OR || op == INFIX_AND || op == INFIX_NOT)
        return fail(x, "'or', 'and' and 'not' do not belong in a statistic");
    if (op == INFIX_NEGATE)
        *a = combine(whole(0), *a, INFIX_MINUS);
    else if (op >= INFIX_PLUS)
        *a = combine(*a, *(const struct number *)right, op);
    else
        *a = compare(*a, *(const struct number *)right, op);
    return true;
}

static const struct infix_reader reader = {.bytes = sizeof(struct number),
                                           .operand = read_operand,
                                           .apply = apply,
                                           .took = show_token,
                                           .fail = fail};

static bool read_expression(struct reading *p, const char *expression, struct number *out)
{
    struct infix x = {.reader = &reader, .context = p, .all = expression, .at = expression};
    return infix_read_all(&x, out);
}

bool expr_evaluate(const struct stats *s, struct stat_scope scope, const char *expression,
                   struct arena *arena, struct stat_value *out, struct err *err)
{
    struct reading p = {.stats = s, .scope = scope, .arena = arena, .err = err};
    struct number n;
    if (!read_expression(&p, expression, &n))
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
    struct reading p = {.stats = s, .scope = scope, .arena = &scratch, .err = &err, .shown = out};
    struct number n;
    read_expression(&p, expression, &n);
    arena_fini(&scratch);
}
