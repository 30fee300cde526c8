/* Double precision: Gauss elimination by a block, a conjugate gradient's steps, a cubic by
 * radicals. */
#include "fresh.h"

__global__ void eliminate(const double *in, double *out)
{
    __shared__ double m[24][25];
    int t = threadIdx.x;
    for (int i = t; i < 24 * 25; i += 128)
        m[i / 25][i % 25] = in[blockIdx.x * 600 + i] + (i / 25 == i % 25 ? 24 : 0);
    __syncthreads();
    for (int k = 0; k < 24; k++) {
        double inverse = 1.0 / m[k][k];
        __syncthreads();
        for (int i = t; i < 24 * 25; i += 128) {
            int r = i / 25, c = i % 25;
            if (r != k && c > k)
                m[r][c] -= m[r][k] * inverse * m[k][c];
        }
        __syncthreads();
        if (t < 24 && t != k)
            m[t][k] = 0;
        __syncthreads();
    }
    if (t < 24)
        out[blockIdx.x * 24 + t] = m[t][24] / m[t][t];
}

__global__ void banded(const double *band, const double *x, double *y, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0;
    for (int k = -4; k <= 4; k++)
        if (t + k >= 0 && t + k < n)
            sum += band[(k + 4) * n + t] * x[t + k];
    y[t] = sum;
}

__global__ void cubic(const double *p, double *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    double a = p[t] * p[t] + 0.1, b = p[t] * 0.7, d = b * b / 4 + a * a * a / 27, r = sqrt(d);
    out[t] = cbrt(-b / 2 + r) + cbrt(-b / 2 - r) + exp(-a) * log(1 + a);
}

int main()
{
    int n = 1 << 16;
    array<double> in(132 * 600), out(n), band(9 * n), x(n);
    for (double &v : in.host)
        v = next_float();
    in.upload();
    for (double &v : band.host)
        v = next_float();
    band.upload();
    for (double &v : x.host)
        v = next_float();
    x.upload();
    eliminate<<<132, 128>>>(in.device, out.device);
    eliminate<<<16, 128>>>(in.device, out.device);
    banded<<<n / 256, 256>>>(band.device, x.device, out.device, n);
    cubic<<<n / 2 / 128, 128>>>(x.device, out.device);
    expect_finite(out, "roots");
    return finish("solver");
}
