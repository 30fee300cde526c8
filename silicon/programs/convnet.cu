/* Layers of a network on 8 images of 16 channels of 28 x 28: a direct 3 x 3 convolution to 16 channels, depthwise 5 x 5,
 * maximum of 2 x 2, batch statistics, a dense layer of a warp per output. */
#include "program.h"
#define IMAGES 8
#define C 16
#define S 28

__global__ void conv3x3(const float *in, const float *w, float *out)
{
    int x = threadIdx.x, y = threadIdx.y + blockIdx.x * blockDim.y, image = blockIdx.z, to = blockIdx.y;
    if (x >= S || y >= S)
        return;
    float sum = 0;
    for (int c = 0; c < C; c++)
#pragma unroll
        for (int i = 0; i < 9; i++) {
            int u = x + i % 3 - 1, v = y + i / 3 - 1;
            if (u >= 0 && v >= 0 && u < S && v < S)
                sum += in[((image * C + c) * S + v) * S + u] * w[(to * C + c) * 9 + i];
        }
    out[((image * C + to) * S + y) * S + x] = fmaxf(sum, 0);
}

__global__ void depthwise5x5(const float *in, const float *w, float *out)
{
    __shared__ float tile[S + 4][S + 4];
    const float *plane = in + blockIdx.x * S * S;
    for (int i = threadIdx.x; i < (S + 4) * (S + 4); i += 256) {
        int x = i % (S + 4) - 2, y = i / (S + 4) - 2;
        tile[y + 2][x + 2] = x >= 0 && y >= 0 && x < S && y < S ? plane[y * S + x] : 0;
    }
    __syncthreads();
    const float *k = w + blockIdx.x % C * 25;
    for (int i = threadIdx.x; i < S * S; i += 256) {
        float sum = 0;
#pragma unroll
        for (int j = 0; j < 25; j++)
            sum += tile[i / S + j / 5][i % S + j % 5] * k[j];
        out[blockIdx.x * S * S + i] = sum;
    }
}

__global__ void pool2x2(const float *in, float *out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int x = i % (S / 2), y = i / (S / 2) % (S / 2), plane = i / (S / 2) / (S / 2);
    const float *p = in + (plane * S + 2 * y) * S + 2 * x;
    out[i] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[S], p[S + 1]));
}

__global__ void batch_statistics(const float *in, float *mean, float *variance)
{
    __shared__ float a[128], b[128];
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < IMAGES * S * S; i += 128) {
        float v = in[(i / (S * S) * C + blockIdx.x) * S * S + i % (S * S)];
        sum += v;
        squares += v * v;
    }
    a[threadIdx.x] = sum;
    b[threadIdx.x] = squares;
    __syncthreads();
    for (int d = 64; d; d /= 2) {
        if (threadIdx.x < d) {
            a[threadIdx.x] += a[threadIdx.x + d];
            b[threadIdx.x] += b[threadIdx.x + d];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        mean[blockIdx.x] = a[0] / (IMAGES * S * S);
        variance[blockIdx.x] = b[0] / (IMAGES * S * S) - mean[blockIdx.x] * mean[blockIdx.x];
    }
}

__global__ void dense_layer(const float *in, const float *w, float *out, int inputs, int outputs)
{
    int o = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, image = blockIdx.y;
    float sum = 0;
    for (int i = lane; i < inputs; i += 32)
        sum += in[image * inputs + i] * w[o * inputs + i];
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0)
        out[image * outputs + o] = sum;
}

int main()
{
    const int n = IMAGES * C * S * S, pooled = n / 4, inputs = C * S * S / 4, outputs = 32;
    array<float> in(n), w(C * C * 9), wd(C * 25), a(n), b(n), p(pooled), mean(C), variance(C), wl(inputs * outputs),
        out(IMAGES * outputs);
    in.randomize();
    w.randomize();
    wd.randomize();
    wl.randomize();
    conv3x3<<<dim3(4, C, IMAGES), dim3(32, 7)>>>(in.device, w.device, a.device);
    depthwise5x5<<<IMAGES * C, 256>>>(a.device, wd.device, b.device);
    pool2x2<<<(pooled + 127) / 128, 128>>>(b.device, p.device, pooled);
    batch_statistics<<<C, 128>>>(b.device, mean.device, variance.device);
    dense_layer<<<dim3(outputs / 4, IMAGES), 128>>>(p.device, wl.device, out.device, inputs, outputs);
    p.download();
    out.download();
    a.download();
    double sum = 0;
    for (int i = 0; i < inputs; i++)
        sum += (double)p.host[2 * inputs + i] * wl.host[5 * inputs + i];
    check("dense", out.host[2 * outputs + 5], sum);
    sum = 0;
    for (int c = 0; c < C; c++)
        for (int i = 0; i < 9; i++)
            sum += in.host[(c * S + 9 + i / 3) * S + 4 + i % 3] * w.host[(3 * C + c) * 9 + i];
    check("convolution", a.host[(3 * S + 10) * S + 5], sum > 0 ? sum : 0);
    return finish("convnet");
}
