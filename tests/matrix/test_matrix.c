/* Products, files and generators of sparse matrices. */
#include "testing.h"

#include "matrix/describe.h"
#include "matrix/generate.h"

#include "base/arena.h"

#include <math.h>
#include <unistd.h>
#include <zlib.h>

static void read_text(const char *text, struct matrix *m, struct err *err)
{
    char path[] = "/tmp/heddle-matrix-XXXXXX";
    int fd = mkstemp(path);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    matrix_read(m, path, NULL, err);
    unlink(path);
}

/* The sentence without the file's name. */
static const char *refusal(const char *text)
{
    static char sentence[4096];
    struct matrix m;
    struct err err = ERR_INIT;
    read_text(text, &m, &err);
    assert_int_equal(err.kind, ERR_INPUT);
    matrix_fini(&m);
    err_text(&err, sentence, sizeof sentence);
    char *colon = strchr(sentence, ':');
    assert_non_null(colon);
    return colon + 1;
}

#define BANNER "%%MatrixMarket matrix coordinate real general\n"

TEST(what_is_wrong_in_a_file_is_said_with_line_and_column)
{
    UNUSED_STATE;
    assert_string_equal(refusal(BANNER "2 2 1\n3 1 1.0\n"), "3:1: the row is 3, expected 1 to 2");
    assert_string_equal(refusal(BANNER "2 2 1\n1 0 1.0\n"),
                        "3:3: the column is 0, expected 1 to 2");
    assert_string_equal(refusal(BANNER "2 2 3\n1 1 1\n2 2 1\n1 1 2\n"),
                        "5:1: row 1, column 1 is listed twice, expected each place once");
    assert_string_equal(refusal("%%MatrixMarket matrix coordinate complex general\n1 1 0\n"),
                        "1:34: the field is complex, expected real or integer");
    assert_non_null(strstr(refusal("%%MatrixMarket matrix coordinate pattern general\n1 1 0\n"),
                           "1:34: the matrix is a pattern without values"));
    assert_string_equal(refusal(BANNER "2 2 2\n1 1 1\n"),
                        "4:1: the file ends after 1 elements, expected 2");
    assert_string_equal(refusal("%%MatrixMarket matrix\n"),
                        "1:23: the format is missing, expected coordinate");
    assert_string_equal(refusal("%%MatrixMarket matrix coordinate real\n1 1 0\n"),
                        "1:39: the symmetry is missing, expected general, symmetric or "
                        "skew-symmetric");
    assert_string_equal(refusal(BANNER "2 2 1\n1 1 x\n"),
                        "3:5: the value is x, expected a finite number");
    assert_string_equal(refusal(BANNER "2 2 1\n1 1 1\n2 2 1\n"),
                        "4:1: more follows the last of 1 elements");
}

TEST(a_symmetric_file_has_both_halves)
{
    UNUSED_STATE;
    struct matrix m;
    struct err err = ERR_INIT;
    read_text("%%MatrixMarket matrix coordinate integer symmetric\n% c\n3 3 2\n2 1 5\n3 3 7\n", &m,
              &err);
    assert_int_equal(err.kind, ERR_NONE);
    assert_int_equal(matrix_nnz(&m), 3);
    assert_int_equal(m.column[0], 1);
    assert_true(m.value[0] == 5 && m.value[1] == 5 && m.value[2] == 7);
    matrix_fini(&m);
}

TEST(a_compressed_file_reads_as_the_plain_one)
{
    UNUSED_STATE;
    struct matrix m, again;
    struct err err = ERR_INIT;
    u32 row, column;
    char path[] = "/tmp/heddle-matrix-XXXXXX";
    close(mkstemp(path));
    matrix_rmat(&m, 100, 500, 3);
    assert_true(matrix_write(&m, path, &err));
    FILE *plain = fopen(path, "rb");
    static char text[65536];
    size_t length = fread(text, 1, sizeof text, plain);
    fclose(plain);
    gzFile packed = gzopen(path, "wb");
    gzwrite(packed, text, (unsigned)length);
    gzclose(packed);
    assert_true(matrix_read(&again, path, NULL, &err));
    assert_true(matrix_equals(&m, &again, 0, &row, &column));
    unlink(path);
    matrix_fini(&m);
    matrix_fini(&again);
}

/* Random values, so that the packed bytes say something everywhere. */
TEST(a_compressed_file_without_its_end_is_refused)
{
    UNUSED_STATE;
    struct matrix m;
    char path[] = "/tmp/heddle-matrix-XXXXXX";
    close(mkstemp(path));
    gzFile packed = gzopen(path, "wb");
    gzputs(packed, BANNER "100 100 100\n");
    for (u32 i = 1; i <= 100; i++)
        gzprintf(packed, "%u %u 0.%u\n", i, i, i * 7919 % 1000003);
    gzclose(packed);
    for (off_t bytes = 300; bytes > 12; bytes -= 48) {
        struct err err = ERR_INIT;
        char sentence[4096];
        assert_int_equal(truncate(path, bytes), 0);
        assert_false(matrix_read(&m, path, NULL, &err));
        err_text(&err, sentence, sizeof sentence);
        if (!strstr(sentence, "the compressed file is cut off"))
            fail_msg("'%s' with %d bytes", sentence, (int)bytes);
    }
    unlink(path);
}

/* Both as dense arrays, in three loops. */
static void check_product(const struct matrix *a, const struct matrix *b)
{
    struct matrix c;
    double *dense = calloc((size_t)a->rows * b->columns, sizeof *dense);
    for (u32 r = 0; r < a->rows; r++) {
        for (u64 i = a->start[r]; i < a->start[r + 1]; i++) {
            for (u64 k = b->start[a->column[i]]; k < b->start[a->column[i] + 1]; k++)
                dense[(size_t)r * b->columns + b->column[k]] += a->value[i] * b->value[k];
        }
    }
    matrix_multiply(&c, a, b);
    for (u32 r = 0; r < a->rows; r++) {
        for (u64 i = c.start[r]; i < c.start[r + 1]; i++) {
            double *place = &dense[(size_t)r * b->columns + c.column[i]];
            assert_true(fabs(*place - c.value[i]) <= 1e-12 * fabs(*place));
            *place = 0;
        }
    }
    for (size_t i = 0; i < (size_t)a->rows * b->columns; i++)
        assert_true(dense[i] == 0);
    free(dense);
    matrix_fini(&c);
}

TEST(a_product_equals_the_dense_one)
{
    UNUSED_STATE;
    struct matrix a, b;
    matrix_uniform(&a, 60, 400, 1);
    matrix_rmat(&b, 60, 300, 2);
    check_product(&a, &b);
    check_product(&b, &a);
    matrix_fini(&a);
    matrix_fini(&b);
}

TEST(partial_products_are_the_sum_over_columns_and_rows)
{
    UNUSED_STATE;
    struct matrix a, t;
    u64 sum = 0;
    matrix_rmat(&a, 200, 1500, 5);
    matrix_transpose(&t, &a);
    for (u32 i = 0; i < 200; i++)
        sum += matrix_row_length(&t, i) * matrix_row_length(&a, i);
    assert_int_equal(matrix_partial_products(&a, &a), sum);
    matrix_fini(&a);
    matrix_fini(&t);
}

/* 3 x 2 nodes in one layer: a corner has 4 neighbours with itself, a middle 6. */
TEST(a_mesh_has_each_node_and_its_neighbours)
{
    UNUSED_STATE;
    struct matrix m;
    struct matrix_facts f;
    matrix_mesh(&m, 3, 2, 1, 1);
    matrix_describe(&f, &m);
    assert_int_equal(f.nnz, 4 * 4 + 2 * 6);
    assert_int_equal(f.longest_row, 6);
    matrix_fini(&m);
}

/* 3 x 2 nodes: 2 x 2 edges across, 3 down, each in both directions. */
TEST(a_grid_that_keeps_all_edges_has_them_in_both_directions)
{
    UNUSED_STATE;
    struct matrix m;
    matrix_grid(&m, 3, 2, 1, 1);
    assert_int_equal(matrix_nnz(&m), 2 * (4 + 3));
    matrix_fini(&m);
}

TEST(rmat_has_as_many_elements_as_asked_none_on_the_diagonal_and_more_in_the_corner)
{
    UNUSED_STATE;
    struct matrix m;
    u64 corner = 0;
    matrix_rmat(&m, 1000, 8000, 1);
    assert_int_equal(matrix_nnz(&m), 8000);
    for (u32 r = 0; r < 1000; r++) {
        for (u64 i = m.start[r]; i < m.start[r + 1]; i++) {
            assert_true(m.column[i] != r);
            corner += r < 500 && m.column[i] < 500;
        }
    }
    /* 0.57 before duplicates, which the corner has most of, are left out */
    assert_in_range(corner, 8000 * 40 / 100, 8000 * 57 / 100);
    matrix_fini(&m);
}

TEST(a_generator_refuses_what_it_does_not_have)
{
    UNUSED_STATE;
    static const char *const specs[] = {"rmat:n=100",
                                        "rmat:n=100,nnz=20,size=3",
                                        "uniform:n=4,nnz=40",
                                        "mesh:x=2,y=2.5,z=2",
                                        "like:nobody",
                                        "grid:width=3,height=x",
                                        "no-such-file.mtx",
                                        "unifrom:n=4",
                                        "foo:n=3",
                                        "rmat"};
    static const char *const sentences[] = {
        "rmat:n=100:1:1: nnz is missing, expected rmat:n=,nnz=[,seed=]",
        "unknown parameter 'size'",
        "nnz is 40 with n 4, expected at most half of all places, 9",
        "y is 2.5",
        "unknown matrix 'nobody'",
        "height has no number",
        "cannot be opened",
        "unknown generator 'unifrom', expected uniform, rmat, mesh, grid or like (nearest: "
        "uniform)",
        "unknown generator 'foo', expected uniform, rmat, mesh, grid or like",
        "rmat needs parameters, expected rmat:n=,nnz=[,seed=]"};
    for (size_t i = 0; i < ARRAY_LEN(specs); i++) {
        struct matrix m;
        struct err err = ERR_INIT;
        char text[4096];
        assert_false(matrix_open(&m, specs[i], NULL, &err));
        err_text(&err, text, sizeof text);
        if (!strstr(text, sentences[i]))
            fail_msg("'%s', expected '%s'", text, sentences[i]);
    }
}

RUN_TESTS(T(what_is_wrong_in_a_file_is_said_with_line_and_column),
          T(a_symmetric_file_has_both_halves), T(a_compressed_file_reads_as_the_plain_one),
          T(a_compressed_file_without_its_end_is_refused), T(a_product_equals_the_dense_one),
          T(partial_products_are_the_sum_over_columns_and_rows),
          T(a_mesh_has_each_node_and_its_neighbours),
          T(a_grid_that_keeps_all_edges_has_them_in_both_directions),
          T(rmat_has_as_many_elements_as_asked_none_on_the_diagonal_and_more_in_the_corner),
          T(a_generator_refuses_what_it_does_not_have))
