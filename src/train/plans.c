#include "train/plans.h"

#include <string.h>

#define PLACE "heddle train" /* that messages about the sweep name as its file */

static bool make_plan(struct train_plan *t, const struct train_request *r, bool record,
                      bool windows, const struct study_host *host, struct arena *arena,
                      struct err *err)
{
    struct text text = {0};
    if (!t->program_count)
        return true;
    grid_sweep_text(&(struct grid_request){.chip = r->chip,
                                           .size = r->size,
                                           .programs = t->programs,
                                           .program_count = t->program_count,
                                           .inputs = r->inputs,
                                           .input_count = r->input_count,
                                           .grid = &r->grid,
                                           .record = record,
                                           .windows = windows},
                    &text);
    bool ok = sweep_file_read_text(&t->file, PLACE, text.data, text.length, arena, err) &&
              plan_expand(&t->plan, &t->file, host, false, arena, err);
    text_fini(&text);
    return ok;
}

bool train_plans_make(struct train_plans *plans, const struct train_request *r,
                      const struct study_host *host, struct arena *arena, struct err *err)
{
    *plans = (struct train_plans){0};
    plans->recorded.programs = ARENA_ARRAY(arena, const char *, r->program_count + 1);
    plans->direct.programs = ARENA_ARRAY(arena, const char *, r->program_count + 1);
    for (u32 i = 0; i < r->program_count; i++) {
        bool direct = r->direct || program_races(r->programs[i]);
        struct train_plan *t = direct ? &plans->direct : &plans->recorded;
        t->programs[t->program_count++] = r->programs[i];
    }
    plans->windows.programs = (const char **)(uintptr_t)r->programs; /* only read */
    plans->windows.program_count = r->windows ? r->program_count : 0;
    return make_plan(&plans->recorded, r, true, false, host, arena, err) &&
           make_plan(&plans->direct, r, false, false, host, arena, err) &&
           make_plan(&plans->windows, r, false, true, host, arena, err);
}

const struct plan *train_plans_find(const struct train_plans *plans, const char *program)
{
    for (u32 i = 0; i < plans->direct.program_count; i++) {
        if (strcmp(plans->direct.programs[i], program) == 0)
            return &plans->direct.plan;
    }
    return &plans->recorded.plan;
}
