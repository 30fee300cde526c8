/* Histograms in shared memory: weights in single and double precision, counts with few and many
 * bins. */
#include "fresh.h"

__global__ void weigh(const unsigned *key, const float *w, float *out, int per)
{
    __shared__ float bin[256];
    bin[threadIdx.x] = 0;
    __syncthreads();
    for (int i = 0; i < per; i++) {
        int at = (blockIdx.x * per + i) * 256 + threadIdx.x;
        atomicAdd(&bin[key[at] & 255], w[at]);
    }
    __syncthreads();
    atomicAdd(&out[threadIdx.x], bin[threadIdx.x]);
}

__global__ void moments(const float *w, double *out, int per, int bins)
{
    __shared__ double bin[32];
    if (threadIdx.x < 32)
        bin[threadIdx.x] = 0;
    __syncthreads();
    for (int i = 0; i < per; i++) {
        int at = (blockIdx.x * per + i) * blockDim.x + threadIdx.x;
        float v = w[at];
        atomicAdd(&bin[(int)((v + 1) * 15.9f) % bins], (double)v * v);
    }
    __syncthreads();
    if (threadIdx.x < 32)
        atomicAdd(&out[threadIdx.x], bin[threadIdx.x]);
}

__global__ void few_bins(const unsigned *key, unsigned *out, int per, unsigned mask)
{
    __shared__ unsigned bin[64], highest;
    if (threadIdx.x < 64)
        bin[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        highest = 0;
    __syncthreads();
    for (int i = 0; i < per; i++) {
        unsigned k = key[(blockIdx.x * per + i) * blockDim.x + threadIdx.x];
        atomicAdd(&bin[k & mask], 1 + (k >> 20));
        atomicMax(&highest, k);
    }
    __syncthreads();
    if (threadIdx.x < 64)
        atomicAdd(&out[threadIdx.x], bin[threadIdx.x] + highest);
}

int main()
{
    int blocks = 132, per = 8;
    array<unsigned> key(blocks * per * 256), counts(256);
    array<float> w(blocks * per * 256), bins(256);
    array<double> sums(32);
    fill_below(key, 1u << 22);
    w.randomize();
    weigh<<<blocks, 256>>>(key.device, w.device, bins.device, per);
    weigh<<<24, 256>>>(key.device, w.device, bins.device, 4);
    moments<<<66, 128>>>(w.device, sums.device, 4, 32);
    moments<<<8, 64>>>(w.device, sums.device, 4, 4);
    few_bins<<<blocks, 256>>>(key.device, counts.device, per, 63);
    few_bins<<<blocks, 256>>>(key.device, counts.device, per, 1);
    expect_finite(bins, "weights");
    return finish("buckets");
}
