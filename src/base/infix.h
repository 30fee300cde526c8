/*
 * The grammar of every expression that heddle reads: laws of statistics, conditions of sweeps,
 * formulas of studies. An expression is worked out while it is read.
 *
 *     or  and  not  == != <= >= < >  + -  * /  -x  (x)  operand
 *
 * from the weakest to the strongest; those of one strength go from left to right, and there is at
 * most one comparison on a level. What an operand is (a name, a number, a function) and what the
 * operators do to it is the reader's own.
 */
#ifndef BASE_INFIX_H
#define BASE_INFIX_H

#include "base/types.h"

enum infix_operator {
    INFIX_OR,
    INFIX_AND,
    INFIX_NOT, /* of one operand */
    INFIX_EQUAL,
    INFIX_UNEQUAL,
    INFIX_AT_MOST,
    INFIX_AT_LEAST,
    INFIX_BELOW,
    INFIX_ABOVE,
    INFIX_PLUS,
    INFIX_MINUS,
    INFIX_TIMES,
    INFIX_OVER,
    INFIX_NEGATE, /* of one operand */
};

/* An operand has at most this many bytes. */
#define INFIX_BYTES 160u

struct infix;

/* Each returns false after it has failed. */
struct infix_reader {
    size_t bytes; /* of an operand */
    bool (*operand)(struct infix *x, void *out);
    /* a becomes `a OP b`, or `OP a`; `right` is where b begins in the text. */
    bool (*apply)(struct infix *x, enum infix_operator op, void *a, const void *b,
                  const char *right);
    bool (*suffix)(struct infix *x, void *a);         /* after a factor; NULL: nothing follows */
    void (*took)(struct infix *x, const char *token); /* of every token; NULL: not asked */
    bool (*fail)(struct infix *x, const char *what);  /* at x->at; returns false */
};

struct infix {
    const struct infix_reader *reader;
    void *context;
    const char *all, *at;
    u32 depth;
};

/* One expression, as far as it goes; all of the text. */
bool infix_read(struct infix *x, void *out);
bool infix_read_all(struct infix *x, void *out);

/* For readers of operands. A token of letters is taken as a whole word. */
bool infix_take(struct infix *x, const char *token);
bool infix_expect(struct infix *x, const char *token);
void infix_skip_blanks(struct infix *x);

#endif
