/*
 * Colours of a 4 x 4 tile as two end colours and two between them: shared by the kernel and the
 * host. Sorted along an axis, the colours are cut into four groups in all possible ways; for each
 * cut the best ends follow from least squares.
 */
#ifndef DXTC_CLUSTER_H
#define DXTC_CLUSTER_H

#include "both.h"

#define PIXELS 16

struct colour {
    float r, g, b;
};

struct ends {
    struct colour a, b;
    float error;
};

BOTH struct colour colour_of(u32 pixel)
{
    struct colour c = {(float)(pixel & 255), (float)(pixel >> 8 & 255), (float)(pixel >> 16 & 255)};
    return c;
}

BOTH struct colour mixed(struct colour x, float p, struct colour y, float q)
{
    struct colour c = {fmaf(p, x.r, q * y.r), fmaf(p, x.g, q * y.g), fmaf(p, x.b, q * y.b)};
    return c;
}

BOTH float dot(struct colour x, struct colour y)
{
    return fmaf(x.b, y.b, fmaf(x.g, y.g, x.r * y.r));
}

/* The colours before each place in order are summed up in sums[0..16]. A cut has the places of the
 * three borders in its bytes. */
BOTH struct ends ends_of(const struct colour *sums, u32 cut)
{
    u32 i = cut & 255, j = cut >> 8 & 255, k = cut >> 16;
    float n[4] = {(float)i, (float)(j - i), (float)(k - j), (float)(PIXELS - k)};
    float aa = n[0] + n[1] * (4.0f / 9) + n[2] * (1.0f / 9);
    float bb = n[3] + n[2] * (4.0f / 9) + n[1] * (1.0f / 9), ab = (n[1] + n[2]) * (2.0f / 9);
    struct colour first = mixed(sums[j], 1, sums[i], -1), second = mixed(sums[k], 1, sums[j], -1);
    struct colour ax = mixed(mixed(first, 2.0f / 3, second, 1.0f / 3), 1, sums[i], 1);
    struct colour bx = mixed(sums[PIXELS], 1, ax, -1);
    float determinant = fmaf(aa, bb, -(ab * ab));
    struct ends e = {{0, 0, 0}, {0, 0, 0}, 1e30f};
    if (determinant < 1e-6f)
        return e; /* all in one group */
    e.a = mixed(ax, bb / determinant, bx, -ab / determinant);
    e.b = mixed(bx, aa / determinant, ax, -ab / determinant);
    e.error = fmaf(aa, dot(e.a, e.a), bb * dot(e.b, e.b)) +
              2 * (fmaf(ab, dot(e.a, e.b), -dot(e.a, ax)) - dot(e.b, bx));
    return e;
}

BOTH u32 quantised(float x, float most)
{
    float y = x < 0 ? 0 : x > 255 ? 255 : x;
    return (u32)__builtin_rintf(y * most / 255);
}

/* 5, 6 and 5 bits. */
BOTH u32 packed(struct colour c)
{
    return quantised(c.r, 31) << 11 | quantised(c.g, 63) << 5 | quantised(c.b, 31);
}

/* Which of the four colours is nearest: two bits. */
BOTH u32 nearest(struct ends e, struct colour c)
{
    u32 best = 0;
    float least = 1e30f;
    for (u32 k = 0; k < 4; k++) {
        struct colour d = mixed(mixed(e.a, 1 - (float)k / 3, e.b, (float)k / 3), 1, c, -1);
        if (dot(d, d) < least) {
            least = dot(d, d);
            best = k;
        }
    }
    return best;
}

#endif
