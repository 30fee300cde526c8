#include "stats/json_text.h"

#include <stdlib.h>
#include <string.h>

static void append_line(struct text *out, u32 depth)
{
    static const char spaces[] = "\n                ";
    u32 most = (u32)sizeof spaces - 2;
    text_append(out, spaces, 1 + (depth < most ? depth : most));
    for (; depth > most; depth--)
        text_append(out, " ", 1);
}

void json_text_integer(struct text *out, json_int_t value)
{
    char digits[24];
    size_t at = sizeof digits;
    u64 left = value < 0 ? 0 - (u64)value : (u64)value;
    do
        digits[--at] = (char)('0' + left % 10);
    while (left /= 10);
    if (value < 0)
        digits[--at] = '-';
    text_append(out, digits + at, sizeof digits - at);
}

#define EACH_BYTE(value) (0x0101010101010101u * (u64)(value))

/* Of eight bytes: bit 7 of some is set if one of them is 0, or below 0x20. */
static u64 zeros_of(u64 bytes)
{
    return (bytes - EACH_BYTE(1)) & ~bytes & EACH_BYTE(0x80);
}

static u64 controls_of(u64 bytes)
{
    return (bytes - EACH_BYTE(0x20)) & ~bytes & EACH_BYTE(0x80);
}

/* Without anything that is escaped. */
static bool is_plain(const char *s, size_t length)
{
    for (size_t at = 0; at < length; at += 8) {
        u64 bytes = EACH_BYTE(' ');
        if (length - at >= 8)
            memcpy(&bytes, s + at, 8);
        else
            memcpy(&bytes, s + at, length - at);
        if (controls_of(bytes) | zeros_of(bytes ^ EACH_BYTE('"')) |
            zeros_of(bytes ^ EACH_BYTE('\\')))
            return false;
    }
    return true;
}

/* What is rare is left to jansson: numbers with a fraction, strings with escapes. */
static void append_by_library(struct text *out, const json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY);
    if (text)
        text_append(out, text, strlen(text));
    free(text);
}

static void append_string(struct text *out, const char *s, size_t length)
{
    if (!is_plain(s, length)) {
        json_t *copy = json_stringn_nocheck(s, length);
        append_by_library(out, copy);
        json_decref(copy);
        return;
    }
    text_append(out, "\"", 1);
    text_append(out, s, length);
    text_append(out, "\"", 1);
}

static void append_value(struct text *out, const json_t *value, u32 depth);

static void append_array(struct text *out, const json_t *array, u32 depth)
{
    size_t count = json_array_size(array);
    text_append(out, "[", 1);
    for (size_t i = 0; i < count; i++) {
        if (i)
            text_append(out, ",", 1);
        append_line(out, depth + 1);
        append_value(out, json_array_get(array, i), depth + 1);
    }
    if (count)
        append_line(out, depth);
    text_append(out, "]", 1);
}

#define KEY_BYTES 96u /* longer keys, and deeper ones, are written in pieces */

void json_text_key(struct text *out, u32 depth, bool is_first, const char *key)
{
    char line[KEY_BYTES + 8];
    size_t length = strlen(key), at = depth + 3u;
    if (depth + length > KEY_BYTES || !is_plain(key, length)) {
        text_append(out, is_first ? "{" : ",", 1);
        append_line(out, depth + 1);
        append_string(out, key, length);
        text_append(out, ": ", 2);
        return;
    }
    line[0] = is_first ? '{' : ',';
    line[1] = '\n';
    memset(line + 2, ' ', depth + 1);
    line[at++] = '"';
    memcpy(line + at, key, length + 1);
    memcpy(line + at + length, "\": ", sizeof "\": ");
    text_append(out, line, at + length + 3);
}

void json_text_end(struct text *out, u32 depth, bool is_empty)
{
    if (is_empty)
        text_append(out, "{", 1);
    else
        append_line(out, depth);
    text_append(out, "}", 1);
}

/* What is given instead of the value of one key. */
struct given {
    const char *key;
    const struct text *value;
};

static void append_object(struct text *out, const json_t *object, u32 depth,
                          const struct given *given)
{
    const char *key;
    json_t *value;
    bool is_empty = true;
    /* the library's loop changes nothing, but wants to be able to */
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        json_text_key(out, depth, is_empty, key);
        if (given && strcmp(key, given->key) == 0)
            text_append(out, given->value->data, given->value->length);
        else
            append_value(out, value, depth + 1);
        is_empty = false;
    }
    json_text_end(out, depth, is_empty);
}

static void append_value(struct text *out, const json_t *value, u32 depth)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        append_object(out, value, depth, NULL);
        break;
    case JSON_ARRAY:
        append_array(out, value, depth);
        break;
    case JSON_STRING:
        append_string(out, json_string_value(value), json_string_length(value));
        break;
    case JSON_INTEGER:
        json_text_integer(out, json_integer_value(value));
        break;
    case JSON_REAL:
        append_by_library(out, value);
        break;
    case JSON_TRUE:
        text_append(out, "true", 4);
        break;
    case JSON_FALSE:
        text_append(out, "false", 5);
        break;
    case JSON_NULL:
        text_append(out, "null", 4);
        break;
    }
}

void json_text_append(struct text *out, const json_t *value)
{
    append_value(out, value, 0);
}

void json_text_append_with(struct text *out, const json_t *object, const char *key,
                           const struct text *value)
{
    append_object(out, object, 0, &(struct given){key, value});
}

void json_text_value(struct text *out, u32 depth, const json_t *value)
{
    append_value(out, value, depth);
}
