/* The smallest CUDA program worth running: squares of 0 to 7. */
#include <cstdio>

__global__ void square(int *x)
{
    x[threadIdx.x] *= x[threadIdx.x];
}

int main(void)
{
    int host[8], *device;
    for (int i = 0; i < 8; i++)
        host[i] = i;
    cudaMalloc(&device, sizeof host);
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    square<<<1, 8>>>(device);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    for (int x : host)
        printf("%d ", x);
    printf("\n");
    cudaFree(device);
    return 0;
}
