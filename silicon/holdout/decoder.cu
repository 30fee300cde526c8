/* One step of a decoder: RMS norm, rotary embedding, a query against 512 cached keys by split blocks and their merge, gated activation, a product of 4-bit weights and a vector, and an embedding bag. */
#include "../programs/program.h"
#include <cuda_fp16.h>
#define D 1024
#define HEADS 16
#define HD 64
#define PAST 512
#define SPLIT 4

__global__ void rms_norm(const half2 *x, const half2 *gain, half2 *y)
{
    __shared__ float part[4];
    const half2 *row = x + blockIdx.x * D / 2;
    float s = 0;
    float2 v[4];
    for (int i = 0; i < 4; i++) {
        v[i] = __half22float2(row[i * 128 + threadIdx.x]);
        s += v[i].x * v[i].x + v[i].y * v[i].y;
    }
    for (int d = 16; d; d /= 2)
        s += __shfl_xor_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = s;
    __syncthreads();
    float scale = rsqrtf((part[0] + part[1] + part[2] + part[3]) / D + 1e-6f);
    for (int i = 0; i < 4; i++) {
        float2 g = __half22float2(gain[i * 128 + threadIdx.x]);
        y[blockIdx.x * D / 2 + i * 128 + threadIdx.x] = __floats2half2_rn(v[i].x * scale * g.x, v[i].y * scale * g.y);
    }
}

__global__ void rotary(float *q, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * HEADS * HD / 2)
        return;
    int row = i / (HEADS * HD / 2), head = i / (HD / 2) % HEADS, k = i % (HD / 2);
    float angle = (float)row * powf(10000.0f, -2.0f * (float)k / HD), s, c;
    sincosf(angle, &s, &c);
    float *p = q + (row * HEADS + head) * HD + k;
    float a = p[0], b = p[HD / 2];
    p[0] = a * c - b * s;
    p[HD / 2] = a * s + b * c;
}

/* a block: one head, a quarter of the keys; a warp takes every fourth key, two values a lane */
__global__ void decode_split(const float *q, const half2 *keys, const half2 *values, float *most, float *sums, float *out)
{
    __shared__ float m_of[4], s_of[4], o_of[4][HD];
    int head = blockIdx.x, part = blockIdx.y, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float2 mine = ((const float2 *)(q + head * HD))[lane], o = {0, 0};
    float m = -1e30f, s = 0;
    for (int k = part * (PAST / SPLIT) + warp; k < (part + 1) * (PAST / SPLIT); k += 4) {
        float2 key = __half22float2(keys[(k * HEADS + head) * HD / 2 + lane]);
        float d = mine.x * key.x + mine.y * key.y;
        for (int x = 16; x; x /= 2)
            d += __shfl_xor_sync(~0u, d, x);
        d *= 0.125f;
        float next = fmaxf(m, d), old = __expf(m - next), now = __expf(d - next);
        float2 v = __half22float2(values[(k * HEADS + head) * HD / 2 + lane]);
        o.x = o.x * old + now * v.x;
        o.y = o.y * old + now * v.y;
        s = s * old + now;
        m = next;
    }
    o_of[warp][lane * 2] = o.x;
    o_of[warp][lane * 2 + 1] = o.y;
    if (lane == 0) {
        m_of[warp] = m;
        s_of[warp] = s;
    }
    __syncthreads();
    if (threadIdx.x < HD) {
        float all = fmaxf(fmaxf(m_of[0], m_of[1]), fmaxf(m_of[2], m_of[3])), sum = 0, v = 0;
        for (int w = 0; w < 4; w++) {
            float f = __expf(m_of[w] - all);
            sum += f * s_of[w];
            v += f * o_of[w][threadIdx.x];
        }
        out[(head * SPLIT + part) * HD + threadIdx.x] = v;
        if (threadIdx.x == 0) {
            most[head * SPLIT + part] = all;
            sums[head * SPLIT + part] = sum;
        }
    }
}

__global__ void swiglu(const float4 *gate, const float4 *up, float4 *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 g = gate[i], u = up[i];
    y[i] = make_float4(g.x / (1 + expf(-g.x)) * u.x, g.y / (1 + expf(-g.y)) * u.y, g.z / (1 + expf(-g.z)) * u.z,
                       g.w / (1 + expf(-g.w)) * u.w);
}

/* a warp a row: 8 weights of 4 bits a word, a scale for 64 of them */
__global__ void gemv_int4(const unsigned *weights, const half *scales, const float *x, float *y)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int w = lane; w < D / 8; w += 32) {
        unsigned packed = weights[row * (D / 8) + w];
        float part = 0;
        for (int k = 0; k < 8; k++)
            part += (float)((int)(packed >> 4 * k & 15) - 8) * x[w * 8 + k];
        sum += part * __half2float(scales[row * (D / 64) + w / 8]);
    }
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        y[row] = sum;
}

__global__ void embedding_bag(const int *which, const float *table, float *out, int bag)
{
    int d = threadIdx.x;
    float s = 0;
    for (int i = 0; i < bag; i++)
        s += table[which[blockIdx.x * bag + i] * 128 + d];
    out[blockIdx.x * 128 + d] = s / bag;
}

int main()
{
    array<half> x(256 * D), gain(D), y(256 * D), keys(PAST * HEADS * HD), values(PAST * HEADS * HD), scales(D * D / 64);
    array<float> q(256 * HEADS * HD), most(HEADS * SPLIT), sums(HEADS * SPLIT), parts(HEADS * SPLIT * HD);
    array<float> gate(1 << 18), up(1 << 18), act(1 << 18), vector(D), product(D), table(8192 * 128), bags(256 * 128);
    array<unsigned> weights(D * D / 8);
    array<int> which(256 * 20);
    x.randomize();
    gain.randomize();
    keys.randomize();
    values.randomize();
    scales.randomize();
    q.randomize();
    gate.randomize();
    up.randomize();
    vector.randomize();
    table.randomize();
    for (unsigned &w : weights.host)
        w = next_random() * 257u;
    for (int &w : which.host)
        w = (int)(next_random() % 8192);
    weights.upload();
    which.upload();
    rms_norm<<<256, 128>>>((half2 *)x.device, (half2 *)gain.device, (half2 *)y.device);
    rotary<<<256 * HEADS * HD / 2 / 256, 256>>>(q.device, 256);
    decode_split<<<dim3(HEADS, SPLIT), 128>>>(q.device, (half2 *)keys.device, (half2 *)values.device, most.device, sums.device, parts.device);
    swiglu<<<(1 << 18) / 4 / 256, 256>>>((float4 *)gate.device, (float4 *)up.device, (float4 *)act.device);
    gemv_int4<<<D / 4, 128>>>(weights.device, scales.device, vector.device, product.device);
    embedding_bag<<<256, 128>>>(which.device, table.device, bags.device, 20);
    y.download();
    act.download();
    product.download();
    bags.download();
    double s = 0, p = 0, b = 0;
    for (int i = 0; i < D; i++) {
        s += (double)__half2float(x.host[5 * D + i]) * __half2float(x.host[5 * D + i]);
        p += ((int)(weights.host[9 * D / 8 + i / 8] >> 4 * (i % 8) & 15) - 8) * vector.host[i] * __half2float(scales.host[9 * D / 64 + i / 64]);
    }
    check("norm", __half2float(y.host[5 * D + 7]), __half2float(x.host[5 * D + 7]) / sqrt(s / D + 1e-6) * __half2float(gain.host[7]), 1e-2);
    check("int4", product.host[9], p, 1e-2);
    check("swiglu", act.host[99], gate.host[99] / (1 + exp(-(double)gate.host[99])) * up.host[99]);
    for (int i = 0; i < 20; i++)
        b += table.host[which.host[33 * 20 + i] * 128 + 5];
    check("bag", bags.host[33 * 128 + 5], b / 20);
    return finish("decoder");
}
