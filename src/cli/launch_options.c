#include "cli/launch_options.h"

#include "base/arena.h"
#include "run/launches.h"
#include "sampling/sample.h"
#include "device/bounds.h"

#include <stdlib.h>
#include <string.h>

static bool is_one_of(const char *word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(word, words[i]) == 0)
            return true;
    }
    return false;
}

static void pass_on(const struct cli *cli, const char *option, const char *variable)
{
    if (cli_has(cli, option))
        setenv(variable, cli_value(cli, option), 1);
    else
        unsetenv(variable);
}

bool launch_options(const struct cli *cli, struct err *err)
{
    static const char *const modes[] = {BOUNDS_MODES}, *const caches[] = {"warm", "cold"};
    struct arena arena = {0};
    struct launches launches;
    bool ok = !cli_has(cli, "launches") ||
              launches_read(&launches, cli_value(cli, "launches"), &arena, err);
    if (ok && cli_has(cli, "bounds") &&
        !is_one_of(cli_value(cli, "bounds"), modes, ARRAY_LEN(modes)))
        ok = err_found(err, (struct src_pos){0}, "--bounds", cli_value(cli, "bounds"),
                       "strict, warn or off");
    if (ok && cli_has(cli, "caches") &&
        !is_one_of(cli_value(cli, "caches"), caches, ARRAY_LEN(caches)))
        ok = err_found(err, (struct src_pos){0}, "--caches", cli_value(cli, "caches"),
                       "warm or cold");
    struct sample_options sampling;
    ok = ok && (!cli_has(cli, "sample") || sample_read(&sampling, cli_value(cli, "sample"), err));
    arena_fini(&arena);
    pass_on(cli, "sample", "HEDDLE_SAMPLE");
    pass_on(cli, "launches", "HEDDLE_LAUNCHES");
    pass_on(cli, "bounds", "HEDDLE_BOUNDS");
    return ok;
}
