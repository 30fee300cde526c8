/* heddle report: results as one HTML page. */
#include "base/arena.h"
#include "cli/command.h"
#include "report/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_PAGE "report.html"
#define MOST_RUNS 64

static bool ends_with(const char *s, const char *ending)
{
    size_t n = strlen(s), m = strlen(ending);
    return n >= m && strcmp(s + n - m, ending) == 0;
}

static bool write_page(const struct result *runs, u32 count, struct cli *cli, const char *path,
                       struct err *err)
{
    struct text page = {0};
    page_make(runs, count, cli_value(cli, "title"), &page);
    bool ok = page_write(&page, path, err);
    if (ok)
        printf("%s: %u run%s, %.1f MB; open it in a browser\n", path, count, count == 1 ? "" : "s",
               (double)page.length / 1e6);
    text_fini(&page);
    return ok;
}

static bool run_report(struct cli *cli, struct err *err)
{
    const char *path = cli_value(cli, "output");
    if (!path)
        path = DEFAULT_PAGE;
    if (cli->argument_count < 1 || cli->argument_count > MOST_RUNS)
        return err_at(err, (struct src_pos){0}, "1 to %u result files are expected, %u are given",
                      MOST_RUNS, cli->argument_count);
    if (!ends_with(path, ".html") && !ends_with(path, ".htm"))
        return err_found(err, (struct src_pos){0}, "--output", path, "a file that ends in .html");
    struct result runs[MOST_RUNS];
    u32 count = 0;
    bool ok = true;
    while (ok && count < cli->argument_count) {
        ok = result_read(&runs[count], cli->arguments[count], err);
        count += ok;
    }
    ok = ok && write_page(runs, count, cli, path, err);
    for (u32 i = 0; i < count; i++)
        result_fini(&runs[i]);
    return ok;
}

static const struct option_def options[] = {
    {'o', "output", "FILE", "the page to write (default: " DEFAULT_PAGE ")", "file"},
    {0, "title", "TEXT", "its title (default: from the runs)", NULL},
    {0},
};

static const struct example examples[] = {
    {"heddle report heddle-out/bfs-fermi15.json -o bfs.html", "one run"},
    {"heddle report a.json b.json c.json -o all.html", "several, side by side"},
    {NULL, NULL},
};

const struct command command_report = {
    .name = "report",
    .arguments = "RUN.json..",
    .summary = "results as one HTML page with charts",
    .description = "Makes a page from results of `heddle run -o FILE.json`: CPI stacks, stalls, "
                   "latencies, queues, bandwidths, roofline, heat maps, series, every statistic "
                   "and the whole configuration. The page holds everything it needs.",
    .options = options,
    .examples = examples,
    .run = run_report,
};
