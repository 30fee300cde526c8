// ray tracing: the nearest of many triangles for every pixel, through a tree of boxes
//
// Memory: neighbouring rays go through the same upper boxes, which stay in L1, then through
// different ones; a thread has its stack in local memory. Paths differ: divergence. Mostly
// arithmetic, hardly any DRAM traffic; what is reused grows with the number of triangles.
// Used by: the studies of several sockets (Optix) and of shared caches (raytracing); from the
// algorithm (Kay and Kajiya: SIGGRAPH 1986).
#include "scene.h"

#define DEEPEST 32

extern "C" __global__ void raytracing(const struct node *nodes, const struct triangle *triangles,
                                      const u32 *numbers, struct hit *hits, u32 width, u32 height)
{
    u32 x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    struct ray r = ray_of(x, y, width, height);
    struct hit best = {NOTHING, 1e30f};
    u32 stack[DEEPEST], used = 1;
    stack[0] = 0;
    while (used > 0) {
        struct node n = nodes[stack[--used]];
        if (!enters(&r, &n, best.distance))
            continue;
        for (u32 i = 0; i < n.count; i++)
            meet(&best, &r, triangles[n.first + i], numbers[n.first + i]);
        if (n.count == 0) {
            stack[used++] = n.first + 1;
            stack[used++] = n.first;
        }
    }
    hits[y * width + x] = best;
}
