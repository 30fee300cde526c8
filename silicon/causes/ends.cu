/* How long grids take that do next to nothing: empty, one store, one load, two behind each other, a
 * barrier, one atomic, a constant, 256 dependent products; of 1 to 1,056 blocks, each twice. */
#include "../programs/program.h"

__constant__ int number;

__global__ void nothing(const int *in, int *out)
{
}

__global__ void one_store(const int *in, int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void one_load(const int *in, int *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = in[t];
}

__global__ void two_loads(const int *in, int *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = in[in[t] + t];
}

__global__ void four_loads(const int *in, int *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = in[in[in[in[t] + t] + t] + t];
}

__global__ void one_barrier(const int *in, int *out)
{
    __shared__ int s[256];
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = in[t];
    __syncthreads();
    out[t] = s[255 - threadIdx.x];
}

__global__ void one_atomic(const int *in, int *out)
{
    if (threadIdx.x == 0)
        atomicAdd(&out[in[blockIdx.x]], 1);
}

__global__ void one_constant(const int *in, int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = number;
}

__global__ void products(const int *in, int *out)
{
    float x = threadIdx.x;
    for (int i = 0; i < 256; i++)
        x = x * 0.5f + 1.25f;
    if (x == 77)
        out[0] = 1;
}

int main()
{
    void (*kernels[])(const int *, int *) = {nothing,    one_store,    one_load,
                                             two_loads,  four_loads,   one_barrier,
                                             one_atomic, one_constant, products};
    array<int> in(1056 * 256), out(1056 * 256);
    for (int size : {1, 132, 264, 1056})
        for (auto kernel : kernels)
            for (int turn = 0; turn < 2; turn++)
                kernel<<<size, 256>>>(in.device, out.device);
    return finish("ends");
}
