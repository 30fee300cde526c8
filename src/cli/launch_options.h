/* How the launches of a GPU program are run: --launches, --caches and --bounds. */
#ifndef CLI_LAUNCH_OPTIONS_H
#define CLI_LAUNCH_OPTIONS_H

#include "cli/command.h"

#define OPTIONS_LAUNCHES                                                                           \
    {0, "launches", "N|LIST",                                                                      \
     "time only the first N launches, or those of a list (0,4,7-9); the others run without "       \
     "timing",                                                                                     \
     NULL},                                                                                        \
        {0, "caches", "warm|cold",                                                                 \
         "caches at the start of each launch: as they were left (default), or empty", NULL},       \
    {                                                                                              \
        0, "bounds", "strict|warn|off",                                                            \
            "accesses just outside an allocation: an error, zeros with a warning (default), or "   \
            "zeros",                                                                               \
            NULL                                                                                   \
    }

/* Checks them, and hands --launches and --bounds to the process of a GPU program; --caches is a
 * parameter of the chip. */
bool launch_options(const struct cli *cli, struct err *err);

#endif
