/* heddle trace: CPU programs as traces. */
#include "cli/trace.h"

#include <string.h>

static const struct word {
    const char *name;
    bool (*run)(struct cli *cli, struct err *err);
} rows[] = {
    {"convert", trace_convert}, {"points", trace_points}, {"show", trace_show},
    {"rate", trace_rate},       {"stats", trace_stats},   {"suite", trace_suite},
};

static const char *const words[] = {"convert", "points", "rate", "show", "stats", "suite", NULL};

static bool run_trace(struct cli *cli, struct err *err)
{
    if (cli->argument_count == 0 || cli->program == 0)
        return trace_record(cli, err);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (strcmp(cli->arguments[0], rows[i].name) == 0)
            return rows[i].run(cli, err);
    }
    return err_unknown(err, (struct src_pos){0}, "word", cli->arguments[0], words,
                       ARRAY_LEN(words) - 1, NULL);
}

static const struct option_def options[] = {
    {'o', "output", "FILE",
     "recording: the trace (default: PROGRAM.hct); stats: a page (FILE.html) or JSON; "
     "points: the windows as YAML",
     "file"},
    {0, "skip", "N", "recording: start after N instructions of all threads", NULL},
    {0, "length", "N", "recording: end after N instructions (default: when the program ends)",
     NULL},
    {0, "threads", "all|LIST|N",
     "recording: only these threads, such as 0 or 0-7 (default: all); suite: threads of OpenMP "
     "programs (default: 8)",
     NULL},
    {0, "keep-waits", NULL,
     "recording: keep the instructions that an OpenMP runtime executes while it waits, and omit "
     "its events",
     NULL},
    {0, "first", "N", "show, convert, stats: start at instruction N of each thread (default: 0)",
     NULL},
    {0, "count", "N", "show: list N instructions; convert, stats: of each thread (default: all)",
     NULL},
    {0, "thread", "K", "show, convert, points, stats: thread K (show, points: 0, others: all)",
     NULL},
    {0, "interval", "N",
     "points: interval length in instructions (default: 10000000, or a hundredth of a trace)",
     NULL},
    {0, "clusters", "N", "points: maximum number of windows (default: 10)", NULL},
    {0, "seed", "N", "points: seed of the cluster search (default: 1)", NULL},
    {'c', "chip", "NAME|FILE", "points: run the windows of a trace on a chip", "chips"},
    {0, "warm", "N", "points: warm-up instructions before each window (default: 10 intervals)",
     NULL},
    {0, "wide", "NAME|FILE", "rate: the chip with wide cores (default: cpu4)", "chips"},
    {0, "lean", "NAME|FILE", "rate: the chip with lean cores (default: cpu8)", "chips"},
    {0, "all", NULL, "suite: every program of a group", NULL},
    {0, "group", "spec|hpc", "suite: the programs of SPEC CPU (default), or the OpenMP programs",
     "=spec hpc"},
    {0, "list", NULL, "suite: list the stand-ins, and which are recorded and accepted", NULL},
    {0, "accept", NULL,
     "suite: measure recorded programs alone and accept those that behave like the published ones",
     NULL},
    {0, "instructions", "N", "suite: length of each trace (default: 100000000)", NULL},
    {0, "json", NULL, "stats: as JSON", NULL},
    {'q', "quiet", NULL, "print nothing but errors", NULL},
    {0},
};

static const struct example examples[] = {
    {"heddle trace -o ls.hct -- ls -l /usr", "records a program to its end"},
    {"heddle trace --skip 500000000 --length 100000000 -- gzip -c FILE",
     "a window of 100 million instructions"},
    {"heddle trace show ls.hct --first 1000 --count 20", "instructions in execution order"},
    {"heddle trace stats ls.hct gzip.hct -o traces.html",
     "characteristics of the programs, as a page"},
    {"heddle trace points -o gzip.yaml -- gzip -c FILE", "windows that represent the whole run"},
    {"heddle trace points gzip.hct --chip cpu4", "its IPC on a chip, from windows, with the error"},
    {"heddle trace rate lulesh.hct && heddle run lulesh.hct --chip acmp9",
     "its instructions per cycle, for chips with back ends by rate"},
    {"heddle trace convert 605.mcf_s-665B.champsimtrace.xz mcf.hct", "convert a ChampSim trace"},
    {"heddle trace convert ls.hct ls.champsimtrace.xz", "convert to a ChampSim trace"},
    {"heddle trace suite mcf && heddle run suite:mcf", "a stand-in for a published program"},
    {NULL, NULL},
};

const struct command command_trace = {
    .name = "trace",
    .arguments = "-- PROGRAM [ARGUMENT]... | convert FROM TO | points FILE | points -- PROGRAM... "
                 "| rate FILE | show FILE | stats FILE... | suite NAME...",
    .summary = "record CPU programs and inspect their traces",
    .description =
        "Records an unmodified x86-64 or AArch64 program under QEMU: every instruction with its "
        "class, registers, addresses and where it went, one stream per thread. The program is "
        "stopped when --length is reached. show prints the header of a trace or lists its "
        "instructions; stats characterises the program. convert reads and writes ChampSim's "
        "traces: any file with champsim in its name, or champsim:FILE. It also cuts windows out of "
        "traces. points chooses weighted windows that represent a program or a long trace. rate "
        "measures instructions per cycle on a wide and a lean core, for chips with back ends by "
        "rate, and keeps them in FILE.rates. suite "
        "records stand-ins for the CPU programs of published studies (docs/howto/suite.md), which "
        "are then called suite:NAME. See docs/howto/cpu-traces.md.",
    .options = options,
    .examples = examples,
    .words = words,
    .completes = "file",
    .run = run_trace,
};
