/*
 * Host of raytracing: the nearest triangle of every pixel (see raytracing.cu for its memory
 * behaviour and use).
 *
 * The CPU tries every triangle with the kernel's operations and needs no tree: triangle and
 * distance of every pixel are compared exactly.
 */
#include "host.h"
#include "random.h"
#include "scene.h"

#include <stdlib.h>

static const struct host_choice choices[] = {
    {"triangles", "in the scene", .sizes = {200, 2000, 4000}},
    {"side", "of the image in pixels", .sizes = {32, 128, 512}},
    {0},
};

struct tree {
    struct node *nodes;
    const struct triangle *triangles;
    u32 *numbers, used;
};

/* What numbers are sorted by: the middle of their triangles along an axis. */
struct order {
    const struct triangle *triangles;
    u32 axis;
};

static float centre(const struct order *o, u32 number)
{
    const struct triangle *t = &o->triangles[number];
    const float *a = &t->a.x, *ab = &t->ab.x, *ac = &t->ac.x;
    return a[o->axis] + (ab[o->axis] + ac[o->axis]) / 3;
}

static int by_centre(const void *a, const void *b, void *order)
{
    u32 i = *(const u32 *)a, j = *(const u32 *)b;
    float x = centre(order, i), y = centre(order, j);
    return x < y ? -1 : x > y ? 1 : i < j ? -1 : 1;
}

static void grow(struct node *n, const struct triangle *t)
{
    const float *a = &t->a.x, *ab = &t->ab.x, *ac = &t->ac.x;
    float *low = &n->low.x, *high = &n->high.x;
    for (u32 k = 0; k < 3; k++) {
        float corners[3] = {a[k], a[k] + ab[k], a[k] + ac[k]};
        for (u32 c = 0; c < 3; c++) {
            low[k] = least(low[k], corners[c] - 1e-4f);
            high[k] = most(high[k], corners[c] + 1e-4f);
        }
    }
}

/* Halves along the longest axis, down to leaves. */
static void build(struct tree *t, u32 at, u32 first, u32 count)
{
    struct node *n = &t->nodes[at];
    *n = (struct node){{1e30f, 1e30f, 1e30f}, {-1e30f, -1e30f, -1e30f}, first, count};
    for (u32 i = 0; i < count; i++)
        grow(n, &t->triangles[t->numbers[first + i]]);
    if (count <= LEAF)
        return;
    struct vector size = minus(n->high, n->low);
    struct order o = {t->triangles, size.x >= size.y && size.x >= size.z ? 0
                                    : size.y >= size.z                   ? 1
                                                                         : 2};
    qsort_r(t->numbers + first, count, sizeof(u32), by_centre, &o);
    n->first = t->used;
    n->count = 0;
    t->used += 2;
    build(t, n->first, first, count / 2);
    build(t, n->first + 1, first + count / 2, count - count / 2);
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "raytracing", choices, argc, argv);
    u32 count = host_measure(&h, "triangles"), side = host_measure(&h, "side");
    struct random r = random_stream(h.seed, "triangles");
    struct triangle *triangles = HOST_ARRAY(&h, struct triangle, count);
    struct tree t = {HOST_ARRAY(&h, struct node, 2 * count), triangles, HOST_ARRAY(&h, u32, count),
                     1};
    float size = 2.5f / sqrtf((float)count);
    for (u32 i = 0; i < count; i++) {
        float *at = &triangles[i].a.x, *ab = &triangles[i].ab.x, *ac = &triangles[i].ac.x;
        for (u32 k = 0; k < 3; k++) {
            at[k] = 1.4f * random_unit(r, 9 * i + k) - 0.2f;
            ab[k] = size * (random_unit(r, 9 * i + 3 + k) - 0.5f);
            ac[k] = size * (random_unit(r, 9 * i + 6 + k) - 0.5f);
        }
        t.numbers[i] = i;
    }
    build(&t, 0, 0, count);
    struct triangle *ordered = HOST_ARRAY(&h, struct triangle, count);
    for (u32 i = 0; i < count; i++)
        ordered[i] = triangles[t.numbers[i]];
    CUdeviceptr nodes = host_upload(&h, t.nodes, t.used * sizeof *t.nodes);
    CUdeviceptr device_triangles = host_upload(&h, ordered, count * sizeof *ordered);
    CUdeviceptr numbers = host_upload(&h, t.numbers, count * sizeof(u32));
    CUdeviceptr device_hits = host_device_alloc(&h, side * side * sizeof(struct hit));
    host_launch(&h, host_kernel(&h, "raytracing"), DIM2(blocks_for(side, 8), blocks_for(side, 8)),
                DIM2(8, 8), 0,
                ARGS(&nodes, &device_triangles, &numbers, &device_hits, &side, &side));
    struct hit *hits = HOST_ARRAY(&h, struct hit, side * side);
    for (u32 p = 0; p < side * side; p++) {
        struct ray ray = ray_of(p % side, p / side, side, side);
        hits[p] = (struct hit){NOTHING, 1e30f};
        for (u32 i = 0; i < count; i++)
            meet(&hits[p], &ray, triangles[i], i);
    }
    host_check_u32(&h, "hits", device_hits, &hits[0].triangle, 2 * (size_t)side * side);
    return host_finish(&h);
}
