/* Triangular systems: forward substitution of 64 columns by a block, a blocked inverse of small lower triangles, and a rank-k update of what is left. */
#include "../programs/program.h"
#define N 192
#define RHS 512

__global__ void trsm_columns(const float *l, float *b)
{
    __shared__ float row[N];
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < N; i++) {
        for (int j = threadIdx.x; j <= i; j += blockDim.x)
            row[j] = l[i * N + j];
        __syncthreads();
        float v = b[i * RHS + column];
        for (int j = 0; j < i; j++)
            v -= row[j] * b[j * RHS + column];
        b[i * RHS + column] = v / row[i];
        __syncthreads();
    }
}

/* a warp inverts a lower triangle of 32 x 32: lane j has column j */
__global__ void invert_triangles(const float *l, float *inverse)
{
    __shared__ float t[4][32][33];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    size_t at = (size_t)(blockIdx.x * 4 + warp) * 1024;
    for (int i = 0; i < 32; i++)
        t[warp][i][lane] = l[at + i * 32 + lane];
    __syncwarp();
    float x[32];
#pragma unroll
    for (int i = 0; i < 32; i++) {
        float v = i == lane ? 1.0f : 0.0f;
#pragma unroll
        for (int j = 0; j < i; j++)
            v -= t[warp][i][j] * x[j];
        x[i] = v / t[warp][i][i];
    }
#pragma unroll
    for (int i = 0; i < 32; i++)
        inverse[at + i * 32 + lane] = x[i];
}

/* c -= a a', the lower half only, 16 x 16 threads of 2 x 2 */
__global__ void rank_update(const float *a, float *c)
{
    if (blockIdx.x > blockIdx.y)
        return;
    __shared__ float p[32][17], q[32][17];
    int x = threadIdx.x, y = threadIdx.y;
    float s00 = 0, s01 = 0, s10 = 0, s11 = 0;
    for (int k = 0; k < N; k += 16) {
        p[y][x] = a[(blockIdx.y * 32 + y) * N + k + x];
        p[y + 16][x] = a[(blockIdx.y * 32 + y + 16) * N + k + x];
        q[y][x] = a[(blockIdx.x * 32 + y) * N + k + x];
        q[y + 16][x] = a[(blockIdx.x * 32 + y + 16) * N + k + x];
        __syncthreads();
        for (int j = 0; j < 16; j++) {
            s00 += p[y][j] * q[x][j];
            s01 += p[y][j] * q[x + 16][j];
            s10 += p[y + 16][j] * q[x][j];
            s11 += p[y + 16][j] * q[x + 16][j];
        }
        __syncthreads();
    }
    float *to = c + (blockIdx.y * 32 + y) * RHS + blockIdx.x * 32 + x;
    to[0] -= s00;
    to[16] -= s01;
    to[16 * RHS] -= s10;
    to[16 * RHS + 16] -= s11;
}

int main()
{
    array<float> l(N * N), b(N * RHS), t(256 * 1024), inverse(256 * 1024), a(RHS * N), c(RHS * RHS);
    l.randomize();
    t.randomize();
    for (int i = 0; i < N; i++)
        l.host[i * N + i] = 24;
    for (int m = 0; m < 256; m++)
        for (int i = 0; i < 32; i++)
            t.host[m * 1024 + i * 33] = 6;
    l.upload();
    t.upload();
    b.randomize();
    a.randomize();
    std::vector<float> before = b.host;
    trsm_columns<<<RHS / 64, 64>>>(l.device, b.device);
    invert_triangles<<<64, 128>>>(t.device, inverse.device);
    rank_update<<<dim3(16, 16), dim3(16, 16)>>>(a.device, c.device);
    b.download();
    inverse.download();
    c.download();
    for (int i = 0; i < N; i += 17) {
        double v = 0;
        for (int j = 0; j <= i; j++)
            v += (double)l.host[i * N + j] * b.host[j * RHS + 100];
        check("trsm", v, before[i * RHS + 100]);
    }
    double v = 0, w = 0;
    for (int k = 0; k < 32; k++)
        v += t.host[5 * 1024 + 20 * 32 + k] * (k <= 20 ? inverse.host[5 * 1024 + k * 32 + 20] : 0);
    check("inverse", v, 1);
    for (int k = 0; k < N; k++)
        w -= (double)a.host[300 * N + k] * a.host[77 * N + k];
    check("update", c.host[300 * RHS + 77], w);
    return finish("trsolve");
}
