/* Rows of 1,024: softmax by a block a row, layer norm by a warp a row, log-sum-exp by a thread a row. */
#include "program.h"
#define ROWS 512
#define COLS 1024

__device__ float warp_sum(float v)
{
    for (int d = 16; d; d /= 2)
        v += __shfl_xor_sync(~0u, v, d);
    return v;
}

__device__ float warp_max(float v)
{
    for (int d = 16; d; d /= 2)
        v = fmaxf(v, __shfl_xor_sync(~0u, v, d));
    return v;
}

__global__ void softmax_rows(const float *in, float *out)
{
    __shared__ float part[8];
    const float *row = in + blockIdx.x * COLS;
    int t = threadIdx.x;
    float v[4], most = -1e30f, sum = 0;
    for (int i = 0; i < 4; i++)
        most = fmaxf(most, v[i] = row[t + 256 * i]);
    most = warp_max(most);
    if (t % 32 == 0)
        part[t / 32] = most;
    __syncthreads();
    for (int w = 0; w < 8; w++)
        most = fmaxf(most, part[w]);
    __syncthreads();
    for (int i = 0; i < 4; i++)
        sum += v[i] = expf(v[i] - most);
    sum = warp_sum(sum);
    if (t % 32 == 0)
        part[t / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int w = 0; w < 8; w++)
        sum += part[w];
    for (int i = 0; i < 4; i++)
        out[blockIdx.x * COLS + t + 256 * i] = v[i] / sum;
}

__global__ void layer_norm(const float *in, const float *gain, const float *shift, float *out)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const float4 *p = (const float4 *)(in + row * COLS), *g = (const float4 *)gain, *s = (const float4 *)shift;
    float sum = 0, squares = 0;
    for (int i = lane; i < COLS / 4; i += 32) {
        float4 v = p[i];
        sum += v.x + v.y + v.z + v.w;
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    float mean = warp_sum(sum) / COLS, scale = rsqrtf(warp_sum(squares) / COLS - mean * mean + 1e-5f);
    for (int i = lane; i < COLS / 4; i += 32) {
        float4 v = p[i], a = g[i], b = s[i];
        ((float4 *)(out + row * COLS))[i] =
            make_float4((v.x - mean) * scale * a.x + b.x, (v.y - mean) * scale * a.y + b.y,
                        (v.z - mean) * scale * a.z + b.z, (v.w - mean) * scale * a.w + b.w);
    }
}

__global__ void log_sum_exp(const float *in, float *out)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float most = -1e30f, sum = 0;
    for (int i = 0; i < COLS; i++) {
        float v = in[row * COLS + i], next = fmaxf(most, v);
        sum = sum * __expf(most - next) + __expf(v - next);
        most = next;
    }
    out[row] = most + __logf(sum);
}

int main()
{
    array<float> in(ROWS * COLS), out(ROWS * COLS), normal(ROWS * COLS), gain(COLS), shift(COLS), lse(ROWS);
    in.randomize();
    gain.randomize();
    shift.randomize();
    softmax_rows<<<ROWS, 256>>>(in.device, out.device);
    layer_norm<<<ROWS / 4, 128>>>(in.device, gain.device, shift.device, normal.device);
    log_sum_exp<<<ROWS / 64, 64>>>(in.device, lse.device);
    out.download();
    lse.download();
    for (int r = 0; r < ROWS; r += 37) {
        double sum = 0;
        for (int i = 0; i < COLS; i++)
            sum += exp((double)in.host[r * COLS + i]);
        check("softmax", out.host[r * COLS + 5], exp((double)in.host[r * COLS + 5]) / sum);
        check("log-sum-exp", lse.host[r], log(sum));
    }
    return finish("softmax");
}
