// contact search: moving points find the nearest facet of a surface in cells around them
//
// Memory: a point looks through the facets of the nine cells around it, which lie behind each other
// in lists by cell: short gathers that differ from point to point, reused by points nearby. Lists
// are of different lengths: divergence. Two kernels per step: search, and the push that contact
// gives. Used by: the study of several sockets (MiniContact, on a small and a large mesh); from the
// algorithm: a grid of cells over the surface, nearest plane.
#include "facet.h"

extern "C" __global__ void contact_search(const struct vector *points, const struct facet *facets,
                                          const u32 *first, struct contact *contacts, u32 cells,
                                          u32 count)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    struct vector p = points[i];
    struct contact best = {NO_FACET, 0};
    u32 cx = cell_of(p.x, cells), cy = cell_of(p.y, cells);
    for (u32 y = cy > 0 ? cy - 1 : 0; y <= cy + 1 && y < cells; y++) {
        for (u32 x = cx > 0 ? cx - 1 : 0; x <= cx + 1 && x < cells; x++) {
            for (u32 f = first[y * cells + x]; f < first[y * cells + x + 1]; f++)
                consider(&best, p, facets[f], f);
        }
    }
    contacts[i] = best;
}

// Points inside are pushed out along the facet's normal; then all move.
extern "C" __global__ void contact_respond(struct vector *points, struct vector *velocity,
                                           const struct facet *facets,
                                           const struct contact *contacts, float stiffness,
                                           float dt, u32 count)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    struct vector p = points[i], v = velocity[i];
    struct contact c = contacts[i];
    if (c.facet != NO_FACET && c.gap < 0) {
        struct vector n = facets[c.facet].normal;
        float push = -stiffness * c.gap;
        v.x = fmaf(push, n.x, v.x), v.y = fmaf(push, n.y, v.y), v.z = fmaf(push, n.z, v.z);
    }
    p.x = fmaf(dt, v.x, p.x), p.y = fmaf(dt, v.y, p.y), p.z = fmaf(dt, v.z, p.z);
    points[i] = p;
    velocity[i] = v;
}
