/*
 * Quantities with units, as people write them: 16KiB, 1.4GHz, 20ns.
 *
 * A unit belongs to a dimension; a bare number is in the parameter's own unit,
 * a suffixed one is converted to it and must fit exactly when the parameter is
 * an integer.
 */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include "base/types.h"

/* A number and unit as text in a row of units.c. */
struct unit_def {
    const char *name;
    const char *dimension;
    i32 exponent10; /* value = 10^exponent10 * 2^exponent2 base units */
    i32 exponent2;
};

/* NULL when the name is not a unit. */
const struct unit_def *unit_find(const char *name);
/* All units of one dimension as "B, KiB, MiB or GiB"; returns its length. */
size_t unit_list(const char *dimension, char *out, size_t size);

enum quantity_status {
    QUANTITY_OK,
    QUANTITY_NOT_A_NUMBER,
    QUANTITY_UNKNOWN_UNIT,
    QUANTITY_WRONG_DIMENSION,
    QUANTITY_NOT_WHOLE, /* integer wanted, fraction found */
    QUANTITY_TOO_LARGE,
};

/* text in `unit` (a name in units.c, or any word for plain counts), exactly. */
enum quantity_status quantity_u64(const char *text, const char *unit, u64 *out);
enum quantity_status quantity_double(const char *text, const char *unit, double *out);

/* value of `unit` as a person would write it: 16384 B -> "16KiB". */
void quantity_text(u64 value, const char *unit, char *out, size_t size);

/* "3 min 20 s" */
void duration_text(double seconds, char *out, size_t size);

#endif
