/* heddle results: what the results database holds. */
#include "base/file.h"
#include "cli/command.h"
#include "campaign/table.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_DB "heddle-out/results.db"

static const struct option_def options[] = {
    {0, "db", "FILE", "the results database (default: " DEFAULT_DB ")", "file"},
    {0, "run", "KEY", "show one run in full; the first digits of its key are enough", NULL},
    {0, "csv", NULL, "as CSV", NULL},
    {0, "json", NULL, "as JSON", NULL},
    {'o', "output", "FILE", "write to a file", "file"},
    {0},
};

/* Words that stand for a question. */
static const struct {
    const char *word, *sql;
} ready_made[] = {
    {"runs", "SELECT substr(key, 1, 8) AS run, status, chip, workload, size, seed, mode, "
             "coalesce((SELECT group_concat(parameter || '=' || value, ' ') FROM settings WHERE "
             "settings.run = runs.key), '') AS settings, cycles, warp_instructions, "
             "round(seconds, 3) AS seconds, error FROM runs "
             "ORDER BY chip, workload, size, settings, seed"},
    {"kernels", "SELECT * FROM kernels ORDER BY run, ordinal"},
    {"failed", "SELECT substr(key, 1, 8) AS run, status, exit_code, error, command FROM runs "
               "WHERE status IN ('failed', 'hung', 'timed out', 'interrupted') ORDER BY ended_at"},
    {"sweeps", "SELECT sweep, count(*) AS runs, sum(status = 'done') AS done, "
               "round(sum(seconds), 1) AS seconds FROM sweep_points JOIN runs ON key = run "
               "GROUP BY sweep"},
};

static const char *const words[] = {"runs", "kernels", "failed", "sweeps", NULL};

static const char *question(const char *given)
{
    for (size_t i = 0; i < ARRAY_LEN(ready_made); i++) {
        if (strcmp(ready_made[i].word, given) == 0)
            return ready_made[i].sql;
    }
    return given;
}

/* A single word is meant to be one of ours, not SQL. */
static bool check_question(const char *given, struct err *err)
{
    if (strchr(given, ' ') || question(given) != given)
        return true;
    return err_unknown(err, (struct src_pos){0}, "table", given, words, ARRAY_LEN(words) - 1, NULL);
}

static bool answer(const struct cli *cli, struct db *db, struct text *out, struct err *err)
{
    enum table_format format = cli_has(cli, "json")  ? TABLE_JSON
                               : cli_has(cli, "csv") ? TABLE_CSV
                                                     : TABLE_TEXT;
    if (cli_has(cli, "run"))
        return table_run(db, cli_value(cli, "run"), format, out, err);
    if (cli->argument_count)
        return check_question(cli->arguments[0], err) &&
               table_query(db, question(cli->arguments[0]), NULL, 0, format, out, err);
    if (format != TABLE_TEXT)
        return table_query(db, question("runs"), NULL, 0, format, out, err);
    return table_overview(db, out, err);
}

static bool show(const struct cli *cli, const struct text *t, struct err *err)
{
    const char *path = cli_value(cli, "output");
    if (path)
        return file_write(path, t, err);
    if (t->length)
        fwrite(t->data, 1, t->length, stdout);
    return true;
}

static bool run_results(struct cli *cli, struct err *err)
{
    struct db db;
    struct text t = {0};
    const char *path = cli_value(cli, "db") ? cli_value(cli, "db") : DEFAULT_DB;
    if (cli->argument_count > 1 || (cli->argument_count && cli_has(cli, "run")))
        return err_at(err, (struct src_pos){0},
                      "only one query may be given; put a query with blanks in quotes");
    if (!db_open_readonly(&db, path, err))
        return false;
    bool ok = answer(cli, &db, &t, err) && show(cli, &t, err);
    text_fini(&t);
    db_close(&db);
    return ok;
}

static const struct example examples[] = {
    {"heddle results", "an overview"},
    {"heddle results runs --csv -o runs.csv", "every run, as CSV"},
    {"heddle results --run 3f2a", "one run in full"},
    {"heddle results \"SELECT chip, avg(cycles) FROM runs GROUP BY chip\"", "any SQL query"},
    {NULL, NULL},
};

const struct command command_results = {
    .name = "results",
    .arguments = "[runs|kernels|failed|sweeps|QUERY]",
    .summary = "query the results database",
    .description =
        "Shows tables of runs or of kernels, or the answer to an SQL query, as text, CSV or JSON; "
        "without an argument, an overview. docs/howto/sweeps.md has the tables.",
    .options = options,
    .examples = examples,
    .words = words,
    .run = run_results,
};
