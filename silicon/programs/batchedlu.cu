/* LU factorisation of 2,048 matrices of 16 x 16, one per half warp, rows in registers; and 512 solves of 24 x 24 in
 * shared memory, one per block. */
#include "program.h"
#define S 16
#define B 2048
#define L 24

__global__ void lu_registers(float *a)
{
    int matrix = (blockIdx.x * blockDim.x + threadIdx.x) / S, row = threadIdx.x % S;
    float v[S];
    for (int j = 0; j < S; j++)
        v[j] = a[matrix * S * S + row * S + j];
#pragma unroll
    for (int k = 0; k < S; k++) {
        float pivot = __shfl_sync(~0u, v[k], k, S);
        float factor = v[k] / pivot;
        if (row > k)
            v[k] = factor;
#pragma unroll
        for (int j = k + 1; j < S; j++) {
            float above = __shfl_sync(~0u, v[j], k, S);
            if (row > k)
                v[j] -= factor * above;
        }
    }
    for (int j = 0; j < S; j++)
        a[matrix * S * S + row * S + j] = v[j];
}

__global__ void solve_shared(const double *a, const double *b, double *x)
{
    __shared__ double s[L][L + 1];
    int t = threadIdx.x;
    for (int i = t; i < L * L; i += blockDim.x)
        s[i / L][i % L] = a[blockIdx.x * L * L + i];
    if (t < L)
        s[t][L] = b[blockIdx.x * L + t];
    __syncthreads();
    for (int k = 0; k < L; k++) {
        if (t < L && t != k) {
            double f = s[t][k] / s[k][k];
            for (int j = k; j <= L; j++)
                s[t][j] -= f * s[k][j];
        }
        __syncthreads();
    }
    if (t < L)
        x[blockIdx.x * L + t] = s[t][L] / s[t][t];
}

int main()
{
    array<float> a(B * S * S);
    for (int i = 0; i < B * S * S; i++)
        a.host[i] = next_float() + (i % (S + 1) == 0 || i % (S * S) / S == i % S ? 20 : 0);
    std::vector<float> before = a.host;
    a.upload();
    lu_registers<<<B * S / 128, 128>>>(a.device);
    a.download();
    for (int s = 0; s < 64; s++) {
        int m = (int)(next_random() % B) * S * S, i = (int)(next_random() % S), j = (int)(next_random() % S);
        double sum = 0;
        for (int k = 0; k <= (i < j ? i : j); k++)
            sum += (k == i ? 1.0 : (double)a.host[m + i * S + k]) * a.host[m + k * S + j];
        check("LU", sum, before[m + i * S + j]);
    }
    const int systems = 512;
    array<double> m(systems * L * L), b(systems * L), x(systems * L);
    m.randomize();
    b.randomize();
    for (int s = 0; s < systems; s++)
        for (int i = 0; i < L; i++)
            m.host[s * L * L + i * L + i] += 30;
    m.upload();
    solve_shared<<<systems, 64>>>(m.device, b.device, x.device);
    x.download();
    for (int s = 0; s < systems; s += 31) {
        double sum = 0;
        for (int j = 0; j < L; j++)
            sum += m.host[s * L * L + j] * x.host[s * L + j];
        check("A x", sum, b.host[s * L]);
    }
    return finish("batchedlu");
}
