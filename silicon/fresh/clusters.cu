/* Clustering: distances to centres in shared memory and in constant memory, sums by atomics,
 * nearest neighbours kept in a short local list. */
#include "fresh.h"

__constant__ float centres[32 * 8];

__global__ void assign(const float *x, int *to, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
    float p[8], least = 1e30f;
    for (int d = 0; d < 8; d++)
        p[d] = x[d * n + t];
    for (int c = 0; c < 32; c++) {
        float sum = 0;
        for (int d = 0; d < 8; d++) {
            float e = p[d] - centres[c * 8 + d];
            sum += e * e;
        }
        if (sum < least) {
            least = sum;
            best = c;
        }
    }
    to[t] = best;
}

__global__ void add_up(const float *x, const int *to, float *sums, int n)
{
    __shared__ float s[32 * 8];
    s[threadIdx.x] = 0;
    __syncthreads();
    int t = blockIdx.x * blockDim.x + threadIdx.x, c = to[t];
    for (int d = 0; d < 8; d++)
        atomicAdd(&s[c * 8 + d], x[d * n + t]);
    __syncthreads();
    atomicAdd(&sums[threadIdx.x], s[threadIdx.x]);
}

__global__ void nearest_four(const float *x, const float *y, float *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float px = x[t], py = y[t], best[4] = {1e9f, 1e9f, 1e9f, 1e9f};
    for (int j = 0; j < n; j++) {
        float dx = x[j] - px, dy = y[j] - py, d = dx * dx + dy * dy;
        if (d < best[3]) {
            int k = 3;
            while (k > 0 && best[k - 1] > d) {
                best[k] = best[k - 1];
                k--;
            }
            best[k] = d;
        }
    }
    out[t] = best[3];
}

int main()
{
    int n = 1 << 16;
    array<float> x(8 * n), sums(256), out(n);
    array<int> to(n);
    x.randomize();
    std::vector<float> c(256);
    for (float &v : c)
        v = next_float();
    expect(cudaMemcpyToSymbol(centres, c.data(), 1024), "centres");
    assign<<<n / 256, 256>>>(x.device, to.device, n);
    add_up<<<n / 256, 256>>>(x.device, to.device, sums.device, n);
    nearest_four<<<16, 64>>>(x.device, x.device + n, out.device, 1024);
    expect_finite(out, "out");
    return finish("clusters");
}
