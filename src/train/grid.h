/* Which tuples a profile is made of, and the sweep that runs them (Poise spec 4.3). */
#ifndef TRAIN_GRID_H
#define TRAIN_GRID_H

#include "base/err.h"
#include "base/text.h"
#include "campaign/sweep_file.h"
#include "train/profile.h"

#define GRID_COARSE "coarse"
#define GRID_FULL "full"

/* Every p <= n of these values, which ascend from 1. The last stands for (W, W). */
struct tuple_grid {
    u32 values[MOST_LIMIT];
    u32 count;
};

/* coarse, full, or the values themselves: 1,2,4,8,24 */
bool grid_read(struct tuple_grid *grid, const char *text, struct err *err);
u32 grid_size(const struct tuple_grid *grid);

struct grid_request {
    const char *chip, *size;
    const char *const *programs;
    u32 program_count;
    const struct sweep_workload *inputs; /* of programs with an input of their own */
    u32 input_count;
    const struct tuple_grid *grid;
    bool record;  /* each program once, its recording at every tuple */
    bool windows; /* no tuples: the policy's own windows, one run of each program */
};
/* As a sweep file. */
void grid_sweep_text(const struct grid_request *request, struct text *out);

/* Does it execute other instructions with another timing? Then a recording is not what it does. */
bool program_races(const char *name);

/* The programs to learn from and those to judge by: HPCA 2019, tables III and V. End with NULL. */
extern const char *const training_programs[];
extern const char *const evaluation_programs[];

#endif
