#include "base/commit.h"
#include "base/version.h"
#include "cli/command.h"

#include <stdio.h>

static bool run_version(struct cli *cli, struct err *err)
{
    (void)cli;
    (void)err;
    printf("heddle %s (commit %s)\n", HEDDLE_VERSION, heddle_commit);
    return true;
}

const struct command command_version = {
    .name = "version",
    .arguments = "",
    .summary = "the version of this program",
    .description = "Prints the version and the commit that it was built from; both are stored in "
                   "every result.",
    .run = run_version,
};
