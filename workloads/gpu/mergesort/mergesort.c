/*
 * Host of mergesort: keys with values in order (see mergesort.cu for its memory behaviour and use).
 *
 * Values are the places before, and equal keys keep their order: there is one result, compared
 * exactly with the C library's sort.
 */
#include "host.h"

#include <stdlib.h>

#define TILE 512

static const struct host_choice choices[] = {
    {"log2", "of the number of keys, at least 10", .sizes = {11, 16, 23}},
    {0},
};

struct pair {
    u32 key, value;
};

static int by_key(const void *a, const void *b)
{
    const struct pair *p = a, *q = b;
    if (p->key != q->key)
        return p->key < q->key ? -1 : 1;
    return p->value < q->value ? -1 : 1;
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "mergesort", choices, argc, argv);
    u32 log2 = host_measure(&h, "log2"), count = 1u << log2, tiles = count / TILE;
    if (log2 < 10)
        host_fail(&h, "--log2 is %u, expected at least 10", log2);
    size_t bytes = count * sizeof(u32);
    u32 *keys = host_random_u32(&h, "keys", count, count / 2), *values = HOST_ARRAY(&h, u32, count);
    struct pair *pairs = HOST_ARRAY(&h, struct pair, count);
    for (u32 i = 0; i < count; i++) {
        values[i] = i;
        pairs[i] = (struct pair){keys[i], i};
    }
    CUdeviceptr k[2] = {host_upload(&h, keys, bytes), host_device_alloc(&h, bytes)};
    CUdeviceptr v[2] = {host_upload(&h, values, bytes), host_device_alloc(&h, bytes)};
    CUdeviceptr from_a = host_device_alloc(&h, tiles * sizeof(u32));
    CUdeviceptr from_b = host_device_alloc(&h, tiles * sizeof(u32));
    host_launch(&h, host_kernel(&h, "mergesort_tiles"), DIM1(tiles), DIM1(TILE / 2), 0,
                ARGS(&k[0], &v[0], &k[1], &v[1]));
    CUfunction split = host_kernel(&h, "mergesort_split");
    CUfunction merge = host_kernel(&h, "mergesort_merge");
    u32 at = 1;
    for (u32 run = TILE; run < count; run *= 2, at = 1 - at) {
        host_launch(&h, split, DIM1(blocks_for(tiles, 128)), DIM1(128), 0,
                    ARGS(&k[at], &from_a, &from_b, &run, &tiles));
        host_launch(&h, merge, DIM1(tiles), DIM1(TILE / 2), 0,
                    ARGS(&k[at], &v[at], &k[1 - at], &v[1 - at], &from_a, &from_b, &run));
    }
    qsort(pairs, count, sizeof *pairs, by_key);
    for (u32 i = 0; i < count; i++) {
        keys[i] = pairs[i].key;
        values[i] = pairs[i].value;
    }
    host_check_u32(&h, "keys", k[at], keys, count);
    host_check_u32(&h, "values", v[at], values, count);
    return host_finish(&h);
}
