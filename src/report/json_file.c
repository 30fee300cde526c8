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

json_t *json_read(const char *file, const char *expected, struct err *err)
{
    struct src_pos at = {file, 0, 0};
    struct text bytes = {0};
    char piece[65536];
    FILE *in = fopen(file, "rb");
    if (!in) {
        err_at(err, at, "cannot open the file: %s", strerror(errno));
        return NULL;
    }
    for (size_t n; (n = fread(piece, 1, sizeof piece, in)) > 0;)
        text_append(&bytes, piece, n);
    bool ok = !ferror(in) || err_at(err, at, "cannot read the file: %s", strerror(errno));
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
