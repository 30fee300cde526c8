/*
 * Rays, triangles and boxes: shared by the kernel and the host.
 */
#ifndef RAYTRACING_SCENE_H
#define RAYTRACING_SCENE_H

#include "both.h"

#define NOTHING 0xffffffffu
#define LEAF 4 /* triangles of a leaf at most */

struct vector {
    float x, y, z;
};

struct triangle {
    struct vector a, ab, ac;
};

struct ray {
    struct vector from, along, inverse;
};

struct hit {
    u32 triangle;
    float distance;
};

/* A leaf has `count` triangles from `first` on; otherwise its children are first and first + 1. */
struct node {
    struct vector low, high;
    u32 first, count;
};

BOTH struct vector minus(struct vector a, struct vector b)
{
    struct vector v = {a.x - b.x, a.y - b.y, a.z - b.z};
    return v;
}

BOTH float dot(struct vector a, struct vector b)
{
    return fmaf(a.z, b.z, fmaf(a.y, b.y, a.x * b.x));
}

BOTH struct vector cross(struct vector a, struct vector b)
{
    struct vector v = {fmaf(a.y, b.z, -(a.z * b.y)), fmaf(a.z, b.x, -(a.x * b.z)),
                       fmaf(a.x, b.y, -(a.y * b.x))};
    return v;
}

/* Moeller and Trumbore 1997; the nearer triangle wins, of two at one distance the lower number. */
BOTH void meet(struct hit *best, const struct ray *r, struct triangle t, u32 number)
{
    struct vector p = cross(r->along, t.ac), s = minus(r->from, t.a), q = cross(s, t.ab);
    float determinant = dot(t.ab, p);
    if (determinant > -1e-12f && determinant < 1e-12f)
        return;
    float u = dot(s, p) / determinant, v = dot(r->along, q) / determinant;
    float distance = dot(t.ac, q) / determinant;
    if (u < 0 || v < 0 || u + v > 1 || distance <= 0 || distance > best->distance)
        return;
    if (distance < best->distance || number < best->triangle) {
        best->distance = distance;
        best->triangle = number;
    }
}

BOTH float least(float a, float b)
{
    return a < b ? a : b;
}

BOTH float most(float a, float b)
{
    return a > b ? a : b;
}

/* Does the ray pass through the box before `limit`? Boxes are a little larger than what they hold.
 */
BOTH bool enters(const struct ray *r, const struct node *n, float limit)
{
    float x0 = (n->low.x - r->from.x) * r->inverse.x, x1 = (n->high.x - r->from.x) * r->inverse.x;
    float y0 = (n->low.y - r->from.y) * r->inverse.y, y1 = (n->high.y - r->from.y) * r->inverse.y;
    float z0 = (n->low.z - r->from.z) * r->inverse.z, z1 = (n->high.z - r->from.z) * r->inverse.z;
    float in = most(most(least(x0, x1), least(y0, y1)), most(least(z0, z1), 0));
    float out = least(least(most(x0, x1), most(y0, y1)), least(most(z0, z1), limit));
    return in <= out;
}

/* From (1/2, 1/2, -1) through a pixel of the unit square at z = 0. */
BOTH struct ray ray_of(u32 x, u32 y, u32 width, u32 height)
{
    struct vector along = {((float)x + 0.53f) / (float)width - 0.5f,
                           ((float)y + 0.53f) / (float)height - 0.5f, 1};
    struct ray r = {{0.5f, 0.5f, -1}, along, {1 / along.x, 1 / along.y, 1 / along.z}};
    return r;
}

#endif
