/*
 * Host of dmr: refinement of a triangle mesh (see dmr.cu for its memory behaviour and use).
 *
 * The coarsest mesh that bisection can reach, in which all fit together and none is too large, is
 * one and the same whatever the order (newest-vertex bisection). Numbers of triangles and points
 * depend on the order, so the triangles' corners are compared as a set: both sides are sorted.
 */
#include "host.h"
#include "mesh.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK 512
#define NONE 0xffffffffu

/* dmr.cu has the same structure with pointers. */
struct mesh {
    CUdeviceptr points, corners, neighbours, wanted, plan, split_in, sibling, counts;
};

struct triangle {
    struct point at[3];
};

static const struct host_choice choices[] = {
    {"side", "cells of the first mesh in a row, two triangles each", .sizes = {8, 128, 512}},
    {"growth", "of the finest area in a thousandth; larger: fewer", .sizes = {20, 4, 100}},
    {"blocks", "of 512 threads", .sizes = {8, 112, 112}},
    {0},
};

/* The CPU's: triangles in an array, neighbours found by their corners' common edge. */
struct serial {
    struct host *h;
    struct triangle *triangles;
    u32 (*neighbours)[3];
    u32 count, room;
    struct sizing sizing;
};

/* A neighbour's link to `from` becomes one to `to`. */
static void relink(struct serial *s, u32 at, u32 from, u32 to)
{
    for (u32 e = 0; at != NONE && e < 3; e++) {
        if (s->neighbours[at][e] == from)
            s->neighbours[at][e] = to;
    }
}

static void halve(struct serial *s, u32 t, u32 sibling, u32 n, u32 n_sibling)
{
    struct triangle old = s->triangles[t];
    struct point m = middle(old.at[1], old.at[2]);
    u32 right = s->neighbours[t][1], left = s->neighbours[t][2];
    s->triangles[t] = (struct triangle){{m, old.at[0], old.at[1]}};
    s->triangles[sibling] = (struct triangle){{m, old.at[2], old.at[0]}};
    memcpy(s->neighbours[t], (u32[]){left, n_sibling, sibling}, sizeof *s->neighbours);
    memcpy(s->neighbours[sibling], (u32[]){right, t, n}, sizeof *s->neighbours);
    relink(s, right, t, sibling);
}

/* As the books have it: first the neighbour, until it has the same base; then both. */
static void refine(struct serial *s, u32 t)
{
    u32 n = s->neighbours[t][0];
    if (s->count + 2 > s->room)
        host_fail(s->h, "more than %u triangles", s->room);
    if (n == NONE) {
        halve(s, t, s->count, NONE, NONE);
        s->count++;
        return;
    }
    if (s->neighbours[n][0] != t) {
        refine(s, n);
        n = s->neighbours[t][0];
    }
    u32 sibling = s->count;
    s->count += 2;
    halve(s, t, sibling, n, sibling + 1);
    halve(s, n, sibling + 1, t, sibling);
}

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct triangle));
}

/* Two triangles per cell whose bases are its diagonal. */
static void make_mesh(struct serial *s, struct point *points, u32 *corners, u32 side)
{
    assert(side > 0);
    float step = 1.0f / (float)side;
    for (u32 i = 0; i < (side + 1) * (side + 1); i++) {
        u32 row = i / (side + 1), column = i % (side + 1);
        points[i] = (struct point){(float)column * step, (float)row * step};
    }
    for (u32 i = 0; i < side * side; i++) {
        u32 x = i % side, y = i / side, p = y * (side + 1) + x, lower = 2 * i, upper = 2 * i + 1;
        /* the lower one is right of the diagonal from p up to the opposite corner */
        memcpy(&corners[3 * lower], (u32[]){p + 1, p + side + 2, p}, 3 * sizeof(u32));
        memcpy(&corners[3 * upper], (u32[]){p + side + 1, p, p + side + 2}, 3 * sizeof(u32));
        u32 of_lower[3] = {upper, y > 0 ? lower - 2 * side + 1 : NONE,
                           x + 1 < side ? upper + 2 : NONE};
        u32 of_upper[3] = {lower, y + 1 < side ? upper + 2 * side - 1 : NONE,
                           x > 0 ? lower - 2 : NONE};
        memcpy(s->neighbours[lower], of_lower, sizeof of_lower);
        memcpy(s->neighbours[upper], of_upper, sizeof of_upper);
        for (u32 c = 0; c < 3; c++) {
            s->triangles[lower].at[c] = points[corners[3 * lower + c]];
            s->triangles[upper].at[c] = points[corners[3 * upper + c]];
        }
    }
    s->count = 2 * side * side;
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "dmr", choices, argc, argv);
    u32 side = host_measure(&h, "side"), blocks = host_measure(&h, "blocks");
    struct random r = random_stream(h.seed, "focus");
    struct serial s = {.h = &h, .room = 32 * side * side + 4096};
    float cell = 1 / ((float)side * (float)side);
    s.sizing = (struct sizing){
        .focus = {0.25f + 0.5f * random_unit(r, 0), 0.25f + 0.5f * random_unit(r, 1)},
        .finest = cell / 64,
        .growth = cell * (float)host_measure(&h, "growth")};
    s.triangles = HOST_ARRAY(&h, struct triangle, s.room);
    s.neighbours = host_alloc(&h, s.room, sizeof *s.neighbours);
    struct point *points = HOST_ARRAY(&h, struct point, s.room);
    u32 *corners = HOST_ARRAY(&h, u32, 3 * (size_t)s.room);
    make_mesh(&s, points, corners, side);

    size_t words = s.room * sizeof(u32);
    u32 counts[2] = {s.count, (side + 1) * (side + 1)};
    struct mesh m = {.points = host_upload(&h, points, s.room * sizeof *points),
                     .corners = host_upload(&h, corners, 3 * words),
                     .neighbours = host_upload(&h, s.neighbours, 3 * words),
                     .wanted = host_zeros(&h, words),
                     .plan = host_device_alloc(&h, words),
                     .split_in = host_zeros(&h, words),
                     .sibling = host_zeros(&h, words),
                     .counts = host_upload(&h, counts, sizeof counts)};
    CU(&h, cuMemsetD32, (m.plan, NONE, s.room));
    for (u32 before = 0; before != s.count;) { /* children far from t may be too large again */
        before = s.count;
        for (u32 t = 0; t < s.count; t++) {
            struct point *at = s.triangles[t].at;
            while (is_too_large(at[0], at[1], at[2], s.sizing))
                refine(&s, t);
        }
    }

    CUdeviceptr again = host_device_alloc(&h, sizeof(u32));
    CUfunction check = host_kernel(&h, "dmr_check"), split = host_kernel(&h, "dmr_refine");
    for (u32 round = 0, going = 1;; round++) {
        CU(&h, cuMemsetD32, (again, 0, 1));
        host_launch(&h, check, DIM1(blocks), DIM1(BLOCK), 0, ARGS(&m, &s.sizing, &round, &again));
        host_download(&h, &going, again, sizeof going);
        if (!going)
            break;
        u32 next = round + 1;
        host_launch(&h, split, DIM1(blocks), DIM1(BLOCK), 0, ARGS(&m, &counts[0], &next));
        host_download(&h, counts, m.counts, sizeof counts);
        if (counts[0] > s.room)
            host_fail(&h, "%u triangles, expected at most %u", counts[0], s.room);
    }

    host_compare_u32(&h, "triangles", counts, &s.count, 1);
    host_download(&h, points, m.points, counts[1] * sizeof *points);
    host_download(&h, corners, m.corners, 3 * counts[0] * sizeof(u32));
    struct triangle *got = HOST_ARRAY(&h, struct triangle, s.room);
    for (u32 i = 0; i < 3 * counts[0]; i++)
        got[i / 3].at[i % 3] = points[corners[i]];
    qsort(got, counts[0], sizeof *got, by_bytes);
    qsort(s.triangles, s.count, sizeof *got, by_bytes);
    if (counts[0] == s.count)
        host_compare_f32(&h, "corners", &got[0].at[0].x, &s.triangles[0].at[0].x, 6 * s.count);
    return host_finish(&h);
}
