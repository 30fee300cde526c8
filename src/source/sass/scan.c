#include "source/sass/scan.h"

#include <stdio.h>
#include <string.h>

/* Control characters too: one comparison, on every character of a trace. */
static bool is_blank(char c)
{
    return (u8)c <= ' ';
}

bool scan_next_line(struct scan *s, const char *text_end)
{
    const char *start = s->end ? s->end + (s->end < text_end) : s->at;
    if (start >= text_end)
        return false;
    const char *newline = memchr(start, '\n', (size_t)(text_end - start));
    s->start = s->at = start;
    s->end = newline ? newline : text_end;
    s->line++;
    return true;
}

struct slice scan_word(struct scan *s)
{
    while (s->at < s->end && is_blank(*s->at))
        s->at++;
    struct slice word = {s->at, 0};
    while (s->at < s->end && !is_blank(*s->at))
        s->at++;
    word.length = (size_t)(s->at - word.start);
    return word;
}

bool slice_is(struct slice s, const char *text)
{
    return strlen(text) == s.length && memcmp(text, s.start, s.length) == 0;
}

bool scan_skip(struct scan *s, const char *words)
{
    struct scan ahead = *s;
    while (*words) {
        size_t length = strcspn(words, " ");
        struct slice word = scan_word(&ahead);
        if (word.length != length || memcmp(word.start, words, length) != 0)
            return false;
        words += length + (words[length] == ' ');
    }
    *s = ahead;
    return true;
}

struct src_pos scan_pos(const struct scan *s, const char *at)
{
    return (struct src_pos){s->file, (u32)min_u64(s->line, UINT32_MAX), (u32)(at - s->start) + 1};
}

bool scan_refuse(const struct scan *s, struct slice word, const char *subject, const char *expected,
                 struct err *err)
{
    char found[64];
    if (word.length)
        snprintf(found, sizeof found, "'%.*s'", (int)min_u64(word.length, 48), word.start);
    else
        snprintf(found, sizeof found, "missing");
    return err_found(err, scan_pos(s, word.start), subject, found, "%s", expected);
}

static i32 hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool slice_hex(struct slice s, u64 *out)
{
    if (s.length > 2 && s.start[0] == '0' && (s.start[1] == 'x' || s.start[1] == 'X')) {
        s.start += 2;
        s.length -= 2;
    }
    if (s.length == 0 || s.length > 16)
        return false;
    u64 value = 0;
    for (size_t i = 0; i < s.length; i++) {
        i32 digit = hex_digit(s.start[i]);
        if (digit < 0)
            return false;
        value = value << 4 | (u64)digit;
    }
    *out = value;
    return true;
}

bool slice_decimal(struct slice s, i64 *out)
{
    bool minus = s.length > 0 && s.start[0] == '-';
    if (minus) {
        s.start++;
        s.length--;
    }
    if (s.length == 0 || s.length > 18) /* 18 digits always fit */
        return false;
    i64 value = 0;
    for (size_t i = 0; i < s.length; i++) {
        if (s.start[i] < '0' || s.start[i] > '9')
            return false;
        value = value * 10 + (s.start[i] - '0');
    }
    *out = minus ? -value : value;
    return true;
}

bool scan_hex(struct scan *s, const char *subject, u64 *out, struct err *err)
{
    struct slice word = scan_word(s);
    return slice_hex(word, out) || scan_refuse(s, word, subject, "a hexadecimal number", err);
}

bool scan_decimal(struct scan *s, const char *subject, i64 *out, struct err *err)
{
    struct slice word = scan_word(s);
    return slice_decimal(word, out) || scan_refuse(s, word, subject, "a decimal number", err);
}

bool scan_count(struct scan *s, const char *subject, u32 limit, u32 *out, struct err *err)
{
    struct slice word = scan_word(s);
    i64 value;
    if (slice_decimal(word, &value) && value >= 0 && value <= limit) {
        *out = (u32)value;
        return true;
    }
    char expected[48];
    snprintf(expected, sizeof expected, "a decimal number from 0 to %u", limit);
    return scan_refuse(s, word, subject, expected, err);
}

/* The numbers may be written with blanks behind the commas: the rest of the line is read. */
bool scan_triple(struct scan *s, const char *subject, u32 out[3], struct err *err)
{
    struct slice first = scan_word(s);
    const char *at = first.start;
    bool bracket = at < s->end && *at == '(';
    at += bracket;
    for (u32 i = 0; i < 3; i++) {
        const char *start = at;
        while (at < s->end && *at != ',' && *at != ')' && !is_blank(*at))
            at++;
        i64 value;
        if (!slice_decimal((struct slice){start, (size_t)(at - start)}, &value) || value < 0 ||
            value > INT32_MAX || (i < 2 && (at == s->end || *at != ',')))
            return scan_refuse(s, first, subject, "three numbers such as 4,2,1", err);
        out[i] = (u32)value;
        at += i < 2;
        while (at < s->end && is_blank(*at))
            at++;
    }
    s->at = at + (bracket && at < s->end);
    return true;
}
