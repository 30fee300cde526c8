// word count of a text: MapReduce with grouping by sort
//
// Memory: a map task walks its stretch of the text byte by byte, twice; the text is small and its
// lines stay in L1. The sort gathers the bytes of two words for every comparison, one launch per
// step: all SMs gather from the same words, so most of what one L1 misses another has.
// Used by: the cooperative-caching study (wc of Mars). Published: 96 KB of text; size small has the
// same.
#include "mapreduce_device.h"

DEVICE_CALL bool is_letter(u8 c)
{
    return c >= 'a' && c <= 'z';
}

// The next word that begins at or after *at and before `end`: its length, 0 if there is none. A
// word that began in the stretch before is not this task's; one that begins here is, to its end.
DEVICE_CALL u32 next_word(const u8 *text, u32 *at, u32 end)
{
    while (*at < end && (!is_letter(text[*at]) || (*at > 0 && is_letter(text[*at - 1]))))
        ++*at;
    u32 bytes = 0;
    if (*at < end) {
        while (is_letter(text[*at + bytes]))
            bytes++;
    }
    return bytes;
}

extern "C" __global__ void wc_map_count(const u8 *text, struct emission out, u32 bytes, u32 stretch,
                                        u32 tasks)
{
    u32 task = global_thread();
    if (task >= tasks)
        return;
    struct cursor c = {};
    u32 at = task * stretch, end = at + stretch < bytes ? at + stretch : bytes;
    for (u32 word; (word = next_word(text, &at, end)) != 0; at += word)
        cursor_count(&c, word, sizeof(u32));
    cursor_save(c, &out, task);
}

// Emits each word with the number 1.
extern "C" __global__ void wc_map(const u8 *text, struct emission out, u32 bytes, u32 stretch,
                                  u32 tasks)
{
    u32 task = global_thread();
    if (task >= tasks)
        return;
    struct cursor c = cursor_load(&out, task);
    u32 at = task * stretch, end = at + stretch < bytes ? at + stretch : bytes;
    for (u32 word; (word = next_word(text, &at, end)) != 0; at += word) {
        for (u32 i = 0; i < word; i++)
            out.keys[c.key + i] = text[at + i];
        *(u32 *)(out.values + c.value) = 1;
        cursor_emit(&c, &out, word, sizeof(u32));
    }
}

extern "C" __global__ void wc_group_step(uint4 *records, const u8 *keys, u32 count, u32 flip,
                                         u32 by)
{
    sort_step<key_less>(records, keys, count, flip, by);
}

// One number per word.
extern "C" __global__ void wc_reduce_count(const uint4 *records, const u32 *group_at,
                                           struct emission out, u32 groups)
{
    u32 group = global_thread();
    if (group >= groups)
        return;
    struct cursor c = {};
    cursor_count(&c, record_load(&records[group_at[group]]).key_bytes, sizeof(u32));
    cursor_save(c, &out, group);
}

// Emits the word and the sum of its numbers.
extern "C" __global__ void wc_reduce(const uint4 *records, const u8 *keys, const u8 *values,
                                     const u32 *group_at, struct emission out, u32 count,
                                     u32 groups)
{
    u32 group = global_thread();
    if (group >= groups)
        return;
    u32 first = group_at[group], end = group + 1 < groups ? group_at[group + 1] : count, sum = 0;
    struct cursor c = cursor_load(&out, group);
    struct record r = record_load(&records[first]);
    for (u32 i = 0; i < r.key_bytes; i++)
        out.keys[c.key + i] = keys[r.key + i];
    for (u32 i = first; i < end; i++)
        sum += *(const u32 *)(values + record_load(&records[i]).value);
    *(u32 *)(out.values + c.value) = sum;
    cursor_emit(&c, &out, r.key_bytes, sizeof(u32));
}
