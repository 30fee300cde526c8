// 2D wavelet transform (5/3, reversible) of a colour image, several levels
//
// The lifting steps of Le Gall and Tabatabai's filter, as in JPEG 2000: along rows, then columns.
// Memory: a stripe of columns slides down the image in windows of 8 rows. Every window is read into
// shared memory row after row, coalesced, transformed along its rows there and along its columns in
// registers, and leaves as four bands; only the border columns and the rows between two blocks are
// read twice. Each level has a quarter of the pixels of the one before and fewer, narrower blocks:
// few warps, each waiting for one row at a time. Bound by memory latency.
// Used by: the bandwidth and cooperative-caching studies (Rodinia's dwt2d, 1024 x 1024; here from
// the algorithm). Small is the published size; its blocks have long stripes, so that an SM has one
// or two at a time.
#include "device.h"

#define SPLIT_BLOCK 256
#define WINDOW 8
#define MOST_WIDTH 192
#define LEFT 2 // border columns left of a stripe; one more is right of it

typedef int window_rows[WINDOW][LEFT + MOST_WIDTH + 1];

// Pixels of three bytes become three planes of signed numbers.
extern "C" __global__ void __launch_bounds__(SPLIT_BLOCK)
    dwt2d_split(const u8 *pixels, int *red, int *green, int *blue, u32 count)
{
    __shared__ u8 bytes[3 * SPLIT_BLOCK];
    u32 t = threadIdx.x, first = blockIdx.x * SPLIT_BLOCK;
    for (u32 i = t; i < 3 * SPLIT_BLOCK; i += SPLIT_BLOCK) {
        if (3 * first + i < 3 * count)
            bytes[i] = pixels[3 * first + i];
    }
    __syncthreads();
    if (first + t < count) {
        red[first + t] = bytes[3 * t] - 128;
        green[first + t] = bytes[3 * t + 1] - 128;
        blue[first + t] = bytes[3 * t + 2] - 128;
    }
}

// Beyond its edges the image is mirrored.
static __device__ int mirror(int i, int count)
{
    return i < 0 ? -i : i < count ? i : 2 * (count - 1) - i;
}

// Rows y to y + count - 1 of the stripe from column x0 on, with its border columns.
static __device__ void load_rows(window_rows window, const int *image, u32 pitch, int columns,
                                 int rows, int x0, int y, u32 count)
{
    u32 t = threadIdx.x, width = blockDim.x;
    int x = mirror(x0 + (int)t, columns);
    u32 edge = t < LEFT ? t : width + t; // where the first threads put a border column
    int edge_x = mirror(x0 - LEFT + (int)edge, columns);
    for (u32 r = 0; r < count; r++) {
        const int *row = image + (u32)mirror(y + (int)r, rows) * pitch;
        window[r][LEFT + t] = row[x];
        if (t <= LEFT)
            window[r][edge] = row[edge_x];
    }
    __syncthreads();
}

// Lifts the window along its rows, in place: odd columns become details, then even ones averages.
// Half of the threads have the even rows, the other half the odd ones.
static __device__ void lift_rows(window_rows window, u32 count)
{
    u32 t = threadIdx.x, half = blockDim.x / 2;
    u32 first = t < half ? 0 : 1, even = LEFT + 2 * (t < half ? t : t - half);
    for (u32 r = first; r < count; r += 2)
        window[r][even + 1] -= (window[r][even] + window[r][even + 2]) >> 1;
    if (t < count)
        window[t][LEFT - 1] -= (window[t][LEFT - 2] + window[t][LEFT]) >> 1;
    __syncthreads();
    for (u32 r = first; r < count; r += 2)
        window[r][even] += (window[r][even - 1] + window[r][even + 1] + 2) >> 2;
    __syncthreads();
}

// One level, blocks of one thread per column of their stripe. The averages of averages go to `low`,
// which is the next level's image; the three other bands to their quarters of `bands`.
extern "C" __global__ void __launch_bounds__(MOST_WIDTH)
    dwt2d_level(const int *image, u32 pitch, int *low, u32 low_pitch, int *bands, u32 bands_pitch,
                int columns, int rows, int windows)
{
    __shared__ window_rows window;
    // Even columns first, so that each band is written coalesced.
    u32 t = threadIdx.x, half = blockDim.x / 2;
    bool detailed = t >= half;
    u32 column = detailed ? 2 * (t - half) + 1 : 2 * t;
    int x0 = (int)(blockIdx.x * blockDim.x), y0 = (int)blockIdx.y * windows * WINDOW;
    u32 x = ((u32)x0 + column) / 2 + (detailed ? (u32)columns / 2 : 0);
    int *averages = detailed ? bands : low;
    u32 averages_pitch = detailed ? bands_pitch : low_pitch;
    bool writes = x0 + (int)column < columns;
    int end = y0 + windows * WINDOW < rows ? y0 + windows * WINDOW : rows;

    load_rows(window, image, pitch, columns, rows, x0, y0 - 2, 3);
    lift_rows(window, 3);
    int even = window[2][LEFT + column];
    int above = window[1][LEFT + column] - ((window[0][LEFT + column] + even) >> 1);
    for (int y = y0; y < end; y += WINDOW) {
        __syncthreads();
        load_rows(window, image, pitch, columns, rows, x0, y + 1, WINDOW);
        lift_rows(window, WINDOW);
        for (u32 r = 0; r < WINDOW; r += 2) {
            int next = window[r + 1][LEFT + column];
            int detail = window[r][LEFT + column] - ((even + next) >> 1);
            u32 to = ((u32)y + r) / 2;
            if (writes && y + (int)r < end) {
                averages[to * averages_pitch + x] = even + ((above + detail + 2) >> 2);
                bands[(to + (u32)rows / 2) * bands_pitch + x] = detail;
            }
            even = next;
            above = detail;
        }
    }
}
