// inverted index of the links in HTML documents: MapReduce with grouping by sort
//
// Memory: a map task walks its whole document byte by byte, twice; the lanes of a warp are in 32
// different documents, so a load touches 32 lines and the next bytes need the same lines again.
// With a 16 KB L1 most of them have gone by then. Few bytes belong to links: the sort that groups
// them is one launch per step with too few records to fill a chip.
// Used by: the bandwidth, cooperative-caching and warp-scheduling studies (ii of Mars, 118
// kernels). Published: 28 MB of HTML; size small has 16384 short documents of some 3 MB in all.
#include "mapreduce_device.h"

#define LINK_BYTES 9

static __constant__ const char link_begin[LINK_BYTES + 1] = "<a href=\"";

// The next link at or after *at: true with *at behind the opening quote and its length.
DEVICE_CALL bool next_link(const u8 *text, u32 *at, u32 end, u32 *bytes)
{
    for (u32 matched = 0; *at < end; ++*at) {
        u8 letter = text[*at];
        matched = letter == link_begin[matched] ? matched + 1 : letter == '<';
        if (matched < LINK_BYTES)
            continue;
        ++*at;
        for (*bytes = 0; text[*at + *bytes] != '"';)
            ++*bytes;
        return true;
    }
    return false;
}

extern "C" __global__ void ii_map_count(const u8 *text, const u32 *document_at, struct emission out,
                                        u32 documents)
{
    u32 task = global_thread();
    if (task >= documents)
        return;
    struct cursor c = {};
    u32 end = document_at[task + 1], bytes;
    for (u32 at = document_at[task]; next_link(text, &at, end, &bytes); at += bytes)
        cursor_count(&c, bytes, sizeof(u32));
    cursor_save(c, &out, task);
}

// Emits each link with the number of its document.
extern "C" __global__ void ii_map(const u8 *text, const u32 *document_at, struct emission out,
                                  u32 documents)
{
    u32 task = global_thread();
    if (task >= documents)
        return;
    struct cursor c = cursor_load(&out, task);
    u32 end = document_at[task + 1], bytes;
    for (u32 at = document_at[task]; next_link(text, &at, end, &bytes); at += bytes) {
        for (u32 i = 0; i < bytes; i++)
            out.keys[c.key + i] = text[at + i];
        *(u32 *)(out.values + c.value) = task;
        cursor_emit(&c, &out, bytes, sizeof task);
    }
}

extern "C" __global__ void ii_group_step(uint4 *records, const u8 *keys, u32 count, u32 flip,
                                         u32 by)
{
    sort_step<key_less>(records, keys, count, flip, by);
}

// One list per link: as long as its group.
extern "C" __global__ void ii_reduce_count(const uint4 *records, const u32 *group_at,
                                           struct emission out, u32 count, u32 groups)
{
    u32 group = global_thread();
    if (group >= groups)
        return;
    u32 first = group_at[group], end = group + 1 < groups ? group_at[group + 1] : count;
    struct cursor c = {};
    cursor_count(&c, record_load(&records[first]).key_bytes, (end - first) * sizeof(u32));
    cursor_save(c, &out, group);
}

// Emits the link and the documents that have it, in their order.
extern "C" __global__ void ii_reduce(const uint4 *records, const u8 *keys, const u8 *values,
                                     const u32 *group_at, struct emission out, u32 count,
                                     u32 groups)
{
    u32 group = global_thread();
    if (group >= groups)
        return;
    u32 first = group_at[group], end = group + 1 < groups ? group_at[group + 1] : count;
    struct cursor c = cursor_load(&out, group);
    struct record r = record_load(&records[first]);
    for (u32 i = 0; i < r.key_bytes; i++)
        out.keys[c.key + i] = keys[r.key + i];
    u32 *list = (u32 *)(out.values + c.value);
    for (u32 i = first; i < end; i++)
        list[i - first] = *(const u32 *)(values + record_load(&records[i]).value);
    cursor_emit(&c, &out, r.key_bytes, (end - first) * sizeof(u32));
}
