#include "base/version.h"
#include "cli/command.h"

#include <stdio.h>

static bool run_version(struct cli *cli, struct err *err)
{
    (void)cli;
    (void)err;
    printf("heddle %s\n", HEDDLE_VERSION);
    return true;
}

const struct command command_version = {
    .name = "version",
    .arguments = "",
    .summary = "the version of this program",
    .description = "Prints the version; the same string is stored in every result.",
    .run = run_version,
};
