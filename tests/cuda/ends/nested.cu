/* A kernel that launches a kernel. */
#include <cstdio>

__global__ void child(int *value)
{
    atomicAdd(value, threadIdx.x);
}

__global__ void parent(int *value)
{
    child<<<1, 32>>>(value);
}

int main(void)
{
    parent<<<2, 1>>>(nullptr);
    cudaError_t error = cudaGetLastError();
    printf("%s\n", cudaGetErrorName(error));
    return error == cudaErrorNotSupported ? 7 : 8;
}
