/*
 * A failure as a value: where, what was found, what was expected, and the
 * nearest valid name.
 *
 * A function that can fail for reasons outside the program returns false and
 * fills the caller's struct err; only cli prints it and turns its kind into an
 * exit code. Every function here returns false, so a failing path is one
 * statement: `return err_at(err, at, "...")`. The first failure wins: filling
 * an err that already holds one changes nothing.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/types.h"

/* The values are the documented exit codes of the command line. */
enum err_kind {
    ERR_NONE = 0,
    ERR_VERIFY = 1,        /* a simulation finished, its answer is wrong */
    ERR_INPUT = 2,         /* something the user gave cannot be used */
    ERR_INVARIANT = 3,     /* deadlock, or a law that must hold was broken */
    ERR_INTERNAL = 4,      /* our own bug, or the machine failed us */
    ERR_INTERRUPTED = 130, /* Ctrl-C, as shells count it */
};

/* line 0: the position is the whole file (or command-line argument); column 0: the whole line */
struct src_pos {
    const char *file;
    u32 line, column;
};

struct err {
    enum err_kind kind;
    char file[256];
    u32 line, column;
    char what[1792]; /* a program that is refused says all reasons */
    char found[128];
    char expected[512];
    char nearest[96];
};

#define ERR_INIT ((struct err){.kind = ERR_NONE})

/* A whole sentence. */
bool err_at(struct err *err, struct src_pos at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* "SUBJECT is FOUND, expected ..." */
bool err_found(struct err *err, struct src_pos at, const char *subject, const char *found,
               const char *expected_fmt, ...) __attribute__((format(printf, 5, 6)));

/* "unknown NOUN 'FOUND', expected a, b or c (nearest: b)"; a long list of
 * names is not printed, `where` then says what shows it. */
bool err_unknown(struct err *err, struct src_pos at, const char *noun, const char *found,
                 const char *const *names, size_t count, const char *where);

/* A failure of another kind than bad input, without a position. */
bool err_kind(struct err *err, enum err_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes the sentence with its position, without a newline. Returns its length. */
size_t err_text(const struct err *err, char *out, size_t size);

#endif
