/* Sorting and searching: bitonic sort of 1,024 keys a block, ranks by binary search, a scan of blocks by warps, compaction
 * by votes, a hash table with compare-and-swap. */
#include "program.h"
#define N (1 << 15)
#define SLOTS (1 << 16)

__global__ void bitonic_block(unsigned *keys)
{
    __shared__ unsigned s[1024];
    int t = threadIdx.x, base = blockIdx.x * 1024;
    s[t] = keys[base + t];
    s[t + 512] = keys[base + t + 512];
    for (int size = 2; size <= 1024; size *= 2)
        for (int stride = size / 2; stride; stride /= 2) {
            __syncthreads();
            int i = 2 * t - (t & (stride - 1)), j = i + stride;
            unsigned a = s[i], b = s[j];
            bool up = (i & size) == 0;
            if ((a > b) == up) {
                s[i] = b;
                s[j] = a;
            }
        }
    __syncthreads();
    keys[base + t] = s[t];
    keys[base + t + 512] = s[t + 512];
}

/* where each key of the odd blocks goes among the block before it */
__global__ void ranks(const unsigned *keys, int *rank)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned *other = keys + (i / 1024 ^ 1) * 1024;
    unsigned key = keys[i];
    int low = 0, high = 1024;
    while (low < high) {
        int middle = (low + high) / 2;
        if (other[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    rank[i] = low;
}

__global__ void scan_blocks(const unsigned *in, unsigned *out)
{
    __shared__ unsigned part[32];
    int t = threadIdx.x, lane = t % 32;
    unsigned v = in[blockIdx.x * 1024 + t] & 15;
    for (int d = 1; d < 32; d *= 2) {
        unsigned before = __shfl_up_sync(~0u, v, d);
        v += lane >= d ? before : 0;
    }
    if (lane == 31)
        part[t / 32] = v;
    __syncthreads();
    if (t < 32) {
        unsigned w = part[t];
        for (int d = 1; d < 32; d *= 2) {
            unsigned before = __shfl_up_sync(~0u, w, d);
            w += t >= d ? before : 0;
        }
        part[t] = w;
    }
    __syncthreads();
    out[blockIdx.x * 1024 + t] = v + (t >= 32 ? part[t / 32 - 1] : 0);
}

__global__ void compact(const unsigned *in, unsigned *out, unsigned *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    unsigned key = in[i];
    unsigned votes = __ballot_sync(~0u, key & 1), base = 0;
    if (lane == 0)
        base = atomicAdd(count, __popc(votes));
    base = __shfl_sync(~0u, base, 0);
    if (key & 1)
        out[base + __popc(votes & ((1u << lane) - 1))] = key;
}

__global__ void insert(const unsigned *keys, unsigned *table)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned key = keys[i] | 1, slot = key * 2654435761u >> 16;
    while (true) {
        unsigned old = atomicCAS(&table[slot], 0, key);
        if (old == 0 || old == key)
            return;
        slot = (slot + 1) & (SLOTS - 1);
    }
}

int main()
{
    array<unsigned> keys(N), odd(N), sums(N), count(1), table(SLOTS);
    array<int> rank(N);
    for (auto &k : keys.host)
        k = next_random();
    keys.upload();
    compact<<<N / 256, 256>>>(keys.device, odd.device, count.device);
    insert<<<N / 256, 256>>>(keys.device, table.device);
    scan_blocks<<<N / 1024, 1024>>>(keys.device, sums.device);
    sums.download();
    unsigned sum = 0, odds = 0;
    for (int i = 0; i < 1024; i++)
        sum += keys.host[i] & 15;
    for (unsigned k : keys.host)
        odds += k & 1;
    check("scan", sums.host[1023], sum);
    bitonic_block<<<N / 1024, 512>>>(keys.device);
    ranks<<<N / 256, 256>>>(keys.device, rank.device);
    keys.download();
    count.download();
    for (int i = 1; i < 1024; i++)
        check("order", keys.host[i] >= keys.host[i - 1], 1);
    check("odd keys", count.host[0], odds);
    return finish("sorting");
}
