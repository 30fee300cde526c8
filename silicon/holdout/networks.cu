/* Sorting by networks: odd-even merging of 1,024 keys with values in shared memory, 32 keys in the registers of a warp, a digit's pass of a radix sort, and the eight largest of each row. */
#include "../programs/program.h"
#include <algorithm>
#define N (1 << 16)

__global__ void __launch_bounds__(512) odd_even_merge(unsigned *keys, unsigned *values)
{
    __shared__ unsigned k[1024], v[1024];
    unsigned t = threadIdx.x, base = blockIdx.x * 1024;
    for (unsigned i = t; i < 1024; i += 512) {
        k[i] = keys[base + i];
        v[i] = values[base + i];
    }
    for (unsigned size = 2; size <= 1024; size *= 2) {
        unsigned stride = size / 2, offset = t & (stride - 1);
        __syncthreads();
        unsigned at = 2 * t - (t & (stride - 1));
        if (k[at] > k[at + stride]) {
            unsigned x = k[at], y = v[at];
            k[at] = k[at + stride];
            v[at] = v[at + stride];
            k[at + stride] = x;
            v[at + stride] = y;
        }
        for (stride /= 2; stride > 0; stride /= 2) {
            __syncthreads();
            at = 2 * t - (t & (stride - 1));
            if (offset >= stride && k[at - stride] > k[at]) {
                unsigned x = k[at], y = v[at];
                k[at] = k[at - stride];
                v[at] = v[at - stride];
                k[at - stride] = x;
                v[at - stride] = y;
            }
        }
    }
    __syncthreads();
    for (unsigned i = t; i < 1024; i += 512) {
        keys[base + i] = k[i];
        values[base + i] = v[i];
    }
}

__global__ void sort_warp(int *keys)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, v = keys[i];
#pragma unroll
    for (int size = 2; size <= 32; size *= 2)
#pragma unroll
        for (int d = size / 2; d; d /= 2) {
            int other = __shfl_xor_sync(~0u, v, d);
            bool up = (lane & size) == 0, low = (lane & d) == 0;
            v = up == low ? min(v, other) : max(v, other);
        }
    keys[i] = v;
}

/* ranks of 4-bit digits by match and prefix of counts, scattered within the block */
__global__ void radix_pass(const unsigned *in, unsigned *out, int shift)
{
    __shared__ unsigned count[8][16], start[16];
    unsigned t = threadIdx.x, lane = t % 32, warp = t / 32, key = in[blockIdx.x * 256 + t], digit = key >> shift & 15;
    if (t < 128)
        count[t / 16][t % 16] = 0;
    __syncthreads();
    unsigned same = __match_any_sync(~0u, digit), before = __popc(same & (1u << lane) - 1);
    if (before == 0)
        count[warp][digit] = __popc(same);
    __syncthreads();
    if (t < 16) {
        unsigned sum = 0;
        for (int w = 0; w < 8; w++) {
            unsigned n = count[w][t];
            count[w][t] = sum;
            sum += n;
        }
        unsigned all = sum;
        for (int d = 1; d < 16; d *= 2) {
            unsigned other = __shfl_up_sync(0xffff, sum, d);
            if (t >= d)
                sum += other;
        }
        start[t] = sum - all;
    }
    __syncthreads();
    out[blockIdx.x * 256 + start[digit] + count[warp][digit] + before] = key;
}

__global__ void top_eight(const float *in, float *out, int columns)
{
    const float *row = in + (blockIdx.x * blockDim.x + threadIdx.x) / 32 * columns;
    int lane = threadIdx.x % 32;
    float best[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        best[k] = -1e30f;
    for (int i = lane; i < columns; i += 32) {
        float v = row[i];
#pragma unroll
        for (int k = 0; k < 8; k++)
            if (v > best[k]) {
                float x = best[k];
                best[k] = v;
                v = x;
            }
    }
    for (int k = 0; k < 8; k++) {
        float most = best[0];
        for (int d = 16; d; d /= 2)
            most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
        unsigned who = __ballot_sync(~0u, best[0] == most);
        if (lane == __ffs(who) - 1) {
            for (int j = 0; j < 7; j++)
                best[j] = best[j + 1];
            best[7] = -1e30f;
            out[(blockIdx.x * blockDim.x + threadIdx.x) / 32 * 8 + k] = most;
        }
    }
}

int main()
{
    array<unsigned> keys(N), values(N), digits(N);
    array<int> small(N);
    array<float> rows(256 * 1024), best(256 * 8);
    for (int i = 0; i < N; i++) {
        keys.host[i] = next_random();
        values.host[i] = (unsigned)i;
        small.host[i] = (int)(next_random() % 1000);
    }
    keys.upload();
    values.upload();
    small.upload();
    rows.randomize();
    radix_pass<<<N / 256, 256>>>(keys.device, digits.device, 8);
    odd_even_merge<<<N / 1024, 512>>>(keys.device, values.device);
    sort_warp<<<N / 256, 256>>>(small.device);
    top_eight<<<256 / 4, 128>>>(rows.device, best.device, 1024);
    std::vector<unsigned> original = keys.host;
    keys.download();
    values.download();
    small.download();
    best.download();
    digits.download();
    for (int i = 1; i < N; i++) {
        if (i % 1024)
            check("in order", keys.host[i] >= keys.host[i - 1], 1);
        if (i % 32)
            check("warp in order", small.host[i] >= small.host[i - 1], 1);
        if (i % 256)
            check("digits", (digits.host[i] >> 8 & 15) >= (digits.host[i - 1] >> 8 & 15), 1);
        check("value", original[values.host[i]], keys.host[i]);
    }
    float most = -2;
    for (int i = 0; i < 1024; i++)
        most = std::max(most, rows.host[7 * 1024 + i]);
    check("largest", best.host[7 * 8], most);
    return finish("networks");
}
