/* An image of bytes: colour to grey, a rotation with bilinear weights, a 3 x 3 Laplacian of bytes, an integral image by
 * rows and by columns. */
#include "program.h"
#define W 256
#define H 256

__global__ void to_grey(const uchar4 *in, unsigned char *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uchar4 c = in[i];
    out[i] = (unsigned char)((77 * c.x + 150 * c.y + 29 * c.z) >> 8);
}

__global__ void rotate(const unsigned char *in, unsigned char *out, float cosine, float sine)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = cosine * (x - W / 2) + sine * (y - H / 2) + W / 2, v = cosine * (y - H / 2) - sine * (x - W / 2) + H / 2;
    int x0 = (int)floorf(u), y0 = (int)floorf(v);
    float fx = u - x0, fy = v - y0, value = 0;
    if (x0 >= 0 && y0 >= 0 && x0 < W - 1 && y0 < H - 1) {
        const unsigned char *p = in + y0 * W + x0;
        value = (1 - fy) * ((1 - fx) * p[0] + fx * p[1]) + fy * ((1 - fx) * p[W] + fx * p[W + 1]);
    }
    out[y * W + x] = (unsigned char)(value + 0.5f);
}

__global__ void laplacian(const unsigned char *in, short *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int sum = 0;
    if (x > 0 && y > 0 && x < W - 1 && y < H - 1) {
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++)
                sum -= in[(y + dy) * W + x + dx];
        sum += 9 * in[y * W + x];
    }
    out[y * W + x] = (short)sum;
}

/* a warp per row: prefix sums by shuffles */
__global__ void integral_rows(const unsigned char *in, int *out)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32, carry = 0;
    for (int x = lane; x < W; x += 32) {
        int v = in[row * W + x];
        for (int d = 1; d < 32; d *= 2) {
            int before = __shfl_up_sync(~0u, v, d);
            v += lane >= d ? before : 0;
        }
        v += carry;
        carry = __shfl_sync(~0u, v, 31);
        out[row * W + x] = v;
    }
}

__global__ void integral_columns(int *sums)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int y = 0; y < H; y++) {
        sum += sums[y * W + x];
        sums[y * W + x] = sum;
    }
}

int main()
{
    array<uchar4> in(W * H);
    array<unsigned char> grey(W * H), turned(W * H);
    array<short> edges(W * H);
    array<int> sums(W * H);
    for (auto &c : in.host)
        c = make_uchar4(next_random() % 256, next_random() % 256, next_random() % 256, 0);
    in.upload();
    dim3 grid(W / 32, H / 8), block(32, 8);
    to_grey<<<W * H / 256, 256>>>(in.device, grey.device);
    rotate<<<grid, block>>>(grey.device, turned.device, 0.866f, 0.5f);
    laplacian<<<grid, block>>>(turned.device, edges.device);
    integral_rows<<<H / 4, 128>>>(grey.device, sums.device);
    integral_columns<<<W / 64, 64>>>(sums.device);
    grey.download();
    sums.download();
    long total = 0;
    for (unsigned char g : grey.host)
        total += g;
    check("the whole image", sums.host[W * H - 1], (double)total);
    check("grey", grey.host[77], (77 * in.host[77].x + 150 * in.host[77].y + 29 * in.host[77].z) >> 8);
    return finish("warpimage");
}
