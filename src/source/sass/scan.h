/*
 * The words of one line of a trace, with their place for messages.
 *
 * Nothing is copied: a word is a piece of the text, which is not terminated.
 * Functions that return false have filled err.
 */
#ifndef SOURCE_SASS_SCAN_H
#define SOURCE_SASS_SCAN_H

#include "base/err.h"
#include "base/types.h"

struct slice {
    const char *start;
    size_t length;
};

struct scan {
    const char *file;
    u64 line;          /* from 1 */
    const char *start; /* of the line */
    const char *at, *end;
};

/* Takes the next line off the text. False at its end. */
bool scan_next_line(struct scan *s, const char *text_end);

/* An empty slice at the end of the line. */
struct slice scan_word(struct scan *s);
bool slice_is(struct slice s, const char *text);
/* The line starts with these words; the cursor is then behind them. */
bool scan_skip(struct scan *s, const char *words);

struct src_pos scan_pos(const struct scan *s, const char *at);
/* "SUBJECT is 'WORD', expected EXPECTED"; an empty word is missing. */
bool scan_refuse(const struct scan *s, struct slice word, const char *subject, const char *expected,
                 struct err *err);

/* Whole words as numbers. */
bool slice_hex(struct slice s, u64 *out); /* with or without 0x */
bool slice_decimal(struct slice s, i64 *out);

/* The next word, which must be a number. */
bool scan_hex(struct scan *s, const char *subject, u64 *out, struct err *err);
bool scan_decimal(struct scan *s, const char *subject, i64 *out, struct err *err);
bool scan_count(struct scan *s, const char *subject, u32 limit, u32 *out, struct err *err);
/* "x,y,z", with or without brackets: each from 0 to 2^31 - 1 */
bool scan_triple(struct scan *s, const char *subject, u32 out[3], struct err *err);

#endif
