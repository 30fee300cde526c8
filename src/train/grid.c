#include "train/grid.h"

#include "base/arena.h"
#include "base/units.h"

#include <stdlib.h>
#include <string.h>

#define FULL_LIMIT 24u /* warps per scheduler: Poise spec 1.1 */

/* Dense where few warps run and one more changes most; 16 and 20 are W of kernels with 4 and 5
 * blocks of 256 threads. */
static const struct tuple_grid coarse = {{1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24}, 11};

const char *const training_programs[] = {"gco", "pvr", "ccl", NULL};
const char *const evaluation_programs[] = {"syr2k", "syrk", "mm",   "ii",  "gesummv", "mvt",
                                           "bicg",  "ss",   "atax", "bfs", "kmeans",  NULL};

/* Of the programs above only this one: its warp instructions at (1,1) are not those at (W,W). */
static const char *const racing[] = {"ccl"};

bool program_races(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(racing); i++) {
        if (strcmp(racing[i], name) == 0)
            return true;
    }
    return false;
}

static bool bad_grid(const char *text, struct err *err)
{
    return err_found(err, (struct src_pos){0}, "--grid", text,
                     "coarse, full, or at least two ascending values from 1 to %u such as 1,4,24",
                     MOST_LIMIT);
}

static bool read_values(struct tuple_grid *grid, const char *text, struct err *err)
{
    const char *rest = text;
    for (char *end; *rest; rest = *end ? end + 1 : end) {
        unsigned long value = strtoul(rest, &end, 10);
        u32 least = grid->count ? grid->values[grid->count - 1] + 1 : 1;
        if (end == rest || (*end && (*end != ',' || !end[1])) || value < least ||
            value > MOST_LIMIT)
            return bad_grid(text, err);
        grid->values[grid->count++] = (u32)value;
    }
    return (grid->count >= 2 && grid->values[0] == 1) || bad_grid(text, err);
}

bool grid_read(struct tuple_grid *grid, const char *text, struct err *err)
{
    *grid = (struct tuple_grid){.count = 0};
    if (strcmp(text, GRID_COARSE) == 0) {
        *grid = coarse;
        return true;
    }
    if (strcmp(text, GRID_FULL) != 0)
        return read_values(grid, text, err);
    for (u32 n = 1; n <= FULL_LIMIT; n++)
        grid->values[grid->count++] = n;
    return true;
}

u32 grid_size(const struct tuple_grid *grid)
{
    return grid->count * (grid->count + 1) / 2;
}

static void append_values(const struct tuple_grid *grid, struct text *out)
{
    for (u32 i = 0; i < grid->count; i++)
        text_printf(out, "%s%u", i ? ", " : "[", grid->values[i]);
    text_printf(out, "]\n");
}

/* In single quotes, as YAML has them: nothing in it means anything but a quote. */
static void append_quoted(struct text *out, const char *s)
{
    text_printf(out, "'");
    for (; *s; s++)
        text_printf(out, "%s%c", *s == '\'' ? "'" : "", *s);
    text_printf(out, "'");
}

static void append_program(const struct grid_request *r, const char *name, struct text *out)
{
    const struct sweep_workload none = {.size = ""}, *w = &none;
    for (u32 i = 0; i < r->input_count; i++) {
        if (strcmp(r->inputs[i].name.text, name) == 0)
            w = &r->inputs[i];
    }
    text_printf(out, "  - {name: '%s', size: '%s'", name, w->size[0] ? w->size : r->size);
    for (u32 i = 0; i < w->arg_count; i++) {
        text_printf(out, i ? ", " : ", args: [");
        append_quoted(out, w->args[i]);
    }
    text_printf(out, w->arg_count ? "]" : "");
    if (w->has_seed)
        text_printf(out, ", seed: %llu", (unsigned long long)w->seed);
    text_printf(out, "}\n");
}

void grid_sweep_text(const struct grid_request *r, struct text *out)
{
    text_printf(out, "name: train-poise-%s\nchips: ['%s']\nworkloads:\n",
                r->windows  ? "windows"
                : r->record ? "recorded"
                            : "direct",
                r->chip);
    for (u32 i = 0; i < r->program_count; i++)
        append_program(r, r->programs[i], out);
    if (r->windows) {
        text_printf(out, "set: {sm.warp_policy: poise, policy.warp.poise.samples_only: true}\n");
        return;
    }
    text_printf(out, "set: {sm.warp_policy: fixed}\nsweep:\n  policy.warp.fixed.n: ");
    append_values(r->grid, out);
    text_printf(out, "  policy.warp.fixed.p: ");
    append_values(r->grid, out);
    text_printf(out, "where: policy.warp.fixed.p <= policy.warp.fixed.n\nrecord: %s\n",
                r->record ? "true" : "false");
}
