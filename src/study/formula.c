#include "study/formula.h"

#include "base/infix.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_WORD 192

struct reading {
    const struct formula_scope *scope;
    struct src_pos pos;
    struct err *err;
};

static const struct reading *reading_of(const struct infix *p)
{
    return p->context;
}

static bool fail(struct infix *p, const char *what)
{
    const struct reading *r = p->context;
    return err_at(r->err, r->pos, "formula '%s': %s at '%s'", p->all, what,
                  *p->at ? p->at : "its end");
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* ---- tables ---- */

static struct formula_table table_new(const struct infix *p, u32 programs, u32 points,
                                      const struct formula_axis *axis)
{
    return (struct formula_table){
        programs, points, axis,
        ARENA_ARRAY(reading_of(p)->scope->arena, double, (size_t)programs *points + 1)};
}

static struct formula_table table_number(const struct infix *p, double number)
{
    struct formula_table t = table_new(p, 1, 1, NULL);
    t.cells[0] = number;
    return t;
}

static double cell(const struct formula_table *t, u32 program, u32 point)
{
    return t->cells[(t->programs > 1 ? program : 0) * t->points + (t->points > 1 ? point : 0)];
}

static double combine(double a, double b, enum infix_operator operation)
{
    if (operation == INFIX_AND && (a == 0 || b == 0)) /* false whatever the missing one is */
        return 0;
    if (operation == INFIX_OR && ((!isnan(a) && a != 0) || (!isnan(b) && b != 0)))
        return 1;
    if (isnan(a) || isnan(b))
        return NAN;
    switch (operation) {
    case INFIX_PLUS:
        return a + b;
    case INFIX_MINUS:
        return a - b;
    case INFIX_TIMES:
        return a * b;
    case INFIX_OVER:
        return b == 0 ? NAN : a / b;
    case INFIX_BELOW:
        return a < b;
    case INFIX_ABOVE:
        return a > b;
    case INFIX_AT_MOST:
        return a <= b;
    case INFIX_AT_LEAST:
        return a >= b;
    case INFIX_EQUAL:
        return a == b;
    case INFIX_UNEQUAL:
        return a != b;
    case INFIX_AND:
        return a != 0 && b != 0;
    default:
        return a != 0 || b != 0;
    }
}

/* Two sets of runs that sweep the same values have the same points. */
static bool same_points(const struct formula_axis *a, const struct formula_axis *b)
{
    bool same = a->count == b->count;
    for (u32 i = 0; same && a != b && i < a->count; i++)
        same = strcmp(a->labels[i], b->labels[i]) == 0;
    return same;
}

/* a becomes a OPERATION b, cell by cell. */
static bool apply(struct infix *p, struct formula_table *a, const struct formula_table *b,
                  enum infix_operator operation)
{
    if (a->points > 1 && b->points > 1 && !same_points(a->axis, b->axis))
        return fail(p, "both sides have points of their own, expected the same ones");
    u32 programs = a->programs > b->programs ? a->programs : b->programs;
    u32 points = a->points > b->points ? a->points : b->points;
    struct formula_table r = table_new(p, programs, points, a->points > 1 ? a->axis : b->axis);
    for (u32 i = 0; i < programs; i++) {
        for (u32 k = 0; k < points; k++)
            r.cells[i * points + k] = combine(cell(a, i, k), cell(b, i, k), operation);
    }
    *a = r;
    return true;
}

/* ---- names ---- */

/* Letters up to one of `stops`; blanks at both ends are left out. */
static bool read_until(struct infix *p, const char *stops, char *word)
{
    infix_skip_blanks(p);
    size_t n = strcspn(p->at, stops);
    if (n == 0 || n >= LONGEST_WORD || !p->at[n])
        return fail(p, "a name is missing or not closed");
    memcpy(word, p->at, n);
    p->at += n;
    while (n && word[n - 1] == ' ')
        n--;
    word[n] = '\0';
    return true;
}

static bool read_word(struct infix *p, char *word)
{
    infix_skip_blanks(p);
    size_t n = 0;
    while (is_word(p->at[n]) && n + 1 < LONGEST_WORD)
        n++;
    if (!n)
        return fail(p, "expected a name");
    memcpy(word, p->at, n);
    word[n] = '\0';
    p->at += n;
    return true;
}

/* Does a bracket hold the name of a program? Otherwise it holds a label of the statistic. */
static bool is_program(const struct formula_scope *s, const char *in_bracket)
{
    size_t n = strcspn(in_bracket, ",]");
    for (u32 i = 0; i < s->program_count; i++) {
        if (strncmp(s->programs[i], in_bracket, n) == 0 && !s->programs[i][n])
            return true;
    }
    return false;
}

#define MOST_ELEMENTS 256u /* of a statistic that is an array, as points */

/* "[2..5]" at `at`: elements whose labels are numbers. */
static bool is_range(const char *at, u32 *first, u32 *last)
{
    int end = 0;
    return sscanf(at, "[%u..%u]%n", first, last, &end) == 2 && end;
}

static struct formula_axis *axis_of_elements(struct arena *arena, const char *name, u32 first,
                                             u32 count)
{
    struct formula_axis *axis = ARENA_NEW(arena, struct formula_axis);
    const char **labels = ARENA_ARRAY(arena, const char *, count);
    double *at = ARENA_ARRAY(arena, double, count);
    for (u32 i = 0; i < count; i++) {
        labels[i] = arena_printf(arena, "%u", first + i);
        at[i] = first + i;
    }
    *axis = (struct formula_axis){arena_strdup(arena, name), labels, at, count};
    return axis;
}

/* RUN:part.part[2..5]: elements of an array as points. */
static bool read_elements(struct infix *p, const char *run, const char *name, u32 first, u32 last,
                          struct formula_table *out)
{
    const struct formula_scope *s = reading_of(p)->scope;
    if (first >= last || last - first >= MOST_ELEMENTS)
        return fail(p, "elements of a statistic, expected two rising numbers at most 255 apart");
    u32 count = last - first + 1;
    for (u32 k = 0; k < count; k++) {
        struct formula_table one;
        char *element = arena_printf(s->arena, "%s[%u]", name, first + k);
        if (!s->statistic(s->context, run, element, &one, reading_of(p)->pos, reading_of(p)->err))
            return false;
        if (one.points > 1)
            return fail(p, "elements of a statistic of runs that sweep a parameter, "
                           "expected one point for each program");
        if (!k)
            *out =
                table_new(p, one.programs, count, axis_of_elements(s->arena, name, first, count));
        for (u32 i = 0; i < out->programs; i++)
            out->cells[i * count + k] = one.cells[i];
    }
    return true;
}

/* RUN:part.part[label], the colon taken */
static bool read_statistic(struct infix *p, const char *run, struct formula_table *out)
{
    char name[LONGEST_WORD];
    size_t n = 0;
    u32 first, last;
    while (is_word(p->at[n]) || p->at[n] == '.')
        n++;
    if (n && n < sizeof name && is_range(p->at + n, &first, &last)) {
        memcpy(name, p->at, n);
        name[n] = '\0';
        p->at += n + strcspn(p->at + n, "]") + 1;
        return read_elements(p, run, name, first, last, out);
    }
    if (p->at[n] == '[' && !is_program(reading_of(p)->scope, p->at + n + 1))
        n += strcspn(p->at + n, "]") + 1;
    if (n == 0 || n >= sizeof name || n > strlen(p->at))
        return fail(p, "expected the name of a statistic");
    memcpy(name, p->at, n);
    name[n] = '\0';
    p->at += n;
    return reading_of(p)->scope->statistic(reading_of(p)->scope->context, run, name, out,
                                           reading_of(p)->pos, reading_of(p)->err);
}

static bool pick_program(struct infix *p, struct formula_table *t, const char *name)
{
    const struct formula_scope *s = reading_of(p)->scope;
    for (u32 i = 0; i < s->program_count; i++) {
        if (strcmp(s->programs[i], name) != 0)
            continue;
        struct formula_table r = table_new(p, 1, t->points, t->axis);
        for (u32 k = 0; k < t->points; k++)
            r.cells[k] = cell(t, i, k);
        *t = r;
        if (s->rejected && s->judged && !s->judged[i])
            *s->rejected = s->programs[i];
        return true;
    }
    return err_unknown(reading_of(p)->err, reading_of(p)->pos, "program of the study", name,
                       s->programs, s->program_count, NULL);
}

static bool pick_point(struct infix *p, struct formula_table *t, double at)
{
    if (!t->axis)
        return fail(p, "there are no points to choose from");
    for (u32 k = 0; k < t->points; k++) {
        if (!(fabs(t->axis->at[k] - at) <= 1e-9 * fabs(at)))
            continue;
        struct formula_table r = table_new(p, t->programs, 1, NULL);
        for (u32 i = 0; i < t->programs; i++)
            r.cells[i] = cell(t, i, k);
        *t = r;
        return true;
    }
    char found[32];
    snprintf(found, sizeof found, "%g", at);
    return err_unknown(reading_of(p)->err, reading_of(p)->pos, "point", found, t->axis->labels,
                       t->axis->count, NULL);
}

/* value[program] or value[program, point], the bracket taken */
static bool read_pick(struct infix *p, struct formula_table *t)
{
    char program[LONGEST_WORD];
    if (!read_until(p, ",]", program) || !pick_program(p, t, program))
        return false;
    struct formula_table at;
    if (infix_take(p, ",") && !(infix_read(p, &at) && pick_point(p, t, at.cells[0])))
        return false;
    return infix_expect(p, "]");
}

/* ---- functions ---- */

typedef double (*over_programs)(const double *x, u32 n);

static const struct {
    const char *name;
    over_programs of;
} program_functions[] = {
    {"mean", numbers_mean},
    {"gmean", numbers_geometric_mean},
    {"hmean", numbers_harmonic_mean},
    {"median", numbers_median},
    {"min", numbers_least},
    {"max", numbers_most},
    {"sum", numbers_sum},
    {"count", numbers_count},
};

/* ", GROUP", if it is there; members are left as they are if not. */
static bool read_group(struct infix *p, const u8 **members)
{
    char name[LONGEST_WORD];
    const struct formula_scope *s = reading_of(p)->scope;
    return !infix_take(p, ",") ||
           (read_word(p, name) &&
            s->group(s->context, name, members, reading_of(p)->pos, reading_of(p)->err));
}

static bool fold_programs(struct infix *p, over_programs of, struct formula_table *t)
{
    const struct formula_scope *s = reading_of(p)->scope;
    const u8 *members = s->judged;
    if (!infix_read(p, t) || !read_group(p, &members))
        return false;
    struct formula_table r = table_new(p, 1, t->points, t->axis);
    double *x = ARENA_ARRAY(s->arena, double, s->program_count + 1);
    for (u32 k = 0; k < t->points; k++) {
        u32 n = 0;
        for (u32 i = 0; i < s->program_count; i++) {
            if (!members || members[i])
                x[n++] = cell(t, i, k);
        }
        r.cells[k] = of(x, n);
    }
    *t = r;
    return infix_expect(p, ")");
}

/* Is what follows a name and nothing more? */
static bool is_name_alone(const struct infix *p)
{
    const char *c = p->at + strspn(p->at, " ");
    while (is_word(*c))
        c++;
    return c[strspn(c, " ")] == ')';
}

/* rank(VALUE): of its measured with its published numbers; rank(A, B), rank(A, B, GROUP): of two
 * measured ones */
static bool correlate(struct infix *p, bool by_rank, struct formula_table *t)
{
    char name[LONGEST_WORD];
    struct formula_table other = table_number(p, NAN);
    const struct formula_scope *s = reading_of(p)->scope;
    const u8 *members = s->judged;
    bool with_published = is_name_alone(p);
    if (with_published ? !(read_word(p, name) &&
                           s->value(s->context, name, t, reading_of(p)->pos, reading_of(p)->err))
                       : !(infix_read(p, t) && infix_expect(p, ",") && infix_read(p, &other) &&
                           read_group(p, &members)))
        return false;
    double *x = ARENA_ARRAY(s->arena, double, s->program_count + 1),
           *y = ARENA_ARRAY(s->arena, double, s->program_count + 1);
    for (u32 i = 0; i < s->program_count; i++) {
        x[i] = !members || members[i] ? cell(t, i, 0) : NAN;
        y[i] = with_published ? s->published(s->context, name, i) : cell(&other, i, 0);
    }
    *t = table_number(p, (by_rank ? numbers_spearman : numbers_pearson)(x, y, s->program_count));
    return infix_expect(p, ")");
}

/* fits(VALUE): 1 for programs whose number lies in the band of the published one. */
static bool fits(struct infix *p, struct formula_table *t)
{
    char name[LONGEST_WORD];
    const struct formula_scope *s = reading_of(p)->scope;
    if (!read_word(p, name) ||
        !s->value(s->context, name, t, reading_of(p)->pos, reading_of(p)->err) ||
        !infix_expect(p, ")"))
        return false;
    struct formula_table r = table_new(p, s->program_count, 1, NULL);
    for (u32 i = 0; i < s->program_count; i++)
        r.cells[i] = s->fits(s->context, name, i, cell(t, i, 0));
    *t = r;
    return true;
}

/* DATA:COLUMN) with a file of the study; anything else is left for an expression. */
static bool takes_column(struct infix *p, struct formula_table *t)
{
    const struct reading *r = reading_of(p);
    char data[LONGEST_WORD], column[LONGEST_WORD];
    int end = 0;
    infix_skip_blanks(p);
    if (sscanf(p->at, "%191[A-Za-z0-9_]:%191[A-Za-z0-9_] )%n", data, column, &end) != 2 || !end ||
        !r->scope->data_of_mix(r->scope->context, data, column, t, r->pos, r->err))
        return false;
    p->at += end;
    return true;
}

/* of_mix(V): for a mix the least that its programs have, for any other program what it has. A mix
 * of which one program has nothing has nothing either. */
static bool of_mix(struct infix *p, struct formula_table *t)
{
    enum { MOST_PARTS = 64 };
    const struct formula_scope *s = reading_of(p)->scope;
    u32 parts[MOST_PARTS];
    double x[MOST_PARTS];
    if (takes_column(p, t))
        return true;
    if (reading_of(p)->err->kind != ERR_NONE || !infix_read(p, t) || !infix_expect(p, ")"))
        return false;
    struct formula_table r = table_new(p, s->program_count, 1, NULL);
    for (u32 i = 0; i < s->program_count; i++) {
        u32 n = s->parts(s->context, i, parts, MOST_PARTS);
        for (u32 k = 0; k < n; k++)
            x[k] = cell(t, parts[k], 0);
        r.cells[i] = !n ? cell(t, i, 0) : numbers_count(x, n) < n ? NAN : numbers_least(x, n);
    }
    *t = r;
    return true;
}

enum curve { CURVE_AT, CURVE_CROSS, CURVE_PLATEAU, CURVE_HIGHEST, CURVE_LOWEST, CURVE_AVERAGE };
static const char *const curve_names[] = {"at", "cross", "plateau", "highest", "lowest", "average"};

static bool fold_points(struct infix *p, enum curve curve, struct formula_table *t)
{
    struct formula_table second = table_number(p, NAN);
    if (!infix_read(p, t))
        return false;
    bool takes_two = curve <= CURVE_PLATEAU;
    if (takes_two && !(infix_expect(p, ",") && infix_read(p, &second)))
        return false;
    if (!infix_expect(p, ")"))
        return false;
    if (!t->axis)
        return fail(p, "there are no points here, expected a set of runs that sweeps a parameter");
    if (curve == CURVE_AT)
        return pick_point(p, t, second.cells[0]);
    struct formula_table r = table_new(p, t->programs, 1, NULL);
    for (u32 i = 0; i < t->programs; i++) {
        const double *y = t->cells + (size_t)i * t->points, *x = t->axis->at;
        r.cells[i] = curve == CURVE_CROSS     ? curve_cross(x, y, t->points, second.cells[0])
                     : curve == CURVE_PLATEAU ? curve_plateau(x, y, t->points, second.cells[0])
                     : curve == CURVE_HIGHEST ? numbers_most(y, t->points)
                     : curve == CURVE_LOWEST  ? numbers_least(y, t->points)
                                              : numbers_mean(y, t->points);
    }
    *t = r;
    return true;
}

/* at_lowest(V): the point where a curve is lowest; at_lowest(V, W): what W is there */
static bool at_lowest(struct infix *p, struct formula_table *t)
{
    struct formula_table other;
    if (!infix_read(p, t))
        return false;
    bool has_other = infix_take(p, ",");
    if ((has_other && !infix_read(p, &other)) || !infix_expect(p, ")"))
        return false;
    if (!t->axis || (has_other && (!other.axis || !same_points(t->axis, other.axis))))
        return fail(p, "there are no points, or not the same ones, expected sets of runs that "
                       "sweep the same values");
    struct formula_table r = table_new(p, t->programs, 1, NULL);
    for (u32 i = 0; i < t->programs; i++) {
        const double *y = t->cells + (size_t)i * t->points;
        double least = numbers_least(y, t->points);
        u32 k = 0;
        while (k < t->points && !(y[k] == least))
            k++;
        r.cells[i] = k == t->points ? NAN : has_other ? cell(&other, i, k) : t->axis->at[k];
    }
    *t = r;
    return true;
}

/* power(v, x): each number to the power of another. */
static bool power(struct infix *p, struct formula_table *t)
{
    struct formula_table x;
    if (!infix_read(p, t) || !infix_expect(p, ",") || !infix_read(p, &x) || !infix_expect(p, ")"))
        return false;
    if (x.programs * x.points != 1)
        return fail(
            p, "the second argument of power() has a number for each program, expected one number");
    struct formula_table r = table_new(p, t->programs, t->points, t->axis);
    for (u32 i = 0; i < t->programs * t->points; i++)
        r.cells[i] = pow(t->cells[i], x.cells[0]);
    *t = r;
    return true;
}

static bool absolute(struct infix *p, struct formula_table *t)
{
    if (!infix_read(p, t) || !infix_expect(p, ")"))
        return false;
    struct formula_table r = table_new(p, t->programs, t->points, t->axis);
    for (u32 i = 0; i < t->programs * t->points; i++)
        r.cells[i] = fabs(t->cells[i]);
    *t = r;
    return true;
}

static bool call(struct infix *p, const char *name, struct formula_table *t)
{
    static const char *const names[] = {
        "mean",   "gmean", "hmean",     "median",  "min",   "max",     "sum",
        "count",  "rank",  "pearson",   "at",      "cross", "plateau", "highest",
        "lowest", "abs",   "at_lowest", "average", "power", "fits",    "of_mix"};
    for (size_t i = 0; i < ARRAY_LEN(program_functions); i++) {
        if (strcmp(program_functions[i].name, name) == 0)
            return fold_programs(p, program_functions[i].of, t);
    }
    for (size_t i = 0; i < ARRAY_LEN(curve_names); i++) {
        if (strcmp(curve_names[i], name) == 0)
            return fold_points(p, (enum curve)i, t);
    }
    if (strcmp(name, "rank") == 0 || strcmp(name, "pearson") == 0)
        return correlate(p, name[0] == 'r', t);
    if (strcmp(name, "power") == 0)
        return power(p, t);
    if (strcmp(name, "abs") == 0)
        return absolute(p, t);
    if (strcmp(name, "at_lowest") == 0)
        return at_lowest(p, t);
    if (strcmp(name, "fits") == 0)
        return fits(p, t);
    if (strcmp(name, "of_mix") == 0)
        return of_mix(p, t);
    return err_unknown(reading_of(p)->err, reading_of(p)->pos, "function", name, names,
                       ARRAY_LEN(names), NULL);
}

/* ---- grammar ---- */

static bool read_operand(struct infix *p, void *operand)
{
    char word[LONGEST_WORD];
    struct formula_table *out = operand;
    const struct formula_scope *s = reading_of(p)->scope;
    if (isdigit((unsigned char)*p->at)) {
        char *end;
        *out = table_number(p, strtod(p->at, &end));
        p->at = end;
        return true;
    }
    if (!read_word(p, word))
        return false;
    if (*p->at == ':') {
        p->at++;
        return read_statistic(p, word, out);
    }
    if (infix_take(p, "("))
        return call(p, word, out);
    return s->value(s->context, word, out, reading_of(p)->pos, reading_of(p)->err);
}

static bool read_suffix(struct infix *p, void *operand)
{
    return !infix_take(p, "[") || read_pick(p, operand);
}

/* A divisor without a name in it is what was written, not what was measured. */
static bool is_written_zero(const char *start, const char *end, const struct formula_table *t)
{
    while (start < end && strchr("0123456789.+-*/() ", *start))
        start++;
    return start == end && t->cells[0] == 0;
}

static bool apply_operator(struct infix *p, enum infix_operator op, void *a, const void *b,
                           const char *start)
{
    if (op == INFIX_NOT || op == INFIX_NEGATE) {
        struct formula_table other = table_number(p, op == INFIX_NOT ? 0 : -1);
        return apply(p, a, &other, op == INFIX_NOT ? INFIX_EQUAL : INFIX_TIMES);
    }
    if (!apply(p, a, b, op))
        return false;
    return op != INFIX_OVER || !is_written_zero(start, p->at, b) ||
           fail(p, "divides by 0 before this");
}

static const struct infix_reader reader = {.bytes = sizeof(struct formula_table),
                                           .operand = read_operand,
                                           .apply = apply_operator,
                                           .suffix = read_suffix,
                                           .fail = fail};

bool formula_evaluate(const struct formula_scope *scope, const char *text, struct src_pos at,
                      struct formula_table *out, struct err *err)
{
    struct reading r = {.scope = scope, .pos = at, .err = err};
    struct infix p = {.reader = &reader, .context = &r, .all = text, .at = text};
    return infix_read_all(&p, out);
}
