/* What the projections of an X-ray scan say about a voxel: shared by the kernel and the host. */
#ifndef RABBITCT_PROJECT_H
#define RABBITCT_PROJECT_H

#include "both.h"

/* From a voxel to a pixel of the detector and its distance: three rows of a 3 x 4 matrix. */
struct view {
    float row[3][4];
};

BOTH float along(const float *row, float x, float y, float z)
{
    return fmaf(row[0], x, fmaf(row[1], y, fmaf(row[2], z, row[3])));
}

BOTH float pixel(const float *image, int width, int height, int x, int y)
{
    return x >= 0 && y >= 0 && x < width && y < height ? image[y * width + x] : 0;
}

/* sum + what one view adds: between four pixels, weighted by the distance. */
BOTH float add_view(const float *image, const struct view *v, u32 width, u32 height, float x,
                    float y, float z, float sum)
{
    float w = 1 / along(v->row[2], x, y, z);
    float u = along(v->row[0], x, y, z) * w, t = along(v->row[1], x, y, z) * w;
    float left = __builtin_floorf(u), top = __builtin_floorf(t), pu = u - left, pt = t - top;
    int ix = (int)left, iy = (int)top, iw = (int)width, ih = (int)height;
    float above = fmaf(pu, pixel(image, iw, ih, ix + 1, iy) - pixel(image, iw, ih, ix, iy),
                       pixel(image, iw, ih, ix, iy));
    float below = fmaf(pu, pixel(image, iw, ih, ix + 1, iy + 1) - pixel(image, iw, ih, ix, iy + 1),
                       pixel(image, iw, ih, ix, iy + 1));
    return fmaf(w * w, fmaf(pt, below - above, above), sum);
}

#endif
