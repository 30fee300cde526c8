#include "views/measure.h"

#include <math.h>
#include <string.h>

const char *const measure_group_names[MEASURE_GROUPS] = {"hit rates", "latencies", "queueing",
                                                         "bandwidths", "work"};

double capacity_value(const struct capacities *c, const char *name)
{
    for (u32 i = 0; c->rows && c->rows[i].name; i++) {
        if (strcmp(c->rows[i].name, name) == 0)
            return c->values[i];
    }
    return NAN;
}

const struct measure *measure_find(const struct measure *list, const char *id)
{
    for (const struct measure *m = list; m && m->id; m++) {
        if (strcmp(m->id, id) == 0)
            return m;
    }
    return NULL;
}

static double sum(const char *const *names, const char *times, const struct measure_source *s)
{
    double total = 0;
    for (; *names; names++)
        total +=
            **names == '-' ? -s->number(s->context, *names + 1) : s->number(s->context, *names);
    return times ? total * capacity_value(s->chip, times) : total;
}

double measure_value(const struct measure *m, const struct measure_source *source)
{
    double over = sum(m->over, m->over_times, source);
    double under = m->under[0] ? sum(m->under, m->under_times, source) : 1;
    return under > 0 ? over / under : NAN;
}

const char *cycle_stack_meaning(const struct cycle_stack *s, const char *cause)
{
    for (u32 i = 0; s && i < s->count; i++) {
        if (strcmp(s->causes[i], cause) == 0)
            return s->meanings[i];
    }
    return "";
}
