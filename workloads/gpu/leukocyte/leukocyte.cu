// detection and tracking of white blood cells in a microscope image
//
// The method of Ray and Acton (IEEE Trans. Medical Imaging, 2004) as Boyer et al. (IPDPS 2009) put
// it on a GPU: score every pixel by how evenly the gradient points inwards on circles around it
// (GICOV), widen the peaks, then let the motion gradient vector flow of each cell settle.
// Memory: GICOV reads two gradient images at many points around each thread's pixel: neighbouring
// threads' points are neighbours too, so the reads are coalesced but unaligned, and L1 and L2 catch
// most. The flow has one block per cell, whose window stays in shared memory for all iterations;
// only the cell's image is read again each time. Much arithmetic with divisions, few warps per SM.
// Bound by the latency of arithmetic and caches, hardly by bandwidth.
// With --reads texture gradients and scores come through the texture cache, past L1, as in
// Rodinia's kernels. Used by: the bandwidth and cooperative-caching studies (Rodinia's leukocyte, a
// 176 MB film; here from the algorithm). Small is one frame of 224 x 128 with 24 points on a circle
// and 30 cells (published: 640 x 219, 150 points, 36 cells), and a fixed, small number of flow
// iterations.
#include "device.h"
#include "texture_device.h"

#define CIRCLES 7
#define POINTS 24
#define MARGIN 16 // pixels at the image's border that have no score
#define ELEMENT 12
#define WINDOW_X 81
#define WINDOW_Y 41
#define WINDOW (WINDOW_X * WINDOW_Y)
#define FLOW_BLOCK 320

// The direction of every point, and its place on each circle relative to the centre.
__constant__ float cosines[POINTS], sines[POINTS];
__constant__ int right[CIRCLES][POINTS], down[CIRCLES][POINTS];
// The pixels of the structuring element.
__constant__ int element[ELEMENT][ELEMENT];

DEVICE_CALL float pixel(const float *image, int i)
{
    return image[i];
}

DEVICE_CALL float pixel(u64 texture, int i)
{
    return texture_read(texture, (u32)i);
}

// One thread per pixel: the best of the circles' squared mean over variance of the gradient along
// the circle's normal (both in one pass, Welford 1962).
template <typename IMAGE>
DEVICE_CALL void gicov(IMAGE gradient_x, IMAGE gradient_y, float *score, int width, int height)
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)blockIdx.y;
    if (x >= width)
        return;
    float best = 0;
    if (x >= MARGIN && x < width - MARGIN && y >= MARGIN && y < height - MARGIN) {
        for (u32 circle = 0; circle < CIRCLES; circle++) {
            float sum = 0, mean = 0, squares = 0;
            for (u32 point = 0; point < POINTS; point++) {
                int i = (y + down[circle][point]) * width + x + right[circle][point];
                float inwards =
                    pixel(gradient_x, i) * cosines[point] + pixel(gradient_y, i) * sines[point];
                float change = inwards - mean;
                sum += inwards;
                mean += change / (float)(point + 1);
                squares += change * (inwards - mean);
            }
            mean = sum / POINTS;
            float ratio = mean * mean / (squares / (POINTS - 1));
            best = ratio > best ? ratio : best;
        }
    }
    score[y * width + x] = best;
}

extern "C" __global__ void leukocyte_gicov(const float *gradient_x, const float *gradient_y,
                                           float *score, int width, int height)
{
    gicov(gradient_x, gradient_y, score, width, height);
}

// The largest score under the structuring element.
template <typename IMAGE>
DEVICE_CALL void dilate(IMAGE score, float *dilated, int width, int height)
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)blockIdx.y;
    if (x >= width)
        return;
    float most = 0;
    for (int row = 0; row < ELEMENT; row++) {
        int from_y = y + row - ELEMENT / 2;
        if (from_y < 0 || from_y >= height)
            continue;
        for (int column = 0; column < ELEMENT; column++) {
            int from_x = x + column - ELEMENT / 2;
            if (element[row][column] && from_x >= 0 && from_x < width) {
                float value = pixel(score, from_y * width + from_x);
                most = value > most ? value : most;
            }
        }
    }
    dilated[y * width + x] = most;
}

extern "C" __global__ void leukocyte_dilate(const float *score, float *dilated, int width,
                                            int height)
{
    dilate(score, dilated, width, height);
}

// What flows in from a neighbour that is `rise` higher: all of it if the cell moves that way
// (`along` > 0), none against it, with a smooth step between.
static __device__ float inflow(float rise, float along, float sharpness)
{
    float steep = rise * along * sharpness;
    float size = steep < 0 ? -steep : steep;
    return rise * (0.5f + 0.5f * (steep / (1 + size)));
}

// One block per cell, a number of iterations over its window. `motion` has two numbers per cell.
extern "C" __global__ void __launch_bounds__(FLOW_BLOCK)
    leukocyte_flow(const float *images, const float *motion, float *flows, u32 iterations,
                   float sharpness, float spread, float pull)
{
    __shared__ float planes[2][WINDOW];
    const float *image = images + blockIdx.x * WINDOW;
    float vx = motion[2 * blockIdx.x], vy = motion[2 * blockIdx.x + 1];
    for (u32 i = threadIdx.x; i < WINDOW; i += FLOW_BLOCK)
        planes[0][i] = image[i];
    __syncthreads();
    for (u32 iteration = 0; iteration < iterations; iteration++) {
        const float *from = planes[iteration % 2];
        float *to = planes[(iteration + 1) % 2];
        for (u32 i = threadIdx.x; i < WINDOW; i += FLOW_BLOCK) {
            u32 x = i % WINDOW_X, y = i / WINDOW_X;
            int west = x > 0 ? -1 : 0, east = x < WINDOW_X - 1 ? 1 : 0;
            int north = y > 0 ? -WINDOW_X : 0, south = y < WINDOW_Y - 1 ? WINDOW_X : 0;
            const float *at = from + i;
            float here = *at, sum = inflow(at[north + west] - here, vx - vy, sharpness);
            sum += inflow(at[north] - here, -vy, sharpness);
            sum += inflow(at[north + east] - here, -vx - vy, sharpness);
            sum += inflow(at[west] - here, vx, sharpness);
            sum += inflow(at[east] - here, -vx, sharpness);
            sum += inflow(at[south + west] - here, vx + vy, sharpness);
            sum += inflow(at[south] - here, vy, sharpness);
            sum += inflow(at[south + east] - here, vy - vx, sharpness);
            to[i] = here + spread * sum - pull * image[i] * (here - image[i]);
        }
        __syncthreads();
    }
    for (u32 i = threadIdx.x; i < WINDOW; i += FLOW_BLOCK)
        flows[blockIdx.x * WINDOW + i] = planes[iterations % 2][i];
}

// Last, so that the others lie where they lay.
extern "C" __global__ void leukocyte_gicov_texture(u64 gradient_x, u64 gradient_y, float *score,
                                                   int width, int height)
{
    gicov(gradient_x, gradient_y, score, width, height);
}

extern "C" __global__ void leukocyte_dilate_texture(u64 score, float *dilated, int width,
                                                    int height)
{
    dilate(score, dilated, width, height);
}
