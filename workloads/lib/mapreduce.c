#include "mapreduce.h"

#include <string.h>

#define CHUNK 256 /* as in mapreduce_device.h */

struct emission emission_create(struct host *h, u32 tasks)
{
    size_t bytes = tasks * sizeof(u32);
    return (struct emission){
        .device = {.key_at = host_device_alloc(h, bytes),
                   .value_at = host_device_alloc(h, bytes),
                   .record_at = host_device_alloc(h, bytes)},
        .tasks = tasks,
    };
}

void emission_place(struct host *h, struct emission *e)
{
    e->key_bytes = mapreduce_scan(h, e->device.key_at, e->tasks);
    e->value_bytes = mapreduce_scan(h, e->device.value_at, e->tasks);
    e->records = mapreduce_scan(h, e->device.record_at, e->tasks);
    if (e->records == 0)
        host_fail(h, "no record was emitted");
    e->device.keys = host_device_alloc(h, e->key_bytes);
    e->device.values = host_device_alloc(h, e->value_bytes);
    e->device.records = host_device_alloc(h, e->records * sizeof(struct record));
}

static void launch_chunks(struct host *h, CUfunction kernel, CUdeviceptr values, CUdeviceptr sums,
                          u32 count)
{
    u32 chunks = count / CHUNK, full = chunks * CHUNK, rest = count - full;
    if (full > 0)
        host_launch(h, kernel, DIM1(chunks), DIM1(CHUNK), 0, ARGS(&values, &sums, &full));
    if (rest > 0) {
        CUdeviceptr rest_values = values + full * sizeof(u32);
        CUdeviceptr rest_sums = sums + chunks * sizeof(u32);
        host_launch(h, kernel, DIM1(1), DIM1(CHUNK), 0, ARGS(&rest_values, &rest_sums, &rest));
    }
}

u32 mapreduce_scan(struct host *h, CUdeviceptr values, u32 count)
{
    u32 chunks = blocks_for(count, CHUNK), total;
    CUdeviceptr sums = host_device_alloc(h, chunks * sizeof(u32));
    launch_chunks(h, host_kernel(h, "scan_chunks"), values, sums, count);
    if (chunks == 1) {
        host_download(h, &total, sums, sizeof total);
        return total;
    }
    total = mapreduce_scan(h, sums, chunks);
    launch_chunks(h, host_kernel(h, "scan_add"), values, sums, count);
    return total;
}

void mapreduce_sort(struct host *h, const char *kernel, CUdeviceptr items, CUdeviceptr keys,
                    u32 count)
{
    CUfunction step = host_kernel(h, kernel);
    u32 padded = 2; /* the next power of two */
    while (padded < count)
        padded *= 2;
    struct dim grid = DIM1(blocks_for(padded / 2, CHUNK)), block = DIM1(CHUNK);
    for (u32 run = 2; run <= padded; run *= 2) {
        u32 flip = run, by = 0;
        host_launch(h, step, grid, block, 0, ARGS(&items, &keys, &count, &flip, &by));
        flip = 0;
        for (by = run / 4; by > 0; by /= 2)
            host_launch(h, step, grid, block, 0, ARGS(&items, &keys, &count, &flip, &by));
    }
}

struct grouping mapreduce_group(struct host *h, const struct emission *e)
{
    CUdeviceptr records = e->device.records, keys = e->device.keys;
    CUdeviceptr group_of = host_device_alloc(h, e->records * sizeof(u32));
    u32 count = e->records;
    struct dim grid = DIM1(blocks_for(count, CHUNK)), block = DIM1(CHUNK);
    host_launch(h, host_kernel(h, "group_mark"), grid, block, 0,
                ARGS(&records, &keys, &group_of, &count));
    struct grouping g = {.groups = mapreduce_scan(h, group_of, count)};
    g.at = host_device_alloc(h, g.groups * sizeof(u32));
    host_launch(h, host_kernel(h, "group_place"), grid, block, 0,
                ARGS(&group_of, &g.at, &g.groups, &count));
    return g;
}

void mapreduce_check_bytes(struct host *h, const char *array, CUdeviceptr got, const u8 *expected,
                           size_t count)
{
    u8 *bytes = HOST_ARRAY(h, u8, count);
    u32 *wide = HOST_ARRAY(h, u32, count), *wide_expected = HOST_ARRAY(h, u32, count);
    host_download(h, bytes, got, count);
    for (size_t i = 0; i < count; i++) {
        wide[i] = bytes[i];
        wide_expected[i] = expected[i];
    }
    host_compare_u32(h, array, wide, wide_expected, count);
}

void mapreduce_check_u32(struct host *h, const char *array, CUdeviceptr got, const u32 *expected,
                         size_t count)
{
    u32 *values = HOST_ARRAY(h, u32, count);
    host_download(h, values, got, count * sizeof *values);
    host_compare_u32(h, array, values, expected, count);
}

void mapreduce_check_records(struct host *h, const char *array, CUdeviceptr got,
                             const struct record *expected, size_t count)
{
    size_t words = count * sizeof *expected / sizeof(u32);
    u32 *flat = HOST_ARRAY(h, u32, words);
    memcpy(flat, expected, words * sizeof(u32));
    mapreduce_check_u32(h, array, got, flat, words);
}
