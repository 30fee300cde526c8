/*
 * The first program anyone runs: allocate, copy in, launch, copy out, free.
 *
 * Proves grids with a partial last block, that nothing past the end is
 * written, that two arrays do not overlap, and the calls every program makes
 * around a launch.
 */
#define TEST "vector_add"
#include "check.h"

__global__ void add(const float *a, const float *b, float *sum, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        sum[i] = a[i] + b[i];
}

static float input(uint32_t i)
{
    return (float)(int32_t)mix(i) * 1e-3f;
}

static void add_and_compare(int count, int block)
{
    const int guard = 64;
    std::vector<float> a(count), b(count);
    for (int i = 0; i < count; i++) {
        a[i] = input(2 * i);
        b[i] = input(2 * i + 1);
    }
    float *device_a = device_copy(a);
    float *device_b = device_copy(b);
    float *device_sum = device_array<float>(count + guard);
    CHECK(cudaMemset(device_sum, 0, (count + guard) * sizeof(float)));

    add<<<(count + block - 1) / block, block>>>(device_a, device_b, device_sum, count);
    CHECK(cudaPeekAtLastError());
    wait_for_kernels();

    std::vector<float> sum = host_copy(device_sum, count + guard);
    for (int i = 0; i < count; i++)
        expect_equal("sum", i, sum[i], a[i] + b[i]);
    for (int i = count; i < count + guard; i++)
        expect_equal("guard", i, sum[i], 0.0f);

    /* The inputs are still what was copied in. */
    std::vector<float> a_again = host_copy(device_a, count);
    std::vector<float> b_again = host_copy(device_b, count);
    for (int i = 0; i < count; i++) {
        expect_equal("a", i, a_again[i], a[i]);
        expect_equal("b", i, b_again[i], b[i]);
    }
    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_sum));
}

int main(void)
{
    int devices = 0, device = -1;
    CHECK(cudaGetDeviceCount(&devices));
    EXPECT(devices >= 1);
    CHECK(cudaSetDevice(0));
    CHECK(cudaGetDevice(&device));
    EXPECT(device == 0);

    add_and_compare(1, 32);
    add_and_compare(31, 32);
    add_and_compare(1000, 128);
    add_and_compare(4099, 256);
    add_and_compare(50000, 1024);
    add_and_compare(333, 7); /* blocks smaller than a warp */

    CHECK(cudaFree(nullptr));
    CHECK(cudaGetLastError());
    EXPECT(std::string(cudaGetErrorString(cudaSuccess)) == "no error");
    CHECK(cudaDeviceReset());
    return pass();
}
