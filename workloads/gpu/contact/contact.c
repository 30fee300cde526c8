/*
 * Host of contact: points that meet a surface (see contact.cu for its memory behaviour and use).
 *
 * The CPU looks through the same cells in the same order with the same operations: contacts of
 * every step and the points in the end are compared exactly.
 */
#include "facet.h"
#include "host.h"
#include "random.h"

#define BLOCK 128

static const struct host_choice choices[] = {
    {"cells", "of the surface in a row, about 12 facets each", .sizes = {12, 60, 500}},
    {"points", "that move", .sizes = {600, 16000, 300000}},
    {"steps", "in time", .sizes = {2, 3, 5}},
    {0},
};

/* Facets of a rough plane at height 0, by cell; a cell has 4 to 20. */
static struct facet *make_facets(struct host *h, u32 cells, u32 *first)
{
    struct random count = random_stream(h->seed, "counts"), r = random_stream(h->seed, "facets");
    for (u32 c = 0; c < cells * cells; c++)
        first[c + 1] = first[c] + 4 + random_below(count, c, 17);
    struct facet *facets = HOST_ARRAY(h, struct facet, first[cells * cells]);
    for (u32 c = 0; c < cells * cells; c++) {
        u32 row = c / cells;
        for (u32 f = first[c]; f < first[c + 1]; f++) {
            struct vector tilt = {random_unit(r, 5 * f) - 0.5f, random_unit(r, 5 * f + 1) - 0.5f,
                                  1};
            float length = sqrtf(dot(tilt, tilt));
            facets[f].normal = (struct vector){tilt.x / length, tilt.y / length, tilt.z / length};
            facets[f].at = (struct vector){(float)(c % cells) + random_unit(r, 5 * f + 2),
                                           (float)row + random_unit(r, 5 * f + 3),
                                           0.2f * random_unit(r, 5 * f + 4)};
        }
    }
    return facets;
}

static struct contact search(const struct facet *facets, const u32 *first, u32 cells,
                             struct vector p)
{
    struct contact best = {NO_FACET, 0};
    u32 cx = cell_of(p.x, cells), cy = cell_of(p.y, cells);
    for (u32 k = 0; k < 9; k++) { /* row by row; numbers below 0 are large ones */
        u32 x = cx + k % 3 - 1, y = cy + k / 3 - 1;
        if (x >= cells || y >= cells)
            continue;
        for (u32 f = first[y * cells + x]; f < first[y * cells + x + 1]; f++)
            consider(&best, p, facets[f], f);
    }
    return best;
}

static void respond(struct vector *p, struct vector *v, const struct facet *facets,
                    struct contact c, float stiffness, float dt)
{
    float push = c.facet != NO_FACET && c.gap < 0 ? -stiffness * c.gap : 0;
    struct vector n = push > 0 ? facets[c.facet].normal : (struct vector){0, 0, 0};
    *v = (struct vector){fmaf(push, n.x, v->x), fmaf(push, n.y, v->y), fmaf(push, n.z, v->z)};
    *p = (struct vector){fmaf(dt, v->x, p->x), fmaf(dt, v->y, p->y), fmaf(dt, v->z, p->z)};
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "contact", choices, argc, argv);
    u32 cells = host_measure(&h, "cells"), count = host_measure(&h, "points");
    u32 *first = HOST_ARRAY(&h, u32, cells * cells + 1);
    struct facet *facets = make_facets(&h, cells, first);
    struct random r = random_stream(h.seed, "points");
    struct vector *points = HOST_ARRAY(&h, struct vector, count);
    struct vector *velocity = HOST_ARRAY(&h, struct vector, count);
    struct contact *contacts = HOST_ARRAY(&h, struct contact, count);
    for (u32 i = 0; i < count; i++) { /* neighbours in the list are near each other */
        float place = (float)i / (float)count * (float)cells;
        points[i] = (struct vector){(float)cells * random_unit(r, 6 * i), place,
                                    random_unit(r, 6 * i + 1) - 0.2f};
        velocity[i] = (struct vector){random_unit(r, 6 * i + 2) - 0.5f,
                                      random_unit(r, 6 * i + 3) - 0.5f, -random_unit(r, 6 * i + 4)};
    }
    CUdeviceptr device_facets = host_upload(&h, facets, first[cells * cells] * sizeof *facets);
    CUdeviceptr device_first = host_upload(&h, first, (cells * cells + 1) * sizeof(u32));
    CUdeviceptr device_points = host_upload(&h, points, count * sizeof *points);
    CUdeviceptr device_velocity = host_upload(&h, velocity, count * sizeof *velocity);
    CUdeviceptr device_contacts = host_device_alloc(&h, count * sizeof *contacts);
    float stiffness = 0.5f, dt = 0.1f;
    struct dim grid = DIM1(blocks_for(count, BLOCK)), block = DIM1(BLOCK);
    for (u32 step = 0, steps = host_measure(&h, "steps"); step < steps; step++) {
        host_launch(
            &h, host_kernel(&h, "contact_search"), grid, block, 0,
            ARGS(&device_points, &device_facets, &device_first, &device_contacts, &cells, &count));
        host_launch(&h, host_kernel(&h, "contact_respond"), grid, block, 0,
                    ARGS(&device_points, &device_velocity, &device_facets, &device_contacts,
                         &stiffness, &dt, &count));
        for (u32 i = 0; i < count; i++) {
            contacts[i] = search(facets, first, cells, points[i]);
            respond(&points[i], &velocity[i], facets, contacts[i], stiffness, dt);
        }
        host_check_u32(&h, "contacts", device_contacts, &contacts[0].facet, 2 * (size_t)count);
    }
    host_check_f32(&h, "points", device_points, &points[0].x, 3 * (size_t)count);
    return host_finish(&h);
}
