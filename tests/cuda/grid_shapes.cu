/*
 * Grids and blocks in one, two and three dimensions.
 *
 * Proves that every thread of every block runs once with its own indices, for
 * shapes whose rows are no multiple of a warp; the order of threads within
 * warps; grid-stride loops with more and fewer threads than elements; early
 * exits of part of a block; and a transpose through a padded shared tile.
 */
#define TEST "grid_shapes"
#include "check.h"

/* out[linear index] = all six indices packed, plus one for each visit. */
__global__ void visit(unsigned long long *out)
{
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned threads = blockDim.x * blockDim.y * blockDim.z, lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    unsigned long long packed = blockIdx.x;
    packed = packed << 8 | blockIdx.y, packed = packed << 8 | blockIdx.z;
    packed = packed << 10 | threadIdx.x, packed = packed << 10 | threadIdx.y;
    packed = packed << 6 | threadIdx.z, packed = packed << 5 | lane;
    atomicAdd(&out[(size_t)block * threads + thread], packed << 2 | 1);
}

__global__ void stride(int *data, int n, int add)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        data[i] += add + i;
}

/* A fifth of the threads leave at once; the others loop with continue and break. */
__global__ void leave(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 5 == 1)
        return;
    int sum = 0;
    for (int k = 0; k <= i % 7; k++) {
        if (k == 3 && i % 2)
            continue;
        if (k == 5)
            break;
        sum += k * i;
    }
    out[i] = sum + 1;
}

__global__ void transpose(const float *in, float *out, int width, int height)
{
    __shared__ float tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x, y = blockIdx.x * 16 + threadIdx.y;
    if (x < height && y < width)
        out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

static void visit_compare(dim3 grid, dim3 block)
{
    size_t threads = (size_t)block.x * block.y * block.z;
    size_t count = threads * grid.x * grid.y * grid.z;
    unsigned long long *out = device_array<unsigned long long>(count);
    CHECK(cudaMemset(out, 0, count * sizeof *out));
    visit<<<grid, block>>>(out);
    wait_for_kernels();
    std::vector<unsigned long long> got = host_copy(out, count);
    for (size_t i = 0; i < count; i++) {
        size_t b = i / threads, t = i % threads;
        unsigned long long want = b % grid.x;
        want = want << 8 | b / grid.x % grid.y, want = want << 8 | b / grid.x / grid.y;
        want = want << 10 | t % block.x, want = want << 10 | t / block.x % block.y;
        want = want << 6 | t / block.x / block.y, want = want << 5 | t % 32;
        expect_equal("visit", i, got[i], want << 2 | 1);
    }
    CHECK(cudaFree(out));
}

int main(void)
{
    visit_compare(dim3(1), dim3(1));
    visit_compare(dim3(7), dim3(45));
    visit_compare(dim3(3, 4, 5), dim3(5, 6, 7));
    visit_compare(dim3(2, 1, 3), dim3(1, 1024));
    visit_compare(dim3(1, 200, 2), dim3(3, 1, 64));
    visit_compare(dim3(1, 1, 200), dim3(33));
    visit_compare(dim3(1000), dim3(2, 2, 2));

    const int count = 5000;
    int *data = device_array<int>(count);
    CHECK(cudaMemset(data, 0, count * sizeof *data));
    stride<<<3, 96>>>(data, count, 1);    /* many elements per thread */
    stride<<<60, 128>>>(data, count, 10); /* more threads than elements */
    stride<<<1, 1>>>(data, 50, 100);      /* one thread for all */
    wait_for_kernels();
    std::vector<int> got = host_copy(data, count);
    for (int i = 0; i < count; i++)
        expect_equal("stride", i, got[i], 11 + 2 * i + (i < 50 ? 100 + i : 0));

    CHECK(cudaMemset(data, 0, count * sizeof *data));
    leave<<<10, 100>>>(data);
    wait_for_kernels();
    got = host_copy(data, 1000);
    for (int i = 0; i < 1000; i++) {
        int want = 1;
        for (int k = 0; k <= i % 7 && k < 5; k++)
            want += k == 3 && i % 2 ? 0 : k * i;
        expect_equal("leave", i, got[i], i % 5 == 1 ? 0 : want);
    }

    const int width = 75, height = 41;
    std::vector<float> in(width * height);
    for (int i = 0; i < width * height; i++)
        in[i] = (float)i;
    float *device_in = device_copy(in), *out = device_array<float>(width * height);
    transpose<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(device_in, out, width,
                                                                             height);
    wait_for_kernels();
    std::vector<float> turned = host_copy(out, width * height);
    for (int i = 0; i < width * height; i++)
        expect_equal("transpose", i, turned[i], in[i % height * width + i / height]);
    return pass();
}
