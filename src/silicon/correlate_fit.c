/* Values to be tried for parameters of a chip, and which of them is best. */
#include "silicon/correlate.h"

#include <math.h>
#include <string.h>

static u32 count_char(const char *s, char c)
{
    u32 n = 0;
    for (; *s; s++)
        n += *s == c;
    return n;
}

static bool read_one(struct correlate_fit *fit, const char *text, struct arena *arena,
                     struct err *err)
{
    const char *equals = strchr(text, '='), *expected = "PARAM=VALUE,VALUE...";
    struct src_pos at = {"--fit", 0, 0};
    if (!equals || equals == text || !equals[1])
        return err_found(err, at, "a parameter to fit", text, "%s", expected);
    u32 i = fit->count++, room = count_char(equals, ',') + 1;
    fit->params[i] = arena_printf(arena, "%.*s", (int)(equals - text), text);
    fit->values[i] = ARENA_ARRAY(arena, const char *, room);
    for (u32 k = 0; k < i; k++) {
        if (strcmp(fit->params[k], fit->params[i]) == 0)
            return err_at(err, at, "%s is given twice, expected all its values in one --fit",
                          fit->params[i]);
    }
    for (const char *p = equals + 1;; p = strchr(p, ',') + 1) {
        size_t n = strcspn(p, ",");
        if (!n)
            return err_found(err, at, "a parameter to fit", text, "%s", expected);
        fit->values[i][fit->value_counts[i]++] = arena_printf(arena, "%.*s", (int)n, p);
        if (!p[n])
            break;
    }
    if (fit->value_counts[i] > MOST_COMBINATIONS / fit->combinations)
        return err_at(err, at, "there are more than %u combinations of values, expected fewer",
                      MOST_COMBINATIONS);
    fit->combinations *= fit->value_counts[i];
    return true;
}

bool fit_read(struct correlate_fit *fit, const char *const *texts, u32 count, struct arena *arena,
              struct err *err)
{
    *fit = (struct correlate_fit){.params = ARENA_ARRAY(arena, const char *, count + 1),
                                  .values = ARENA_ARRAY(arena, const char **, count + 1),
                                  .value_counts = ARENA_ARRAY(arena, u32, count + 1),
                                  .combinations = 1};
    for (u32 i = 0; i < count; i++) {
        if (!read_one(fit, texts[i], arena, err))
            return false;
    }
    return true;
}

/* The first parameter changes slowest. */
const char *const *fit_settings(const struct correlate_fit *fit, u32 combination,
                                struct arena *arena)
{
    const char **settings = ARENA_ARRAY(arena, const char *, fit->count + 1);
    for (u32 i = fit->count; i-- > 0;) {
        settings[i] = arena_printf(arena, "%s=%s", fit->params[i],
                                   fit->values[i][combination % fit->value_counts[i]]);
        combination /= fit->value_counts[i];
    }
    return settings;
}

u32 fit_choose(const struct fit_trial *trials, u32 count)
{
    u32 most = 0, best = UINT32_MAX;
    for (u32 i = 0; i < count; i++)
        most = trials[i].kernels > most ? trials[i].kernels : most;
    for (u32 i = 0; i < count; i++) {
        if (trials[i].kernels < most || isnan(trials[i].absolute))
            continue; /* it leaves out what is hard for it */
        if (best == UINT32_MAX || trials[i].absolute < trials[best].absolute)
            best = i;
    }
    return best;
}
