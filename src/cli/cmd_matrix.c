#include "cli/command.h"

#include "matrix/describe.h"

#include <stdio.h>
#include <stdlib.h>

static const struct option_def options[] = {
    {'w', "write", "FILE.mtx", "write the matrix as a Matrix Market file", "file"},
    {0, "pattern", "VALUE", "value of every element of a file without values", NULL},
    {'q', "quiet", NULL, "do not print the description", NULL},
    {0},
};

static bool run_matrix(struct cli *cli, struct err *err)
{
    if (cli->argument_count != 1)
        return err_at(err, (struct src_pos){0},
                      "one matrix is expected, %u are given: a file, or a "
                      "generator such as rmat:n=5000,nnz=100000",
                      cli->argument_count);
    struct market_options market = {.has_pattern_value = cli_has(cli, "pattern")};
    if (market.has_pattern_value) {
        char *end;
        market.pattern_value = strtod(cli_value(cli, "pattern"), &end);
        if (*end || end == cli_value(cli, "pattern"))
            return err_found(err, (struct src_pos){0}, "--pattern", cli_value(cli, "pattern"),
                             "a number");
    }
    struct matrix m;
    struct matrix_facts facts;
    struct text t = {0};
    if (!matrix_open(&m, cli->arguments[0], &market, err))
        return false;
    bool ok = !cli_has(cli, "write") || matrix_write(&m, cli_value(cli, "write"), err);
    if (ok && !cli_has(cli, "quiet")) {
        matrix_describe(&facts, &m);
        text_printf(&t, "%s\n", cli->arguments[0]);
        matrix_facts_text(&facts, &t);
        matrix_picture(&m, 64, &t);
        fputs(t.data, stdout);
    }
    text_fini(&t);
    matrix_fini(&m);
    return ok;
}

static const struct example examples[] = {
    {"heddle matrix web.mtx.gz",
     "print size, degrees, share near the diagonal, work of the square"},
    {"heddle matrix rmat:n=5000,nnz=100000 -w r.mtx", "generate a matrix and write it to a file"},
    {"heddle matrix like:email-Enron,divide=8", "a matrix as sparse as a published one"},
    {NULL, NULL},
};

const struct command command_matrix = {
    .name = "matrix",
    .arguments = "FILE.mtx[.gz] | GENERATOR:PARAMETERS",
    .summary = "describe or generate a sparse matrix",
    .description =
        "Reads a Matrix Market file (coordinate, real or integer) or generates a matrix, and "
        "prints what matters for sparse products: size, elements, degrees, the share near the "
        "diagonal, the partial products of its square, and a picture.\n\nGenerators: "
        "uniform:n=,nnz= | "
        "rmat:n=,nnz= | mesh:x=,y=,z= | grid:width=,height=,keep= | like:NAME,divide=, where NAME "
        "is filter3D, roadNet-CA, email-Enron, web-Google, cit-Patents, ca-CondMat or "
        "p2p-Gnutella31; each takes seed=.",
    .options = options,
    .examples = examples,
    .completes = "file",
    .run = run_matrix,
};
