/* Training: a depthwise convolution, an optimizer's step, a max pool with its gradient by atomics,
 * an embedding's gradient. */
#include "fresh.h"

__global__ void depthwise(const float *in, const float *w, float *out, int size)
{
    int x = threadIdx.x, y = blockIdx.x, c = blockIdx.y;
    float sum = 0;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++) {
            int xx = x + dx - 1, yy = y + dy - 1;
            if (xx >= 0 && yy >= 0 && xx < size && yy < size)
                sum += in[(c * size + yy) * size + xx] * w[c * 9 + dy * 3 + dx];
        }
    out[(c * size + y) * size + x] = fmaxf(sum, 0);
}

__global__ void adam(float *p, const float *g, float *m, float *v, int n, float rate)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    float gg = g[t], a = m[t] = 0.9f * m[t] + 0.1f * gg,
          b = v[t] = 0.999f * v[t] + 0.001f * gg * gg;
    p[t] -= rate * a / (sqrtf(b) + 1e-8f);
}

__global__ void pool_gradient(const float *x, const float *dy, float *dx, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, half = size / 2, y = i / half * 2,
        xx = i % half * 2, at = y * size + xx;
    float best = x[at];
    const int off[3] = {1, size, size + 1};
    int where = at;
    for (int k = 0; k < 3; k++)
        if (x[at + off[k]] > best) {
            best = x[at + off[k]];
            where = at + off[k];
        }
    atomicAdd(&dx[where], dy[i]);
}

__global__ void embedding_gradient(const int *word, const float *dy, float *table, int width)
{
    int w = word[blockIdx.x];
    for (int i = threadIdx.x; i < width; i += blockDim.x)
        atomicAdd(&table[w * width + i], dy[blockIdx.x * width + i]);
}

int main()
{
    int n = 1 << 18;
    array<float> x(n), y(n), m(n), v(n), w(1024);
    array<int> word(1024);
    x.randomize();
    y.randomize();
    w.randomize();
    fill_below(word, 64);
    depthwise<<<dim3(64, 64), 64>>>(x.device, w.device, y.device, 64);
    adam<<<n / 512, 512>>>(x.device, y.device, m.device, v.device, n, 0.01f);
    pool_gradient<<<128, 128>>>(x.device, y.device, m.device, 256);
    embedding_gradient<<<1024, 128>>>(word.device, x.device, v.device, 256);
    expect_finite(m, "m");
    return finish("learning");
}
