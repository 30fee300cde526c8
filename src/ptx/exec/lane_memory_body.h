/* Bodies of lane_memory.h for one instruction set; LANE_MEMORY_TABLE names the result. */
#include "ptx/exec/lane_memory.h"

#include "ptx/decode/op.h"

#include <string.h>

static void find_range(const u64 *at, struct lane_places *out)
{
    i64 low = INT64_MAX, high = INT64_MIN; /* vectors compare as signed: sums keep their order */
    for (u32 i = 0; i < LANES; i++) {
        i64 a = (i64)(at[i] ^ (u64)1 << 63);
        low = a < low ? a : low;
        high = a > high ? a : high;
    }
    out->low = (u64)low ^ (u64)1 << 63;
    out->high = (u64)high ^ (u64)1 << 63;
}

static void find_places(const u64 *at, u32 bytes, struct lane_places *out)
{
    u64 first = at[0], all = 0, row = 0, same = 0;
    for (u32 i = 0; i < LANES; i++) {
        all |= at[i];
        row |= at[i] ^ (first + (u64)i * bytes);
        same |= at[i] ^ first;
    }
    out->all = all;
    out->spread = same;
    out->low = out->high = first;
    out->pattern = !same ? ACCESS_SAME : ACCESS_ROW;
    if (same && row) {
        u64 below = UINT64_MAX >> __builtin_clzll(same); /* the highest that differs, and below */
        out->pattern = ACCESS_ANY;
        out->low = first & ~below;
        out->high = first | below;
    } else if (same) {
        out->high = first + (u64)(LANES - 1) * bytes;
    }
    if (out->high < first && out->pattern == ACCESS_ROW) /* it wraps */
        out->pattern = ACCESS_ANY;
}

static void place_lanes(const struct lane_addresses *a, u64 *restrict to, struct lane_places *out)
{
    u64 offset = a->offset;
    if (!a->base) {
        for (u32 i = 0; i < LANES; i++)
            to[i] = offset;
        *out = (struct lane_places){
            .all = offset, .low = offset, .high = offset, .pattern = ACCESS_SAME};
        return;
    }
    if (a->wide) {
        const u64 *base = a->base;
        for (u32 i = 0; i < LANES; i++)
            to[i] = base[i] + offset;
    } else {
        const u32 *base = a->base;
        for (u32 i = 0; i < LANES; i++)
            to[i] = (u32)(base[i] + (u32)offset);
    }
    find_places(to, a->bytes, out);
}

static inline __attribute__((always_inline)) void
load_elements(u8 *to, u32 bytes, uintptr_t base, const u64 *at, u8 pattern, u32 stride)
{
    const u8 *first = (const u8 *)(base + (uintptr_t)at[0]);
    if (pattern == ACCESS_ROW && stride == bytes) {
        memcpy(to, first, LANES * bytes);
    } else if (pattern == ACCESS_SAME) {
        u64 element = 0;
        memcpy(&element, first, bytes);
        for (u32 i = 0; i < LANES; i++)
            memcpy(to + (size_t)i * bytes, &element, bytes);
    } else {
#pragma GCC unroll 8
        for (u32 i = 0; i < LANES; i++)
            memcpy(to + (size_t)i * bytes, (const u8 *)(base + (uintptr_t)at[i]), bytes);
    }
}

static void load_lanes(void *to, u32 bytes, uintptr_t base, const u64 *at, u8 pattern, u32 stride)
{
    if (bytes == 4)
        load_elements(to, 4, base, at, pattern, stride);
    else
        load_elements(to, 8, base, at, pattern, stride);
}

static void narrow_lanes(void *to, u32 bytes, const u64 *restrict at, u64 first)
{
    if (bytes == 1) {
        u8 *restrict d = to;
        for (u32 i = 0; i < LANES; i++)
            d[i] = (u8)(at[i] ^ first);
    } else {
        u16 *restrict d = to;
        for (u32 i = 0; i < LANES; i++)
            d[i] = (u16)(at[i] ^ first);
    }
}

static void widen_lanes(u64 *restrict at, const void *from, u32 bytes, u64 first)
{
    if (bytes == 1) {
        const u8 *restrict d = from;
        for (u32 i = 0; i < LANES; i++)
            at[i] = first ^ d[i];
    } else {
        const u16 *restrict d = from;
        for (u32 i = 0; i < LANES; i++)
            at[i] = first ^ d[i];
    }
}

static void row_lanes(u64 *at, u64 first, u64 step)
{
    for (u32 i = 0; i < LANES; i++, first += step)
        at[i] = first;
}

const struct lane_memory LANE_MEMORY_TABLE = {.addresses = place_lanes,
                                              .range = find_range,
                                              .load = load_lanes,
                                              .narrow = narrow_lanes,
                                              .widen = widen_lanes,
                                              .row = row_lanes};
