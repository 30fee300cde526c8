/* What the options of a command say about its chip: --policy, --set, --plugin and --threads. */
#ifndef CLI_CHIP_OPTIONS_H
#define CLI_CHIP_OPTIONS_H

#include "cli/command.h"
#include "config/config.h"

struct arena;

/* The values of all --policy and then --set as overrides of parameters, in order, ends with
 * NULL. */
bool chip_sets(const struct cli *cli, struct arena *arena, const char ***sets, u32 *count,
               struct err *err);
/* The same, with what messages call each, for a chip. */
bool chip_sets_of(const struct cli *cli, struct arena *arena, struct config_request *request,
                  struct err *err);
/* The overrides that one policy means, [PART.]QUESTION=NAME[,PARAMETER=VALUE...], the policy's own
 * first; `option`: what it was given to. */
bool chip_policy_sets(const char *option, const char *given, struct arena *arena,
                      const char *const **sets, u32 *count, struct err *err);
/* --threads, for this process and those that it starts. */
#define OPTION_THREADS_HELP                                                                        \
    "host threads; results are the same for any number (default: depends on chip and host)"
bool chip_threads(const struct cli *cli, struct err *err);
/* Loads all --plugin here, and by way of the environment in the process of a GPU program. */
bool chip_plugins(const struct cli *cli, struct err *err);

#endif
