/* The numbers that a judgement stands on. */
#include "machine/model.h"
#include "report/why.h"

#include <assert.h>
#include <string.h>

const struct measure *fact_find(const struct why *why, const char *id)
{
    const struct measure *f = measure_find(model_of(why->chip.schema)->facts, id);
    assert(f);
    return f;
}

struct place {
    const struct why *why;
    const struct why_row *row;
};

static double number(const void *context, const char *name)
{
    const struct place *p = context;
    return why_value(p->why, p->row, name);
}

double fact_value(const struct measure *f, const struct why *why, const struct why_row *row)
{
    struct capacities chip;
    struct place place = {why, row};
    capacities_of(model_of(why->chip.schema), why->chip.data, &chip);
    return measure_value(f, &(struct measure_source){number, &place, &chip});
}

double fact_of(const struct why *why, const struct why_row *row, const char *id)
{
    return fact_value(fact_find(why, id), why, row);
}

/* "a.b" stays, of a whole array only its name is left. */
void fact_cites(const struct measure *f, struct text *out)
{
    assert(f->over[0] && f->under[0]);
    for (u32 i = 0; f->over[i]; i++) {
        size_t length = strlen(f->over[i]);
        if (length > 2 && strcmp(f->over[i] + length - 2, ".*") == 0)
            length -= 2;
        text_printf(out, "%s%.*s", i ? " + " : "", (int)length, f->over[i]);
    }
    if (!f->under_times && !strchr(f->over[0], '.'))
        text_printf(out, " / %s", f->under[0]);
}

void fact_text(const struct measure *f, double value, struct text *out)
{
    if (strcmp(f->unit, "ratio") == 0)
        text_printf(out, "%.1f %% ", 100 * value);
    else if (strcmp(f->unit, "cycles") == 0)
        text_printf(out, "%.0f cycles ", value);
    else
        text_printf(out, "%.1f ", value);
    text_printf(out, "%s (", f->label);
    fact_cites(f, out);
    text_printf(out, ")");
}
