/* Tables in constant memory, read at places that differ from lane to lane: substitution, filters by
 * class, a piecewise polynomial. */
#include "fresh.h"

__constant__ unsigned box[256];
__constant__ float weights[16][9];
__constant__ float4 pieces[64];

__global__ void substitute(const unsigned *in, unsigned *out, int rounds)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = in[t];
    for (int r = 0; r < rounds; r++)
        x = box[x & 255] ^ (box[x >> 8 & 255] << 3) ^ (x >> 5) ^ r;
    out[t] = x;
}

__global__ void filter_by_class(const float *in, const int *kind, float *out, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float sum = 0;
    int k = kind[y * width + x];
    for (int i = 0; i < 9; i++) {
        int xx = min(max(x + i % 3 - 1, 0), width - 1);
        sum += in[y * width + xx] * weights[k][i];
    }
    out[y * width + x] = sum;
}

__global__ void spline(const float *in, float *out, int turns)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[t];
    for (int i = 0; i < turns; i++) {
        float4 p = pieces[(int)((x + 1) * 31.9f) & 63];
        x = ((p.x * x + p.y) * x + p.z) * x + p.w;
    }
    out[t] = x;
}

int main()
{
    int n = 1 << 16;
    array<unsigned> in(n), out(n);
    array<float> x(n), y(n);
    array<int> kind(n);
    fill_below(in, ~0u);
    fill_below(kind, 16);
    x.randomize();
    std::vector<unsigned> b(256);
    for (unsigned &v : b)
        v = next_random();
    std::vector<float> w(144), p(256);
    for (float &v : w)
        v = next_float();
    for (float &v : p)
        v = 0.2f * next_float();
    expect(cudaMemcpyToSymbol(box, b.data(), 1024), "box");
    expect(cudaMemcpyToSymbol(weights, w.data(), 576), "weights");
    expect(cudaMemcpyToSymbol(pieces, p.data(), 1024), "pieces");
    substitute<<<n / 256, 256>>>(in.device, out.device, 6);
    substitute<<<16, 128>>>(in.device, out.device, 6);
    filter_by_class<<<dim3(2, 128), 128>>>(x.device, kind.device, y.device, 256);
    spline<<<n / 256, 256>>>(x.device, y.device, 6);
    expect_finite(y, "spline");
    return finish("tables");
}
