/* Matrix Market files (math.nist.gov/MatrixMarket/formats.html): coordinate real or integer. */
#include "matrix/matrix.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define LINE_BYTES 1025u
#define MOST_SIDE 0x7fffffffu

enum symmetry { GENERAL, SYMMETRIC, SKEW, SYMMETRIES };

struct reader {
    gzFile file;
    const char *path;
    const struct market_options *options;
    struct err *err;
    char line[LINE_BYTES];
    const char *at; /* within the line */
    u32 number;
    bool is_pattern;
    enum symmetry symmetry;
    u64 rows, columns, count;
    struct matrix_entry *entries;
    u32 *lines; /* of the elements in the file */
    u64 stored;
};

static struct src_pos position(const struct reader *r)
{
    return (struct src_pos){r->path, r->number, (u32)(r->at - r->line) + 1};
}

/* zlib says so when it has given the last that there is; of a file that is not compressed never. */
static bool is_cut_off(const struct reader *r)
{
    int code;
    gzerror(r->file, &code);
    return code == Z_BUF_ERROR;
}

/* False: the file has ended, or the line is too long. */
static bool next_line(struct reader *r)
{
    r->at = r->line;
    r->number++;
    if (!gzgets(r->file, r->line, LINE_BYTES)) {
        int code;
        const char *text = gzerror(r->file, &code);
        r->line[0] = 0;
        if (is_cut_off(r))
            return err_at(r->err, position(r), "the compressed file is cut off");
        if (code != Z_OK && code != Z_STREAM_END)
            return err_at(r->err, position(r), "cannot be read: %s", text);
        return false;
    }
    size_t length = strlen(r->line);
    if ((!length || r->line[length - 1] != '\n') && is_cut_off(r))
        return err_at(r->err, position(r), "the compressed file is cut off");
    if (length == LINE_BYTES - 1 && r->line[length - 1] != '\n')
        return err_at(r->err, position(r),
                      "the line is longer than the %u characters of the format", LINE_BYTES - 1);
    return true;
}

static void skip_space(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

/* Lower-case; empty at the end of the line. */
static void read_word(struct reader *r, char *out, size_t size)
{
    size_t n = 0;
    skip_space(r);
    while (r->at[n] && !isspace((unsigned char)r->at[n]) && n + 1 < size) {
        out[n] = (char)tolower((unsigned char)r->at[n]);
        n++;
    }
    out[n] = 0;
}

static bool check_field(struct reader *r, const char *word)
{
    r->is_pattern = strcmp(word, "pattern") == 0;
    if (r->is_pattern && !r->options->has_pattern_value)
        return err_at(r->err, position(r),
                      "the matrix is a pattern without values, expected real or integer; "
                      "`heddle matrix FILE --pattern 1 --write NEW` gives all elements a value");
    return r->is_pattern || strcmp(word, "real") == 0 || strcmp(word, "integer") == 0 ||
           strcmp(word, "double") == 0 ||
           err_found(r->err, position(r), "the field", *word ? word : "missing", "real or integer");
}

static bool read_banner(struct reader *r)
{
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric"};
    char word[64];
    bool has_line = next_line(r);
    if (!has_line && r->err->kind)
        return false;
    if (!has_line || strncmp(r->line, "%%MatrixMarket", 14) != 0)
        return err_at(r->err, position(r),
                      "the file is not in Matrix Market's format, expected "
                      "'%%%%MatrixMarket matrix coordinate real general'");
    r->at += 14;
    const char *const words[] = {"matrix", "coordinate"};
    for (u32 i = 0; i < ARRAY_LEN(words); i++) {
        read_word(r, word, sizeof word);
        if (strcmp(word, words[i]) != 0)
            return err_found(r->err, position(r), i ? "the format" : "the object",
                             *word ? word : "missing", "%s", words[i]);
        r->at += strlen(word);
    }
    read_word(r, word, sizeof word);
    if (!check_field(r, word))
        return false;
    r->at += strlen(word);
    read_word(r, word, sizeof word);
    for (u32 i = 0; i < SYMMETRIES; i++) {
        if (strcmp(word, symmetries[i]) == 0) {
            r->symmetry = (enum symmetry)i;
            return true;
        }
    }
    return err_found(r->err, position(r), "the symmetry", *word ? word : "missing",
                     "general, symmetric or skew-symmetric");
}

static bool read_number(struct reader *r, const char *what, u64 low, u64 high, u64 *out)
{
    char *end;
    skip_space(r);
    errno = 0;
    unsigned long long n = isdigit((unsigned char)*r->at) ? strtoull(r->at, &end, 10) : 0;
    if (!isdigit((unsigned char)*r->at) || (*end && !isspace((unsigned char)*end))) {
        char word[32];
        read_word(r, word, sizeof word);
        return err_found(r->err, position(r), what, *word ? word : "missing", "a whole number");
    }
    if (errno || n < low || n > high)
        return err_at(r->err, position(r), "%s is %llu, expected %llu to %llu", what, n,
                      (unsigned long long)low, (unsigned long long)high);
    *out = n;
    r->at = end;
    return true;
}

static bool read_size(struct reader *r)
{
    u64 most = r->options->most_side ? r->options->most_side : MOST_SIDE;
    do {
        if (!next_line(r))
            return err_at(r->err, position(r),
                          "the file ends before its size, expected rows, columns, elements");
        skip_space(r);
    } while (*r->at == '%' || !*r->at);
    r->at = r->line;
    if (!read_number(r, "the number of rows", 1, most, &r->rows) ||
        !read_number(r, "the number of columns", 1, most, &r->columns) ||
        !read_number(r, "the number of elements", 0, r->rows * r->columns, &r->count))
        return false;
    return r->symmetry == GENERAL || r->rows == r->columns ||
           err_at(r->err, position(r),
                  "a symmetric matrix has %llu rows and %llu columns, "
                  "expected as many",
                  (unsigned long long)r->rows, (unsigned long long)r->columns);
}

static bool read_value(struct reader *r, double *out)
{
    char *end;
    *out = r->options->pattern_value;
    if (r->is_pattern)
        return true;
    skip_space(r);
    *out = strtod(r->at, &end);
    if (end == r->at || (*end && !isspace((unsigned char)*end)) || !isfinite(*out)) {
        char word[32];
        read_word(r, word, sizeof word);
        return err_found(r->err, position(r), "the value", *word ? word : "missing",
                         "a finite number");
    }
    r->at = end;
    return true;
}

static void store(struct reader *r, u64 row, u64 column, double value)
{
    r->lines[r->stored] = r->number;
    r->entries[r->stored++] =
        (struct matrix_entry){.row = (u32)row - 1, .column = (u32)column - 1, .value = value};
}

static bool read_element(struct reader *r)
{
    u64 row, column;
    double value;
    if (!read_number(r, "the row", 1, r->rows, &row) ||
        !read_number(r, "the column", 1, r->columns, &column) || !read_value(r, &value))
        return false;
    skip_space(r);
    if (*r->at)
        return err_at(r->err, position(r),
                      "more follows the element, expected the end of the line");
    store(r, row, column, value);
    if (r->symmetry != GENERAL && row != column)
        store(r, column, row, r->symmetry == SKEW ? -value : value);
    return true;
}

/* Grown as lines come: the size in the file may be wrong. */
static void make_room(struct reader *r, u64 *room)
{
    if (r->stored + 2 <= *room)
        return;
    *room = 2 * *room + 1024;
    r->entries = xrealloc(r->entries, *room * sizeof *r->entries);
    r->lines = xrealloc(r->lines, *room * sizeof *r->lines);
}

static bool read_elements(struct reader *r)
{
    u64 room = 0;
    for (u64 n = 0; n < r->count;) {
        if (!next_line(r))
            return err_at(r->err, position(r), "the file ends after %llu elements, expected %llu",
                          (unsigned long long)n, (unsigned long long)r->count);
        skip_space(r);
        if (!*r->at)
            continue;
        r->at = r->line;
        make_room(r, &room);
        if (!read_element(r))
            return false;
        n++;
    }
    while (next_line(r)) {
        skip_space(r);
        if (*r->at)
            return err_at(r->err, position(r), "more follows the last of %llu elements",
                          (unsigned long long)r->count);
    }
    return r->err->kind == ERR_NONE;
}

/* The line of the second element of a place, found in the list as it was read. */
static bool duplicate(struct reader *r, const struct matrix_entry *sorted)
{
    u32 line = 0;
    for (u64 i = 0, seen = 0; i < r->stored; i++) {
        const struct matrix_entry *e = &r->entries[i];
        if (e->row == sorted->row && e->column == sorted->column && seen++)
            line = line ? line : r->lines[i];
    }
    return err_at(r->err, (struct src_pos){r->path, line, 1},
                  "row %u, column %u is listed twice, expected each place once", sorted->row + 1,
                  sorted->column + 1);
}

static bool finish(struct reader *r, struct matrix *m)
{
    struct matrix_entry *sorted = xrealloc(NULL, (r->stored + 1) * sizeof *sorted);
    if (r->stored)
        memcpy(sorted, r->entries, r->stored * sizeof *sorted);
    u64 second = matrix_from_entries(m, (u32)r->rows, (u32)r->columns, sorted, r->stored);
    bool ok = second == UINT64_MAX || duplicate(r, &sorted[second]);
    free(sorted);
    if (!ok)
        matrix_fini(m);
    return ok;
}

bool matrix_read(struct matrix *m, const char *path, const struct market_options *options,
                 struct err *err)
{
    static const struct market_options none;
    struct reader r = {.path = path, .options = options ? options : &none, .err = err};
    *m = (struct matrix){0};
    r.at = r.line;
    errno = 0;
    r.file = gzopen(path, "rb");
    if (!r.file)
        return err_at(err, (struct src_pos){path, 0, 0}, "cannot be opened: %s", strerror(errno));
    gzbuffer(r.file, 1 << 18);
    bool ok = read_banner(&r) && read_size(&r) && read_elements(&r) && finish(&r, m);
    gzclose(r.file);
    free(r.entries);
    free(r.lines);
    return ok;
}

bool matrix_write(const struct matrix *m, const char *path, struct err *err)
{
    struct text t = {0};
    text_printf(&t, "%%%%MatrixMarket matrix coordinate real general\n%u %u %llu\n", m->rows,
                m->columns, (unsigned long long)matrix_nnz(m));
    for (u32 r = 0; r < m->rows; r++) {
        for (u64 i = m->start[r]; i < m->start[r + 1]; i++)
            text_printf(&t, "%u %u %.17g\n", r + 1, m->column[i] + 1, m->value[i]);
    }
    bool ok = file_write(path, &t, err);
    text_fini(&t);
    return ok;
}
