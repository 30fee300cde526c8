/* Small matrices held by one thread with pivots chosen at run time, permutations, and a priority
 * queue: local memory again, of other sizes. */
#include "fresh.h"

__global__ void pivoted(const float *in, float *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float m[6][6];
    for (int i = 0; i < 36; i++)
        m[i / 6][i % 6] = in[i * n + t];
    float det = 1;
    for (int k = 0; k < 6; k++) {
        int p = k;
        for (int i = k + 1; i < 6; i++)
            if (fabsf(m[i][k]) > fabsf(m[p][k]))
                p = i;
        for (int j = 0; j < 6; j++) {
            float x = m[k][j];
            m[k][j] = m[p][j];
            m[p][j] = x;
        }
        det *= m[k][k];
        for (int i = k + 1; i < 6; i++) {
            float f = m[i][k] / m[k][k];
            for (int j = k; j < 6; j++)
                m[i][j] -= f * m[k][j];
        }
    }
    out[t] = det;
}

__global__ void permutations(int *out, int turns)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, seed = t * 747796405u + 1;
    unsigned char p[32];
    for (int i = 0; i < 32; i++)
        p[i] = i;
    int sum = 0;
    for (int turn = 0; turn < turns; turn++) {
        for (int i = 31; i > 0; i--) {
            seed = seed * 1664525u + 1013904223u;
            int j = (seed >> 8) % (i + 1);
            unsigned char x = p[i];
            p[i] = p[j];
            p[j] = x;
        }
        sum += p[turn & 31];
    }
    out[t] = sum;
}

__global__ void heap(const float *in, float *out, int n, int count)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, size = 0;
    float h[17];
    for (int i = 0; i < count; i++) {
        float v = in[i * n + t];
        if (size < 15) {
            int c = ++size;
            while (c > 1 && h[c / 2] < v) {
                h[c] = h[c / 2];
                c /= 2;
            }
            h[c] = v;
        } else if (v < h[1]) {
            int c = 1;
            while (2 * c <= size) {
                int d = 2 * c;
                if (d < size && h[d + 1] > h[d])
                    d++;
                if (h[d] <= v)
                    break;
                h[c] = h[d];
                c = d;
            }
            h[c] = v;
        }
    }
    out[t] = h[1];
}

int main()
{
    int n = 1 << 14;
    array<float> in(36 * n), out(n);
    array<int> sums(n);
    in.randomize();
    pivoted<<<n / 128, 128>>>(in.device, out.device, n);
    permutations<<<n / 256, 256>>>(sums.device, 3);
    heap<<<n / 64, 64>>>(in.device, out.device, n, 32);
    heap<<<8, 32>>>(in.device, out.device, n, 32);
    expect_finite(sums, "sums");
    return finish("smalllocal");
}
