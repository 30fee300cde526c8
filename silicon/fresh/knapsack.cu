/* Tables filled step by step: a knapsack with a global barrier per launch, edit distances of short
 * words in registers, counting paths in shared memory. */
#include "fresh.h"

__global__ void knapsack_step(const int *old, int *now, int weight, int value, int capacity)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c <= capacity)
        now[c] = c >= weight ? max(old[c], old[c - weight] + value) : old[c];
}

__global__ void short_words(const unsigned char *a, const unsigned char *b, int *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, row[9];
    unsigned char w[8];
#pragma unroll
    for (int j = 0; j < 8; j++) {
        w[j] = b[j * n + t];
        row[j] = j;
    }
    row[8] = 8;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        int corner = row[0], c = a[i * n + t];
        row[0] = i + 1;
#pragma unroll
        for (int j = 1; j <= 8; j++) {
            int v = min(corner + (c != w[j - 1]), min(row[j], row[j - 1]) + 1);
            corner = row[j];
            row[j] = v;
        }
    }
    out[t] = row[8];
}

__global__ void lattice_paths(const unsigned char *wall, unsigned *out, int steps)
{
    __shared__ unsigned s[2][256];
    int t = threadIdx.x;
    s[0][t] = t == 128;
    __syncthreads();
    for (int i = 0; i < steps; i++) {
        unsigned v = s[i & 1][t];
        if (t > 0)
            v += s[i & 1][t - 1];
        if (t < 255)
            v += s[i & 1][t + 1];
        s[i + 1 & 1][t] = wall[(blockIdx.x * 7 + i & 63) * 256 + t] ? 0 : v;
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = s[steps & 1][t];
}

int main()
{
    int n = 1 << 15;
    array<int> a(1 << 18), b(1 << 18), out(n);
    array<unsigned char> p(8 * n), q(8 * n), wall(64 * 256);
    array<unsigned> paths(132 * 256);
    fill_below(p, 6);
    fill_below(q, 6);
    fill_below(wall, 16);
    for (unsigned char &w : wall.host)
        w = w == 0;
    wall.upload();
    for (int i = 0; i < 4; i++)
        knapsack_step<<<(1 << 17) / 256, 256>>>(i % 2 ? b.device : a.device,
                                                i % 2 ? a.device : b.device, 37 + 11 * i, 5 + i,
                                                (1 << 17) - 1);
    short_words<<<n / 128, 128>>>(p.device, q.device, out.device, n);
    lattice_paths<<<132, 256>>>(wall.device, paths.device, 96);
    lattice_paths<<<2, 256>>>(wall.device, paths.device, 96);
    expect_finite(out, "out");
    return finish("knapsack");
}
