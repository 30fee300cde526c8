#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct unit_def units[] = {
    {"bytes", "size", 0, 0}, {"B", "size", 0, 0}, {"KiB", "size", 0, 10}, {"MiB", "size", 0, 20},
    {"GiB", "size", 0, 30},  {"TiB", "size", 0, 40},
    {"Hz", "frequency", 0, 0}, {"kHz", "frequency", 3, 0}, {"MHz", "frequency", 6, 0},
    {"GHz", "frequency", 9, 0},
    {"fs", "time", -15, 0}, {"ps", "time", -12, 0}, {"ns", "time", -9, 0}, {"us", "time", -6, 0},
    {"ms", "time", -3, 0}, {"s", "time", 0, 0},
    {"fJ", "energy", -15, 0}, {"pJ", "energy", -12, 0}, {"nJ", "energy", -9, 0},
    {"uJ", "energy", -6, 0}, {"mJ", "energy", -3, 0}, {"J", "energy", 0, 0},
    {"uW", "power", -6, 0}, {"mW", "power", -3, 0}, {"W", "power", 0, 0},
    {"mV", "voltage", -3, 0}, {"V", "voltage", 0, 0},
};
/* clang-format on */

const struct unit_def *unit_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(units); i++) {
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    }
    return NULL;
}

size_t unit_list(const char *dimension, char *out, size_t size)
{
    size_t used = 0, last = 0;
    for (size_t i = 0; i < ARRAY_LEN(units); i++) {
        if (strcmp(units[i].dimension, dimension) == 0)
            last = i;
    }
    const char *between = "";
    for (size_t i = 0; i <= last; i++) {
        if (strcmp(units[i].dimension, dimension) != 0 || used >= size)
            continue;
        int n = snprintf(out + used, size - used, "%s%s", i == last && used ? " or " : between,
                         units[i].name);
        used += n > 0 ? (size_t)n : 0;
        between = ", ";
    }
    return used;
}

/* A decimal number as an integer of 64 bits and a power of ten, so that
 * 1.4GHz is exactly 1,400,000,000 Hz. */
struct decimal {
    u64 digits;
    i32 exponent;
};

static enum quantity_status read_decimal(const char **text, struct decimal *d)
{
    const char *s = *text;
    bool any = false, point = false;
    *d = (struct decimal){0};
    for (;; s++) {
        if (*s == '_' && any && isdigit((unsigned char)s[1]))
            continue;
        if (*s == '.' && !point) {
            point = true;
            continue;
        }
        if (!isdigit((unsigned char)*s))
            break;
        any = true;
        if (__builtin_mul_overflow(d->digits, 10, &d->digits) ||
            __builtin_add_overflow(d->digits, (u64)(*s - '0'), &d->digits))
            return QUANTITY_TOO_LARGE;
        d->exponent -= point;
    }
    if (any && (*s == 'e' || *s == 'E') &&
        (isdigit((unsigned char)s[1]) ||
         ((s[1] == '-' || s[1] == '+') && isdigit((unsigned char)s[2])))) {
        char *end;
        errno = 0;
        long e = strtol(s + 1, &end, 10);
        if (errno || e > 40 || e < -40)
            return QUANTITY_TOO_LARGE;
        d->exponent += (i32)e;
        s = end;
    }
    *text = s;
    return any ? QUANTITY_OK : QUANTITY_NOT_A_NUMBER;
}

/* Splits "16KiB" into its number and the factor to the wanted unit. */
static enum quantity_status read_quantity(const char *text, const char *unit, struct decimal *d,
                                          i32 *exponent2)
{
    const char *s = text;
    enum quantity_status status = read_decimal(&s, d);
    if (status != QUANTITY_OK)
        return status;
    while (*s == ' ')
        s++;
    *exponent2 = 0;
    if (*s == '\0' || strcmp(s, unit) == 0)
        return QUANTITY_OK;
    const struct unit_def *from = unit_find(s), *to = unit_find(unit);
    if (!from)
        return isalpha((unsigned char)*s) ? QUANTITY_UNKNOWN_UNIT : QUANTITY_NOT_A_NUMBER;
    if (!to || strcmp(from->dimension, to->dimension) != 0)
        return QUANTITY_WRONG_DIMENSION;
    d->exponent += from->exponent10 - to->exponent10;
    *exponent2 = from->exponent2 - to->exponent2;
    return QUANTITY_OK;
}

enum quantity_status quantity_u64(const char *text, const char *unit, u64 *out)
{
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        char *end;
        errno = 0;
        u64 v = strtoull(text, &end, 16);
        if (!isxdigit((unsigned char)text[2]) || *end)
            return QUANTITY_NOT_A_NUMBER;
        if (errno)
            return QUANTITY_TOO_LARGE;
        *out = v;
        return QUANTITY_OK;
    }
    struct decimal d;
    i32 exponent2;
    enum quantity_status st = read_quantity(text, unit, &d, &exponent2);
    if (st != QUANTITY_OK)
        return st;
    u128 v = d.digits;
    for (; exponent2 > 0; exponent2--) {
        v *= 2;
        if (v >> 90)
            return QUANTITY_TOO_LARGE;
    }
    for (; d.exponent > 0 && v; d.exponent--) {
        v *= 10;
        if (v >> 120)
            return QUANTITY_TOO_LARGE;
    }
    for (; d.exponent < 0 && v; d.exponent++) {
        if (v % 10)
            return QUANTITY_NOT_WHOLE;
        v /= 10;
    }
    for (; exponent2 < 0 && v; exponent2++) {
        if (v % 2)
            return QUANTITY_NOT_WHOLE;
        v /= 2;
    }
    if (v > UINT64_MAX)
        return QUANTITY_TOO_LARGE;
    *out = (u64)v;
    return QUANTITY_OK;
}

enum quantity_status quantity_double(const char *text, const char *unit, double *out)
{
    bool negative = text[0] == '-';
    struct decimal d;
    i32 exponent2;
    enum quantity_status st = read_quantity(text + negative, unit, &d, &exponent2);
    if (st != QUANTITY_OK)
        return st;
    /* strtod rounds correctly, a loop of multiplications would not */
    char plain[64];
    snprintf(plain, sizeof plain, "%llue%d", (unsigned long long)d.digits, d.exponent);
    double v = strtod(plain, NULL);
    for (; exponent2 > 0; exponent2--)
        v *= 2;
    for (; exponent2 < 0; exponent2++)
        v /= 2;
    *out = negative ? -v : v;
    return QUANTITY_OK;
}

void quantity_text(u64 value, const char *unit, char *out, size_t size)
{
    const struct unit_def *base = unit_find(unit), *best = NULL;
    u64 best_value = value;
    for (size_t i = 0; base && value && i < ARRAY_LEN(units); i++) {
        const struct unit_def *u = &units[i];
        i32 e2 = u->exponent2 - base->exponent2, e10 = u->exponent10 - base->exponent10;
        if (strcmp(u->dimension, base->dimension) != 0 || e2 < 0 || e10 < 0 || e2 + e10 == 0)
            continue;
        u64 factor = (u64)1 << e2;
        for (; e10 > 0; e10--)
            factor *= 10;
        if (value % factor == 0) {
            best = u;
            best_value = value / factor;
        } else if (value > factor && value % (factor / 10 ? factor / 10 : 1) == 0 && e2 == 0) {
            /* one decimal: 1.4GHz reads better than 1400MHz */
            snprintf(out, size, "%llu.%llu%s", (unsigned long long)(value / factor),
                     (unsigned long long)(value % factor / (factor / 10)), u->name);
            return;
        }
    }
    if (best)
        snprintf(out, size, "%llu%s", (unsigned long long)best_value, best->name);
    else if (base)
        snprintf(out, size, "%llu%s", (unsigned long long)value,
                 strcmp(unit, "bytes") == 0 ? "B" : unit);
    else
        snprintf(out, size, "%llu", (unsigned long long)value);
}

void duration_text(double seconds, char *out, size_t size)
{
    u64 s = (u64)(seconds + 0.5);
    if (seconds < 10)
        snprintf(out, size, "%.1f s", seconds);
    else if (s < 60)
        snprintf(out, size, "%u s", (unsigned)s);
    else if (s < 3600)
        snprintf(out, size, "%u min %02u s", (unsigned)(s / 60), (unsigned)(s % 60));
    else
        snprintf(out, size, "%llu h %02u min", (unsigned long long)s / 3600,
                 (unsigned)(s / 60 % 60));
}
