/*
 * AES-128 by tables (FIPS 197): a column's four table words give SubBytes, ShiftRows and MixColumns
 * at once. Shared by the kernel and the host. Bytes of a word: the first is the lowest.
 */
#ifndef AES_CIPHER_H
#define AES_CIPHER_H

#include "both.h"

#define ROUNDS 10
#define KEY_WORDS (4 * (ROUNDS + 1))

struct state {
    u32 column[4];
};

/* table[x]: MixColumns of the substituted byte x in the first row; others are rotations of it. */
BOTH u32 table_word(const u32 *table, u32 x, u32 row)
{
    u32 word = table[x >> (8 * row) & 255];
    return row == 0 ? word : word << (8 * row) | word >> (32 - 8 * row);
}

/* The substituted byte alone: the second byte of the table's word. */
BOTH u32 substituted(const u32 *table, u32 x, u32 row)
{
    return (table[x >> (8 * row) & 255] >> 8 & 255) << (8 * row);
}

BOTH struct state encrypted(const u32 *table, const u32 *keys, struct state s)
{
    struct state next;
    for (u32 c = 0; c < 4; c++)
        s.column[c] ^= keys[c];
    for (u32 round = 1; round < ROUNDS; round++) {
        for (u32 c = 0; c < 4; c++) {
            next.column[c] = keys[4 * round + c];
            for (u32 row = 0; row < 4; row++)
                next.column[c] ^= table_word(table, s.column[(c + row) % 4], row);
        }
        s = next;
    }
    for (u32 c = 0; c < 4; c++) {
        next.column[c] = keys[4 * ROUNDS + c];
        for (u32 row = 0; row < 4; row++)
            next.column[c] ^= substituted(table, s.column[(c + row) % 4], row);
    }
    return next;
}

#endif
