/* A kernel with an instruction that heddle refuses, in a program that looks at errors. */
#include <cstdio>

__global__ void policy(unsigned long long *out)
{
    asm volatile("mov.u64 %0, %%pm0_64;" : "=l"(*out));
}

int main(void)
{
    policy<<<1, 1>>>(nullptr);
    cudaError_t error = cudaGetLastError();
    printf("%s\n", cudaGetErrorName(error));
    return error == cudaErrorInvalidPtx ? 7 : 8;
}
