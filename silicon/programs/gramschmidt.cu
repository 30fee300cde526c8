/* Modified Gram-Schmidt of 48 columns of 512: a norm by one block, a division, a projection of the columns behind. */
#include "program.h"
#define M 512
#define N 48

__global__ void gs_norm(const float *a, float *r, int k)
{
    __shared__ float part[8];
    float sum = 0;
    for (int i = threadIdx.x; i < M; i += 256)
        sum += a[i * N + k] * a[i * N + k];
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            sum += part[w];
        r[k * N + k] = sqrtf(sum);
    }
}

__global__ void gs_scale(const float *a, const float *r, float *q, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    q[i * N + k] = a[i * N + k] / r[k * N + k];
}

/* a column per thread */
__global__ void gs_project(float *a, float *r, const float *q, int k)
{
    int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= N)
        return;
    float sum = 0;
    for (int i = 0; i < M; i++)
        sum += q[i * N + k] * a[i * N + j];
    r[k * N + j] = sum;
    for (int i = 0; i < M; i++)
        a[i * N + j] -= q[i * N + k] * sum;
}

int main()
{
    array<float> a(M * N), r(N * N), q(M * N);
    a.randomize();
    for (int k = 0; k < 6; k++) {
        gs_norm<<<1, 256>>>(a.device, r.device, k);
        gs_scale<<<M / 128, 128>>>(a.device, r.device, q.device, k);
        gs_project<<<1, 64>>>(a.device, r.device, q.device, k);
    }
    q.download();
    for (int j = 0; j < 6; j++) {
        double dot = 0;
        for (int i = 0; i < M; i++)
            dot += (double)q.host[i * N + j] * q.host[i * N + 2];
        check("q'q", dot, j == 2);
    }
    return finish("gramschmidt");
}
