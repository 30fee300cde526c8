/* Alignment of sequences: a wavefront over diagonals in shared memory, and a row per thread with
 * the scores in local memory. */
#include "fresh.h"

__global__ void diagonals(const unsigned char *a, const unsigned char *b, int *best)
{
    __shared__ int h[3][130];
    __shared__ unsigned char sa[128], sb[128];
    int t = threadIdx.x, most = 0;
    sa[t] = a[blockIdx.x * 128 + t];
    sb[t] = b[blockIdx.x * 128 + t];
    for (int k = 0; k < 3; k++)
        h[k][t + 1] = h[k][0] = h[k][129] = 0;
    __syncthreads();
    for (int d = 0; d < 255; d++) {
        int j = d - t, *now = h[d % 3], *last = h[(d + 2) % 3], *before = h[(d + 1) % 3], v = 0;
        if (j >= 0 && j < 128)
            v = max(0, max(before[t] + (sa[t] == sb[j] ? 3 : -2), max(last[t], last[t + 1]) - 1));
        __syncthreads();
        now[t + 1] = v;
        most = max(most, v);
        __syncthreads();
    }
    atomicMax(&best[blockIdx.x], most);
}

__global__ void own_rows(const unsigned char *a, const unsigned char *b, int *best)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, most = 0;
    short row[33];
    for (int j = 0; j <= 32; j++)
        row[j] = 0;
    for (int i = 0; i < 16; i++) {
        int left = 0, corner = 0;
        unsigned char c = a[t * 16 + i];
        for (int j = 1; j <= 32; j++) {
            int up = row[j], v = max(0, max(corner + (c == b[j - 1] ? 3 : -2), max(up, left) - 1));
            corner = up;
            row[j] = left = v;
            most = max(most, v);
        }
    }
    best[t] = most;
}

int main()
{
    int n = 1 << 14;
    array<unsigned char> a(16 * n), b(16 * n);
    array<int> best(n);
    fill_below(a, 4);
    fill_below(b, 4);
    diagonals<<<132, 128>>>(a.device, b.device, best.device);
    diagonals<<<8, 128>>>(a.device, b.device, best.device);
    own_rows<<<n / 128, 128>>>(a.device, b.device, best.device);
    expect_finite(best, "best");
    return finish("alignment");
}
