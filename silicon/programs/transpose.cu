/* Transposes of 512 x 512: plain, in shared memory with conflicts, without; and a permutation of three axes. */
#include "program.h"
#define N 512

__global__ void transpose_plain(const float *in, float *out)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        out[x * N + y + i] = in[(y + i) * N + x];
}

template <int PAD> __global__ void transpose_tile(const float *in, float *out)
{
    __shared__ float s[32][32 + PAD];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        s[threadIdx.y + i][threadIdx.x] = in[(y + i) * N + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        out[(y + i) * N + x] = s[threadIdx.x][threadIdx.y + i];
}

__global__ void permute_axes(const double *in, double *out, int a, int b, int c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int z = i % c, y = i / c % b, x = i / c / b;
    out[(z * a + x) * b + y] = in[i];
}

int main()
{
    array<float> in(N * N), out(N * N);
    array<double> p(64 * 32 * 48), q(64 * 32 * 48);
    in.randomize();
    p.randomize();
    dim3 grid(N / 32, N / 32), block(32, 8);
    transpose_plain<<<grid, block>>>(in.device, out.device);
    transpose_tile<0><<<grid, block>>>(in.device, out.device);
    transpose_tile<1><<<grid, block>>>(in.device, out.device);
    permute_axes<<<64 * 32 * 48 / 256, 256>>>(p.device, q.device, 64, 32, 48);
    out.download();
    q.download();
    for (int s = 0; s < 64; s++) {
        int x = (int)(next_random() % N), y = (int)(next_random() % N);
        check("transposed", out.host[x * N + y], in.host[y * N + x]);
    }
    check("permuted", q.host[(7 * 64 + 5) * 32 + 3], p.host[(5 * 32 + 3) * 48 + 7]);
    return finish("transpose");
}
