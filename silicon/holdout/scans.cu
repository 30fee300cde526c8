/* Running sums: a block's scan by warps, one pass over the array with blocks that wait for the block before, a segmented scan by flags, and sums by key of sorted pairs. */
#include "../programs/program.h"
#define N (1 << 18)

__device__ inline int warp_scan(int v)
{
    int lane = threadIdx.x % 32;
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_up_sync(~0u, v, d);
        if (lane >= d)
            v += other;
    }
    return v;
}

__device__ inline int block_scan(int v, int *part)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = warp_scan(v);
    if (lane == 31)
        part[warp] = v;
    __syncthreads();
    if (warp == 0)
        part[lane] = warp_scan(lane < blockDim.x / 32 ? part[lane] : 0);
    __syncthreads();
    return v + (warp ? part[warp - 1] : 0);
}

__global__ void scan_blocks(const int4 *in, int4 *out)
{
    __shared__ int part[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int4 v = in[i];
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    int before = block_scan(v.w, part) - v.w;
    out[i] = make_int4(v.x + before, v.y + before, v.z + before, v.w + before);
}

__global__ void scan_chained(const int *in, int *out, volatile int *sums, volatile int *ready)
{
    __shared__ int part[32], before;
    int i = blockIdx.x * 512 + threadIdx.x, v = block_scan(in[i], part);
    if (threadIdx.x == 511) {
        int sum = 0;
        if (blockIdx.x) {
            while (ready[blockIdx.x - 1] == 0)
                ;
            __threadfence();
            sum = sums[blockIdx.x - 1];
        }
        sums[blockIdx.x] = sum + v;
        __threadfence();
        ready[blockIdx.x] = 1;
        before = sum;
    }
    __syncthreads();
    out[i] = v + before;
}

__global__ void scan_segments(const float *in, const unsigned char *head, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float v = in[i];
    unsigned heads = __ballot_sync(~0u, head[i] || lane == 0), mine = heads & (2u << lane) - 1;
    int first = 31 - __clz(mine);
    for (int d = 1; d < 32; d *= 2) {
        float other = __shfl_up_sync(~0u, v, d);
        if (lane - d >= first)
            v += other;
    }
    out[i] = v;
}

__global__ void sums_by_key(const int *keys, const float *values, float *sums)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    int key = keys[i];
    float sum = values[i];
    for (int k = 1; k < 8; k++) {
        int next = keys[i + k];
        if (next != key) {
            atomicAdd(&sums[key], sum);
            key = next;
            sum = 0;
        }
        sum += values[i + k];
    }
    atomicAdd(&sums[key], sum);
}

int main()
{
    array<int> in(N), out(N), chained(N), sums(512), ready(512), keys(N);
    array<float> values(N), segments(N), totals(4096);
    array<unsigned char> head(N);
    for (int i = 0; i < N; i++) {
        in.host[i] = (int)(next_random() % 10);
        head.host[i] = next_random() % 11 == 0;
        keys.host[i] = i / 77;
    }
    in.upload();
    head.upload();
    keys.upload();
    values.randomize();
    scan_blocks<<<N / 1024, 256>>>((int4 *)in.device, (int4 *)out.device);
    scan_chained<<<128, 512>>>(in.device, chained.device, sums.device, ready.device);
    scan_segments<<<N / 256, 256>>>(values.device, head.device, segments.device);
    sums_by_key<<<N / 8 / 128, 128>>>(keys.device, values.device, totals.device);
    out.download();
    chained.download();
    totals.download();
    int sum = 0, block = 0;
    for (int i = 0; i < 65536; i++) {
        sum += in.host[i];
        block = i % 1024 ? block + in.host[i] : in.host[i];
        if (i % 1111 == 0) {
            check("scan of a block", out.host[i], block);
            check("scan", chained.host[i], sum);
        }
    }
    double t = 0;
    for (int i = 0; i < 77; i++)
        t += values.host[77 * 20 + i];
    check("sum of a key", totals.host[20], t);
    return finish("scans");
}
