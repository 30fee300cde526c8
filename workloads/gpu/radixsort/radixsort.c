/*
 * Host of radixsort: keys with values in order (see radixsort.cu for its memory behaviour and use).
 *
 * Values are the places before, and equal keys keep their order: there is one result, compared
 * exactly with a counting sort of the CPU.
 */
#include "host.h"

#define BLOCK 256
#define DIGITS 16

static const struct host_choice choices[] = {
    {"keys", "to sort, a multiple of 256", .sizes = {2048, 131072, 16777216}},
    {"bits", "of a key, a multiple of 4", .sizes = {8, 24, 32}},
    {0},
};

/* By all bits but the lowest 0, then 4, ... as the passes go. */
static void sort_pass(const u32 *keys, const u32 *values, u32 *to_keys, u32 *to_values, u32 count,
                      u32 shift)
{
    u32 next[DIGITS + 1] = {0};
    for (u32 i = 0; i < count; i++)
        next[(keys[i] >> shift) % DIGITS + 1]++;
    for (u32 d = 0; d < DIGITS; d++)
        next[d + 1] += next[d];
    for (u32 i = 0; i < count; i++) {
        u32 place = next[(keys[i] >> shift) % DIGITS]++;
        to_keys[place] = keys[i];
        to_values[place] = values[i];
    }
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "radixsort", choices, argc, argv);
    u32 count = host_multiple(&h, "keys", BLOCK), bits = host_multiple(&h, "bits", 4);
    u32 blocks = count / BLOCK, counters = blocks * DIGITS, at = 0;
    size_t bytes = count * sizeof(u32);
    u32 *k[2] = {host_random_u32(&h, "keys", count, bits < 32 ? 1u << bits : 0xffffffffu),
                 HOST_ARRAY(&h, u32, count)};
    u32 *v[2] = {HOST_ARRAY(&h, u32, count), HOST_ARRAY(&h, u32, count)};
    for (u32 i = 0; i < count; i++)
        v[0][i] = i;
    CUdeviceptr keys[2] = {host_upload(&h, k[0], bytes), host_device_alloc(&h, bytes)};
    CUdeviceptr values[2] = {host_upload(&h, v[0], bytes), host_device_alloc(&h, bytes)};
    CUdeviceptr device_counters = host_device_alloc(&h, counters * sizeof(u32));
    CUdeviceptr offsets = host_device_alloc(&h, counters * sizeof(u32));
    CUdeviceptr totals = host_device_alloc(&h, DIGITS * sizeof(u32));
    for (u32 shift = 0; shift < bits; shift += 4, at = 1 - at) {
        host_launch(&h, host_kernel(&h, "radixsort_count"), DIM1(blocks), DIM1(BLOCK), 0,
                    ARGS(&keys[at], &device_counters, &shift));
        host_launch(&h, host_kernel(&h, "radixsort_scan"), DIM1(DIGITS), DIM1(BLOCK), 0,
                    ARGS(&device_counters, &offsets, &totals, &blocks));
        host_launch(&h, host_kernel(&h, "radixsort_scatter"), DIM1(blocks), DIM1(BLOCK), 0,
                    ARGS(&keys[at], &values[at], &keys[1 - at], &values[1 - at], &offsets, &totals,
                         &shift));
        sort_pass(k[at], v[at], k[1 - at], v[1 - at], count, shift);
    }
    host_check_u32(&h, "keys", keys[at], k[at], count);
    host_check_u32(&h, "values", values[at], v[at], count);
    return host_finish(&h);
}
