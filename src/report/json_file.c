#include "report/json_file.h"

#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

json_t *json_parse(const char *file, const char *bytes, size_t size, const char *expected,
                   struct err *err)
{
    json_error_t why;
    json_t *root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &why);
    struct src_pos at = {file, 0, 0};
    if (!root) {
        at.line = why.line > 0 ? (u32)why.line : 0;
        at.column = why.column > 0 ? (u32)why.column : 0;
        err_at(err, at, "this is not JSON (%s), expected %s", why.text, expected);
    }
    return root;
}

#define MOST_BYTES ((size_t)1 << 30)

/* Whether a file's first piece can be that of a JSON text: a device, or a pipe of empty lines,
 * would fill the memory first. */
static bool may_be_json(const char *piece, size_t count)
{
    size_t i = 0;
    while (i < count && strchr(" \t\r\n", piece[i]) && piece[i])
        i++;
    return i < count && (piece[i] == '{' || piece[i] == '[');
}

json_t *json_read(const char *file, const char *expected, struct err *err)
{
    struct src_pos at = {file, 0, 0};
    struct text bytes = {0};
    char piece[65536];
    FILE *in = fopen(file, "rbe");
    if (!in) {
        err_at(err, at, "cannot open the file: %s", strerror(errno));
        return NULL;
    }
    bool ok = true;
    for (size_t n; ok && (n = fread(piece, 1, sizeof piece, in)) > 0;) {
        if (!bytes.length && n == sizeof piece && !may_be_json(piece, n))
            ok = err_at(err, at, "this is not JSON, expected %s", expected);
        else if (bytes.length + n > MOST_BYTES)
            ok = err_at(err, at, "the file has more than 1 GiB, expected %s", expected);
        else
            text_append(&bytes, piece, n);
    }
    ok = ok && (!ferror(in) || err_at(err, at, "cannot read the file: %s", strerror(errno)));
    fclose(in);
    json_t *root =
        ok ? json_parse(file, bytes.data ? bytes.data : "", bytes.length, expected, err) : NULL;
    text_fini(&bytes);
    return root;
}

double json_number_at(const json_t *object, const char *key)
{
    const json_t *v = json_object_get(object, key);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

const char *json_text_at(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "";
}
