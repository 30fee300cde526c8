/* Sorting pieces: bitonic in shared memory, merging by binary search, selection of the median by
 * counting. */
#include "fresh.h"

__global__ void bitonic(int *keys)
{
    __shared__ int s[512];
    int t = threadIdx.x;
    s[t] = keys[blockIdx.x * 512 + t];
    s[t + 256] = keys[blockIdx.x * 512 + t + 256];
    for (int size = 2; size <= 512; size *= 2)
        for (int d = size / 2; d; d /= 2) {
            __syncthreads();
            int i = 2 * t - (t & (d - 1));
            int a = s[i], b = s[i + d];
            if ((a > b) == ((i & size) == 0)) {
                s[i] = b;
                s[i + d] = a;
            }
        }
    __syncthreads();
    keys[blockIdx.x * 512 + t] = s[t];
    keys[blockIdx.x * 512 + t + 256] = s[t + 256];
}

__global__ void merge_pairs(const int *in, int *out, int run)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, pair = t / (2 * run), at = t % (2 * run);
    bool second = at >= run;
    const int *other = in + pair * 2 * run + (second ? 0 : run);
    int v = in[t], low = 0, high = run;
    while (low < high) {
        int middle = (low + high) / 2;
        if (other[middle] < v || (second && other[middle] == v))
            low = middle + 1;
        else
            high = middle;
    }
    out[pair * 2 * run + at % run + low] = v;
}

__global__ void median_by_count(const int *in, int *out, int n)
{
    __shared__ int count;
    int low = 0, high = 1 << 20;
    for (int turn = 0; turn < 20; turn++) {
        int middle = (low + high) / 2, mine = 0;
        if (threadIdx.x == 0)
            count = 0;
        __syncthreads();
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            mine += in[blockIdx.x * n + i] < middle;
        atomicAdd(&count, mine);
        __syncthreads();
        if (count > n / 2)
            high = middle;
        else
            low = middle;
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = low;
}

int main()
{
    int n = 1 << 17;
    array<int> keys(n), out(n);
    fill_below(keys, 1 << 20);
    bitonic<<<n / 512, 256>>>(keys.device);
    bitonic<<<16, 256>>>(keys.device);
    merge_pairs<<<n / 256, 256>>>(keys.device, out.device, 512);
    median_by_count<<<64, 128>>>(keys.device, out.device, 512);
    expect_finite(out, "keys");
    return finish("blocksort");
}
