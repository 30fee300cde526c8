/*
 * The device side of a small MapReduce frame (see mapreduce.h), after Mars (He et al., PACT 2008):
 * there is no allocation on the device, so map and reduce functions run twice. The first run only
 * counts what each task will emit; exclusive prefix sums turn counts into places; the second run
 * writes there. Records with equal keys are brought together by a bitonic sort (Batcher, 1968) of
 * the index, which gathers both keys for every comparison.
 *
 * A .cu file includes this once, writes its kernels around cursors and, if it sorts, a kernel
 * around sort_step. A counting kernel starts with an empty cursor, calls cursor_count per record
 * and cursor_save; the emitting one starts with cursor_load and calls cursor_emit per record.
 */
#ifndef WORKLOADS_MAPREDUCE_DEVICE_H
#define WORKLOADS_MAPREDUCE_DEVICE_H

#include "device.h"

#define CHUNK 256 /* numbers that one block of as many threads sums; mapreduce.c has the same */

#ifndef __NVCC__
typedef u32 uint4 __attribute__((ext_vector_type(4)));
#endif

// Where a record's key and value begin in their arrays, in bytes, and how long they are. The index
// is read and written with vectors, one access per record.
struct record {
    u32 key, key_bytes;
    u32 value, value_bytes;
};

DEVICE_CALL struct record record_load(const uint4 *at)
{
    uint4 v = *at;
    struct record r = {v.x, v.y, v.z, v.w};
    return r;
}

DEVICE_CALL void record_store(uint4 *at, struct record r)
{
    uint4 v = {r.key, r.key_bytes, r.value, r.value_bytes};
    *at = v;
}

// The arrays of one emitting phase; mapreduce.h has the same structure with device addresses.
// Per task: after the counting run bytes of keys, bytes of values and records; after the prefix
// sums where the task's first one goes.
struct emission {
    u32 *key_at, *value_at, *record_at;
    u8 *keys, *values;
    uint4 *records; // the index
};

// Where a task's next record goes, or in the counting run how much there is so far.
struct cursor {
    u32 key, value, record;
};

DEVICE_CALL u32 global_thread()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

DEVICE_CALL void cursor_count(struct cursor *c, u32 key_bytes, u32 value_bytes)
{
    c->key += key_bytes;
    c->value += value_bytes;
    c->record++;
}

DEVICE_CALL void cursor_save(struct cursor c, const struct emission *e, u32 task)
{
    e->key_at[task] = c.key;
    e->value_at[task] = c.value;
    e->record_at[task] = c.record;
}

DEVICE_CALL struct cursor cursor_load(const struct emission *e, u32 task)
{
    struct cursor c = {e->key_at[task], e->value_at[task], e->record_at[task]};
    return c;
}

// Writes the index entry and moves on; the caller has written key and value at the cursor.
DEVICE_CALL void cursor_emit(struct cursor *c, const struct emission *e, u32 key_bytes,
                             u32 value_bytes)
{
    struct record r = {c->key, key_bytes, c->value, value_bytes};
    record_store(&e->records[c->record], r);
    cursor_count(c, key_bytes, value_bytes);
}

// Exclusive prefix sums inside every chunk, in place; the chunks' sums are left in `sums`.
extern "C" __global__ void __launch_bounds__(CHUNK) scan_chunks(u32 *values, u32 *sums, u32 count)
{
    __shared__ u32 partial[2][CHUNK];
    u32 at = global_thread(), x = threadIdx.x, from = 0;
    u32 mine = at < count ? values[at] : 0;
    partial[0][x] = mine;
    __syncthreads();
    for (u32 by = 1; by < CHUNK; by *= 2) {
        partial[1 - from][x] = partial[from][x] + (x >= by ? partial[from][x - by] : 0);
        from = 1 - from;
        __syncthreads();
    }
    if (at < count)
        values[at] = partial[from][x] - mine;
    if (x == CHUNK - 1)
        sums[blockIdx.x] = partial[from][x];
}

// Adds to every chunk the sum of those before it.
extern "C" __global__ void __launch_bounds__(CHUNK)
    scan_add(u32 *values, const u32 *sums, u32 count)
{
    u32 at = global_thread();
    if (at < count)
        values[at] += sums[blockIdx.x];
}

// One step of a bitonic sort that works for any count: `flip` pairs each element with its mirror
// image in a run of that many (a power of two), `by` with the one at that distance; the other of
// the two is 0. The smaller always goes to the lower place, so what would lie beyond the end acts
// as larger than everything and stays there. One thread per pair.
template <bool (*less)(struct record, struct record, const u8 *)>
DEVICE_CALL void sort_step(uint4 *records, const u8 *keys, u32 count, u32 flip, u32 by)
{
    u32 pair = global_thread(), half = flip ? flip / 2 : by;
    u32 low = pair / half * half * 2 + pair % half;
    u32 high = flip ? low ^ (flip - 1) : low + by;
    if (high >= count)
        return;
    struct record a = record_load(&records[low]), b = record_load(&records[high]);
    if (less(b, a, keys)) {
        record_store(&records[low], b);
        record_store(&records[high], a);
    }
}

// Strings of bytes in the order of memcmp, a prefix before what it begins; equal ones in the order
// in which they were emitted, so that the sorted index is unique.
DEVICE_CALL bool key_less(struct record a, struct record b, const u8 *keys)
{
    u32 both = a.key_bytes < b.key_bytes ? a.key_bytes : b.key_bytes;
    for (u32 i = 0; i < both; i++) {
        u8 x = keys[a.key + i], y = keys[b.key + i];
        if (x != y)
            return x < y;
    }
    return a.key_bytes != b.key_bytes ? a.key_bytes < b.key_bytes : a.key < b.key;
}

DEVICE_CALL bool key_equal(struct record a, struct record b, const u8 *keys)
{
    if (a.key_bytes != b.key_bytes)
        return false;
    for (u32 i = 0; i < a.key_bytes; i++) {
        if (keys[a.key + i] != keys[b.key + i])
            return false;
    }
    return true;
}

// Sorted records whose key differs from the one before begin a group. First their flags, for the
// prefix sums; then where each group begins.
extern "C" __global__ void group_mark(const uint4 *records, const u8 *keys, u32 *group_of,
                                      u32 count)
{
    u32 i = global_thread();
    if (i < count)
        group_of[i] =
            i == 0 || !key_equal(record_load(&records[i - 1]), record_load(&records[i]), keys);
}

// group_of: flags of group_mark summed, the record's own not included.
extern "C" __global__ void group_place(const u32 *group_of, u32 *group_at, u32 groups, u32 count)
{
    u32 i = global_thread();
    if (i >= count)
        return;
    u32 next = i + 1 < count ? group_of[i + 1] : groups;
    if (next != group_of[i])
        group_at[group_of[i]] = i;
}

#endif
