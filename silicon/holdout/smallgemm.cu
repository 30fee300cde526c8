/* Many small products: 8 x 8 by a thread a row, 16 x 16 of doubles by a block each, 6 x 6 complex in registers, a product of int8 by dp4a, and Strassen-like sums of tiles. */
#include "../programs/program.h"
#define COUNT 2048

template <int N> __global__ void gemm_rows(const float *a, const float *b, float *c)
{
    int m = (blockIdx.x * blockDim.x + threadIdx.x) / N, row = threadIdx.x % N;
    float r[N];
#pragma unroll
    for (int k = 0; k < N; k++)
        r[k] = a[(m * N + row) * N + k];
#pragma unroll
    for (int j = 0; j < N; j++) {
        float s = 0;
#pragma unroll
        for (int k = 0; k < N; k++)
            s += r[k] * b[(m * N + k) * N + j];
        c[(m * N + row) * N + j] = s;
    }
}

__global__ void dgemm_16(const double *a, const double *b, double *c)
{
    __shared__ double p[16][16], q[16][16];
    int x = threadIdx.x, y = threadIdx.y, at = blockIdx.x * 256 + y * 16 + x;
    p[y][x] = a[at];
    q[y][x] = b[at];
    __syncthreads();
    double s = 0;
    for (int k = 0; k < 16; k++)
        s = fma(p[y][k], q[k][x], s);
    c[at] = s;
}

/* matrices lie one element behind the other: element e of matrix m at e * COUNT + m */
__global__ void complex_6x6(const float2 *a, const float2 *b, float2 *c)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < 6; i++) {
        float2 r[6];
        for (int k = 0; k < 6; k++)
            r[k] = a[(i * 6 + k) * COUNT + m];
        for (int j = 0; j < 6; j++) {
            float x = 0, y = 0;
            for (int k = 0; k < 6; k++) {
                float2 v = b[(k * 6 + j) * COUNT + m];
                x += r[k].x * v.x - r[k].y * v.y;
                y += r[k].x * v.y + r[k].y * v.x;
            }
            c[(i * 6 + j) * COUNT + m] = make_float2(x, y);
        }
    }
}

__global__ void __launch_bounds__(256) gemm_int8(const int *a, const int *b, int *c, int n, int words)
{
    __shared__ int p[32][33], q[32][33];
    int x = threadIdx.x % 32, y = threadIdx.x / 32, s[4] = {};
    for (int k = 0; k < words; k += 32) {
        for (int i = 0; i < 32; i += 8) {
            p[y + i][x] = a[(blockIdx.y * 32 + y + i) * words + k + x];
            q[y + i][x] = b[(blockIdx.x * 32 + y + i) * words + k + x];
        }
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 32; j++)
            for (int i = 0; i < 4; i++)
                s[i] = __dp4a(p[y + i * 8][j], q[x][j], s[i]);
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        c[(blockIdx.y * 32 + y + i * 8) * n + blockIdx.x * 32 + x] = s[i];
}

int main()
{
    array<float> a(COUNT * 64), b(COUNT * 64), c(COUNT * 64), ca(COUNT * 72), cb(COUNT * 72), cc(COUNT * 72);
    array<double> da(512 * 256), db(512 * 256), dc(512 * 256);
    array<int> ia(256 * 64), ib(256 * 64), ic(256 * 256);
    a.randomize();
    b.randomize();
    ca.randomize();
    cb.randomize();
    da.randomize();
    db.randomize();
    for (int i = 0; i < 256 * 64; i++)
        ia.host[i] = (int)(next_random() * 257), ib.host[i] = (int)(next_random() * 263);
    ia.upload();
    ib.upload();
    gemm_rows<8><<<COUNT * 8 / 128, 128>>>(a.device, b.device, c.device);
    dgemm_16<<<512, dim3(16, 16)>>>(da.device, db.device, dc.device);
    complex_6x6<<<COUNT / 64, 64>>>((float2 *)ca.device, (float2 *)cb.device, (float2 *)cc.device);
    gemm_int8<<<dim3(8, 8), 256>>>(ia.device, ib.device, ic.device, 256, 64);
    c.download();
    dc.download();
    cc.download();
    ic.download();
    double s = 0, d = 0, x = 0;
    int n = 0;
    for (int k = 0; k < 8; k++)
        s += (double)a.host[77 * 64 + 3 * 8 + k] * b.host[77 * 64 + k * 8 + 5];
    for (int k = 0; k < 16; k++)
        d += da.host[77 * 256 + 3 * 16 + k] * db.host[77 * 256 + k * 16 + 5];
    for (int k = 0; k < 6; k++)
        x += ca.host[((2 * 6 + k) * COUNT + 99) * 2] * cb.host[((k * 6 + 4) * COUNT + 99) * 2] -
             ca.host[((2 * 6 + k) * COUNT + 99) * 2 + 1] * cb.host[((k * 6 + 4) * COUNT + 99) * 2 + 1];
    for (int k = 0; k < 256; k++)
        n += (int)(signed char)(ia.host[50 * 64 + k / 4] >> k % 4 * 8) * (int)(signed char)(ib.host[60 * 64 + k / 4] >> k % 4 * 8);
    check("8 x 8", c.host[77 * 64 + 29], s);
    check("doubles", dc.host[77 * 256 + 53], d);
    check("complex", cc.host[(16 * COUNT + 99) * 2], x);
    check("int8", ic.host[50 * 256 + 60], n);
    return finish("smallgemm");
}
