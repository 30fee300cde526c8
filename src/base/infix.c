#include "base/infix.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define DEEPEST 40

struct operand {
    _Alignas(16) u8 bytes[INFIX_BYTES];
};

/* Operators of one strength, the weakest first. */
static const struct {
    const char *token;
    enum infix_operator op;
} levels[][6] = {
    {{"or", INFIX_OR}},
    {{"and", INFIX_AND}},
    {{"==", INFIX_EQUAL},
     {"!=", INFIX_UNEQUAL},
     {"<=", INFIX_AT_MOST},
     {">=", INFIX_AT_LEAST},
     {"<", INFIX_BELOW},
     {">", INFIX_ABOVE}},
    {{"+", INFIX_PLUS}, {"-", INFIX_MINUS}},
    {{"*", INFIX_TIMES}, {"/", INFIX_OVER}},
};
enum { LEVEL_COMPARISON = 2, LEVEL_COUNT = ARRAY_LEN(levels) };

void infix_skip_blanks(struct infix *x)
{
    while (isspace((unsigned char)*x->at))
        x->at++;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

bool infix_take(struct infix *x, const char *token)
{
    infix_skip_blanks(x);
    size_t n = strlen(token);
    if (strncmp(x->at, token, n) != 0 || (isalpha((unsigned char)token[0]) && is_word(x->at[n])))
        return false;
    x->at += n;
    if (x->reader->took)
        x->reader->took(x, token);
    return true;
}

bool infix_expect(struct infix *x, const char *token)
{
    char what[32];
    if (infix_take(x, token))
        return true;
    snprintf(what, sizeof what, "expected '%s'", token);
    return x->reader->fail(x, what);
}

static bool read_level(struct infix *x, u32 level, void *out);

static bool read_factor(struct infix *x, void *out)
{
    const struct infix_reader *r = x->reader;
    if (++x->depth > DEEPEST)
        return r->fail(x, "it is nested too deeply");
    bool ok;
    if (infix_take(x, "("))
        ok = read_level(x, 0, out) && infix_expect(x, ")");
    else if (infix_take(x, "-"))
        ok = read_factor(x, out) && r->apply(x, INFIX_NEGATE, out, NULL, x->at);
    else
        ok = r->operand(x, out);
    x->depth--;
    return ok && (!r->suffix || r->suffix(x, out));
}

static bool read_not(struct infix *x, void *out)
{
    if (!infix_take(x, "not"))
        return read_level(x, LEVEL_COMPARISON, out);
    if (++x->depth > DEEPEST)
        return x->reader->fail(x, "it is nested too deeply");
    bool ok = read_not(x, out) && x->reader->apply(x, INFIX_NOT, out, NULL, x->at);
    x->depth--;
    return ok;
}

static bool read_tighter(struct infix *x, u32 level, void *out)
{
    return level + 1 == LEVEL_COUNT        ? read_factor(x, out)
           : level + 1 == LEVEL_COMPARISON ? read_not(x, out)
                                           : read_level(x, level + 1, out);
}

static bool take_operator(struct infix *x, u32 level, enum infix_operator *op)
{
    for (u32 i = 0; i < ARRAY_LEN(levels[level]) && levels[level][i].token; i++) {
        *op = levels[level][i].op;
        if (infix_take(x, levels[level][i].token))
            return true;
    }
    return false;
}

static bool read_level(struct infix *x, u32 level, void *out)
{
    enum infix_operator op;
    if (!read_tighter(x, level, out))
        return false;
    while (take_operator(x, level, &op)) {
        struct operand right;
        const char *start = x->at;
        if (!read_tighter(x, level, &right) || !x->reader->apply(x, op, out, &right, start))
            return false;
        if (level == LEVEL_COMPARISON)
            break;
    }
    return true;
}

bool infix_read(struct infix *x, void *out)
{
    assert(x->reader->bytes <= INFIX_BYTES);
    return read_level(x, 0, out);
}

bool infix_read_all(struct infix *x, void *out)
{
    if (!infix_read(x, out))
        return false;
    infix_skip_blanks(x);
    return !*x->at || x->reader->fail(x, "expected an operator or the end");
}
