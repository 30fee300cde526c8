/* What the command line of `heddle correlate` asks for. */
#ifndef CLI_CORRELATE_CALL_H
#define CLI_CORRELATE_CALL_H

#include "cli/sweep_options.h"
#include "report/correlate.h"

struct correlate_call {
    struct arena arena;
    struct correlate correlate;
    struct sweep_options options;
    const char **sets;
    u32 set_count;
    struct correlate_fit fit;
    struct correlate_fitted fitted;
    struct correlate_result result;
    const char *output;
    bool quiet, no_run;
};

/* Folder, table, programs and values to fit are checked; nothing has been run. On failure too the
 * arena needs a fini. */
bool correlate_call_open(struct correlate_call *call, const struct cli *cli, struct err *err);

#endif
