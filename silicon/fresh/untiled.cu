/* Matrix products without tiles that add to memory in their innermost loop, as some collections
 * write them. */
#include "fresh.h"

__global__ void product_in_place(const float *a, const float *b, float *c, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    c[i * n + j] *= 0.5f;
    for (int k = 0; k < m; k++)
        c[i * n + j] += a[i * m + k] * b[k * n + j];
}

__global__ void covariance_rows(const float *data, float *c, int n, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < 12; j++) {
        c[j * n + i] = 0;
        for (int k = 0; k < rows; k++)
            c[j * n + i] += data[k * n + i] * data[k * n + j];
    }
}

__global__ void three_sums(const float *a, const float *x, float *y, float *z, float *w, int n,
                           int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < m; k++) {
        float v = a[k * n + i];
        y[i] += v * x[k];
        z[i] += v;
        w[i] += v * v;
    }
}

int main()
{
    int n = 256, m = 192;
    array<float> a(n * m), b(m * n), c(n * n), w(n * n), y(1 << 16), z(1 << 16);
    a.randomize();
    b.randomize();
    product_in_place<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a.device, b.device, c.device, n, m);
    product_in_place<<<dim3(n / 32, n / 16), dim3(32, 16)>>>(a.device, b.device, c.device, n, 64);
    covariance_rows<<<2, 128>>>(a.device, c.device, n, 96);
    three_sums<<<4, 64>>>(a.device, b.device, y.device, z.device, w.device, 256, 128);
    expect_finite(c, "product");
    return finish("untiled");
}
