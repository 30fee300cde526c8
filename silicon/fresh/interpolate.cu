/* Resampling: bicubic from global memory, a table of three dimensions, a warp of polar coordinates
 * with atan2 and sqrt. */
#include "fresh.h"

__global__ void bicubic(const float *in, float *out, int n, float scale)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float px = x * scale + 1, py = y * scale + 1;
    int ix = (int)px, iy = (int)py;
    float fx = px - ix, fy = py - iy, wx[4], wy[4], sum = 0;
    for (int k = 0; k < 4; k++) {
        float d = fabsf(k - 1 - fx), e = fabsf(k - 1 - fy);
        wx[k] = d < 1 ? 1.5f * d * d * d - 2.5f * d * d + 1
                      : -0.5f * d * d * d + 2.5f * d * d - 4 * d + 2;
        wy[k] = e < 1 ? 1.5f * e * e * e - 2.5f * e * e + 1
                      : -0.5f * e * e * e + 2.5f * e * e - 4 * e + 2;
    }
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++)
            sum += wy[j] * wx[i] * in[(iy + j - 1) * n + ix + i - 1];
    out[y * 512 + x] = sum;
}

__global__ void colour_cube(const float *rgb, const float *cube, float *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float r = (rgb[t] + 1) * 7.4f, g = (rgb[n + t] + 1) * 7.4f, b = (rgb[2 * n + t] + 1) * 7.4f,
          sum = 0;
    int i = (int)r, j = (int)g, k = (int)b;
    float fr = r - i, fg = g - j, fb = b - k;
    for (int c = 0; c < 8; c++) {
        float w = (c & 1 ? fr : 1 - fr) * (c & 2 ? fg : 1 - fg) * (c & 4 ? fb : 1 - fb);
        sum += w * cube[((i + (c & 1)) * 16 + j + (c >> 1 & 1)) * 16 + k + (c >> 2)];
    }
    out[t] = sum;
}

__global__ void polar(const float *in, float *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float dx = x - n / 2 + 0.5f, dy = y - n / 2 + 0.5f;
    int a = (int)((atan2f(dy, dx) + 3.1415927f) * 40) % n, r = (int)sqrtf(dx * dx + dy * dy);
    out[y * n + x] = in[r * n + a];
}

int main()
{
    int n = 512;
    array<float> in(n * n), out(n * n), cube(17 * 16 * 16);
    in.randomize();
    cube.randomize();
    bicubic<<<dim3(16, 64), dim3(32, 8)>>>(in.device, out.device, n, 0.5f);
    bicubic<<<dim3(4, 32), dim3(32, 8)>>>(in.device, out.device, n, 1.5f);
    colour_cube<<<256, 256>>>(in.device, cube.device, out.device, 1 << 16);
    polar<<<dim3(2, 256), 256>>>(in.device, out.device, n);
    expect_finite(out, "out");
    return finish("interpolate");
}
