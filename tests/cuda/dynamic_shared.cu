/*
 * Shared memory sized at launch.
 *
 * Proves one dynamic block carved into arrays of several types beside static
 * shared memory, a different size at each launch, the %dynamic_smem_size
 * register, 64 KiB by opt-in, and that sizes not opted in to are refused.
 */
#define TEST "dynamic_shared"
#include "check.h"

/* doubles first, then ints, then bytes: one extern array holds all three. */
__global__ void carve(double *out, unsigned *size, int n)
{
    extern __shared__ double storage[];
    __shared__ int fixed[32];
    double *doubles = storage;
    int *ints = (int *)(doubles + n);
    unsigned char *bytes = (unsigned char *)(ints + n);
    int t = threadIdx.x;
    if (t < 32)
        fixed[t] = 1000 * t;
    for (int i = t; i < n; i += blockDim.x) {
        doubles[i] = i * 0.5;
        ints[i] = i * 3;
        bytes[i] = (unsigned char)mix(i);
    }
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) {
        int other = n - 1 - i;
        out[i] = doubles[other] + ints[other] + bytes[other] + fixed[other % 32];
    }
    if (t == 0)
        asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(*size));
}

/* Reverses n words through shared memory; each block has its own words. */
__global__ void reverse(const uint32_t *in, uint32_t *out, int n)
{
    extern __shared__ uint32_t words[];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        words[i] = in[blockIdx.x * n + i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[blockIdx.x * n + i] = words[n - 1 - i];
}

static void carve_compare(int n)
{
    double *out = device_array<double>(n);
    unsigned *size = device_array<unsigned>(1);
    unsigned bytes = n * (sizeof(double) + sizeof(int) + 1);
    carve<<<1, 128, bytes>>>(out, size, n);
    wait_for_kernels();
    std::vector<double> got = host_copy(out, n);
    for (int i = 0; i < n; i++) {
        int other = n - 1 - i;
        expect_equal("carved", i, got[i],
                     other * 0.5 + other * 3 + (mix(other) & 255) + 1000 * (other % 32));
    }
    unsigned reported = host_copy(size, 1)[0];
    EXPECT(reported >= bytes && reported < bytes + 1024); /* hardware rounds up */
    CHECK(cudaFree(out));
    CHECK(cudaFree(size));
}

static void reverse_compare(int words, int blocks)
{
    std::vector<uint32_t> in(words * blocks);
    for (size_t i = 0; i < in.size(); i++)
        in[i] = mix(i);
    uint32_t *device_in = device_copy(in), *device_out = device_array<uint32_t>(in.size());
    reverse<<<blocks, 256, words * sizeof(uint32_t)>>>(device_in, device_out, words);
    wait_for_kernels();
    std::vector<uint32_t> got = host_copy(device_out, in.size());
    for (int b = 0; b < blocks; b++) {
        for (int i = 0; i < words; i++)
            expect_equal("reversed", b * words + i, got[b * words + i],
                         in[b * words + words - 1 - i]);
    }
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(device_out));
}

static cudaError_t reverse_launch(size_t shared_bytes)
{
    uint32_t *data = device_array<uint32_t>(32);
    reverse<<<1, 32, shared_bytes>>>(data, data, 32);
    cudaError_t error = cudaGetLastError();
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(data));
    return error;
}

int main(void)
{
    int plain = 0, optin = 0;
    CHECK(cudaDeviceGetAttribute(&plain, cudaDevAttrMaxSharedMemoryPerBlock, 0));
    CHECK(cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    EXPECT(plain == 49152);
    EXPECT(optin >= 65536);

    carve_compare(40);
    carve_compare(333);
    carve_compare(3000);
    reverse_compare(1000, 3);
    reverse_compare(plain / 4, 2);

    EXPECT_ERROR(reverse_launch(plain + 4096), cudaErrorInvalidValue);
    EXPECT_ERROR(reverse_launch(1 << 20), cudaErrorInvalidValue);

    CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    struct cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, reverse));
    EXPECT(attributes.maxDynamicSharedSizeBytes == 65536);
    reverse_compare(65536 / 4, 2);
    reverse_compare(50000 / 4, 3);
    EXPECT_ERROR(
        cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, optin + 1),
        cudaErrorInvalidValue);
    return pass();
}
