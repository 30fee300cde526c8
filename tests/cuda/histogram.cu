/*
 * A histogram four ways, all with the same counts.
 *
 * Proves contended atomics in global memory, per-block counts in shared
 * memory merged at the end, one atomic per group of equal values in a warp
 * (match_any), and 16-bit counts packed in pairs. The data is skewed, so most
 * threads meet on few bins.
 */
#define TEST "histogram"
#include "check.h"

static const int count = 20000, bins = 64;
static const int blocks = 8, block = 128;

__host__ __device__ static unsigned char value_of(int i)
{
    uint32_t r = mix(i);
    return (unsigned char)((r & 63) & (r >> 8) & (r >> 16)); /* small values are frequent */
}

__global__ void plain(const unsigned char *data, unsigned *histogram)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&histogram[data[i]], 1u);
}

__global__ void per_block(const unsigned char *data, unsigned *histogram)
{
    __shared__ unsigned local[bins];
    for (int b = threadIdx.x; b < bins; b += blockDim.x)
        local[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < bins; b += blockDim.x)
        atomicAdd(&histogram[b], local[b]);
}

/* The lowest lane of each group of equal values adds for the group. */
__global__ void per_group(const unsigned char *data, unsigned *histogram)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        unsigned present = __activemask();
        unsigned value = data[i];
#if __CUDA_ARCH__ >= 700
        unsigned group = __match_any_sync(present, value);
        if ((threadIdx.x & 31) == (unsigned)__ffs(group) - 1)
            atomicAdd(&histogram[value], (unsigned)__popc(group));
#else
        (void)present;
        atomicAdd(&histogram[value], 1u);
#endif
    }
}

/* Two 16-bit counts in one word; no count of a block can reach 65536. */
__global__ void packed(const unsigned char *data, unsigned *histogram)
{
    __shared__ unsigned pairs[bins / 2];
    for (int b = threadIdx.x; b < bins / 2; b += blockDim.x)
        pairs[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&pairs[data[i] / 2], data[i] & 1 ? 1u << 16 : 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < bins; b += blockDim.x) {
        unsigned pair = pairs[b / 2];
        atomicAdd(&histogram[b], b & 1 ? pair >> 16 : pair & 0xffff);
    }
}

typedef void (*histogram_kernel)(const unsigned char *, unsigned *);

int main(void)
{
    std::vector<unsigned char> data(count);
    std::vector<unsigned> want(bins);
    for (int i = 0; i < count; i++) {
        data[i] = value_of(i);
        want[data[i]]++;
    }
    unsigned char *device_data = device_copy(data);
    unsigned *histogram = device_array<unsigned>(bins);

    const histogram_kernel kernels[] = {plain, per_block, per_group, packed};
    const char *const names[] = {"plain", "per_block", "per_group", "packed"};
    for (int k = 0; k < 4; k++) {
        CHECK(cudaMemset(histogram, 0, bins * sizeof *histogram));
        kernels[k]<<<blocks, block>>>(device_data, histogram);
        wait_for_kernels();
        std::vector<unsigned> got = host_copy(histogram, bins);
        for (int b = 0; b < bins; b++)
            expect_equal(names[k], b, got[b], want[b]);
    }
    CHECK(cudaFree(device_data));
    CHECK(cudaFree(histogram));
    return pass();
}
