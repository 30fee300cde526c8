// tracking of points on the wall of a heart through the frames of an ultrasound film
//
// Memory: a block follows one point: it copies a window of the frame around the last place to
// memory of its own, one word per pixel, as Rodinia's does, and compares the point's template, in
// shared memory, with every place in there. A copy fits into L1, and no other SM has it.
// Multiplications and sums take nearly all the time. Used by: the cooperative-caching study
// (heartwall of Rodinia). Published: a film of 49 MB with 51 points; size small has 51 points and 2
// frames of 256 x 256.
#include "device.h"

#define BLOCK 256
#define SIDE 16 // of a template
#define REACH 8 // of the window, in each direction
#define ACROSS (2 * REACH + 1)
#define WINDOW (SIDE + 2 * REACH) // side of a window
#define BLEND 4                   // a template keeps 3 parts of itself and takes 1 of the frame

struct place {
    int x, y; // of the template's corner
};

// How well the template fits at a place: the square of the correlation's sum over the energy of the
// frame there. Whole numbers up to the quotient; the host does the same.
DEVICE_CALL float score(const u32 *window, const u32 *pattern, u32 place)
{
    u32 product = 0, energy = 1;
    for (u32 row = 0; row < SIDE; row++) {
        const u32 *line = window + (place / ACROSS + row) * WINDOW + place % ACROSS;
        for (u32 column = 0; column < SIDE; column++) {
            u32 pixel = line[column];
            product += pixel * pattern[row * SIDE + column];
            energy += pixel * pixel;
        }
    }
    return (float)product / (float)energy * (float)product;
}

// One block per point: finds the best place of this frame, the first of several, and blends what is
// there into the template.
extern "C" __global__ void __launch_bounds__(BLOCK)
    heartwall_track(const u8 *frame, u32 width, u32 height, u32 *templates, struct place *places,
                    u32 *windows)
{
    __shared__ u32 pattern[SIDE * SIDE];
    __shared__ float best[BLOCK];
    __shared__ u32 best_at[BLOCK];
    u32 i = threadIdx.x;
    struct place last = places[blockIdx.x];
    pattern[i] = templates[blockIdx.x * SIDE * SIDE + i];
    best[i] = -1;
    best_at[i] = 0;
    u32 *window = windows + blockIdx.x * WINDOW * WINDOW;
    for (u32 n = i; n < WINDOW * WINDOW; n += BLOCK) { // 0 beyond the frame
        u32 x = (u32)(last.x - REACH) + n % WINDOW, y = (u32)(last.y - REACH) + n / WINDOW;
        window[n] = x < width && y < height ? frame[y * width + x] : 0;
    }
    __syncthreads();
    for (u32 n = i; n < ACROSS * ACROSS; n += BLOCK) {
        int x = last.x + (int)(n % ACROSS) - REACH;
        int y = last.y + (int)(n / ACROSS) - REACH;
        if (x < 0 || y < 0 || x + SIDE > (int)width || y + SIDE > (int)height)
            continue;
        float s = score(window, pattern, n);
        if (s > best[i]) {
            best[i] = s;
            best_at[i] = n;
        }
    }
    __syncthreads();
    for (u32 half = BLOCK / 2; half > 0; half /= 2) {
        if (i < half && (best[i + half] > best[i] ||
                         (best[i + half] == best[i] && best_at[i + half] < best_at[i]))) {
            best[i] = best[i + half];
            best_at[i] = best_at[i + half];
        }
        __syncthreads();
    }
    int x = last.x + (int)(best_at[0] % ACROSS) - REACH;
    int y = last.y + (int)(best_at[0] / ACROSS) - REACH;
    u32 pixel = frame[(u32)(y + (int)(i / SIDE)) * width + (u32)(x + (int)(i % SIDE))];
    templates[blockIdx.x * SIDE * SIDE + i] = (pattern[i] * (BLEND - 1) + pixel) / BLEND;
    if (i == 0) {
        struct place found = {x, y};
        places[blockIdx.x] = found;
    }
}
