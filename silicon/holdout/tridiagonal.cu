/* Tridiagonal systems: cyclic reduction in parallel by a block a system, Thomas by a thread a system with rows side by side, and penta-diagonal smoothing of lines. */
#include "../programs/program.h"
#define N 256
#define SYSTEMS 1024

__global__ void pcr(const float *a, const float *b, const float *c, const float *d, float *x)
{
    __shared__ float sa[N], sb[N], sc[N], sd[N];
    int i = threadIdx.x, at = blockIdx.x * N + i;
    sa[i] = i ? a[at] : 0;
    sb[i] = b[at];
    sc[i] = i < N - 1 ? c[at] : 0;
    sd[i] = d[at];
    __syncthreads();
    for (int h = 1; h < N; h *= 2) {
        int l = i - h < 0 ? 0 : i - h, r = i + h > N - 1 ? N - 1 : i + h;
        float p = i - h < 0 ? 0 : sa[i] / sb[l], q = i + h > N - 1 ? 0 : sc[i] / sb[r];
        float na = -p * sa[l], nc = -q * sc[r], nb = sb[i] - p * sc[l] - q * sa[r], nd = sd[i] - p * sd[l] - q * sd[r];
        __syncthreads();
        sa[i] = na;
        sb[i] = nb;
        sc[i] = nc;
        sd[i] = nd;
        __syncthreads();
    }
    x[at] = sd[i] / sb[i];
}

__global__ void thomas(const float *a, const float *b, const float *c, float *d, float *scratch)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    float cp = c[s] / b[s], dp = d[s] / b[s];
    scratch[s] = cp;
    d[s] = dp;
    for (int i = 1; i < N; i++) {
        int at = i * SYSTEMS + s;
        float m = 1.0f / (b[at] - a[at] * cp);
        cp = c[at] * m;
        dp = (d[at] - a[at] * dp) * m;
        scratch[at] = cp;
        d[at] = dp;
    }
    for (int i = N - 2; i >= 0; i--) {
        int at = i * SYSTEMS + s;
        dp = d[at] - scratch[at] * dp;
        d[at] = dp;
    }
}

__global__ void smooth_lines(const double *in, double *out)
{
    extern __shared__ double line[];
    int y = blockIdx.x;
    for (int x = threadIdx.x; x < SYSTEMS; x += blockDim.x)
        line[x + 2] = in[y * SYSTEMS + x];
    if (threadIdx.x < 2) {
        line[threadIdx.x] = 0;
        line[SYSTEMS + 2 + threadIdx.x] = 0;
    }
    for (int turn = 0; turn < 4; turn++) {
        double v[8];
        __syncthreads();
        for (int k = 0; k < 8; k++) {
            int x = threadIdx.x + k * 128 + 2;
            v[k] = line[x] - 0.0625 * (line[x - 2] - 4 * line[x - 1] + 6 * line[x] - 4 * line[x + 1] + line[x + 2]);
        }
        __syncthreads();
        for (int k = 0; k < 8; k++)
            line[threadIdx.x + k * 128 + 2] = v[k];
    }
    __syncthreads();
    for (int x = threadIdx.x; x < SYSTEMS; x += blockDim.x)
        out[y * SYSTEMS + x] = line[x + 2];
}

int main()
{
    array<float> a(N * SYSTEMS), b(N * SYSTEMS), c(N * SYSTEMS), d(N * SYSTEMS), x(N * SYSTEMS), scratch(N * SYSTEMS);
    array<double> in(128 * SYSTEMS), out(128 * SYSTEMS);
    a.randomize();
    c.randomize();
    d.randomize();
    in.randomize();
    for (float &v : b.host)
        v = 4 + next_float();
    b.upload();
    pcr<<<512, N>>>(a.device, b.device, c.device, d.device, x.device);
    thomas<<<SYSTEMS / 64, 64>>>(a.device, b.device, c.device, x.device, scratch.device);
    cudaMemcpy(x.device, d.device, N * SYSTEMS * 4, cudaMemcpyDeviceToDevice);
    pcr<<<512, N>>>(a.device, b.device, c.device, d.device, x.device);
    smooth_lines<<<128, 128, (SYSTEMS + 4) * 8>>>(in.device, out.device);
    x.download();
    out.download();
    for (int i = 1; i < N - 1; i += 13) {
        int at = 9 * N + i;
        check("pcr", (double)a.host[at] * x.host[at - 1] + (double)b.host[at] * x.host[at] + (double)c.host[at] * x.host[at + 1], d.host[at], 1e-2);
    }
    check("not zero", out.host[5 * SYSTEMS + 9] != 0, 1);
    return finish("tridiagonal");
}
