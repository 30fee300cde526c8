/*
 * Host of miniamr: stencils on a mesh that changes (see miniamr.cu for its memory behaviour and
 * use).
 *
 * The CPU does the same operations in the same order on the same list of blocks: every cell is
 * compared exactly.
 */
#include "blocks.h"
#include "host.h"

#include <string.h>

static const struct host_choice choices[] = {
    {"side", "of the domain in large blocks", .sizes = {3, 6, 16}},
    {"meshes", "one after the other, as the sphere moves", .sizes = {2, 3, 10}},
    {"steps", "on each mesh", .sizes = {1, 3, 10}},
    {0},
};

struct mesh {
    u32 side, count;
    u32 *first; /* of a large block: itself, or its eight eighths */
    u8 *split;
};

/* Split where the sphere's surface passes; its middle moves along x. */
static void make_mesh(struct mesh *m, u32 step)
{
    m->count = 0;
    for (u32 i = 0; i < m->side * m->side * m->side; i++) {
        float half = 0.5f * (float)m->side, radius = 0.4f * (float)m->side;
        u32 layer = i / m->side / m->side;
        float x = (float)(i % m->side) + 0.5f - 0.6f * (float)(step + 1);
        float y = (float)(i / m->side % m->side) + 0.5f - half, z = (float)layer + 0.5f - half;
        float away = sqrtf(x * x + y * y + z * z) - radius;
        m->split[i] = away > -0.7f && away < 0.7f;
        m->first[i] = m->count;
        m->count += m->split[i] ? 8 : 1;
    }
}

/* The block behind a face of a large block or of its eighth (eighth = 8: not split). */
static void link_face(const struct mesh *m, u32 large, u32 eighth, u32 face, struct block *b)
{
    u32 axis = face / 2, up = face % 2, steps[3] = {1, m->side, m->side * m->side};
    u32 at = large / steps[axis] % m->side, bit = 1u << axis;
    if (eighth < 8 && (eighth >> axis & 1) != up) { /* a sibling */
        b->kind[face] = SAME;
        b->to[face][0] = m->first[large] + (eighth ^ bit);
        return;
    }
    if (up ? at + 1 == m->side : at == 0)
        return; /* END */
    u32 other = up ? large + steps[axis] : large - steps[axis];
    u32 low = axis == 0 ? 1 : 0, high = axis == 2 ? 1 : 2; /* the other two axes */
    if (eighth == 8 && m->split[other]) {
        b->kind[face] = FINER;
        for (u32 k = 0; k < 4; k++)
            b->to[face][k] = m->first[other] + ((up ? 0 : bit) | (k & 1) << low | (k >> 1) << high);
    } else if (eighth < 8 && !m->split[other]) {
        b->kind[face] = COARSER;
        b->to[face][0] = m->first[other];
        b->to[face][1] = (eighth >> low & 1) + 2 * (eighth >> high & 1);
    } else {
        b->kind[face] = SAME;
        b->to[face][0] = m->first[other] + (eighth < 8 ? eighth ^ bit : 0);
    }
}

static void link_blocks(const struct mesh *m, struct block *blocks)
{
    memset(blocks, 0, m->count * sizeof *blocks);
    for (u32 i = 0; i < m->side * m->side * m->side; i++) {
        for (u32 k = 0; k < (m->split[i] ? 8u : 1u); k++) {
            for (u32 face = 0; face < FACES; face++)
                link_face(m, i, m->split[i] ? k : 8, face, &blocks[m->first[i] + k]);
        }
    }
}

static void find_origins(const struct mesh *old, const struct mesh *m, struct origin *origins)
{
    for (u32 i = 0; i < m->side * m->side * m->side; i++) {
        for (u32 k = 0; k < (m->split[i] ? 8u : 1u); k++) {
            struct origin *o = &origins[m->first[i] + k];
            bool same = old->split[i] == m->split[i];
            o->kind = same ? KEEP : m->split[i] ? SPLIT : JOIN;
            o->from = old->first[i] + (same ? k : 0);
            o->eighth = k;
        }
    }
}

static void step_cells(const struct mesh *m, const struct block *blocks, float *from, float *to)
{
    for (u32 i = 0; i < m->count * FACES * N * N; i++) {
        u32 b = i / (FACES * N * N), face = i / (N * N) % FACES, u = i % N, v = i / N % N;
        from[b * CELLS + place_on(face / 2, face % 2 ? N : 0u - 1, u, v)] =
            border_of(blocks, from, b, face, u, v);
    }
    for (u32 i = 0; i < m->count * N * N * N; i++) {
        u32 at = place(i % N, i / N % N, i / (N * N) % N);
        const float *c = from + (size_t)(i / (N * N * N)) * CELLS;
        to[(size_t)(i / (N * N * N)) * CELLS + at] = stencil_at(c, at);
    }
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "miniamr", choices, argc, argv);
    u32 side = host_measure(&h, "side"), large = side * side * side, room = 8 * large;
    struct mesh mesh[2];
    for (u32 i = 0; i < 2; i++)
        mesh[i] = (struct mesh){side, 0, HOST_ARRAY(&h, u32, large), HOST_ARRAY(&h, u8, large)};
    struct block *blocks = HOST_ARRAY(&h, struct block, room);
    struct origin *origins = HOST_ARRAY(&h, struct origin, room);
    size_t bytes = (size_t)room * CELLS * sizeof(float);
    float *cells[2] = {host_random_f32(&h, "cells", (size_t)room * CELLS, 0, 1),
                       HOST_ARRAY(&h, float, (size_t)room *CELLS)};
    memcpy(cells[1], cells[0], bytes);
    CUdeviceptr device[2] = {host_upload(&h, cells[0], bytes), host_upload(&h, cells[0], bytes)};
    CUdeviceptr device_blocks = host_device_alloc(&h, room * sizeof *blocks);
    CUdeviceptr device_origins = host_device_alloc(&h, room * sizeof *origins);
    CUfunction border = host_kernel(&h, "miniamr_border"),
               step = host_kernel(&h, "miniamr_stencil");
    CUfunction change = host_kernel(&h, "miniamr_change");
    u32 meshes = host_measure(&h, "meshes"), steps = host_measure(&h, "steps"), at = 0;
    struct dim threads = DIM1(N * N);
    for (u32 i = 0; i < meshes; i++) {
        struct mesh *m = &mesh[i % 2];
        make_mesh(m, i);
        if (i > 0) {
            find_origins(&mesh[(i - 1) % 2], m, origins);
            CU(&h, cuMemcpyHtoD, (device_origins, origins, m->count * sizeof *origins));
            host_launch(&h, change, DIM1(m->count), threads, 0,
                        ARGS(&device_origins, &device[at], &device[1 - at]));
            for (u32 k = 0; k < m->count * N * N * N; k++) {
                u32 b = k / (N * N * N), x = k % N, y = k / N % N, z = k / (N * N) % N;
                cells[1 - at][(size_t)b * CELLS + place(x, y, z)] =
                    cell_from(origins[b], cells[at], x, y, z);
            }
            at = 1 - at;
        }
        link_blocks(m, blocks);
        CU(&h, cuMemcpyHtoD, (device_blocks, blocks, m->count * sizeof *blocks));
        for (u32 s = 0; s < steps; s++, at = 1 - at) {
            host_launch(&h, border, DIM1(m->count), threads, 0, ARGS(&device_blocks, &device[at]));
            host_launch(&h, step, DIM1(m->count), threads, 0, ARGS(&device[at], &device[1 - at]));
            step_cells(m, blocks, cells[at], cells[1 - at]);
        }
        host_check_f32(&h, "cells", device[at], cells[at], (size_t)m->count * CELLS);
    }
    return host_finish(&h);
}
