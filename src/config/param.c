#include "config/param.h"

#include "base/names.h"
#include "base/units.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *param_type_name(enum param_type type)
{
    static const char *const names[] = {
        [PARAM_END] = "",          [PARAM_U32] = "integer", [PARAM_U64] = "integer",
        [PARAM_DOUBLE] = "number", [PARAM_BOOL] = "bool",   [PARAM_CHOICE] = "choice",
        [PARAM_STRING] = "text",   [PARAM_GROUP] = "group", [PARAM_INSTANCES] = "instances",
    };
    return names[type];
}

u32 param_count(const struct param *table)
{
    u32 n = 0;
    while (table[n].type != PARAM_END)
        n++;
    return n;
}

static u32 choice_count(const struct param *p)
{
    u32 n = 0;
    while (p->choices[n])
        n++;
    return n;
}

void param_range_text(const struct param *p, char *out, size_t size)
{
    char lo[48], hi[48];
    out[0] = '\0';
    switch (p->type) {
    case PARAM_U32:
    case PARAM_U64:
        quantity_text(p->lo, p->unit, lo, sizeof lo);
        quantity_text(p->hi, p->unit, hi, sizeof hi);
        snprintf(out, size, "%s to %s", lo, hi);
        break;
    case PARAM_DOUBLE:
        snprintf(out, size, "%g to %g", p->lo_f, p->hi_f);
        break;
    case PARAM_BOOL:
        snprintf(out, size, "true or false");
        break;
    case PARAM_CHOICE:
        names_join(out, size, p->choices, choice_count(p));
        break;
    case PARAM_STRING:
        snprintf(out, size, "text");
        break;
    case PARAM_GROUP:
    case PARAM_INSTANCES:
    case PARAM_END:
        break;
    }
}

/* The fewest digits that read back as the same number. */
static void number_text(double value, char *out, size_t size)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, size, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            return;
    }
}

void param_value_text(const struct param *p, const void *field, char *out, size_t size)
{
    out[0] = '\0';
    switch (p->type) {
    case PARAM_U32:
        quantity_text(*(const u32 *)field, p->unit, out, size);
        break;
    case PARAM_U64:
        quantity_text(*(const u64 *)field, p->unit, out, size);
        break;
    case PARAM_DOUBLE:
        number_text(*(const double *)field, out, size);
        break;
    case PARAM_BOOL:
        snprintf(out, size, "%s", *(const bool *)field ? "true" : "false");
        break;
    case PARAM_CHOICE:
        snprintf(out, size, "%s", p->choices[*(const u32 *)field]);
        break;
    case PARAM_STRING:
        snprintf(out, size, "%s", *(const char *const *)field);
        break;
    case PARAM_GROUP:
    case PARAM_INSTANCES:
    case PARAM_END:
        break;
    }
}

void param_set_initial(const struct param *p, void *field)
{
    switch (p->type) {
    case PARAM_U32:
    case PARAM_CHOICE:
        *(u32 *)field = (u32)p->initial;
        break;
    case PARAM_U64:
        *(u64 *)field = p->initial;
        break;
    case PARAM_DOUBLE:
        *(double *)field = p->initial_f;
        break;
    case PARAM_BOOL:
        *(bool *)field = p->initial != 0;
        break;
    case PARAM_STRING:
        *(const char **)field = p->initial_s;
        break;
    case PARAM_GROUP:
    case PARAM_INSTANCES:
    case PARAM_END:
        break;
    }
}

void param_initial_text(const struct param *p, char *out, size_t size)
{
    union {
        u32 w;
        u64 d;
        double f;
        bool b;
        const char *s;
    } field = {.d = 0};
    param_set_initial(p, &field);
    param_value_text(p, &field, out, size);
}

/* Why a quantity was refused, in the words of its parameter. */
static bool refuse_quantity(const struct param *p, const char *path, const char *text,
                            enum quantity_status status, struct src_pos at, struct err *err)
{
    char units[128] = "", quoted[128], range[128];
    const struct unit_def *unit = unit_find(p->unit);
    if (unit)
        unit_list(unit->dimension, units, sizeof units);
    param_range_text(p, range, sizeof range);
    snprintf(quoted, sizeof quoted, "'%s'", text);
    switch (status) {
    case QUANTITY_NOT_A_NUMBER:
    case QUANTITY_TOO_LARGE:
        return err_found(err, at, path, quoted, "a number, %s", range);
    case QUANTITY_UNKNOWN_UNIT:
    case QUANTITY_WRONG_DIMENSION:
        if (!*units)
            return err_found(err, at, path, quoted, "a plain number of %s", p->unit);
        return err_found(err, at, path, quoted, "a number in %s", units);
    case QUANTITY_NOT_WHOLE:
        return err_found(err, at, path, quoted, "a whole number of %s", p->unit);
    case QUANTITY_OK:
        break;
    }
    return true;
}

static bool set_integer(const struct param *p, void *field, const char *path, const char *text,
                        struct src_pos at, struct err *err)
{
    u64 v = 0;
    enum quantity_status status = quantity_u64(text, p->unit, &v);
    if (status != QUANTITY_OK)
        return refuse_quantity(p, path, text, status, at, err);
    if (v < p->lo || v > p->hi) {
        char range[112];
        param_range_text(p, range, sizeof range);
        return err_found(err, at, path, text, "%s", range);
    }
    if (p->type == PARAM_U32)
        *(u32 *)field = (u32)v;
    else
        *(u64 *)field = v;
    return true;
}

static bool set_number(const struct param *p, void *field, const char *path, const char *text,
                       struct src_pos at, struct err *err)
{
    double v = 0;
    enum quantity_status status = quantity_double(text, p->unit, &v);
    if (status != QUANTITY_OK)
        return refuse_quantity(p, path, text, status, at, err);
    if (!(v >= p->lo_f && v <= p->hi_f)) {
        char range[112];
        param_range_text(p, range, sizeof range);
        return err_found(err, at, path, text, "%s", range);
    }
    *(double *)field = v;
    return true;
}

static bool set_bool(void *field, const char *path, const char *text, struct src_pos at,
                     struct err *err)
{
    bool yes = strcmp(text, "true") == 0, no = strcmp(text, "false") == 0;
    if (!yes && !no) {
        char quoted[128];
        snprintf(quoted, sizeof quoted, "'%s'", text);
        return err_found(err, at, path, quoted, "true or false");
    }
    *(bool *)field = yes;
    return true;
}

bool param_set(const struct param *p, void *field, const char *path, const char *text,
               struct src_pos at, struct err *err)
{
    switch (p->type) {
    case PARAM_U32:
    case PARAM_U64:
        return set_integer(p, field, path, text, at, err);
    case PARAM_DOUBLE:
        return set_number(p, field, path, text, at, err);
    case PARAM_BOOL:
        return set_bool(field, path, text, at, err);
    case PARAM_CHOICE:
        for (u32 i = 0; p->choices[i]; i++) {
            if (strcmp(text, p->choices[i]) == 0) {
                *(u32 *)field = i;
                return true;
            }
        }
        return err_unknown(err, at, path, text, p->choices, choice_count(p), "heddle list params");
    case PARAM_STRING:
        *(const char **)field = text;
        return true;
    case PARAM_GROUP:
    case PARAM_INSTANCES:
    case PARAM_END:
        break;
    }
    assert(false && "a group has no text");
    return false;
}
