/* heddle report: results as one HTML page, or as a timeline. */
#include "base/file.h"
#include "cli/command.h"
#include "report/page.h"
#include "report/perfetto.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_PAGE "report.html"
#define DEFAULT_TIMELINE "run.perfetto.json"
#define MOST_RUNS 64

static bool ends_with(const char *s, const char *ending)
{
    size_t n = strlen(s), m = strlen(ending);
    return n >= m && strcmp(s + n - m, ending) == 0;
}

static bool write_page(const struct text *page, const char *path, const char *what, struct err *err)
{
    bool ok = file_write(path, page, err);
    if (ok)
        printf("%s: %s, %.1f MB; open it in a browser\n", path, what, (double)page->length / 1e6);
    return ok;
}

static bool sweep_page(struct cli *cli, const char *path, struct err *err)
{
    struct text page = {0};
    char what[64];
    u32 points = 0;
    if (cli->argument_count)
        return err_at(err, (struct src_pos){0},
                      "--db makes the page of a sweep and takes no result files");
    bool ok = page_sweep_make(cli_value(cli, "db"), cli_value(cli, "sweep"),
                              cli_value(cli, "title"), &page, &points, err);
    snprintf(what, sizeof what, "%u point%s", points, points == 1 ? "" : "s");
    ok = ok && write_page(&page, path, what, err);
    text_fini(&page);
    return ok;
}

static bool study_page(struct cli *cli, const json_t *verdict, const char *path, struct err *err)
{
    struct text page = {0};
    if (cli->argument_count > 1)
        return err_at(err, (struct src_pos){cli->arguments[0], 0, 0},
                      "a page shows one study, %u files are given", cli->argument_count);
    bool ok = page_study_make(cli->arguments[0], verdict, cli_value(cli, "title"), &page, err) &&
              write_page(&page, path, "a study", err);
    text_fini(&page);
    return ok;
}

/* The first file was read already, to see what it is. */
static bool run_page(struct cli *cli, json_t *first, const char *path, struct err *err)
{
    struct result runs[MOST_RUNS];
    struct text page = {0};
    char what[64];
    u32 count = 0;
    bool ok = result_take(&runs[0], cli->arguments[0], json_incref(first), err);
    count += ok;
    while (ok && count < cli->argument_count) {
        ok = result_read(&runs[count], cli->arguments[count], err);
        count += ok;
    }
    if (ok)
        page_make(runs, count, cli_value(cli, "title"), &page);
    snprintf(what, sizeof what, "%u run%s", count, count == 1 ? "" : "s");
    ok = ok && write_page(&page, path, what, err);
    for (u32 i = 0; i < count; i++)
        result_fini(&runs[i]);
    text_fini(&page);
    return ok;
}

static bool file_page(struct cli *cli, const char *path, struct err *err)
{
    if (cli->argument_count < 1 || cli->argument_count > MOST_RUNS)
        return err_at(err, (struct src_pos){0}, "1 to %u result files are expected, %u are given",
                      MOST_RUNS, cli->argument_count);
    json_t *first = json_read(cli->arguments[0], RESULT_FILE, err);
    bool is_study = json_is_string(json_object_get(first, "format"));
    bool ok =
        first && (is_study ? study_page(cli, first, path, err) : run_page(cli, first, path, err));
    json_decref(first);
    return ok;
}

static bool timeline_file(struct cli *cli, struct err *err)
{
    const char *path = cli_has(cli, "output") ? cli_value(cli, "output") : DEFAULT_TIMELINE;
    const char *recorded = cli->argument_count > 1 ? cli->arguments[1] : NULL;
    struct result run;
    struct text out = {0};
    u32 events = 0;
    if (cli->argument_count < 1 || cli->argument_count > 2)
        return err_at(
            err, (struct src_pos){0},
            "--perfetto takes a result and optionally the timeline of its run, %u files are given",
            cli->argument_count);
    if (!ends_with(path, ".json"))
        return err_found(err, (struct src_pos){0}, "--output", path, "a file that ends in .json");
    if (!result_read(&run, cli->arguments[0], err))
        return false;
    json_t *timeline = recorded ? json_read(recorded, TIMELINE_FILE, err) : NULL;
    bool ok = (!recorded || timeline) &&
              perfetto_make(&run, recorded, timeline, &out, &events, err) &&
              file_write(path, &out, err);
    if (ok)
        printf("%s: %u events, %.1f MB; open it in https://ui.perfetto.dev\n", path, events,
               (double)out.length / 1e6);
    json_decref(timeline);
    result_fini(&run);
    text_fini(&out);
    return ok;
}

static bool run_report(struct cli *cli, struct err *err)
{
    if (cli_has(cli, "perfetto"))
        return timeline_file(cli, err);
    const char *path = cli_value(cli, "output");
    if (!path)
        path = DEFAULT_PAGE;
    if (!ends_with(path, ".html") && !ends_with(path, ".htm"))
        return err_found(err, (struct src_pos){0}, "--output", path, "a file that ends in .html");
    if (cli_has(cli, "sweep") && !cli_has(cli, "db"))
        return err_at(err, (struct src_pos){0},
                      "--sweep names a sweep in a database, expected --db FILE as well");
    return cli_has(cli, "db") ? sweep_page(cli, path, err) : file_page(cli, path, err);
}

static const struct option_def options[] = {
    {'o', "output", "FILE", "the file to write (default: " DEFAULT_PAGE " or " DEFAULT_TIMELINE ")",
     "file"},
    {0, "title", "TEXT", "its title (default: from the runs)", NULL},
    {0, "db", "FILE", "a page of a sweep in this results database", "file"},
    {0, "sweep", "NAME", "name of the sweep, if the database has several", NULL},
    {0, "perfetto", NULL, "a timeline for ui.perfetto.dev instead of a page", NULL},
    {0},
};

static const struct example examples[] = {
    {"heddle report heddle-out/bfs-fermi15.json -o bfs.html", "one run"},
    {"heddle report a.json b.json c.json -o all.html", "several, side by side"},
    {"heddle report --db heddle-out/results.db --sweep l1 -o l1.html", "all points of a sweep"},
    {"heddle report verdict.json -o study.html", "a study: published beside measured"},
    {"heddle report --perfetto run.json run.timeline.json",
     "a timeline; the second file comes from `heddle run --timeline`"},
    {NULL, NULL},
};

const struct command command_report = {
    .name = "report",
    .arguments = "[RUN.json..|VERDICT.json|RUN.json TIMELINE.json]",
    .summary = "make an HTML page with charts from results",
    .description =
        "Makes a page from results of `heddle run -o FILE.json`: CPI stacks, stalls, latencies, "
        "queues, bandwidths, roofline, heat maps, series, every statistic and the whole "
        "configuration; from a sweep: charts of any metric over any parameter, maps over two, a "
        "table of all points; from a study: published numbers beside measured ones. The page is "
        "one file and needs no network. With --perfetto, a timeline: kernels and series of a "
        "result and, with the file of `heddle run --timeline`, blocks, states of SMs and queues.",
    .options = options,
    .examples = examples,
    .completes = "file",
    .completes_next = "file",
    .run = run_report,
};
