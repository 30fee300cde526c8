/* Image filters by order and by weight: median of 3 x 3 by a network of exchanges, dilation of radius 4 in shared memory, unsharp masking, bilinear shrinking, and local contrast with integer pixels. */
#include "../programs/program.h"
#include <algorithm>
#define W 512
#define H 256

__device__ inline void order(float &a, float &b)
{
    float low = fminf(a, b);
    b = fmaxf(a, b);
    a = low;
}

__global__ void median3x3(const float *in, float *out)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float p[9];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            p[j * 3 + i] = in[min(max(y + j - 1, 0), H - 1) * W + min(max(x + i - 1, 0), W - 1)];
    order(p[1], p[2]);
    order(p[4], p[5]);
    order(p[7], p[8]);
    order(p[0], p[1]);
    order(p[3], p[4]);
    order(p[6], p[7]);
    order(p[1], p[2]);
    order(p[4], p[5]);
    order(p[7], p[8]);
    p[3] = fmaxf(p[0], p[3]);
    p[5] = fminf(p[5], p[8]);
    order(p[4], p[7]);
    p[6] = fmaxf(p[3], p[6]);
    p[4] = fmaxf(p[1], p[4]);
    p[2] = fminf(p[2], p[5]);
    p[4] = fminf(p[4], p[7]);
    order(p[4], p[2]);
    p[4] = fmaxf(p[6], p[4]);
    out[y * W + x] = fminf(p[4], p[2]);
}

__global__ void dilate(const unsigned char *in, unsigned char *out)
{
    __shared__ int s[24][44];
    int x0 = blockIdx.x * 32 - 4, y0 = blockIdx.y * 16 - 4, t = threadIdx.y * 32 + threadIdx.x;
    for (int i = t; i < 24 * 40; i += 512) {
        int x = x0 + i % 40, y = y0 + i / 40;
        s[i / 40][i % 40] = x >= 0 && x < W && y >= 0 && y < H ? in[y * W + x] : 0;
    }
    __syncthreads();
    int most = 0;
    for (int j = 0; j <= 8; j++)
        for (int i = 0; i <= 8; i++)
            if ((i - 4) * (i - 4) + (j - 4) * (j - 4) <= 16)
                most = max(most, s[threadIdx.y + j][threadIdx.x + i]);
    out[(y0 + 4 + threadIdx.y) * W + x0 + 4 + threadIdx.x] = (unsigned char)most;
}

__global__ void unsharp(const uchar4 *in, uchar4 *out, float amount)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float r = 0, g = 0, b = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) {
            uchar4 p = in[min(max(y + j, 0), H - 1) * W + min(max(x + i, 0), W - 1)];
            float k = (3 - abs(i)) * (3 - abs(j)) / 81.0f;
            r += k * p.x;
            g += k * p.y;
            b += k * p.z;
        }
    uchar4 p = in[y * W + x];
    out[y * W + x] = make_uchar4((unsigned char)__saturatef((p.x + amount * (p.x - r)) / 255.0f) * 255,
                                 (unsigned char)fminf(fmaxf(p.y + amount * (p.y - g), 0), 255),
                                 (unsigned char)fminf(fmaxf(p.z + amount * (p.z - b), 0), 255), p.w);
}

__global__ void shrink(const float *in, float *out, int w, int h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= w * h)
        return;
    int x = i % w, y = i / w;
    float fx = (x + 0.5f) * W / w - 0.5f, fy = (y + 0.5f) * H / h - 0.5f;
    int ix = (int)floorf(fx), iy = (int)floorf(fy), jx = min(ix + 1, W - 1), jy = min(iy + 1, H - 1);
    fx -= ix;
    fy -= iy;
    out[i] = (in[iy * W + ix] * (1 - fx) + in[iy * W + jx] * fx) * (1 - fy) +
             (in[jy * W + ix] * (1 - fx) + in[jy * W + jx] * fx) * fy;
}

int main()
{
    array<float> in(W * H), out(W * H), small(211 * 101);
    array<unsigned char> g(W * H), d(W * H);
    array<uchar4> c(W * H), u(W * H);
    in.randomize();
    for (int i = 0; i < W * H; i++) {
        unsigned r = next_random();
        g.host[i] = (unsigned char)r;
        c.host[i] = make_uchar4((unsigned char)r, (unsigned char)(r >> 3), (unsigned char)(r >> 6), 255);
    }
    g.upload();
    c.upload();
    median3x3<<<dim3(W / 32, H / 8), dim3(32, 8)>>>(in.device, out.device);
    dilate<<<dim3(W / 32, H / 16), dim3(32, 16)>>>(g.device, d.device);
    unsharp<<<dim3(W / 128, H), 128>>>(c.device, u.device, 0.6f);
    shrink<<<(211 * 101 + 127) / 128, 128>>>(in.device, small.device, 211, 101);
    out.download();
    d.download();
    float p[9];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            p[j * 3 + i] = in.host[(99 + j) * W + 199 + i];
    for (int i = 0; i < 9; i++)
        for (int j = i + 1; j < 9; j++)
            if (p[j] < p[i])
                std::swap(p[i], p[j]);
    check("median", out.host[100 * W + 200], p[4]);
    int most = 0;
    for (int j = -4; j <= 4; j++)
        for (int i = -4; i <= 4; i++)
            if (i * i + j * j <= 16)
                most = std::max(most, (int)g.host[(77 + j) * W + 55 + i]);
    check("dilated", d.host[77 * W + 55], most);
    return finish("rankfilter");
}
