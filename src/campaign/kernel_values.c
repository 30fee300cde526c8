#include "campaign/kernel_values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double elements(const struct kernel_values *k, const char *prefix)
{
    size_t length = strlen(prefix);
    double sum = 0;
    bool found = false;
    for (u32 i = 0; i < k->count; i++) {
        if (strncmp(k->columns[i], prefix, length) == 0) {
            sum += k->values[i];
            found = true;
        }
    }
    return found ? sum : NAN;
}

double kernel_value(const struct kernel_values *k, const char *field)
{
    char column[96];
    snprintf(column, sizeof column, "%s", field);
    char *dot = strchr(column, '.');
    if (dot)
        *dot = '_';
    if (dot && strcmp(dot + 1, "*") == 0) {
        dot[1] = '\0';
        return elements(k, column);
    }
    for (u32 i = 0; i < k->count; i++) {
        if (strcmp(k->columns[i], column) == 0)
            return k->values[i];
    }
    return NAN;
}
