// string match: where a keyword occurs in a text, MapReduce without reduction
//
// Memory: a map task looks for the keyword in its own line of the text, byte by byte, twice; the
// lanes of a warp are in 32 different lines, so a load touches many lines of L1, which are needed
// for the next bytes again. Texts of different cores have next to nothing in common.
// Used by: the cooperative-caching study (sm of Mars). Published: 4 MB of text; size small has
// 16384 lines of 64 bytes, 1 MB.
#include "mapreduce_device.h"

#define MOST_KEYWORD 16

__constant__ u8 keyword[MOST_KEYWORD];

// The next place at or after `at` where the keyword lies in the line; `end` if there is none.
DEVICE_CALL u32 next_match(const u8 *text, u32 at, u32 end, u32 bytes)
{
    for (; at + bytes <= end; at++) {
        u32 same = 0;
        while (same < bytes && text[at + same] == keyword[same])
            same++;
        if (same == bytes)
            return at;
    }
    return end;
}

extern "C" __global__ void sm_map_count(const u8 *text, struct emission out, u32 line_bytes,
                                        u32 lines, u32 bytes)
{
    u32 task = global_thread();
    if (task >= lines)
        return;
    struct cursor c = {};
    u32 end = (task + 1) * line_bytes;
    for (u32 at = task * line_bytes; (at = next_match(text, at, end, bytes)) < end; at++)
        cursor_count(&c, sizeof(u32), sizeof(u32));
    cursor_save(c, &out, task);
}

// Emits the line and the place of each match.
extern "C" __global__ void sm_map(const u8 *text, struct emission out, u32 line_bytes, u32 lines,
                                  u32 bytes)
{
    u32 task = global_thread();
    if (task >= lines)
        return;
    struct cursor c = cursor_load(&out, task);
    u32 end = (task + 1) * line_bytes;
    for (u32 at = task * line_bytes; (at = next_match(text, at, end, bytes)) < end; at++) {
        *(u32 *)(out.keys + c.key) = task;
        *(u32 *)(out.values + c.value) = at;
        cursor_emit(&c, &out, sizeof(u32), sizeof(u32));
    }
}
