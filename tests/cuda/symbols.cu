/*
 * Variables that live on the device: __constant__, __device__, initialised or not.
 *
 * Proves initial values (arrays, doubles, a structure, the address of another
 * variable), copies to and from a symbol with offsets and on a stream, the
 * symbol's address and size, and divergent reads of constant memory.
 */
#define TEST "symbols"
#include "check.h"

struct settings {
    char tag;
    double scale;
    short steps[3];
};

__constant__ int table[64];
__constant__ struct settings config = {'q', 2.5, {3, 5, 7}};
__device__ int numbers[128] = {10, 20, 30, 40}; /* the rest is zero */
__device__ double ratio = 0.1;
__device__ int *cursor = &numbers[2];
static __device__ unsigned long long launches;

__global__ void read_initial(double *out)
{
    out[0] = config.tag;
    out[1] = config.scale;
    for (int i = 0; i < 3; i++)
        out[2 + i] = config.steps[i];
    out[5] = ratio;
    out[6] = *cursor;
    out[7] = cursor[1];
    out[8] = cursor[2];
}

/* Each lane reads its own constant, then one constant is read by all. */
__global__ void gather(int *out)
{
    int i = threadIdx.x;
    out[i] = table[(i * 13) & 63] + table[5] + numbers[i & 127];
    numbers[i & 127] += i;
    if (i == 0)
        launches++;
}

int main(void)
{
    const double initial[9] = {'q', 2.5, 3, 5, 7, 0.1, 30, 40, 0};
    double *device_initial = device_array<double>(9);
    read_initial<<<1, 1>>>(device_initial);
    wait_for_kernels();
    std::vector<double> read = host_copy(device_initial, 9);
    for (int i = 0; i < 9; i++)
        expect_equal("initial", i, read[i], initial[i]);

    size_t bytes = 0;
    CHECK(cudaGetSymbolSize(&bytes, table));
    EXPECT(bytes == sizeof(int) * 64);
    CHECK(cudaGetSymbolSize(&bytes, config));
    EXPECT(bytes == sizeof(struct settings));

    /* First half at once, second half by offset, on a stream. */
    int host_table[64];
    for (int i = 0; i < 64; i++)
        host_table[i] = (int)mix(i) >> 8;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpyToSymbol(table, host_table, 32 * sizeof(int)));
    CHECK(cudaMemcpyToSymbolAsync(table, host_table + 32, 32 * sizeof(int), 32 * sizeof(int),
                                  cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));

    /* numbers through its address, with a device-to-device copy for one part. */
    int host_numbers[128];
    for (int i = 0; i < 128; i++)
        host_numbers[i] = 1000 + i;
    void *address = nullptr;
    CHECK(cudaGetSymbolAddress(&address, numbers));
    CHECK(cudaMemcpy(address, host_numbers, sizeof host_numbers, cudaMemcpyHostToDevice));
    std::vector<int> patch = {-7, -8};
    int *device_patch = device_copy(patch);
    CHECK(cudaMemcpyToSymbol(numbers, device_patch, 2 * sizeof(int), 9 * sizeof(int),
                             cudaMemcpyDeviceToDevice));
    host_numbers[9] = -7;
    host_numbers[10] = -8;

    int *out = device_array<int>(128);
    for (int launch = 1; launch <= 3; launch++) {
        gather<<<1, 128, 0, stream>>>(out);
        CHECK(cudaStreamSynchronize(stream));
        std::vector<int> got = host_copy(out, 128);
        for (int i = 0; i < 128; i++) {
            expect_equal("gathered", i, got[i],
                         host_table[(i * 13) & 63] + host_table[5] + host_numbers[i]);
            host_numbers[i] += i;
        }
        unsigned long long counted = 0;
        CHECK(cudaMemcpyFromSymbol(&counted, launches, sizeof counted));
        expect_equal("launches", launch, counted, launch);
    }

    int back[128];
    CHECK(cudaMemcpyFromSymbol(back, numbers, 64 * sizeof(int)));
    CHECK(cudaMemcpyFromSymbolAsync(back + 64, numbers, 64 * sizeof(int), 64 * sizeof(int),
                                    cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < 128; i++)
        expect_equal("numbers", i, back[i], host_numbers[i]);
    int table_back[64];
    CHECK(cudaMemcpyFromSymbol(table_back, table, sizeof table_back));
    for (int i = 0; i < 64; i++)
        expect_equal("table", i, table_back[i], host_table[i]);

    EXPECT_ERROR(cudaMemcpyToSymbol(table, host_table, sizeof host_table, 4),
                 cudaErrorInvalidValue);
    CHECK(cudaStreamDestroy(stream));
    return pass();
}
