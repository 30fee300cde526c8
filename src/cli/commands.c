#include "cli/command.h"

#include <string.h>

/* One line per command, in the order that `heddle help` shows. */
#define COMMANDS(X)                                                                                \
    X(run)                                                                                         \
    X(trace)                                                                                       \
    X(front_end)                                                                                   \
    X(why)                                                                                         \
    X(report)                                                                                      \
    X(diff)                                                                                        \
    X(list)                                                                                        \
    X(chip) X(matrix) X(area) X(sweep) X(results) X(study) X(correlate) X(train) X(help) X(version)

#define DECLARE(name) extern const struct command command_##name;
COMMANDS(DECLARE)

#define POINTER(name) &command_##name,
const struct command *const commands[] = {COMMANDS(POINTER) NULL};

const struct exit_code exit_codes[] = {
    {0, "success"},
    {1, "a simulation finished with a wrong result"},
    {2, "bad input, or a file that cannot be read or written: no file is half-written"},
    {3, "a deadlock, or a conservation law was broken"},
    {4, "an internal error: please report it"},
    {130, "interrupted by Ctrl-C: a GPU program's statistics so far are written, a sweep can be "
          "continued"},
    {0, NULL},
};

const struct command *command_find(const char *name)
{
    for (const struct command *const *c = commands; *c; c++) {
        if (strcmp((*c)->name, name) == 0)
            return *c;
    }
    return NULL;
}
