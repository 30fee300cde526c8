/* PTX text as tokens. Comments and blanks are gone; every token has its position. */
#ifndef PTX_PARSE_LEX_H
#define PTX_PARSE_LEX_H

#include "base/err.h"

enum token_kind {
    TOKEN_END,
    TOKEN_WORD,  /* add.rn.f32, %r1, $L__BB0_2, .visible (with its dot) */
    TOKEN_INT,   /* value */
    TOKEN_FLOAT, /* value: the bits of a double */
    TOKEN_STRING,
    TOKEN_PUNCTUATION, /* one character, in text[0] */
};

struct token {
    enum token_kind kind;
    const char *text;
    size_t length;
    u64 value;
    bool is_f32; /* written 0f... */
    u32 line, column;
};

struct lexer {
    const char *file, *at, *end, *line_start;
    u32 line;
    struct token token; /* the current one */
};

void lexer_init(struct lexer *l, const char *file, const char *text, size_t length);
/* Moves to the next token. False on a malformed one. */
bool lexer_next(struct lexer *l, struct err *err);

static inline struct src_pos token_pos(const struct lexer *l)
{
    return (struct src_pos){l->file, l->token.line, l->token.column};
}

static inline bool token_is(const struct lexer *l, char punctuation)
{
    return l->token.kind == TOKEN_PUNCTUATION && l->token.text[0] == punctuation;
}

bool token_is_word(const struct lexer *l, const char *word);

#endif
