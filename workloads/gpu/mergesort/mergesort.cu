// merge sort of keys with values: tiles in shared memory, then runs merged along a path
//
// Memory: tiles are sorted in shared memory; every later pass reads and writes all keys and values
// once, after a small kernel has found by bisection where each block's pieces begin: streams, with
// gathers between the two runs.
// Used by: the studies of shared caches (mergesort, type B) and of cache regions (six regions);
// from the algorithm (Green, McColl, Bader: ICS 2012).
#include "device.h"

#define TILE 512

// How many of the first `diagonal` merged keys come from run a; of equal keys a's come first.
template <typename KEYS>
DEVICE_CALL u32 split_at(KEYS a, u32 a_count, KEYS b, u32 b_count, u32 diagonal)
{
    u32 low = diagonal > b_count ? diagonal - b_count : 0;
    u32 high = diagonal < a_count ? diagonal : a_count;
    while (low < high) {
        u32 middle = (low + high) / 2;
        if (a[middle] <= b[diagonal - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// One block per tile: odd-even merging of pairs (Batcher 1968) with the value as second key.
extern "C" __global__ void __launch_bounds__(TILE / 2)
    mergesort_tiles(const u32 *keys, const u32 *values, u32 *to_keys, u32 *to_values)
{
    __shared__ u32 k[TILE], v[TILE];
    u32 first = blockIdx.x * TILE, t = threadIdx.x;
    for (u32 i = t; i < TILE; i += TILE / 2) {
        k[i] = keys[first + i];
        v[i] = values[first + i];
    }
    for (u32 run = 2; run <= TILE; run *= 2) {
        for (u32 by = run / 2; by > 0; by /= 2) {
            __syncthreads();
            u32 low = t / by * by * 2 + t % by;
            u32 high = by == run / 2 ? low / run * run + run - 1 - low % run : low + by;
            if (k[high] < k[low] || (k[high] == k[low] && v[high] < v[low])) {
                u32 key = k[low], value = v[low];
                k[low] = k[high], v[low] = v[high];
                k[high] = key, v[high] = value;
            }
        }
    }
    __syncthreads();
    for (u32 i = t; i < TILE; i += TILE / 2) {
        to_keys[first + i] = k[i];
        to_values[first + i] = v[i];
    }
}

// Where the tiles of the merged runs begin in their two runs; one thread per tile.
extern "C" __global__ void mergesort_split(const u32 *keys, u32 *from_a, u32 *from_b, u32 run,
                                           u32 tiles)
{
    u32 tile = blockIdx.x * blockDim.x + threadIdx.x;
    if (tile >= tiles)
        return;
    u32 start = tile * TILE / (2 * run) * (2 * run), diagonal = tile * TILE - start;
    u32 a = split_at(keys + start, run, keys + start + run, run, diagonal);
    from_a[tile] = start + a;
    from_b[tile] = start + run + diagonal - a;
}

// One block per tile of the result: its pieces to shared memory, a place per thread and element.
extern "C" __global__ void __launch_bounds__(TILE / 2)
    mergesort_merge(const u32 *keys, const u32 *values, u32 *to_keys, u32 *to_values,
                    const u32 *from_a, const u32 *from_b, u32 run)
{
    __shared__ u32 k[TILE];
    u32 tile = blockIdx.x, start = tile * TILE / (2 * run) * (2 * run);
    bool last = (tile + 1) * TILE == start + 2 * run;
    u32 a = from_a[tile], a_count = (last ? start + run : from_a[tile + 1]) - a;
    u32 b = from_b[tile], b_count = TILE - a_count;
    for (u32 i = threadIdx.x; i < TILE; i += TILE / 2)
        k[i] = i < a_count ? keys[a + i] : keys[b + i - a_count];
    __syncthreads();
    for (u32 i = threadIdx.x; i < TILE; i += TILE / 2) {
        u32 from = split_at(&k[0], a_count, &k[a_count], b_count, i);
        u32 other = a_count + i - from;
        bool takes_a = from < a_count && (other >= TILE || k[from] <= k[other]);
        to_keys[tile * TILE + i] = takes_a ? k[from] : k[other];
        to_values[tile * TILE + i] = values[takes_a ? a + from : b + other - a_count];
    }
}
