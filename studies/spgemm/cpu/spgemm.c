/*
 * Square of a sparse matrix on a CPU, six threads: rows with dense sums (Gustavson), columns of
 * a row in no order, or outer products
 * with lists that are merged. Its times are those of `METHOD` less those of `none`, which reads the
 * matrix alone.
 *
 * usage: spgemm none|row|outer FILE.mtx        exit code 0: right (row and outer check each other)
 *
 * Built and recorded by baselines.sh, which does not need libraries of heddle.
 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 6
#define HEADS 4096 /* chunks of a row that are merged at once; more: several passes */

struct matrix {
    unsigned n;
    unsigned *start, *column, *row_of; /* the last: by element */
    double *value;
};

struct chunk {
    struct chunk *next;
    unsigned count, inner;
    double *values;
};

static struct matrix a;
static unsigned *by_column, *column_start; /* elements of A by columns */

/* The next number of the text; no signs, no exponents: heddle matrix writes none of values near 1. */
static double read_number(char **at)
{
    double n = 0, unit = 1;
    while (**at <= ' ')
        ++*at;
    for (; **at >= '0' && **at <= '9'; ++*at)
        n = 10 * n + (**at - '0');
    if (**at == '.') {
        for (++*at; **at >= '0' && **at <= '9'; ++*at)
            n += (unit /= 10) * (**at - '0');
    }
    return n;
}

static void read_matrix(const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f || fseek(f, 0, SEEK_END))
        exit(2);
    size_t length = (size_t)ftell(f);
    char *text = malloc(length + 1), *at = text;
    rewind(f);
    if (fread(text, 1, length, f) != length)
        exit(2);
    fclose(f);
    text[length] = 0;
    at = strchr(text, '\n');
    a.n = (unsigned)read_number(&at);
    read_number(&at);
    unsigned nnz = (unsigned)read_number(&at);
    a.start = calloc(a.n + 2, sizeof(unsigned));
    a.column = malloc((nnz + 1) * sizeof(unsigned));
    a.row_of = malloc((nnz + 1) * sizeof(unsigned));
    a.value = malloc((nnz + 1) * sizeof(double));
    for (unsigned i = 0; i < nnz; i++) { /* rows are in order */
        unsigned row = (unsigned)read_number(&at);
        a.start[row]++;
        a.row_of[i] = row - 1;
        a.column[i] = (unsigned)read_number(&at) - 1;
        a.value[i] = read_number(&at);
    }
    for (unsigned r = 0; r < a.n; r++)
        a.start[r + 1] += a.start[r];
}

/* ---- row by row ---- */

static double multiply_rows(void)
{
    double sum = 0;
#pragma omp parallel num_threads(THREADS) reduction(+ : sum)
    {
        double *sums = calloc(a.n, sizeof(double));
        unsigned *mark = calloc(a.n, sizeof(unsigned)), *list = malloc(a.n * sizeof(unsigned));
#pragma omp for schedule(dynamic, 64)
        for (unsigned r = 0; r < a.n; r++) {
            unsigned count = 0;
            for (unsigned i = a.start[r]; i < a.start[r + 1]; i++) {
                unsigned k = a.column[i];
                for (unsigned j = a.start[k]; j < a.start[k + 1]; j++) {
                    unsigned c = a.column[j];
                    if (mark[c] != r + 1) {
                        mark[c] = r + 1;
                        sums[c] = 0;
                        list[count++] = c;
                    }
                    sums[c] += a.value[i] * a.value[j];
                }
            }
            unsigned *columns = malloc(count * sizeof(unsigned) + 1);
            double *values = malloc(count * sizeof(double) + 1);
            for (unsigned i = 0; i < count; i++) {
                columns[i] = list[i];
                values[i] = sums[list[i]];
                sum += values[i] * (1 + list[i] % 7);
            }
        }
    }
    return sum;
}

/* ---- outer products ---- */

static void make_columns(void)
{
    unsigned nnz = a.start[a.n];
    column_start = calloc(a.n + 2, sizeof(unsigned));
    by_column = malloc((nnz + 1) * sizeof(unsigned));
    for (unsigned i = 0; i < nnz; i++)
        column_start[a.column[i] + 2]++;
    for (unsigned c = 0; c < a.n; c++)
        column_start[c + 2] += column_start[c + 1];
    for (unsigned i = 0; i < nnz; i++)
        by_column[column_start[a.column[i] + 1]++] = i;
}

struct head {
    unsigned column, at;
    struct chunk *chunk;
};

/* Smallest last. */
static void insert(struct head *heads, unsigned count, struct head h)
{
    unsigned at = count;
    for (; at > 0 && heads[at - 1].column < h.column; at--)
        heads[at] = heads[at - 1];
    heads[at] = h;
}

static double merge_row(struct chunk *list, struct head *heads, unsigned *columns, double *values)
{
    unsigned count = 0, out = 0;
    double sum = 0;
    for (struct chunk *c = list; c && count < HEADS; c = c->next, count++)
        insert(heads, count, (struct head){a.column[a.start[c->inner]], 0, c});
    while (count) {
        struct head h = heads[--count];
        if (out && columns[out - 1] == h.column) {
            values[out - 1] += h.chunk->values[h.at];
        } else {
            columns[out] = h.column;
            values[out++] = h.chunk->values[h.at];
        }
        if (++h.at < h.chunk->count) {
            h.column = a.column[a.start[h.chunk->inner] + h.at];
            insert(heads, count++, h);
        }
    }
    for (unsigned i = 0; i < out; i++)
        sum += values[i] * (1 + columns[i] % 7);
    return sum;
}

static double multiply_outer(void)
{
    struct chunk **rows = calloc(a.n, sizeof *rows);
    double sum = 0;
    make_columns();
#pragma omp parallel for num_threads(THREADS) schedule(dynamic, 16)
    for (unsigned i = 0; i < a.n; i++) {
        unsigned length = a.start[i + 1] - a.start[i];
        for (unsigned e = column_start[i]; length && e < column_start[i + 1]; e++) {
            struct chunk *c = malloc(sizeof *c);
            c->values = malloc(length * sizeof(double));
            c->count = length;
            c->inner = i;
            double v = a.value[by_column[e]];
            for (unsigned j = 0; j < length; j++)
                c->values[j] = v * a.value[a.start[i] + j];
            c->next = __atomic_load_n(&rows[a.row_of[by_column[e]]], __ATOMIC_RELAXED);
            while (!__atomic_compare_exchange_n(&rows[a.row_of[by_column[e]]], &c->next, c, 0,
                                                __ATOMIC_RELEASE, __ATOMIC_RELAXED))
                ;
        }
    }
#pragma omp parallel num_threads(THREADS) reduction(+ : sum)
    {
        struct head *heads = malloc((HEADS + 1) * sizeof *heads);
        unsigned *columns = malloc(a.n * sizeof(unsigned));
        double *values = malloc(a.n * sizeof(double));
#pragma omp for schedule(dynamic, 64)
        for (unsigned r = 0; r < a.n; r++)
            sum += merge_row(rows[r], heads, columns, values);
    }
    return sum;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    read_matrix(argv[2]);
    if (strcmp(argv[1], "check") == 0) {
        double x = multiply_rows(), y = multiply_outer();
        return fabs(x - y) > 1e-9 * fabs(x);
    }
    if (strcmp(argv[1], "row") == 0)
        printf("%.12g\n", multiply_rows());
    else if (strcmp(argv[1], "outer") == 0)
        printf("%.12g\n", multiply_outer());
    return 0;
}
