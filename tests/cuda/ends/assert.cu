/* Threads 60 to 63 fail an assertion. */
#include <cassert>
#include <cstdio>

__global__ void check(int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(i < n);
}

int main(void)
{
    check<<<2, 32>>>(60);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(error));
    return error == cudaErrorAssert ? 7 : 8;
}
