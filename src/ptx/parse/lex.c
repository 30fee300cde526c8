#include "ptx/parse/lex.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void lexer_init(struct lexer *l, const char *file, const char *text, size_t length)
{
    *l = (struct lexer){
        .file = file, .at = text, .end = text + length, .line_start = text, .line = 1};
}

static char look(const struct lexer *l, size_t ahead)
{
    return (size_t)(l->end - l->at) > ahead ? l->at[ahead] : '\0';
}

static void newline(struct lexer *l)
{
    l->line++;
    l->line_start = l->at + 1;
}

static bool skip_blanks(struct lexer *l, struct err *err)
{
    while (l->at < l->end) {
        char c = *l->at;
        if (c == '\n') {
            newline(l);
            l->at++;
        } else if (isspace((unsigned char)c) || c == '\0') {
            l->at++; /* text taken from fat binaries ends in NUL bytes */
        } else if (c == '/' && look(l, 1) == '/') {
            while (l->at < l->end && *l->at != '\n')
                l->at++;
        } else if (c == '/' && look(l, 1) == '*') {
            struct src_pos at = {l->file, l->line, (u32)(l->at - l->line_start) + 1};
            for (l->at += 2; !(look(l, 0) == '*' && look(l, 1) == '/'); l->at++) {
                if (l->at >= l->end)
                    return err_at(err, at, "a comment does not end");
                if (*l->at == '\n')
                    newline(l);
            }
            l->at += 2;
        } else {
            break;
        }
    }
    return true;
}

static bool is_word_start(char c)
{
    return isalpha((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.';
}

static bool is_word_part(const struct lexer *l)
{
    char c = look(l, 0);
    /* "::" belongs to modifiers such as .shared::cta */
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' || c == '%' ||
           (c == ':' && look(l, 1) == ':');
}

/* A directive ends before the next one: .reg.b32 is two words, add.f32 is one. */
static void lex_word(struct lexer *l)
{
    bool directive = *l->at == '.';
    if (directive)
        l->at++;
    while (l->at < l->end && is_word_part(l) && !(directive && *l->at == '.'))
        l->at += *l->at == ':' ? 2 : 1;
    l->token.kind = TOKEN_WORD;
}

/* 0f3F800000 and 0d3FF0000000000000: the bits themselves. */
static bool lex_exact_float(struct lexer *l, u32 digits, struct err *err)
{
    u64 bits = 0;
    l->at += 2;
    for (u32 i = 0; i < digits; i++, l->at++) {
        char c = look(l, 0);
        if (!isxdigit((unsigned char)c))
            return err_at(err, token_pos(l),
                          "a floating-point constant needs %u hexadecimal digits", digits);
        bits = bits << 4 | (u64)(isdigit((unsigned char)c) ? c - '0' : (c | 32) - 'a' + 10);
    }
    l->token.kind = TOKEN_FLOAT;
    l->token.is_f32 = digits == 8;
    if (digits == 8) {
        u32 word = (u32)bits;
        float f;
        memcpy(&f, &word, sizeof f);
        double d = (double)f;
        memcpy(&l->token.value, &d, sizeof d);
        /* keep a NaN's payload: conversion would quiet it */
        if (f != f)
            l->token.value =
                (u64)(word >> 31) << 63 | 0x7ff0000000000000ull | (u64)(word & 0x7fffff) << 29;
    } else {
        l->token.value = bits;
    }
    return true;
}

static bool lex_number(struct lexer *l, struct err *err)
{
    char second = (char)(look(l, 1) | 32);
    if (look(l, 0) == '0' && second == 'f' && isxdigit((unsigned char)look(l, 2)))
        return lex_exact_float(l, 8, err);
    if (look(l, 0) == '0' && second == 'd' && isxdigit((unsigned char)look(l, 2)))
        return lex_exact_float(l, 16, err);
    const char *start = l->at;
    bool hex = look(l, 0) == '0' && second == 'x', binary = look(l, 0) == '0' && second == 'b';
    bool real = false;
    if (hex || binary)
        l->at += 2;
    while (l->at < l->end) {
        char c = *l->at;
        if (hex ? isxdigit((unsigned char)c) : isdigit((unsigned char)c)) {
            l->at++;
        } else if (!hex && !binary && (c == '.' || ((c | 32) == 'e' && l->at > start))) {
            real = true;
            l->at++;
            if ((c | 32) == 'e' && (look(l, 0) == '-' || look(l, 0) == '+'))
                l->at++;
        } else {
            break;
        }
    }
    char copy[72];
    size_t n = (size_t)(l->at - start);
    if (n >= sizeof copy)
        return err_at(err, token_pos(l), "a number is too long");
    memcpy(copy, start, n);
    copy[n] = '\0';
    char *rest;
    if (real) {
        double d = strtod(copy, &rest);
        memcpy(&l->token.value, &d, sizeof d);
        l->token.kind = TOKEN_FLOAT;
        return !*rest || err_at(err, token_pos(l), "'%s' is not a number", copy);
    }
    l->token.kind = TOKEN_INT;
    errno = 0;
    l->token.value = strtoull(binary ? copy + 2 : copy, &rest,
                              hex              ? 16
                              : binary         ? 2
                              : copy[0] == '0' ? 8
                                               : 10);
    if (*rest || rest == copy + (binary ? 2 : 0))
        return err_at(err, token_pos(l), "'%s' is not a number", copy);
    if (errno == ERANGE)
        return err_at(err, token_pos(l), "%s does not fit in 64 bits", copy);
    if (look(l, 0) == 'U')
        l->at++;
    return true;
}

bool lexer_next(struct lexer *l, struct err *err)
{
    if (!skip_blanks(l, err))
        return false;
    struct token *t = &l->token;
    *t = (struct token){.text = l->at, .line = l->line, .column = (u32)(l->at - l->line_start) + 1};
    if (l->at >= l->end)
        return true;
    char c = *l->at;
    bool ok = true;
    if (isdigit((unsigned char)c)) {
        ok = lex_number(l, err);
    } else if (c == '.' && isdigit((unsigned char)look(l, 1))) {
        ok = lex_number(l, err);
    } else if (is_word_start(c)) {
        lex_word(l);
    } else if (c == '"') {
        for (l->at++; l->at < l->end && *l->at != '"' && *l->at != '\n'; l->at++)
            ;
        if (look(l, 0) != '"')
            return err_at(err, token_pos(l), "a string does not end");
        l->at++;
        t->kind = TOKEN_STRING;
    } else {
        l->at++;
        t->kind = TOKEN_PUNCTUATION;
    }
    t->length = (size_t)(l->at - t->text);
    return ok;
}

bool token_is_word(const struct lexer *l, const char *word)
{
    return l->token.kind == TOKEN_WORD && strlen(word) == l->token.length &&
           memcmp(word, l->token.text, l->token.length) == 0;
}
