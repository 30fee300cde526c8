/* Iterations that end at different times in each lane: the Mandelbrot set in single and double
 * precision, and a Newton fractal. */
#include "fresh.h"

__global__ void mandelbrot(int *out, int width, int most)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = 0;
    float cr = -2.0f + 3.0f * x / width, ci = -1.0f + 2.0f * y / width, zr = 0, zi = 0;
    while (i < most && zr * zr + zi * zi < 4) {
        float r = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = r;
        i++;
    }
    out[y * width + x] = i;
}

__global__ void mandelbrot_double(int *out, int width, int most)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = 0;
    double cr = -2.0 + 3.0 * x / width, ci = -1.0 + 2.0 * y / width, zr = 0, zi = 0;
    while (i < most && zr * zr + zi * zi < 4) {
        double r = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = r;
        i++;
    }
    out[y * width + x] = i;
}

__global__ void newton(int *out, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, i;
    float a = -1.5f + 3.0f * x / width + 0.001f, b = -1.5f + 3.0f * y / width + 0.001f;
    for (i = 0; i < 24; i++) {
        float a2 = a * a - b * b, b2 = 2 * a * b, d = 3 * (a2 * a2 + b2 * b2) + 1e-6f;
        float na = 0.6666667f * a + a2 / d, nb = 0.6666667f * b - b2 / d;
        if (fabsf(na - a) + fabsf(nb - b) < 1e-4f)
            break;
        a = na;
        b = nb;
    }
    out[y * width + x] = i;
}

int main()
{
    int w = 256;
    array<int> out(w * w);
    mandelbrot<<<dim3(w / 32, w / 8), dim3(32, 8)>>>(out.device, w, 128);
    mandelbrot_double<<<dim3(w / 16, w / 16), dim3(16, 16)>>>(out.device, w, 48);
    newton<<<dim3(w / 128, 128), 128>>>(out.device, w);
    expect_finite(out, "turns");
    return finish("fractals");
}
