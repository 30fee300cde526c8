/* Options of every command that runs many points: sweep, study. */
#ifndef CLI_SWEEP_OPTIONS_H
#define CLI_SWEEP_OPTIONS_H

#include "base/arena.h"
#include "cli/command.h"
#include "campaign/sweep.h"

#define DEFAULT_DB "heddle-out/results.db"

/* Rows of a table of options. */
#define OPTION_JOBS_HELP                                                                           \
    "runs at once (default: as many as there are cores; with --slurm tasks of the job array, "     \
    "default: one for each run, at most 100)"
#define OPTION_DB_HELP "the results database (default: " DEFAULT_DB ")"
#define OPTION_RETRY_HELP "repeat runs that failed, hung or timed out"
#define OPTION_AGAIN_HELP "repeat all runs"
#define OPTION_SLURM_HELP "run the points as a Slurm job array and collect the results here"
#define OPTION_SLURM_OPTIONS_HELP "with --slurm: additional sbatch options, quoted"

/* What the command line says; nothing has been written yet. */
bool sweep_options_read(const struct cli *cli, struct sweep_options *options, struct arena *arena,
                        struct err *err);

#endif
