/*
 * The textbook algorithms of one block, all resting on __syncthreads.
 *
 * Proves a tree reduction, an exclusive scan (up-sweep and down-sweep) with
 * several elements per thread, a bitonic sort, barriers that count and vote,
 * and named barriers between halves of a block.
 */
#define TEST "block_primitives"
#include "check.h"

static const int block = 256;
static const int items = 1024; /* of scan and sort, four per thread */

__global__ void reduce(const int *in, int *sums)
{
    __shared__ int partial[block];
    int t = threadIdx.x;
    partial[t] = in[blockIdx.x * block + t];
    __syncthreads();
    for (int step = block / 2; step > 0; step /= 2) {
        if (t < step)
            partial[t] += partial[t + step];
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = partial[0];
}

__global__ void scan(const int *in, int *out)
{
    __shared__ int tree[items];
    int t = threadIdx.x;
    for (int i = t; i < items; i += block)
        tree[i] = in[i];
    for (int step = 1; step < items; step *= 2) {
        __syncthreads();
        for (int right = (t + 1) * step * 2 - 1; right < items; right += block * step * 2)
            tree[right] += tree[right - step];
    }
    __syncthreads();
    if (t == 0)
        tree[items - 1] = 0;
    for (int step = items / 2; step >= 1; step /= 2) {
        __syncthreads();
        for (int right = (t + 1) * step * 2 - 1; right < items; right += block * step * 2) {
            int left = tree[right - step];
            tree[right - step] = tree[right];
            tree[right] += left;
        }
    }
    __syncthreads();
    for (int i = t; i < items; i += block)
        out[i] = tree[i];
}

__global__ void sort(unsigned *keys)
{
    __shared__ unsigned s[items];
    for (int i = threadIdx.x; i < items; i += block)
        s[i] = keys[i];
    for (int size = 2; size <= items; size *= 2) {
        for (int step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            for (int i = threadIdx.x; i < items; i += block) {
                int other = i ^ step;
                bool rising = (i & size) == 0;
                if (other > i && (s[i] > s[other]) == rising) {
                    unsigned swap = s[i];
                    s[i] = s[other];
                    s[other] = swap;
                }
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < items; i += block)
        keys[i] = s[i];
}

/* The block votes at the barrier; then its halves meet at barriers of their own. */
__global__ void vote(const int *in, int *out)
{
    __shared__ int slots[block];
    int t = threadIdx.x, v = in[t];
    int counted = __syncthreads_count(v % 3 == 0);
    int everyone = __syncthreads_and(v > -2000), anyone = __syncthreads_or(v == 77777);
    slots[t] = v;
    int half = t / (block / 2);
    asm volatile("bar.sync %0, %1;" ::"r"(half + 1), "r"(block / 2) : "memory");
    int within = slots[t ^ 64]; /* same half, another warp */
    __syncthreads();
    out[t] = counted * 4 + (everyone != 0) * 2 + (anyone != 0);
    out[block + t] = within + slots[block - 1 - t];
}

int main(void)
{
    const int sums = 20;
    std::vector<int> in(sums * block);
    std::vector<unsigned> keys(items);
    for (size_t i = 0; i < in.size(); i++)
        in[i] = (int)(mix(i) % 2001) - 1000;
    for (int i = 0; i < items; i++)
        keys[i] = mix(i) >> (i % 3 * 10); /* repeats among the small ones */
    int *device_in = device_copy(in), *out = device_array<int>(items);

    reduce<<<sums, block>>>(device_in, out);
    wait_for_kernels();
    std::vector<int> got = host_copy(out, sums);
    for (int b = 0; b < sums; b++) {
        int want = 0;
        for (int i = 0; i < block; i++)
            want += in[b * block + i];
        expect_equal("sum", b, got[b], want);
    }

    scan<<<1, block>>>(device_in, out);
    wait_for_kernels();
    got = host_copy(out, items);
    for (int i = 0, want = 0; i < items; want += in[i++])
        expect_equal("scan", i, got[i], want);

    vote<<<1, block>>>(device_in, out);
    wait_for_kernels();
    got = host_copy(out, 2 * block);
    int thirds = 0;
    for (int i = 0; i < block; i++)
        thirds += in[i] % 3 == 0;
    for (int i = 0; i < block; i++) {
        expect_equal("votes", i, got[i], thirds * 4 + 2);
        expect_equal("halves", i, got[block + i], in[i ^ 64] + in[block - 1 - i]);
    }

    unsigned *device_keys = device_copy(keys);
    sort<<<1, block>>>(device_keys);
    wait_for_kernels();
    std::vector<unsigned> sorted = host_copy(device_keys, items);
    for (int i = 1; i < items; i++) { /* insertion sort: the reference needs no header */
        unsigned key = keys[i];
        int at = i;
        for (; at > 0 && keys[at - 1] > key; at--)
            keys[at] = keys[at - 1];
        keys[at] = key;
    }
    for (int i = 0; i < items; i++)
        expect_equal("sorted", i, sorted[i], keys[i]);
    return pass();
}
