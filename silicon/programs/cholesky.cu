/* Blocked Cholesky factorisation of a matrix of 192: a diagonal tile in one block, a panel, an update, six times. */
#include "program.h"
#define N 192
#define T 32

__global__ void chol_tile(float *a, int at)
{
    __shared__ float s[T][T + 1];
    int x = threadIdx.x, y = threadIdx.y;
    float *tile = a + at * N + at;
    s[y][x] = tile[y * N + x];
    __syncthreads();
    for (int k = 0; k < T; k++) {
        if (x == k && y == k)
            s[k][k] = sqrtf(s[k][k]);
        __syncthreads();
        if (x == k && y > k)
            s[y][k] /= s[k][k];
        __syncthreads();
        if (y >= x && x > k)
            s[y][x] -= s[y][k] * s[x][k];
        __syncthreads();
    }
    tile[y * N + x] = s[y][x];
}

/* a row of the panel per thread: lanes lie a row apart */
__global__ void chol_panel(float *a, int at)
{
    int row = at + T + blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= N)
        return;
    for (int k = 0; k < T; k++) {
        float v = a[row * N + at + k];
        for (int j = 0; j < k; j++)
            v -= a[row * N + at + j] * a[(at + k) * N + at + j];
        a[row * N + at + k] = v / a[(at + k) * N + at + k];
    }
}

__global__ void chol_update(float *a, int at)
{
    __shared__ float p[T][T + 1], q[T][T + 1];
    int x = threadIdx.x, y = threadIdx.y;
    int row = at + T + blockIdx.y * T + y, col = at + T + blockIdx.x * T + x;
    p[y][x] = a[row * N + at + x];
    q[y][x] = a[(at + T + blockIdx.x * T + y) * N + at + x];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < T; k++)
        sum += p[y][k] * q[x][k];
    a[row * N + col] -= sum;
}

int main()
{
    array<float> a(N * N);
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            a.host[i * N + j] = a.host[j * N + i] = i == j ? N : next_float();
    std::vector<float> before = a.host;
    a.upload();
    for (int at = 0; at < N; at += T) {
        chol_tile<<<1, dim3(T, T)>>>(a.device, at);
        int left = N - at - T;
        if (!left)
            break;
        chol_panel<<<(left + 63) / 64, 64>>>(a.device, at);
        chol_update<<<dim3(left / T, left / T), dim3(T, T)>>>(a.device, at);
    }
    a.download();
    for (int s = 0; s < 64; s++) {
        int i = (int)(next_random() % N), j = (int)(next_random() % (i + 1));
        double sum = 0;
        for (int k = 0; k <= j; k++)
            sum += (double)a.host[i * N + k] * a.host[j * N + k];
        check("L times its transpose", sum, before[i * N + j]);
    }
    return finish("cholesky");
}
