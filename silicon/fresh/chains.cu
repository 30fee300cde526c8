/* One warp or one block that steps through shared memory and barriers: a sequential filter, a
 * bitonic sort of a block, a token that goes around. */
#include "fresh.h"

__global__ void recursive_filter(const float *in, float *out, int n)
{
    __shared__ float line[512];
    float *mine = out + blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += 32)
        line[i] = in[blockIdx.x * n + i];
    __syncwarp();
    for (int i = 2; i < n; i++) {
        if (threadIdx.x == 0)
            line[i] = 0.5f * line[i] + 0.3f * line[i - 1] - 0.1f * line[i - 2];
        __syncwarp();
    }
    for (int i = threadIdx.x; i < n; i += 32)
        mine[i] = line[i];
}

__global__ void relax(const float *in, float *out, int turns)
{
    __shared__ float a[2][130];
    int t = threadIdx.x;
    a[0][t + 1] = a[1][t + 1] = in[blockIdx.x * 128 + t];
    if (t < 2)
        a[t][0] = a[t][129] = 0;
    __syncthreads();
    for (int i = 0; i < turns; i++) {
        a[i + 1 & 1][t + 1] = 0.5f * a[i & 1][t + 1] + 0.25f * (a[i & 1][t] + a[i & 1][t + 2]);
        __syncthreads();
    }
    out[blockIdx.x * 128 + t] = a[turns & 1][t + 1];
}

__global__ void hop(const int *next, int *out, int hops)
{
    __shared__ int table[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        table[i] = next[i];
    __syncthreads();
    int at = threadIdx.x;
    for (int i = 0; i < hops; i++)
        at = table[at];
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

int main()
{
    int n = 512;
    array<float> in(64 * n), out(64 * n);
    array<int> next(1024), end(1024);
    in.randomize();
    fill_below(next, 1024);
    recursive_filter<<<1, 32>>>(in.device, out.device, 384);
    recursive_filter<<<64, 32>>>(in.device, out.device, 384);
    relax<<<1, 128>>>(in.device, out.device, 200);
    relax<<<128, 128>>>(in.device, out.device, 200);
    hop<<<1, 32>>>(next.device, end.device, 400);
    hop<<<4, 256>>>(next.device, end.device, 200);
    expect_finite(out, "filter");
    return finish("chains");
}
