// mesh refinement: triangles are bisected until all are small enough, two kernels by turns
//
// Memory: gathers of neighbouring triangles and their corners, which lie ever further apart as the
// mesh grows; new triangles and points are taken by atomics. The check kernel looks at all
// triangles (topology-driven), repairs their links and plans bisections; the refine kernel does
// them, and the mesh is another. Where the base's neighbour has another base it must be bisected
// first, so refinement runs through the mesh over several launches. Blocks end with a barrier.
// Used by: the study of block scheduling (LonestarGPU's dmr: 112 blocks of 512, no shared memory)
// and the one of several sockets. Newest-vertex bisection (Mitchell: ACM TOMS 1989) instead of
// Delaunay's cavities: its result does not depend on the order.
//
// As many registers as published:
// .maxnreg dmr_check 32
// .maxnreg dmr_refine 32
#include "mesh.h"

#define NONE 0xffffffffu

// dmr.c has the same structure with device addresses.
struct mesh {
    struct point *points;
    u32 *corners;    // 3 per triangle
    u32 *neighbours; // 3 per triangle, opposite its corners
    u32 *wanted;     // it must be bisected
    u32 *plan;       // its partner in this launch; itself: no partner; NONE
    u32 *split_in;   // the round in which it was last bisected
    u32 *sibling;    // its second child then
    u32 *counts;     // triangles, points
};

DEVICE_CALL bool has_corner(const struct mesh *m, u32 triangle, u32 point)
{
    const u32 *c = &m->corners[3 * triangle];
    return c[0] == point || c[1] == point || c[2] == point;
}

// A neighbour that was bisected in the round before: which child has the edge now.
DEVICE_CALL void repair_links(const struct mesh *m, u32 t, u32 round)
{
    for (u32 e = 0; e < 3; e++) {
        u32 n = m->neighbours[3 * t + e];
        if (n == NONE || m->split_in[n] != round)
            continue;
        u32 a = m->corners[3 * t + (e + 1) % 3], b = m->corners[3 * t + (e + 2) % 3];
        if (!has_corner(m, n, a) || !has_corner(m, n, b))
            m->neighbours[3 * t + e] = m->sibling[n];
    }
}

extern "C" __global__ void __launch_bounds__(512)
    dmr_check(struct mesh m, struct sizing sizing, u32 round, u32 *again)
{
    bool found = false;
    u32 count = m.counts[0];
    for (u32 t = blockIdx.x * blockDim.x + threadIdx.x; t < count; t += gridDim.x * blockDim.x) {
        repair_links(&m, t, round);
        u32 a = m.corners[3 * t], b = m.corners[3 * t + 1], c = m.corners[3 * t + 2];
        if (!m.wanted[t] && !is_too_large(m.points[a], m.points[b], m.points[c], sizing))
            continue;
        found = true;
        u32 n = m.neighbours[3 * t];
        if (n == NONE) {
            m.plan[t] = t;
        } else if (m.corners[3 * n + 1] == c && m.corners[3 * n + 2] == b) {
            m.plan[t < n ? t : n] = t < n ? n : t; // both may write it
        } else {
            m.wanted[t] = 1;
            m.wanted[n] = 1; // seen in this launch or in the next
        }
    }
    if (__syncthreads_or(found) && threadIdx.x == 0)
        *again = 1;
}

// Children of t with the new point p: t itself and `sibling`; across the base lies n, whose
// children are n and n_sibling, or nothing.
DEVICE_CALL void bisect(const struct mesh *m, u32 t, u32 sibling, u32 n, u32 n_sibling, u32 p,
                        u32 round)
{
    u32 *c = &m->corners[3 * t], *d = &m->corners[3 * sibling];
    u32 *near = &m->neighbours[3 * t], *far = &m->neighbours[3 * sibling];
    u32 apex = c[0], left = c[1], right = c[2], right_side = near[1], left_side = near[2];
    c[0] = p, c[1] = apex, c[2] = left;
    d[0] = p, d[1] = right, d[2] = apex;
    near[0] = left_side, near[1] = n_sibling, near[2] = sibling;
    far[0] = right_side, far[1] = t, far[2] = n;
    m->wanted[t] = m->wanted[sibling] = 0;
    m->plan[sibling] = NONE;
    m->split_in[sibling] = 0;
    m->sibling[t] = sibling;
    m->split_in[t] = round;
}

extern "C" __global__ void __launch_bounds__(512) dmr_refine(struct mesh m, u32 count, u32 round)
{
    for (u32 t = blockIdx.x * blockDim.x + threadIdx.x; t < count; t += gridDim.x * blockDim.x) {
        u32 n = m.plan[t];
        if (n == NONE)
            continue;
        m.plan[t] = NONE;
        bool alone = n == t;
        u32 p = atomicAdd(&m.counts[1], 1u), sibling = atomicAdd(&m.counts[0], alone ? 1u : 2u);
        m.points[p] = middle(m.points[m.corners[3 * t + 1]], m.points[m.corners[3 * t + 2]]);
        bisect(&m, t, sibling, alone ? NONE : n, alone ? NONE : sibling + 1, p, round);
        if (!alone)
            bisect(&m, n, sibling + 1, t, sibling, p, round);
    }
    __syncthreads();
}
