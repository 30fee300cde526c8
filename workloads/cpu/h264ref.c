/*
 * Stands for h264ref (464.h264ref): motion search and transform of a video encoder.
 *
 * For each block of 16 x 16 a search by sums of absolute differences in the frame before, then 4 x
 * 4 transforms and quantisation of what is left, half as many in the two planes of colour. Frames
 * are new ones of a long film. To meet: compute, L2 MPKI 1.31.
 * Arguments: how far a search goes, blocks of a frame along an edge.
 */
#include "common.h"

#define MOST_EDGE 12u
#define FRAMES 400u
#define PLANES 3u

static u8 film[FRAMES][PLANES][MOST_EDGE * 16 * MOST_EDGE * 16];
static short coefficients[16 * 16];

/* Of every fourth row: a fast search. */
static u32 difference(const u8 *a, const u8 *b, u32 stride)
{
    u32 sum = 0;
    for (u32 y = 0; y < 16; y += 4) {
        for (u32 x = 0; x < 16; x++) {
            int d = a[y * stride + x] - b[y * stride + x];
            sum += (u32)(d < 0 ? -d : d);
        }
    }
    return sum;
}

/* The integer transform of H.264 for a 4 x 4 block of differences. */
static void transform(const u8 *a, const u8 *b, u32 stride, short *out)
{
    int m[16];
    for (u32 y = 0; y < 4; y++) {
        const u8 *p = a + y * stride, *q = b + y * stride;
        int d[4] = {p[0] - q[0], p[1] - q[1], p[2] - q[2], p[3] - q[3]};
        int s0 = d[0] + d[3], s1 = d[1] + d[2], s2 = d[1] - d[2], s3 = d[0] - d[3];
        m[4 * y] = s0 + s1;
        m[4 * y + 1] = 2 * s3 + s2;
        m[4 * y + 2] = s0 - s1;
        m[4 * y + 3] = s3 - 2 * s2;
    }
    for (u32 x = 0; x < 4; x++) {
        int s0 = m[x] + m[12 + x], s1 = m[4 + x] + m[8 + x];
        out[x] = (short)((s0 + s1) * 13107 >> 17);
        out[8 + x] = (short)((s0 - s1) * 13107 >> 17);
        out[4 + x] = (short)((2 * (m[x] - m[12 + x]) + m[4 + x] - m[8 + x]) * 8066 >> 17);
        out[12 + x] = (short)((m[x] - m[12 + x] - 2 * (m[4 + x] - m[8 + x])) * 8066 >> 17);
    }
}

int main(int argc, char **argv)
{
    int reach = (int)argument(argc, argv, 1, 3, 16);
    u32 blocks = argument(argc, argv, 2, 40, MOST_EDGE), stride = 16 * blocks;
    for (u32 f = 0; f < FRAMES * PLANES; f++) {
        for (u32 i = 0; i < stride * stride; i++)
            film[f / PLANES][f % PLANES][i] = (u8)((i + f) * 2654435761u >> 24);
    }
    for (u32 f = 1;; f = (f + 1) % FRAMES) {
        u8(*now)[sizeof film[0][0]] = film[f],
                        (*before)[sizeof film[0][0]] = film[(f + FRAMES - 1) % FRAMES];
        for (u32 b = blocks + 1; b < blocks * (blocks - 1) - 1; b++) {
            u32 at = b / blocks * 16 * stride + b % blocks * 16, best = UINT32_MAX, found = at;
            for (int y = -reach; y <= reach; y += 2) {
                for (int x = -reach; x <= reach; x += 2) {
                    u32 p = (u32)((int)at + y * (int)stride + x);
                    u32 d = difference(now[0] + at, before[0] + p, stride);
                    if (d < best) {
                        best = d;
                        found = p;
                    }
                }
            }
            for (u32 plane = 0; plane < PLANES; plane++) {
                for (u32 k = 0; k < 16; k += plane ? 2 : 1) {
                    u32 o = k / 4 * 4 * stride + k % 4 * 4;
                    transform(now[plane] + at + o, before[plane] + found + o, stride,
                              coefficients + 16 * k);
                }
            }
            KEEP(coefficients);
        }
    }
}
