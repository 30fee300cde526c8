/*
 * Programs that forget a barrier.
 *
 * Not defined by CUDA, yet right on GPUs, where the warps of a block go nearly
 * in step behind a barrier: a tree that stops synchronizing two warps too
 * early, sums of a block that use their shared memory again at once, a value
 * broadcast through one word in a loop. Proves that no warp runs far ahead of
 * its neighbours.
 */
#define TEST "missing_barrier"
#include "check.h"

static const int blocks = 4, threads = 256, warps = threads / 32;

__global__ void tail_of_a_tree(const int *in, int *out)
{
    __shared__ volatile int s[threads];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * threads + t];
    __syncthreads();
    if (t < 128)
        s[t] = s[t] + s[t + 128];
    __syncthreads();
    if (t < 64)
        s[t] = s[t] + s[t + 64];
    for (int k = 32; k > 0 && t < 32; k >>= 1) /* warp 0 reads what warp 1 has just stored */
        s[t] = s[t] + s[t + k];
    if (t == 0)
        out[blockIdx.x] = s[0];
}

__device__ static int warp_sum(int v)
{
    for (int k = 16; k > 0; k >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, k);
    return v;
}

/* Of the block, in thread 0; without the barrier that a second call needs. */
__device__ static int block_sum(int v)
{
    __shared__ int sums[warps];
    int t = threadIdx.x;
    v = warp_sum(v);
    if (t % 32 == 0)
        sums[t / 32] = v;
    __syncthreads();
    return t < 32 ? warp_sum(t < warps ? sums[t] : 0) : 0;
}

__global__ void two_sums(const int *in, int *out)
{
    int v = in[blockIdx.x * threads + threadIdx.x];
    int once = block_sum(v), thrice = block_sum(3 * v);
    if (threadIdx.x == 0)
        out[blockIdx.x] = thrice - 2 * once;
}

/* The next warp stores while the others still read. */
__global__ void broadcasts(const int *in, int *out)
{
    __shared__ int word;
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < threads; k++) {
        if (t == (k * 32 + k / warps) % threads)
            word = in[blockIdx.x * threads + t];
        __syncthreads();
        sum += word;
    }
    if (t == threads - 1)
        out[blockIdx.x] = sum;
}

int main(void)
{
    const struct {
        const char *name;
        void (*kernel)(const int *, int *);
    } programs[] = {{"tail_of_a_tree", tail_of_a_tree},
                    {"two_sums", two_sums},
                    {"broadcasts", broadcasts}};
    std::vector<int> in(blocks * threads), want(blocks);
    for (int i = 0; i < blocks * threads; i++) {
        in[i] = (int)(mix(i) % 1000);
        want[i / threads] += in[i];
    }
    for (const auto &p : programs) {
        int *out = device_array<int>(blocks);
        p.kernel<<<blocks, threads>>>(device_copy(in), out);
        wait_for_kernels();
        std::vector<int> got = host_copy(out, blocks);
        for (int b = 0; b < blocks; b++)
            expect_equal(p.name, b, got[b], want[b]);
    }
    return pass();
}
