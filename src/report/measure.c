#include "report/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define OF_CLOCK "@cycles."

static double number(const void *context, const char *name)
{
    const struct result *r = context;
    if (strcmp(name, "@cycles") == 0)
        return result_cycles(r);
    if (strcmp(name, "@seconds") == 0)
        return result_seconds(r);
    if (strncmp(name, OF_CLOCK, strlen(OF_CLOCK)) == 0) {
        const json_t *run = json_object_get(r->root, "run");
        return json_number_at(json_object_get(run, "cycles"), name + strlen(OF_CLOCK));
    }
    return result_total(r, name);
}

double result_measure(const struct result *r, const struct measure *m,
                      const struct capacities *chip)
{
    return measure_value(m, &(struct measure_source){number, r, chip});
}

double measure_peak(const struct measure *m, const struct capacities *chip)
{
    return m->peak ? capacity_value(chip, m->peak) : NAN;
}

/* 12345678 as 12.3 M: four digits are enough to compare. */
static void short_number(double v, char *out, size_t size)
{
    static const char *const suffix[] = {"", " k", " M", " G", " T"};
    u32 i = 0;
    while (fabs(v) >= 99999.5 && i + 1 < ARRAY_LEN(suffix)) {
        v /= 1000;
        i++;
    }
    bool whole = i == 0 && v == floor(v);
    snprintf(out, size, "%.*f%s", whole ? 0 : fabs(v) < 10 ? 2 : 1, v, suffix[i]);
}

void measure_text(const struct measure *m, double value, char *out, size_t size)
{
    char number[48];
    if (isnan(value)) {
        snprintf(out, size, "-");
    } else if (strcmp(m->unit, "ratio") == 0) {
        snprintf(out, size, "%.1f %%", 100 * value);
    } else if (strcmp(m->unit, "bytes/s") == 0) {
        snprintf(out, size, "%.1f GB/s", value / 1e9);
    } else {
        short_number(value, number, sizeof number);
        snprintf(out, size, "%s", number);
    }
}
