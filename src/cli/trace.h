/* What the words of `heddle trace` do; recording is what it does without one. */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

#include "base/types.h"
#include "cli/command.h"

#include <signal.h>

struct arena;

bool trace_record(struct cli *cli, struct err *err);
bool trace_show(struct cli *cli, struct err *err);
bool trace_stats(struct cli *cli, struct err *err);
bool trace_points(struct cli *cli, struct err *err);
bool trace_rate(struct cli *cli, struct err *err);
bool trace_convert(struct cli *cli, struct err *err);
bool trace_suite(struct cli *cli, struct err *err);

struct suite;
struct suite_program;
/* Measures traces of the suite, and says which are accepted. */
bool trace_accept(const struct cli *cli, const struct suite *s, struct err *err);
/* The programs of the suite that a command line names; NULL: see err. */
const struct suite_program **suite_chosen(const struct cli *cli, const struct suite *s, u32 *count,
                                          struct arena *arena, struct err *err);

/* The same for OpenMP programs, by the bands of hpc.csv. */
bool trace_accept_hpc(const struct cli *cli, const struct suite *s, struct err *err);
/* --threads of `heddle trace suite`. */
bool suite_threads(const struct cli *cli, u32 *threads, struct err *err);
/* What the trace of a program with so many threads is called. */
const char *suite_trace_name(const struct suite_program *p, u32 threads, struct arena *arena);

/* Where heddle's plugin for QEMU is; NULL: see err. */
const char *trace_plugin(struct arena *arena, struct err *err);
/* Set by Ctrl-C and SIGTERM from now on. */
const volatile sig_atomic_t *trace_stop(void);
/* The one file that a word takes. */
bool trace_file(const struct cli *cli, const char *word, const char **path, struct err *err);

#endif
