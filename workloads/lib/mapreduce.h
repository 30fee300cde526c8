/*
 * The host side of a small MapReduce frame, after Mars (He et al., PACT 2008): emission in two
 * runs with prefix sums between them, and grouping by a bitonic sort, one launch per step.
 * The kernels are in mapreduce_device.h.
 *
 *     struct emission e = emission_create(&h, tasks);
 *     host_launch(&h, count, ..., ARGS(..., &e, ...));
 *     emission_place(&h, &e);
 *     host_launch(&h, emit, ..., ARGS(..., &e, ...));
 */
#ifndef WORKLOADS_MAPREDUCE_H
#define WORKLOADS_MAPREDUCE_H

#include "host.h"

struct record {
    u32 key, key_bytes;
    u32 value, value_bytes;
};

/* What the kernels see of a phase that emits; mapreduce_device.h has the same structure. */
struct emission_arrays {
    CUdeviceptr key_at, value_at, record_at;
    CUdeviceptr keys, values, records;
};

struct emission {
    struct emission_arrays device; /* the kernels' parameter */
    u32 tasks;
    u32 key_bytes, value_bytes, records; /* in all; known after emission_place */
};

struct emission emission_create(struct host *h, u32 tasks);
/* Between the two runs: three prefix sums, then room for what will be emitted. */
void emission_place(struct host *h, struct emission *e);

/* Exclusive prefix sums in place; returns the sum of all. Waits for the device. Each level has a
 * launch for its full chunks and one for the rest. */
u32 mapreduce_scan(struct host *h, CUdeviceptr values, u32 count);

/* Every step of a bitonic sort: kernel(items, keys, count, flip, by), see sort_step. */
void mapreduce_sort(struct host *h, const char *kernel, CUdeviceptr items, CUdeviceptr keys,
                    u32 count);

/* Where each run of equal keys begins in the sorted index of an emission: `groups` places. */
struct grouping {
    CUdeviceptr at;
    u32 groups;
};
struct grouping mapreduce_group(struct host *h, const struct emission *e);

/* Compares what lies on the device, exactly. */
void mapreduce_check_bytes(struct host *h, const char *array, CUdeviceptr got, const u8 *expected,
                           size_t count);
void mapreduce_check_u32(struct host *h, const char *array, CUdeviceptr got, const u32 *expected,
                         size_t count);
void mapreduce_check_records(struct host *h, const char *array, CUdeviceptr got,
                             const struct record *expected, size_t count);

#endif
