/* Images of bytes: thresholds, colours to grey, run lengths; stores narrower than a word. */
#include "fresh.h"

__global__ void threshold(const unsigned char *in, unsigned char *out, int n, int level)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = t; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] > level ? 255 : in[i] / 2;
}

__global__ void grey(const unsigned char *rgb, unsigned short *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n)
        out[t] = (unsigned short)(77 * rgb[3 * t] + 151 * rgb[3 * t + 1] + 28 * rgb[3 * t + 2]);
}

__global__ void unpack_bits(const unsigned *in, unsigned char *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned w = in[t];
    for (int i = 0; i < 32; i++)
        out[t * 32 + i] = w >> i & 1;
}

int main()
{
    int n = 1 << 20;
    array<unsigned char> in(3 * n), out(n);
    array<unsigned short> g(n);
    array<unsigned> bits(n / 32);
    fill_below(in, 256);
    fill_below(bits, ~0u);
    threshold<<<264, 256>>>(in.device, out.device, n, 100);
    threshold<<<132, 128>>>(in.device, out.device, n / 8, 100);
    grey<<<n / 256, 256>>>(in.device, g.device, n);
    unpack_bits<<<n / 32 / 128, 128>>>(bits.device, out.device);
    expect_finite(out, "bits");
    return finish("bytes");
}
