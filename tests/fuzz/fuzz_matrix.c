/*
 * Any bytes as a Matrix Market file: a matrix in order, which is the same when it is written and
 * read again, or one message. The first byte says whether a file without values is read.
 */
#include "matrix/matrix.h"

#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#define MOST_SIDE 4096u /* starts of rows take memory by what a header says */

static void expect_message(const struct err *err)
{
    if (err->kind != ERR_INPUT || !err->what[0])
        abort();
}

static void write_file(const char *path, const u8 *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size)
        abort();
    fclose(f);
}

static void check(const struct matrix *m)
{
    if (!m->rows || m->rows > MOST_SIDE || !m->columns || m->columns > MOST_SIDE || m->start[0])
        abort();
    for (u32 r = 0; r < m->rows; r++) {
        if (m->start[r + 1] < m->start[r])
            abort();
        for (u64 i = m->start[r]; i < m->start[r + 1]; i++) {
            if (m->column[i] >= m->columns || (i > m->start[r] && m->column[i] <= m->column[i - 1]))
                abort();
        }
    }
}

static void check_again(const struct matrix *m, const char *path)
{
    struct err err = ERR_INIT;
    struct matrix again;
    u32 row, column;
    if (!matrix_write(m, path, &err) || !matrix_read(&again, path, NULL, &err) ||
        !matrix_equals(m, &again, 0, &row, &column))
        abort();
    matrix_fini(&again);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    struct err err = ERR_INIT;
    struct matrix m;
    char path[64];
    if (!size)
        return 0;
    snprintf(path, sizeof path, "/dev/shm/fuzz-matrix-%d", (int)getpid());
    write_file(path, data + 1, size - 1);
    const struct market_options options = {
        .has_pattern_value = data[0] % 2, .pattern_value = 1, .most_side = MOST_SIDE};
    if (matrix_read(&m, path, &options, &err)) {
        check(&m);
        check_again(&m, path);
    } else {
        expect_message(&err);
    }
    matrix_fini(&m);
    unlink(path);
    return 0;
}
