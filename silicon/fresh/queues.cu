/* Work taken from queues: a global counter, compaction by ballot and by block, a producer's ring in
 * shared memory. */
#include "fresh.h"

__global__ void take_work(int *next, const int *cost, float *out, int items)
{
    while (true) {
        int i;
        if (threadIdx.x % 32 == 0)
            i = atomicAdd(next, 1);
        i = __shfl_sync(~0u, i, 0);
        if (i >= items)
            break;
        float x = threadIdx.x % 32;
        for (int k = 0; k < cost[i]; k++)
            x = x * 0.99f + 0.5f;
        out[i * 32 + threadIdx.x % 32] = x;
    }
}

__global__ void compact(const int *in, int *out, int *count, int limit)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, v = in[t], lane = threadIdx.x % 32, base = 0;
    unsigned keep = __ballot_sync(~0u, v < limit);
    if (lane == 0 && keep)
        base = atomicAdd(count, __popc(keep));
    base = __shfl_sync(~0u, base, 0);
    if (v < limit)
        out[base + __popc(keep & (1u << lane) - 1)] = v;
}

__global__ void ring(const int *in, int *out, int turns)
{
    __shared__ int slot[4][64];
    __shared__ volatile int head, tail;
    int t = threadIdx.x, sum = 0;
    if (t == 0)
        head = tail = 0;
    __syncthreads();
    for (int i = 0; i < turns; i++) {
        if (t < 64) {
            slot[i & 3][t] = in[(blockIdx.x * turns + i) * 64 + t];
            if (t == 0)
                head = i + 1;
        } else if (i > 0) {
            sum += slot[i - 1 & 3][t - 64];
        }
        __syncthreads();
    }
    out[blockIdx.x * 128 + t] = sum;
}

int main()
{
    int n = 1 << 17;
    array<int> in(n), out(n), cost(2048), next(64);
    array<float> x(2048 * 32);
    fill_below(in, 1000);
    fill_below(cost, 64);
    take_work<<<132, 128>>>(next.device, cost.device, x.device, 2048);
    compact<<<n / 256, 256>>>(in.device, out.device, next.device + 32, 300);
    ring<<<64, 128>>>(in.device, out.device, 24);
    expect_finite(x, "x");
    return finish("queues");
}
