/*
 * Programs that forget a barrier.
 *
 * Not defined by CUDA, yet right on GPUs, where the warps of a block go nearly
 * in step: sums of a block in shared memory by a tree, by a tree that trusts
 * warps towards its end, and by sums of warps. Proves that no warp runs far
 * ahead of its neighbours.
 */
#define TEST "missing_barrier"
#include "check.h"

static const int blocks = 4, threads = 256;

__global__ void tree(int *in, int *out)
{
    __shared__ int s[threads];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * threads + t];
    for (int k = threads / 2; k > 0; k >>= 1) {
        if (t < k)
            s[t] += s[t + k];
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

__global__ void tail_of_a_tree(int *in, int *out)
{
    __shared__ volatile int s[threads];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * threads + t];
    __syncthreads();
    if (t < 128)
        s[t] = s[t] + s[t + 128];
    if (t < 64)
        s[t] = s[t] + s[t + 64];
    for (int k = 32; k > 0 && t < 32; k >>= 1)
        s[t] = s[t] + s[t + k];
    if (t == 0)
        out[blockIdx.x] = s[0];
}

__global__ void sums_of_warps(int *in, int *out)
{
    __shared__ volatile int sums[threads / 32];
    int t = threadIdx.x, sum = in[blockIdx.x * threads + t], all = 0;
    for (int k = 16; k > 0; k >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (t % 32 == 0)
        sums[t / 32] = sum;
    for (int k = 0; k < threads / 32 && t == 0; k++)
        all += sums[k];
    if (t == 0)
        out[blockIdx.x] = all;
}

int main(void)
{
    const struct {
        const char *name;
        void (*kernel)(int *, int *);
    } programs[] = {{"tree", tree},
                    {"tail_of_a_tree", tail_of_a_tree},
                    {"sums_of_warps", sums_of_warps}};
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
