/* A kernel that asks the device runtime for what heddle does not have. */
#include <cstdio>

__global__ void parent(cudaMemcpy3DParms p)
{
    cudaMemcpy3DAsync(&p, 0);
}

int main(void)
{
    parent<<<2, 1>>>({});
    cudaError_t error = cudaGetLastError();
    printf("%s\n", cudaGetErrorName(error));
    return error == cudaErrorInvalidPtx ? 7 : 8;
}
