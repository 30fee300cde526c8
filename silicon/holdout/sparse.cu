/* Sparse and irregular: a matrix in ELLPACK, one with a warp a row, block rows of 4 x 4, triangle counting by merging lists, and a hash join that probes. */
#include "../programs/program.h"
#include <algorithm>
#define ROWS 8192
#define WIDTH 12

__global__ void spmv_ell(const int *columns, const float *values, const float *x, float *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < WIDTH; k++) {
        int c = columns[k * ROWS + row];
        if (c >= 0)
            s += values[k * ROWS + row] * __ldg(&x[c]);
    }
    y[row] = s;
}

__global__ void spmv_warp(const int *start, const int *columns, const float *values, const float *x, float *y)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float s = 0;
    for (int k = start[row] + lane; k < start[row + 1]; k += 32)
        s += values[k] * x[columns[k]];
    for (int d = 16; d; d /= 2)
        s += __shfl_down_sync(~0u, s, d);
    if (lane == 0)
        y[row] = s;
}

__global__ void spmv_blocks(const int *columns, const float4 *values, const float4 *x, float *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, block = row / 4;
    float s = 0;
    for (int k = 0; k < 8; k++) {
        float4 v = values[(block * 8 + k) * 4 + row % 4], w = x[columns[block * 8 + k]];
        s += v.x * w.x + v.y * w.y + v.z * w.z + v.w * w.w;
    }
    y[row] = s;
}

__global__ void triangles(const int *start, const int *to, unsigned *count)
{
    int u = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned n = 0;
    for (int e = start[u]; e < start[u + 1]; e++) {
        int v = to[e], i = start[u], j = start[v];
        while (i < start[u + 1] && j < start[v + 1]) {
            int a = to[i], b = to[j];
            n += a == b;
            i += a <= b;
            j += b <= a;
        }
    }
    n = __reduce_add_sync(~0u, n);
    if (threadIdx.x % 32 == 0)
        atomicAdd(count, n);
}

__global__ void probe(const uint2 *table, const unsigned *keys, unsigned *out, unsigned mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned key = keys[i], h = key * 2654435761u >> 12 & mask, found = 0;
    for (;;) {
        uint2 e = table[h];
        if (e.x == key) {
            found = e.y;
            break;
        }
        if (e.x == 0)
            break;
        h = h + 1 & mask;
    }
    out[i] = found;
}

int main()
{
    array<int> ell(WIDTH * ROWS), start(ROWS + 1), columns(ROWS * 40), blocks(ROWS / 4 * 8), first(2049), to(2048 * 12);
    array<float> ev(WIDTH * ROWS), x(ROWS), y(ROWS), wv(ROWS * 40), bv(ROWS * 32), by(ROWS);
    array<unsigned> count(1), keys(1 << 15), found(1 << 15);
    array<uint2> table(1 << 15);
    ev.randomize();
    x.randomize();
    wv.randomize();
    bv.randomize();
    for (int &c : ell.host)
        c = next_random() % 9 ? (int)(next_random() % ROWS) : -1;
    for (int i = 0; i < ROWS; i++)
        start.host[i + 1] = start.host[i] + 8 + (int)(next_random() % 32);
    for (int &c : columns.host)
        c = (int)(next_random() % ROWS);
    for (int &c : blocks.host)
        c = (int)(next_random() % (ROWS / 4));
    for (int u = 0; u < 2048; u++) {
        int n = 4 + (int)(next_random() % 8);
        for (int k = 0, v = u; k < n; k++)
            to.host[first.host[u] + k] = (v += 1 + (int)(next_random() % 4)) & 2047;
        std::sort(to.host.begin() + first.host[u], to.host.begin() + first.host[u] + n);
        first.host[u + 1] = first.host[u] + n;
    }
    for (uint2 &e : table.host)
        e = make_uint2(0, 0);
    for (int i = 0; i < 1 << 14; i++) {
        unsigned key = (unsigned)i * 7 + 1, h = key * 2654435761u >> 12 & 0x7fff;
        while (table.host[h].x)
            h = h + 1 & 0x7fff;
        table.host[h] = make_uint2(key, (unsigned)i);
    }
    for (unsigned &k : keys.host)
        k = next_random() % (7 << 14) + 1;
    ell.upload();
    start.upload();
    columns.upload();
    blocks.upload();
    first.upload();
    to.upload();
    table.upload();
    keys.upload();
    spmv_ell<<<ROWS / 128, 128>>>(ell.device, ev.device, x.device, y.device);
    spmv_warp<<<ROWS / 4, 128>>>(start.device, columns.device, wv.device, x.device, y.device);
    spmv_blocks<<<ROWS / 64, 64>>>(blocks.device, (float4 *)bv.device, (float4 *)x.device, by.device);
    triangles<<<2048 / 64, 64>>>(first.device, to.device, count.device);
    probe<<<(1 << 15) / 256, 256>>>(table.device, keys.device, found.device, 0x7fff);
    y.download();
    count.download();
    found.download();
    double s = 0;
    for (int k = start.host[100]; k < start.host[101]; k++)
        s += (double)wv.host[k] * x.host[columns.host[k]];
    check("row", y.host[100], s);
    unsigned n = 0;
    for (int u = 0; u < 2048; u++)
        for (int e = first.host[u]; e < first.host[u + 1]; e++) {
            int v = to.host[e], i = first.host[u], j = first.host[v];
            while (i < first.host[u + 1] && j < first.host[v + 1]) {
                int a = to.host[i], b = to.host[j];
                n += a == b;
                i += a <= b;
                j += b <= a;
            }
        }
    check("triangles", count.host[0], n);
    check("found", found.host[5], keys.host[5] % 7 == 1 && keys.host[5] / 7 < 1 << 14 ? keys.host[5] / 7 : 0);
    return finish("sparse");
}
