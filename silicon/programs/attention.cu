/* Attention of 4 heads over 256 positions of 32: scores, then one pass with a running maximum, a query per thread and
 * keys in shared memory. */
#include "program.h"
#define HEADS 4
#define LENGTH 256
#define WIDE 32

__global__ void attention_scores(const float *q, const float *k, float *s)
{
    int head = blockIdx.z, i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    const float *a = q + (head * LENGTH + i) * WIDE, *b = k + (head * LENGTH + j) * WIDE;
    float sum = 0;
    for (int d = 0; d < WIDE; d++)
        sum += a[d] * b[d];
    s[(head * LENGTH + i) * LENGTH + j] = sum * 0.17677669f;
}

__global__ void __launch_bounds__(64) attention_flash(const float *q, const float *k, const float *v, float *out)
{
    __shared__ float ks[32][WIDE], vs[32][WIDE];
    int head = blockIdx.y, i = blockIdx.x * 64 + threadIdx.x;
    float mine[WIDE], sum[WIDE], most = -1e30f, total = 0;
    for (int d = 0; d < WIDE; d++) {
        mine[d] = q[(head * LENGTH + i) * WIDE + d] * 0.17677669f;
        sum[d] = 0;
    }
    for (int j0 = 0; j0 < LENGTH; j0 += 32) {
        for (int e = threadIdx.x; e < 32 * WIDE; e += 64) {
            ks[e / WIDE][e % WIDE] = k[(head * LENGTH + j0) * WIDE + e];
            vs[e / WIDE][e % WIDE] = v[(head * LENGTH + j0) * WIDE + e];
        }
        __syncthreads();
        for (int j = 0; j < 32; j++) {
            float s = 0;
#pragma unroll
            for (int d = 0; d < WIDE; d++)
                s += mine[d] * ks[j][d];
            float next = fmaxf(most, s), old = __expf(most - next), p = __expf(s - next);
            most = next;
            total = total * old + p;
#pragma unroll
            for (int d = 0; d < WIDE; d++)
                sum[d] = sum[d] * old + p * vs[j][d];
        }
        __syncthreads();
    }
    for (int d = 0; d < WIDE; d++)
        out[(head * LENGTH + i) * WIDE + d] = sum[d] / total;
}

int main()
{
    const int n = HEADS * LENGTH * WIDE;
    array<float> q(n), k(n), v(n), out(n), s(HEADS * LENGTH * LENGTH);
    q.randomize();
    k.randomize();
    v.randomize();
    attention_scores<<<dim3(LENGTH / 32, LENGTH / 8, HEADS), dim3(32, 8)>>>(q.device, k.device, s.device);
    attention_flash<<<dim3(LENGTH / 64, HEADS), 64>>>(q.device, k.device, v.device, out.device);
    out.download();
    s.download();
    for (int i = 0; i < HEADS * LENGTH; i += 61) {
        double total = 0, sum = 0;
        for (int j = 0; j < LENGTH; j++) {
            double p = exp((double)s.host[i * LENGTH + j]);
            total += p;
            sum += p * v.host[(i / LENGTH * LENGTH + j) * WIDE + 3];
        }
        check("attention", out.host[i * WIDE + 3], sum / total);
    }
    return finish("attention");
}
