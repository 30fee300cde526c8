/* Travelling waves: sine and cosine of double and of single precision over large arguments, and a
 * sum of many of them. */
#include "fresh.h"

__global__ void phases(const float *k, float *re, float *im, int n, int terms)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = k[t], a = 0, b = 0;
    for (int i = 0; i < terms; i++) {
        float s, c;
        sincosf(x * (i + 1), &s, &c);
        a += c;
        b += s;
    }
    re[t] = a;
    im[t] = b;
}

__global__ void orbits(const double *e, double *out, int turns)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    double m = 1.0 + 0.1 * t, x = m, ecc = e[t % 1024];
    for (int i = 0; i < turns; i++)
        x = x - (x - ecc * sin(x) - m) / (1.0 - ecc * cos(x));
    out[t] = x;
}

__global__ void fast_phases(const float *k, float *re, int terms)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = k[t], a = 0;
    for (int i = 0; i < terms; i++)
        a += __sinf(x * i) * __cosf(x + i) + __expf(-x * x);
    re[t] = a;
}

int main()
{
    int n = 1 << 16;
    array<float> k(n), re(n), im(n);
    array<double> e(1024), x(n);
    for (float &v : k.host)
        v = 100 * next_float();
    k.upload();
    for (double &v : e.host)
        v = 0.4 + 0.3 * next_float();
    e.upload();
    phases<<<n / 256, 256>>>(k.device, re.device, im.device, n, 12);
    phases<<<16, 128>>>(k.device, re.device, im.device, n, 12);
    orbits<<<64, 128>>>(e.device, x.device, 5);
    orbits<<<n / 256, 256>>>(e.device, x.device, 2);
    fast_phases<<<n / 256, 256>>>(k.device, re.device, 40);
    expect_finite(re, "phases");
    expect_finite(x, "orbits");
    return finish("waves");
}
