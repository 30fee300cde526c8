/*
 * Small expressions over statistics: formulas ("issued / core.cycles") and laws
 * ("hits + misses == lookups").
 *
 * Numbers, names, + - * /, parentheses, and one comparison, by the grammar of base/infix.h. An
 * array is the sum of its elements, and array[label] one of them. Integers stay exact integers
 * under + - and * and in comparisons, so a law over counters never fails by rounding. Division by
 * zero makes the result undefined.
 */
#ifndef STATS_EXPR_H
#define STATS_EXPR_H

#include "base/text.h"
#include "stats/tree.h"

bool expr_evaluate(const struct stats *s, struct stat_scope scope, const char *expression,
                   struct arena *arena, struct stat_value *out, struct err *err);

/* The expression with every name replaced by its value: "12 + 3 == 16". */
void expr_show(const struct stats *s, struct stat_scope scope, const char *expression,
               struct text *out);

#endif
