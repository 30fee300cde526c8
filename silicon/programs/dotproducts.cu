/* Reductions: a dot product in doubles with a last block, the place of the largest, sums of segments, a histogram in
 * shared memory, norms of columns with partial sums stored as they go. */
#include "program.h"
#define N (1 << 18)
#define COLS 512
#define ROWS 256

__device__ unsigned done;

__global__ void dot_last_block(const float *a, const float *b, double *part, double *out)
{
    __shared__ double s[8];
    __shared__ bool last;
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x)
        sum += (double)a[i] * b[i];
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            sum += s[w];
        part[blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(&done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        double total = 0;
        for (int i = 0; i < gridDim.x; i++)
            total += ((volatile double *)part)[i];
        *out = total;
    }
}

__global__ void largest_place(const float *a, unsigned long long *best)
{
    unsigned long long mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        unsigned long long key = (unsigned long long)__float_as_uint(a[i] + 2) << 32 | (unsigned)~i;
        mine = key > mine ? key : mine;
    }
    for (int d = 16; d; d /= 2) {
        unsigned long long other = __shfl_xor_sync(~0u, mine, d);
        mine = other > mine ? other : mine;
    }
    if (threadIdx.x % 32 == 0)
        atomicMax(best, mine);
}

__global__ void segment_sums(const float *a, const int *start, float *out, int segments)
{
    int s = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    float sum = 0;
    if (s < segments)
        for (int i = start[s] + lane; i < start[s + 1]; i += 8)
            sum += a[i];
    for (int d = 4; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d, 8);
    if (s < segments && lane == 0)
        out[s] = sum;
}

__global__ void histogram_shared(const float *a, unsigned *bins)
{
    __shared__ unsigned s[128];
    if (threadIdx.x < 128)
        s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x)
        atomicAdd(&s[min(127, (int)((a[i] + 1) * 64))], 1);
    __syncthreads();
    if (threadIdx.x < 128)
        atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

/* a thread per row, its sum of squares so far kept in memory beside every eighth element */
__global__ void running_norms(const float *a, float *so_far)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < COLS; i++) {
        float v = a[row * COLS + i];
        sum += v * v;
        if (i % 8 == 7)
            so_far[row * (COLS / 8) + i / 8] = sum;
    }
}

int main()
{
    const int segments = 4096;
    array<float> a(N), b(N), sums(segments), norms(ROWS * COLS / 8);
    array<double> part(256), out(1);
    array<unsigned long long> best(1);
    array<unsigned> bins(128);
    array<int> start(segments + 1);
    a.randomize();
    b.randomize();
    for (int s = 1; s <= segments; s++)
        start.host[s] = start.host[s - 1] + 32 + (int)(next_random() % 64) - 32;
    start.upload();
    dot_last_block<<<256, 256>>>(a.device, b.device, part.device, out.device);
    largest_place<<<128, 256>>>(a.device, best.device);
    segment_sums<<<segments * 8 / 128, 128>>>(a.device, start.device, sums.device, segments);
    histogram_shared<<<132, 256>>>(a.device, bins.device);
    running_norms<<<ROWS / 32, 32>>>(a.device, norms.device);
    out.download();
    sums.download();
    bins.download();
    double sum = 0, segment = 0, count = 0;
    for (int i = 0; i < N; i++)
        sum += (double)a.host[i] * b.host[i];
    for (int i = start.host[9]; i < start.host[10]; i++)
        segment += a.host[i];
    for (unsigned n : bins.host)
        count += n;
    check("dot", out.host[0], sum);
    check("segment", sums.host[9], segment);
    check("histogram", count, N);
    return finish("dotproducts");
}
