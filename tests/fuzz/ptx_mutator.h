/*
 * Mutations that keep most of a PTX text well formed: statements are copied, moved and
 * taken out, words are exchanged for others of the text, modifiers for other modifiers.
 * Plain mutations, of which few get past the parser, take a third of the turns.
 */
#ifndef TESTS_FUZZ_PTX_MUTATOR_H
#define TESTS_FUZZ_PTX_MUTATOR_H

#include "base/types.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(u8 *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t most, unsigned seed);

static const char *const mutator_words[] = {
    ".u8",       ".s8",     ".u16",  ".s16",    ".b16",    ".u32",   ".s32",    ".b32",   ".u64",
    ".s64",      ".b64",    ".b128", ".f16",    ".bf16",   ".f32",   ".f64",    ".f16x2", ".pred",
    ".v2",       ".v4",     ".v8",   ".global", ".local",  ".param", ".shared", ".const", ".sync",
    ".volatile", ".rn",     ".rz",   ".rna",    ".ftz",    ".sat",   ".cc",     ".hi",    ".wide",
    ".and",      ".add",    ".min",  ".cas",    ".exch",   ".popc",  ".lt",     ".eq",    ".uni",
    ".aligned",  ".arrive", ".red",  ".tf32",   ".e4m3x2", "",       ".relu",   ".noftz", ".lo",
};
static const char *const mutator_operands[] = {
    "%r1",    "%r2",      "%rd1",    "%rd2",   "%p1",        "%rs1",        "_",
    "0",      "1",        "31",      "32",     "-1",         "64",          "16",
    "!%p1",   "%tid.x",   "%laneid", "0xffff", "0x7fffffff", "%tid",        "{%r1, %r2}",
    "[%rd1]", "[%rd1+8]", "1.5",     "%clock", "WARP_SZ",    "-2147483648",
};

/* A byte offset just behind one of the statements, or 0. */
static size_t mutator_place(const u8 *data, size_t size)
{
    size_t at = size ? (size_t)rand() % size : 0;
    while (at < size && data[at] != ';' && data[at] != '{' && data[at] != '}')
        at++;
    return at < size ? at + 1 : 0;
}

static size_t mutator_replace(u8 *data, size_t size, size_t most, size_t at, size_t gone,
                              const void *text, size_t length)
{
    if (size - gone + length > most)
        return size;
    u8 *copy = malloc(length + 1);
    memcpy(copy, text, length);
    memmove(data + at + length, data + at + gone, size - at - gone);
    memcpy(data + at, copy, length);
    free(copy);
    return size - gone + length;
}

static bool mutator_in_word(u8 c)
{
    return isalnum(c) || c == '_' || c == '%' || c == '$';
}

/* The word around a random place; length 0: none there. */
static size_t mutator_word(const u8 *data, size_t size, size_t *length)
{
    size_t at = (size_t)rand() % size, end;
    while (at < size && !mutator_in_word(data[at]))
        at++;
    while (at > 0 && mutator_in_word(data[at - 1]))
        at--;
    for (end = at; end < size && mutator_in_word(data[end]); end++)
        ;
    *length = end - at;
    return at;
}

static size_t mutator_step(u8 *data, size_t size, size_t most)
{
    size_t a = mutator_place(data, size), b = a, n, from;
    while (b < size && data[b] != ';')
        b++;
    b += b < size;
    switch (rand() % 6) {
    case 0: /* a statement somewhere else as well */
        from = mutator_place(data, size);
        return mutator_replace(data, size, most, from, 0, data + a, b - a);
    case 1: /* without it */
        return mutator_replace(data, size, most, a, b - a, "", 0);
    case 2: /* over another */
        from = mutator_place(data, size);
        for (n = from; n < size && data[n] != ';'; n++)
            ;
        return mutator_replace(data, size, most, from, n + (n < size) - from, data + a, b - a);
    case 3: { /* a word for another one of the text */
        size_t m;
        from = mutator_word(data, size, &m);
        a = mutator_word(data, size, &n);
        return mutator_replace(data, size, most, a, n, data + from, m);
    }
    case 4: { /* a modifier for another */
        const char *word = mutator_words[(size_t)rand() % ARRAY_LEN(mutator_words)];
        for (a = (size_t)rand() % size; a < size && data[a] != '.'; a++)
            ;
        for (n = a + 1; n < size && mutator_in_word(data[n]); n++)
            ;
        return a < size ? mutator_replace(data, size, most, a, n - a, word, strlen(word)) : size;
    }
    default: { /* an operand for another */
        const char *word = mutator_operands[(size_t)rand() % ARRAY_LEN(mutator_operands)];
        a = mutator_word(data, size, &n);
        return mutator_replace(data, size, most, a, n, word, strlen(word));
    }
    }
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t most, unsigned seed)
{
    srand(seed);
    if (size == 0 || rand() % 3 == 0)
        return LLVMFuzzerMutate(data, size, most);
    for (int i = rand() % 3; i >= 0 && size; i--)
        size = mutator_step(data, size, most);
    return size;
}

#endif
