// pages of a web log by number of views: MapReduce with grouping by sort, then a ranking
//
// Memory: a map task walks its line of the log byte by byte, so a warp's load touches up to 32
// lines and needs them again for the next bytes; copying the page's name scatters bytes. Every step
// of the sorts is a launch that reads two index entries per thread and gathers the bytes of two
// names as far as they agree. Reducing walks runs of very different length (few pages have most
// views). Bound by L1 misses that L2 answers.
// Used by: the bandwidth, cooperative-caching and warp-scheduling studies (pvr of Mars, 248
// kernels). Published: a log of 21 MB; size small has 20480 lines, whose index and names fit in L2
// and are many times L1.
#include "mapreduce_device.h"

// A line is `PAGE\tADDRESS\tAGENT\n`; the page ends at the first tab.
DEVICE_CALL u32 page_bytes(const u8 *line)
{
    u32 bytes = 0;
    while (line[bytes] != '\t')
        bytes++;
    return bytes;
}

extern "C" __global__ void pvr_map_count(const u8 *log, const u32 *line_at, struct emission out,
                                         u32 lines)
{
    u32 task = global_thread();
    if (task >= lines)
        return;
    struct cursor c = {};
    cursor_count(&c, page_bytes(log + line_at[task]), sizeof(u32));
    cursor_save(c, &out, task);
}

// Emits the page and one view.
extern "C" __global__ void pvr_map(const u8 *log, const u32 *line_at, struct emission out,
                                   u32 lines)
{
    u32 task = global_thread();
    if (task >= lines)
        return;
    const u8 *line = log + line_at[task];
    struct cursor c = cursor_load(&out, task);
    u32 bytes = 0;
    for (; line[bytes] != '\t'; bytes++)
        out.keys[c.key + bytes] = line[bytes];
    *(u32 *)(out.values + c.value) = 1;
    cursor_emit(&c, &out, bytes, sizeof(u32));
}

extern "C" __global__ void pvr_group_step(uint4 *records, const u8 *keys, u32 count, u32 flip,
                                          u32 by)
{
    sort_step<key_less>(records, keys, count, flip, by);
}

extern "C" __global__ void pvr_reduce_count(const uint4 *records, const u32 *group_at,
                                            struct emission out, u32 groups)
{
    u32 group = global_thread();
    if (group >= groups)
        return;
    struct cursor c = {};
    cursor_count(&c, record_load(&records[group_at[group]]).key_bytes, sizeof(u32));
    cursor_save(c, &out, group);
}

// Emits the page and the sum of its views.
extern "C" __global__ void pvr_reduce(const uint4 *records, const u8 *keys, const u8 *values,
                                      const u32 *group_at, struct emission out, u32 count,
                                      u32 groups)
{
    u32 group = global_thread();
    if (group >= groups)
        return;
    u32 first = group_at[group], end = group + 1 < groups ? group_at[group + 1] : count;
    u32 views = 0;
    for (u32 i = first; i < end; i++)
        views += *(const u32 *)(values + record_load(&records[i]).value);
    struct record r = record_load(&records[first]);
    struct cursor c = cursor_load(&out, group);
    for (u32 i = 0; i < r.key_bytes; i++)
        out.keys[c.key + i] = keys[r.key + i];
    *(u32 *)(out.values + c.value) = views;
    cursor_emit(&c, &out, r.key_bytes, sizeof views);
}

// Most views first; equal ones in the order of the pages.
DEVICE_CALL bool more_views(struct record a, struct record b, const u8 *values)
{
    u32 x = *(const u32 *)(values + a.value), y = *(const u32 *)(values + b.value);
    return x != y ? x > y : a.value < b.value;
}

extern "C" __global__ void pvr_rank_step(uint4 *records, const u8 *values, u32 count, u32 flip,
                                         u32 by)
{
    sort_step<more_views>(records, values, count, flip, by);
}
