/* QR by Householder reflections: a panel of 32 columns by one block, its application to the rest by a warp a column, and batched QR of 4 x 4 by Givens rotations, a thread a matrix. */
#include "../programs/program.h"
#define M 384
#define PANEL 32
#define REST 256
#define BATCH 8192

__global__ void __launch_bounds__(384) qr_panel(float *a, float *tau)
{
    __shared__ float part[12], scalar[2];
    int t = threadIdx.x;
    float r[PANEL];
#pragma unroll
    for (int j = 0; j < PANEL; j++)
        r[j] = a[j * M + t];
#pragma unroll
    for (int k = 0; k < PANEL; k++) {
        float s = t > k ? r[k] * r[k] : 0;
        for (int d = 16; d; d >>= 1)
            s += __shfl_down_sync(~0u, s, d);
        if (t % 32 == 0)
            part[t / 32] = s;
        if (t == k)
            scalar[0] = r[k];
        __syncthreads();
        float sum = 0;
        for (int w = 0; w < 12; w++)
            sum += part[w];
        float alpha = scalar[0], norm = sqrtf(alpha * alpha + sum), beta = alpha > 0 ? -norm : norm;
        float mine = t > k ? r[k] / (alpha - beta) : t == k ? 1.0f : 0.0f, scale = (beta - alpha) / beta;
        if (t == k) {
            tau[k] = scale;
            r[k] = beta;
        } else if (t > k) {
            r[k] = mine;
        }
        __syncthreads();
        for (int j = k + 1; j < PANEL; j++) {
            float d = mine * r[j];
            for (int s2 = 16; s2; s2 >>= 1)
                d += __shfl_xor_sync(~0u, d, s2);
            if (t % 32 == 0)
                part[t / 32] = d;
            __syncthreads();
            d = 0;
            for (int w = 0; w < 12; w++)
                d += part[w];
            r[j] -= scale * d * mine;
            __syncthreads();
        }
    }
#pragma unroll
    for (int j = 0; j < PANEL; j++)
        a[j * M + t] = r[j];
}

__global__ void apply_reflections(const float *panel, const float *tau, float *c)
{
    int column = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    float x[M / 32];
    for (int i = 0; i < M / 32; i++)
        x[i] = c[column * M + i * 32 + lane];
    for (int k = 0; k < PANEL; k++) {
        float d = 0, u[M / 32];
        for (int i = 0; i < M / 32; i++) {
            int row = i * 32 + lane;
            u[i] = row > k ? panel[k * M + row] : row == k ? 1.0f : 0.0f;
            d += u[i] * x[i];
        }
        for (int s = 16; s; s >>= 1)
            d += __shfl_xor_sync(~0u, d, s);
        d *= tau[k];
        for (int i = 0; i < M / 32; i++)
            x[i] -= d * u[i];
    }
    for (int i = 0; i < M / 32; i++)
        c[column * M + i * 32 + lane] = x[i];
}

__global__ void givens_4x4(const float *in, float *out)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    float a[4][4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            a[i][j] = in[(i * 4 + j) * BATCH + m];
    for (int j = 0; j < 3; j++)
        for (int i = 3; i > j; i--) {
            float x = a[i - 1][j], y = a[i][j], h = hypotf(x, y), c = h > 0 ? x / h : 1, s = h > 0 ? y / h : 0;
            for (int k = j; k < 4; k++) {
                float p = a[i - 1][k], q = a[i][k];
                a[i - 1][k] = c * p + s * q;
                a[i][k] = c * q - s * p;
            }
        }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            out[(i * 4 + j) * BATCH + m] = a[i][j];
}

int main()
{
    array<float> a(PANEL * M), tau(PANEL), c(REST * M), in(16 * BATCH), out(16 * BATCH);
    a.randomize();
    c.randomize();
    in.randomize();
    std::vector<float> first(a.host.begin(), a.host.begin() + M), column(c.host.begin() + 9 * M, c.host.begin() + 10 * M);
    qr_panel<<<1, M>>>(a.device, tau.device);
    apply_reflections<<<REST / 4, 128>>>(a.device, tau.device, c.device);
    givens_4x4<<<BATCH / 128, 128>>>(in.device, out.device);
    a.download();
    c.download();
    out.download();
    double n = 0, x = 0, y = 0;
    for (int i = 0; i < M; i++) {
        n += (double)first[i] * first[i];
        x += (double)column[i] * column[i];
        y += (double)c.host[9 * M + i] * c.host[9 * M + i];
    }
    check("norm", fabs(a.host[0]), sqrt(n));
    check("length kept", y, x, 1e-2);
    check("zeroed", out.host[12 * BATCH + 77], 0, 1e-3);
    return finish("householder");
}
