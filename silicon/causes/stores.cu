#include <cstdlib>
#define U threadIdx.x
template <int M> __global__ void chain(float *c, float *a, float *b, int n, int N)
{
    int t = blockIdx.x * blockDim.x + U, j = U % 32;
    float s = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        if (M == 0)
            c[t] += a[k] * b[k * N + j];
        if (M == 1)
            c[t] += a[k] * b[j];
        if (M == 2)
            s += a[k] * b[k * N + j];
        if (M == 3)
            c[t] += 1;
        if (M == 4)
            s += a[k] * b[j];
        if (M == 5)
            s += b[(k * N + j + (int)s * N) & 65535];
        if (M == 6)
            c[t] = k;
        asm volatile("" ::: "memory");
    }
    if (M == 2 || M == 4 || M == 5)
        c[t] = s;
}
float *A(int n)
{
    float *d;
    cudaMalloc(&d, n * 4);
    cudaMemset(d, 0, n * 4);
    return d;
}
template <int M> void run(float *c, float *a, float *b)
{
    chain<M><<<1, 32>>>(c, a, b, 256, 256);
    chain<M><<<1, 256>>>(c, a, b, 256, 256);
    chain<M><<<264, 256>>>(c, a, b, 256, 256);
}
int main()
{
    float *a = A(1 << 16), *b = A(1 << 17), *c = A(1 << 17);
    run<2>(c, a, b);
    run<0>(c, a, b);
    run<1>(c, a, b);
    run<2>(c, a, b);
    run<3>(c, a, b);
    run<4>(c, a, b);
    run<5>(c, a, b);
    run<6>(c, a, b);
    return cudaDeviceSynchronize();
}
