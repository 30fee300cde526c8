/* heddle diff: why one run is faster than another. */
#include "cli/command.h"
#include "report/diff.h"
#include "report/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_json(const struct diff *d)
{
    json_t *o = diff_to_json(d);
    json_dumpf(o, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(o);
}

static void print_text(const struct diff *d, bool all)
{
    struct text out = {0};
    diff_to_text(d, all, &out);
    fputs(out.data, stdout);
    text_fini(&out);
}

static void compare(const struct cli *cli, const struct result *a, const struct result *b)
{
    struct diff diff;
    diff_make(&diff, a, b);
    if (cli_has(cli, "json"))
        print_json(&diff);
    else
        print_text(&diff, cli_has(cli, "all"));
    diff_fini(&diff);
}

static bool have_same_clusters(const struct result *a, const struct result *b)
{
    u32 count = result_view_count(a);
    bool same = count && count == result_view_count(b);
    for (u32 i = 0; same && i < count; i++)
        same = strcmp(result_view_name(a, i), result_view_name(b, i)) == 0;
    return same;
}

/* One after the other; JSON objects one a cluster. */
static void compare_clusters(const struct cli *cli, const struct result *a, const struct result *b)
{
    for (u32 i = 0; i < result_view_count(a); i++) {
        struct result x, y;
        result_view(&x, a, i);
        result_view(&y, b, i);
        if (!cli_has(cli, "json"))
            printf("%scluster %s\n", i ? "\n" : "", result_view_name(a, i));
        compare(cli, &x, &y);
        result_fini(&x);
        result_fini(&y);
    }
}

static bool run_diff(struct cli *cli, struct err *err)
{
    if (cli->argument_count != 2)
        return err_at(err, (struct src_pos){0}, "two result files are expected, %u are given",
                      cli->argument_count);
    struct result a, b;
    if (!result_read(&a, cli->arguments[0], err))
        return false;
    if (!result_read(&b, cli->arguments[1], err)) {
        result_fini(&a);
        return false;
    }
    if (have_same_clusters(&a, &b))
        compare_clusters(cli, &a, &b);
    else
        compare(cli, &a, &b);
    result_fini(&a);
    result_fini(&b);
    return true;
}

static const struct option_def options[] = {
    {0, "json", NULL, "print everything as JSON, schema heddle.diff/1", NULL},
    {0, "all", NULL, "show every parameter and statistic that differs", NULL},
    {0},
};

static const struct example examples[] = {
    {"heddle diff a.json b.json", "what changed, and its effect on cycles"},
    {"heddle diff --json a.json b.json", "the same as JSON"},
    {NULL, NULL},
};

const struct command command_diff = {
    .name = "diff",
    .arguments = "A.json B.json",
    .summary = "explain why one run is faster than another",
    .description = "Compares two results of `heddle run -o FILE.json`: the parameters that "
                   "differ, then the causes of the difference in cycles, the largest first, then "
                   "hit rates, latencies, queueing, bandwidths, instructions and kernels.",
    .options = options,
    .examples = examples,
    .completes = "file",
    .completes_next = "file",
    .run = run_diff,
};
