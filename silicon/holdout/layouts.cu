/* Layouts: channels first to last through shared memory, an in-place transpose of a square, interleaving of three planes, a gather by a permutation, and packing of the upper triangle. */
#include "../programs/program.h"
#define C 96
#define P 1024
#define N 512

__global__ void channels_last(const float *in, float *out)
{
    __shared__ float s[32][33];
    int p0 = blockIdx.x * 32, c0 = blockIdx.y * 32, image = blockIdx.z;
    for (int i = threadIdx.y; i < 32; i += 8)
        s[i][threadIdx.x] = in[((size_t)image * C + c0 + i) * P + p0 + threadIdx.x];
    __syncthreads();
    for (int i = threadIdx.y; i < 32; i += 8)
        out[((size_t)image * P + p0 + i) * C + c0 + threadIdx.x] = s[threadIdx.x][i];
}

__global__ void transpose_in_place(double *a)
{
    __shared__ double s[16][17], r[16][17];
    if (blockIdx.x < blockIdx.y)
        return;
    int x = threadIdx.x, y = threadIdx.y, bx = blockIdx.x * 16, by = blockIdx.y * 16;
    s[y][x] = a[(by + y) * N + bx + x];
    r[y][x] = a[(bx + y) * N + by + x];
    __syncthreads();
    a[(by + y) * N + bx + x] = r[x][y];
    a[(bx + y) * N + by + x] = s[x][y];
}

__global__ void interleave(const unsigned char *r, const unsigned char *g, const unsigned char *b, uchar3 *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = make_uchar3(r[i], g[i], b[i]);
}

__global__ void gather_rows(const int *order, const float4 *in, float4 *out)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    out[row * 8 + threadIdx.x] = in[order[row] * 8 + threadIdx.x];
}

__global__ void pack_upper(const float *a, float *packed)
{
    int row = blockIdx.x;
    int start = row * N - row * (row - 1) / 2;
    for (int j = row + threadIdx.x; j < N; j += blockDim.x)
        packed[start + j - row] = a[row * N + j];
}

int main()
{
    array<float> in(4 * C * P), out(4 * C * P), a(N * N), packed(N * (N + 1) / 2);
    array<double> square(N * N);
    array<unsigned char> r(1 << 18), g(1 << 18), b(1 << 18), rgb(3 << 18);
    array<int> order(1 << 14);
    array<float> rows(32 << 14), moved(32 << 14);
    in.randomize();
    a.randomize();
    square.randomize();
    rows.randomize();
    for (int i = 0; i < 1 << 18; i++)
        r.host[i] = (unsigned char)next_random(), g.host[i] = (unsigned char)next_random();
    r.upload();
    g.upload();
    for (int i = 0; i < 1 << 14; i++)
        order.host[i] = i * 4099 & 0x3fff;
    order.upload();
    channels_last<<<dim3(P / 32, C / 32, 4), dim3(32, 8)>>>(in.device, out.device);
    transpose_in_place<<<dim3(N / 16, N / 16), dim3(16, 16)>>>(square.device);
    interleave<<<(1 << 18) / 256, 256>>>(r.device, g.device, b.device, (uchar3 *)rgb.device);
    gather_rows<<<(1 << 14) / 16, dim3(8, 16)>>>(order.device, (float4 *)rows.device, (float4 *)moved.device);
    pack_upper<<<N, 128>>>(a.device, packed.device);
    std::vector<double> before = square.host;
    out.download();
    square.download();
    rgb.download();
    moved.download();
    packed.download();
    check("channels last", out.host[(2 * P + 100) * C + 40], in.host[(2 * C + 40) * P + 100]);
    check("in place", square.host[33 * N + 400], before[400 * N + 33]);
    check("interleaved", rgb.host[3 * 12345 + 1], g.host[12345]);
    check("gathered", moved.host[77 * 32 + 9], rows.host[order.host[77] * 32 + 9]);
    check("packed", packed.host[5 * N - 10 + 3], a.host[5 * N + 8]);
    return finish("layouts");
}
