/*
 * Numbers in bytes: a buffer that grows while writing, and a cursor that never
 * leaves what it was given while reading.
 *
 * Small numbers take one byte: seven bits each, the lowest first, the top bit
 * says that more follow. Signed ones are folded first, so that small negative
 * numbers are short as well.
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include "base/arena.h"
#include "base/types.h"

#include <string.h>

struct bytes {
    u8 *data;
    size_t length, room;
};

#define MOST_VARINT_BYTES 10u

static inline void bytes_reserve(struct bytes *b, size_t more)
{
    if (b->room - b->length >= more)
        return;
    while (b->room - b->length < more)
        b->room = b->room ? 2 * b->room : 256;
    b->data = xrealloc(b->data, b->room);
}

static inline void put_u8(struct bytes *b, u32 value)
{
    bytes_reserve(b, 1);
    b->data[b->length++] = (u8)value;
}

static inline void put_raw(struct bytes *b, const void *from, size_t count)
{
    bytes_reserve(b, count);
    if (count)
        memcpy(b->data + b->length, from, count);
    b->length += count;
}

static inline void put_varint(struct bytes *b, u64 value)
{
    bytes_reserve(b, MOST_VARINT_BYTES);
    while (value >= 0x80) {
        b->data[b->length++] = (u8)(value | 0x80);
        value >>= 7;
    }
    b->data[b->length++] = (u8)value;
}

/* Takes the difference of two numbers, as unsigned. */
static inline void put_difference(struct bytes *b, u64 d)
{
    put_varint(b, d << 1 ^ (0 - (d >> 63)));
}

/* Of a fixed width, the lowest byte first. */
static inline void put_fixed(struct bytes *b, u64 value, u32 width)
{
    for (u32 i = 0; i < width; i++)
        put_u8(b, (u32)(value >> 8 * i & 0xff));
}

/* `is_short` stays set once something was missing; what was asked for is then zero. */
struct cursor {
    const u8 *at, *end;
    bool is_short;
};

static inline size_t cursor_left(const struct cursor *c)
{
    return (size_t)(c->end - c->at);
}

static inline u8 take_u8(struct cursor *c)
{
    if (UNLIKELY(c->at == c->end)) {
        c->is_short = true;
        return 0;
    }
    return *c->at++;
}

static inline u64 take_varint(struct cursor *c)
{
    u64 value = 0;
    for (u32 shift = 0; shift < 64; shift += 7) {
        u64 byte = take_u8(c);
        value |= (byte & 0x7f) << shift;
        if (LIKELY(byte < 0x80))
            return value;
    }
    c->is_short = true;
    return 0;
}

/* For counts and masks: a larger number is as bad as a missing one. */
static inline u32 take_u32(struct cursor *c)
{
    u64 value = take_varint(c);
    if (value > UINT32_MAX)
        c->is_short = true;
    return (u32)value;
}

static inline u64 take_difference(struct cursor *c)
{
    u64 folded = take_varint(c);
    return folded >> 1 ^ (0 - (folded & 1));
}

static inline u64 take_fixed(struct cursor *c, u32 width)
{
    u64 value = 0;
    for (u32 i = 0; i < width; i++)
        value |= (u64)take_u8(c) << 8 * i;
    return value;
}

#endif
