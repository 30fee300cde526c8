/*
 * The programs of a mix, each run once for its answers, and recorded: the machine replays
 * the recordings; those of bundled programs may come from an earlier run (cli/recordings.h). A
 * program that fails its own check fails the mix.
 */
#ifndef CLI_MIX_PROGRAMS_H
#define CLI_MIX_PROGRAMS_H

#include "run/run.h"

struct cli;

/* Reads a mix and gives every application its place on the request's chip; nothing is run. */
bool mix_prepare(struct mix *mix, const char *path, const struct config_request *chip,
                 struct arena *arena, struct err *err);
/* Runs what is to be recorded. *folder holds the recordings, and is to be removed either way. */
bool mix_programs_record(struct mix *mix, const struct cli *cli, const struct run_request *request,
                         const char **folder, struct arena *arena, struct err *err);
/* Ends the program that is being recorded, and none is recorded after it; for signal handlers. */
void mix_programs_interrupt(int signal);
void mix_programs_remove(const char *folder); /* NULL: there is none */

#endif
