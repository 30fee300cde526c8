/*
 * Host of spgemm_gpu: the square of a sparse matrix (see spgemm_gpu.cu for its memory behaviour and
 * use).
 *
 * The matrix is what `heddle matrix` makes or reads. The CPU's product has doubles; every element
 * is compared within a bound that follows from float sums in any order.
 */
#include "host.h"

#include "matrix/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 256
#define DIGIT_BITS 4
#define STRETCH 16 /* keys that a thread sorts */
#define EMPTY 0xffffffffu

static const struct host_choice choices[] = {
    {"method", "hash tables by row; expand, sort, compress; outer products",
     .words = {"hash", "esc", "outer", NULL}},
    {"matrix", "a Matrix Market file or a generator (heddle matrix)",
     .texts = {"rmat:n=300,nnz=1500", "rmat:n=2000,nnz=10000", "rmat:n=20000,nnz=100000"}},
    {0},
};

struct problem {
    struct host *h;
    struct matrix a, c; /* the second: the answer */
    u32 products;
    u32 *row_of, *place; /* of each element */
    CUdeviceptr start, column, value;
};

static void prepare(struct problem *p)
{
    struct host *h = p->h;
    u32 nnz = (u32)matrix_nnz(&p->a);
    u32 *start = HOST_ARRAY(h, u32, p->a.rows + 1);
    float *value = HOST_ARRAY(h, float, nnz + 1);
    p->row_of = HOST_ARRAY(h, u32, nnz + 1);
    p->place = HOST_ARRAY(h, u32, nnz + 1);
    u64 products = 0;
    for (u32 r = 0; r < p->a.rows; r++) {
        start[r + 1] = (u32)p->a.start[r + 1];
        for (u64 i = p->a.start[r]; i < p->a.start[r + 1]; i++) {
            p->row_of[i] = r;
            p->place[i] = (u32)products;
            products += matrix_row_length(&p->a, p->a.column[i]);
            value[i] = (float)p->a.value[i];
        }
    }
    if (products > 0x7fffffff)
        host_fail(h, "the matrix has too many partial products");
    p->products = p->place[nnz] = (u32)products;
    p->start = host_upload(h, start, (p->a.rows + 1) * sizeof(u32));
    p->column = host_upload(h, p->a.column, (nnz + 1) * sizeof(u32));
    p->value = host_upload(h, value, (nnz + 1) * sizeof(float));
}

/* ---- hash ---- */

struct pair {
    u32 column;
    float value;
};

static int compare_pairs(const void *a, const void *b)
{
    u32 x = ((const struct pair *)a)->column, y = ((const struct pair *)b)->column;
    return (x > y) - (x < y);
}

/* Twice as many entries as the row may have elements, a power of two. */
static u32 *place_tables(struct problem *p)
{
    u32 *start = HOST_ARRAY(p->h, u32, p->a.rows + 1);
    for (u32 r = 0; r < p->a.rows; r++) {
        u32 most = 0, entries = 1;
        for (u64 i = p->a.start[r]; i < p->a.start[r + 1]; i++)
            most += (u32)matrix_row_length(&p->a, p->a.column[i]);
        most = most < p->a.columns ? most : p->a.columns;
        while (entries < 2 * most)
            entries *= 2;
        start[r + 1] = start[r] + entries;
    }
    return start;
}

/* Sorts the entries of a table's row; how many there are. */
static u32 gather(const u32 *keys, const float *sums, u32 from, u32 to, struct pair *out)
{
    u32 count = 0;
    for (u32 i = from; i < to; i++) {
        if (keys[i] != EMPTY)
            out[count++] = (struct pair){keys[i], sums[i]};
    }
    qsort(out, count, sizeof *out, compare_pairs);
    return count;
}

static u32 run_hash(struct problem *p, u32 *columns, float *values)
{
    struct host *h = p->h;
    u32 *tables = place_tables(p), entries = tables[p->a.rows], count = 0;
    CUdeviceptr table_start = host_upload(h, tables, (p->a.rows + 1) * sizeof(u32));
    CUdeviceptr keys = host_device_alloc(h, entries * sizeof(u32));
    CUdeviceptr sums = host_zeros(h, entries * sizeof(float));
    CU(h, cuMemsetD32, (keys, EMPTY, entries));
    host_launch(h, host_kernel(h, "spgemm_hash"), DIM1(blocks_for(p->a.rows * 32, BLOCK)),
                DIM1(BLOCK), 0,
                ARGS(&p->start, &p->column, &p->value, &table_start, &keys, &sums, &p->a.rows));
    u32 *got_keys = HOST_ARRAY(h, u32, entries);
    float *got_sums = HOST_ARRAY(h, float, entries);
    struct pair *row = HOST_ARRAY(h, struct pair, p->a.columns);
    host_download(h, got_keys, keys, entries * sizeof(u32));
    host_download(h, got_sums, sums, entries * sizeof(float));
    for (u32 r = 0; r < p->a.rows; r++) {
        u32 length = gather(got_keys, got_sums, tables[r], tables[r + 1], row);
        for (u32 i = 0; i < length && count < p->products; i++) {
            columns[count] = row[i].column;
            values[count++] = row[i].value;
        }
    }
    return count;
}

/* ---- expand, sort, compress ---- */

struct sorter {
    CUdeviceptr keys[2], products[2], counts;
    u32 threads;
};

static u32 bits_of(u32 n)
{
    u32 bits = 0;
    while (n >> bits)
        bits++;
    return bits;
}

static void sort_digit(struct problem *p, struct sorter *s, u32 from, u32 shift)
{
    struct host *h = p->h;
    struct dim grid = DIM1(blocks_for(s->threads, BLOCK)), block = DIM1(BLOCK);
    u32 stretch = STRETCH, counts = s->threads << DIGIT_BITS;
    host_launch(h, host_kernel(h, "spgemm_count"), grid, block, 0,
                ARGS(&s->keys[from], &s->counts, &p->products, &stretch, &s->threads, &shift));
    host_launch(h, host_kernel(h, "spgemm_scan"), DIM1(1), block, 0, ARGS(&s->counts, &counts));
    host_launch(h, host_kernel(h, "spgemm_move"), grid, block, 0,
                ARGS(&s->keys[from], &s->products[from], &s->keys[!from], &s->products[!from],
                     &s->counts, &p->products, &stretch, &s->threads, &shift));
}

/* By column, then by row; the last sweep's array. */
static u32 sort(struct problem *p, struct sorter *s)
{
    u32 from = 0;
    for (u32 half = 0; half < 64; half += 32) {
        u32 bits = bits_of((half ? p->a.rows : p->a.columns) - 1);
        for (u32 shift = 0; shift < bits; shift += DIGIT_BITS, from = !from)
            sort_digit(p, s, from, half + shift);
    }
    return from;
}

static u32 run_esc(struct problem *p, u32 *columns, float *values)
{
    struct host *h = p->h;
    u32 nnz = (u32)matrix_nnz(&p->a), n = p->products, count = 0;
    struct sorter s = {.threads = blocks_for(n, STRETCH)};
    for (u32 i = 0; i < 2; i++) {
        s.keys[i] = host_device_alloc(h, (n + 1) * sizeof(u64));
        s.products[i] = host_device_alloc(h, (n + 1) * sizeof(float));
    }
    s.counts = host_device_alloc(h, ((size_t)s.threads << DIGIT_BITS) * sizeof(u32) + 4);
    CUdeviceptr row_of = host_upload(h, p->row_of, (nnz + 1) * sizeof(u32));
    CUdeviceptr place = host_upload(h, p->place, (nnz + 1) * sizeof(u32));
    CUdeviceptr is_first = host_device_alloc(h, (n + 1) * sizeof(u32));
    host_launch(
        h, host_kernel(h, "spgemm_expand"), DIM1(blocks_for(nnz, BLOCK)), DIM1(BLOCK), 0,
        ARGS(&p->start, &p->column, &p->value, &row_of, &place, &s.keys[0], &s.products[0], &nnz));
    u32 last = sort(p, &s);
    CUdeviceptr sums = s.products[!last];
    host_launch(h, host_kernel(h, "spgemm_compress"), DIM1(blocks_for(n, BLOCK)), DIM1(BLOCK), 0,
                ARGS(&s.keys[last], &s.products[last], &is_first, &sums, &n));
    u32 *first = HOST_ARRAY(h, u32, n);
    u64 *keys = HOST_ARRAY(h, u64, n);
    float *got = HOST_ARRAY(h, float, n);
    host_download(h, first, is_first, n * sizeof(u32));
    host_download(h, keys, s.keys[last], n * sizeof(u64));
    host_download(h, got, sums, n * sizeof(float));
    for (u32 i = 0; i < n; i++) {
        if (!first[i])
            continue;
        columns[count] = (u32)keys[i];
        values[count++] = got[i];
    }
    return count;
}

/* ---- outer products ---- */

/* The elements of each column, as places among those of the rows, and where a column starts. */
static u32 *by_column(struct problem *p, u32 *start)
{
    u32 nnz = (u32)matrix_nnz(&p->a), *element = HOST_ARRAY(p->h, u32, nnz + 1);
    for (u32 i = 0; i < nnz; i++)
        start[p->a.column[i] + 1]++;
    for (u32 k = 0; k < p->a.columns; k++)
        start[k + 1] += start[k];
    u32 *next = HOST_ARRAY(p->h, u32, p->a.columns + 1);
    memcpy(next, start, p->a.columns * sizeof *next);
    for (u32 i = 0; i < nnz; i++)
        element[next[p->a.column[i]]++] = i;
    return element;
}

static u32 run_outer(struct problem *p, u32 *columns, float *values)
{
    struct host *h = p->h;
    u32 nnz = (u32)matrix_nnz(&p->a), rows = p->a.rows, n = p->products, count = 0;
    u32 *starts = HOST_ARRAY(h, u32, rows + 1), *elements = by_column(p, starts);
    CUdeviceptr column_start = host_upload(h, starts, (rows + 1) * sizeof(u32));
    CUdeviceptr element = host_upload(h, elements, (nnz + 1) * sizeof(u32));
    CUdeviceptr place = host_upload(h, p->place, (nnz + 1) * sizeof(u32));
    CUdeviceptr head = host_upload(h, p->place, (nnz + 1) * sizeof(u32));
    CUdeviceptr lists = host_device_alloc(h, (n + 1) * sizeof(u32));
    CUdeviceptr products = host_device_alloc(h, (n + 1) * sizeof(float));
    CUdeviceptr merged = host_device_alloc(h, (n + 1) * sizeof(u32));
    CUdeviceptr sums = host_device_alloc(h, (n + 1) * sizeof(float));
    CUdeviceptr lengths = host_device_alloc(h, (rows + 1) * sizeof(u32));
    struct dim grid = DIM1(blocks_for(rows * 32, BLOCK)), block = DIM1(BLOCK);
    host_launch(h, host_kernel(h, "spgemm_outer"), grid, block, 0,
                ARGS(&column_start, &element, &p->start, &p->column, &p->value, &place, &lists,
                     &products, &rows));
    host_launch(h, host_kernel(h, "spgemm_merge"), grid, block, 0,
                ARGS(&p->start, &place, &lists, &products, &head, &merged, &sums, &lengths, &rows));
    u32 *got = HOST_ARRAY(h, u32, n), *length = HOST_ARRAY(h, u32, rows);
    float *got_sums = HOST_ARRAY(h, float, n);
    host_download(h, got, merged, n * sizeof(u32));
    host_download(h, got_sums, sums, n * sizeof(float));
    host_download(h, length, lengths, rows * sizeof(u32));
    for (u32 r = 0; r < rows; r++) {
        u32 from = p->place[p->a.start[r]];
        for (u32 i = 0; i < length[r] && count < n; i++) {
            columns[count] = got[from + i];
            values[count++] = got_sums[from + i];
        }
    }
    return count;
}

int main(int argc, char **argv)
{
    struct host h;
    struct problem p = {.h = &h};
    struct err err = ERR_INIT;
    char text[2048];
    host_init(&h, "spgemm_gpu", choices, argc, argv);
    if (!matrix_open(&p.a, host_text(&h, "matrix"), NULL, &err)) {
        err_text(&err, text, sizeof text);
        host_fail(&h, "%s", text);
    }
    if (p.a.rows != p.a.columns || matrix_nnz(&p.a) == 0)
        host_fail(&h, "the matrix is %u x %u with %llu elements, expected a square one with some",
                  p.a.rows, p.a.columns, (unsigned long long)matrix_nnz(&p.a));
    prepare(&p);
    if (!p.products)
        host_fail(&h, "the square of the matrix is empty");
    matrix_multiply(&p.c, &p.a, &p.a);
    u32 expected = (u32)matrix_nnz(&p.c);
    u32 *columns = HOST_ARRAY(&h, u32, p.products);
    float *values = HOST_ARRAY(&h, float, p.products), *answer = HOST_ARRAY(&h, float, expected);
    static u32 (*const run[])(struct problem *, u32 *, float *) = {run_hash, run_esc, run_outer};
    u32 count = run[host_chosen(&h, "method")](&p, columns, values);
    for (u32 i = 0; i < expected; i++)
        answer[i] = (float)p.c.value[i];
    host_compare_u32(&h, "count", &count, &expected, 1);
    if (count == expected) {
        host_compare_u32(&h, "columns", columns, p.c.column, expected);
        /* all products are positive: no cancellation, whatever the order */
        host_compare_f32_within(&h, "values", values, answer, expected, 0, 1e-4);
    }
    matrix_fini(&p.a);
    matrix_fini(&p.c);
    return host_finish(&h);
}
