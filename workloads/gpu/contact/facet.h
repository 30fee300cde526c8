/*
 * A point and a facet of a surface: shared by the kernels and the host.
 */
#ifndef CONTACT_FACET_H
#define CONTACT_FACET_H

#include "both.h"

#define NO_FACET 0xffffffffu

struct vector {
    float x, y, z;
};

struct facet {
    struct vector at, normal; /* its centre; of length 1 */
};

struct contact {
    u32 facet;
    float gap; /* above the facet's plane, below 0: the point is inside */
};

BOTH float dot(struct vector a, struct vector b)
{
    return fmaf(a.z, b.z, fmaf(a.y, b.y, a.x * b.x));
}

BOTH struct vector apart(struct vector a, struct vector b)
{
    struct vector v = {a.x - b.x, a.y - b.y, a.z - b.z};
    return v;
}

/* The facet whose plane is nearest, of those whose centre is within a distance of 1 sideways. */
BOTH void consider(struct contact *best, struct vector point, struct facet f, u32 number)
{
    struct vector d = apart(point, f.at);
    float gap = dot(d, f.normal), sideways = fmaf(-gap, gap, dot(d, d));
    float size = gap < 0 ? -gap : gap, least = best->gap < 0 ? -best->gap : best->gap;
    if (sideways <= 1 && (best->facet == NO_FACET || size < least)) {
        best->facet = number;
        best->gap = gap;
    }
}

/* The cell of a coordinate; points beyond the border count to the last one. */
BOTH u32 cell_of(float x, u32 cells)
{
    float c = x < 0 ? 0 : x;
    return (u32)c < cells ? (u32)c : cells - 1;
}

#endif
