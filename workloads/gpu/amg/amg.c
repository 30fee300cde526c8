/*
 * Host of amg: V-cycles over sparse matrices (see amg.cu for its memory behaviour and use).
 *
 * The problem is a seven-point Laplacian with a shift on a cube; an aggregate is a cube of eight,
 * so the coarse matrix is a Laplacian again, with weights four times as large. The CPU does the
 * kernels' operations in their order: the solution is compared exactly, after every cycle.
 */
#include "graph.h"
#include "host.h"
#include "rows.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK 128
#define MOST_LEVELS 8
#define SHIFT 0.01f

static const struct host_choice choices[] = {
    {"side", "of the cube of unknowns; halved while even and above 4", .sizes = {8, 48, 160}},
    {"cycles", "over all levels", .sizes = {2, 2, 10}},
    {0},
};

struct level {
    u32 side, count;
    u32 *number, *members; /* of unknowns by place; of the aggregates of the next level */
    float *b, *x, *next;
    struct rows rows, device_rows;
    CUdeviceptr device_members, device_b, device_x, device_next;
};

static void make_level(struct level *l, struct host *h, u32 side, float weight, float shift)
{
    u32 n = l->count = side * side * side, used = 0;
    u32 *first = HOST_ARRAY(h, u32, n + 1), *columns = HOST_ARRAY(h, u32, 6 * (size_t)n);
    float *values = HOST_ARRAY(h, float, 6 * (size_t)n), *diagonal = HOST_ARRAY(h, float, n);
    u32 *place = HOST_ARRAY(h, u32, n);
    l->side = side;
    l->number = HOST_ARRAY(h, u32, n);
    graph_shuffle(l->number, n, random_stream(h->seed + side, "unknowns"));
    for (u32 i = 0; i < n; i++)
        place[l->number[i]] = i;
    u32 steps[3] = {1, side, side * side};
    for (u32 i = 0; i < n; i++) {
        first[i] = used;
        for (u32 k = 0; k < 6; k++) {
            u32 at = place[i] / steps[k / 2] % side;
            if (k % 2 ? at + 1 == side : at == 0)
                continue;
            columns[used] = l->number[k % 2 ? place[i] + steps[k / 2] : place[i] - steps[k / 2]];
            values[used++] = -weight;
        }
        first[i + 1] = used;
        diagonal[i] = weight * (float)(used - first[i]) + shift;
    }
    l->rows = (struct rows){first, columns, values, diagonal};
    l->device_rows = (struct rows){(const u32 *)host_upload(h, first, (n + 1) * sizeof(u32)),
                                   (const u32 *)host_upload(h, columns, used * sizeof(u32)),
                                   (const float *)host_upload(h, values, used * sizeof(float)),
                                   (const float *)host_upload(h, diagonal, n * sizeof(float))};
    l->b = host_random_f32(h, "b", n, -1, 1);
    l->x = HOST_ARRAY(h, float, n);
    l->next = HOST_ARRAY(h, float, n);
    l->device_b = host_upload(h, l->b, n * sizeof(float));
    l->device_x = host_zeros(h, n * sizeof(float));
    l->device_next = host_zeros(h, n * sizeof(float));
}

static void aggregate(struct level *fine, const struct level *coarse, struct host *h)
{
    fine->members = HOST_ARRAY(h, u32, fine->count);
    for (u32 i = 0; i < fine->count; i++) {
        u32 s = fine->side, x = i % s, y = i / s % s, z = i / s / s;
        u32 of = coarse->number[(z / 2 * (s / 2) + y / 2) * (s / 2) + x / 2];
        fine->members[MEMBERS * of + 4 * (z % 2) + 2 * (y % 2) + x % 2] = fine->number[i];
    }
    fine->device_members = host_upload(h, fine->members, fine->count * sizeof(u32));
}

/* Both sides: x and next change roles. */
static void smooth(struct level *l, struct host *h, u32 times)
{
    for (u32 t = 0; t < times; t++) {
        host_launch(h, host_kernel(h, "amg_smooth"), DIM1(blocks_for(l->count, BLOCK)), DIM1(BLOCK),
                    0,
                    ARGS(&l->device_rows, &l->device_b, &l->device_x, &l->device_next, &l->count));
        for (u32 i = 0; i < l->count; i++)
            l->next[i] =
                fmaf(DAMPING, row_residual(&l->rows, i, l->b, l->x) / l->rows.diagonal[i], l->x[i]);
        float *x = l->x;
        CUdeviceptr device_x = l->device_x;
        l->x = l->next, l->next = x;
        l->device_x = l->device_next, l->device_next = device_x;
    }
}

static void cycle(struct level *l, u32 levels, struct host *h)
{
    if (levels == 1) {
        smooth(l, h, 4);
        return;
    }
    struct level *c = l + 1;
    struct dim block = DIM1(BLOCK), coarse = DIM1(blocks_for(c->count, BLOCK));
    smooth(l, h, 2);
    host_launch(h, host_kernel(h, "amg_residual"), DIM1(blocks_for(l->count, BLOCK)), block, 0,
                ARGS(&l->device_rows, &l->device_b, &l->device_x, &l->device_next, &l->count));
    host_launch(h, host_kernel(h, "amg_restrict"), coarse, block, 0,
                ARGS(&l->device_members, &l->device_next, &c->device_b, &c->device_x, &c->count));
    for (u32 i = 0; i < l->count; i++)
        l->next[i] = row_residual(&l->rows, i, l->b, l->x);
    for (u32 i = 0; i < c->count; i++) {
        c->b[i] = c->x[i] = 0;
        for (u32 k = 0; k < MEMBERS; k++)
            c->b[i] += l->next[l->members[MEMBERS * i + k]];
    }
    cycle(c, levels - 1, h);
    host_launch(h, host_kernel(h, "amg_prolong"), coarse, block, 0,
                ARGS(&l->device_members, &c->device_x, &l->device_x, &c->count));
    for (u32 i = 0; i < l->count; i++)
        l->x[l->members[i]] += c->x[i / MEMBERS];
    smooth(l, h, 1);
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "amg", choices, argc, argv);
    struct level levels[MOST_LEVELS];
    memset(levels, 0, sizeof levels);
    u32 count = 0, cycles = host_measure(&h, "cycles");
    float weight = 1, shift = SHIFT;
    for (u32 side = host_measure(&h, "side"); count < MOST_LEVELS; side /= 2) {
        make_level(&levels[count], &h, side, weight, shift);
        if (count > 0)
            aggregate(&levels[count - 1], &levels[count], &h);
        count++;
        weight *= 4, shift *= 8;
        if (side % 2 || side <= 4)
            break;
    }
    for (u32 i = 0; i < cycles; i++) {
        cycle(levels, count, &h);
        host_check_f32(&h, "x", levels[0].device_x, levels[0].x, levels[0].count);
    }
    return host_finish(&h);
}
