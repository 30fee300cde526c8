/*
 * Host of md: molecular dynamics in cell lists (see md.cu for its memory behaviour and use).
 *
 * Forces are added in the order of cells and slots, by lanes where a warp has an atom, and atoms go
 * to cells in that order: the CPU does the same, and every atom is compared exactly.
 */
#include "atoms.h"
#include "host.h"
#include "random.h"

enum { THREAD, WARP };

static const struct host_choice choices[] = {
    {"side", "of the cube in cells, 8 atoms each; at least 3", .sizes = {3, 8, 32}},
    {"steps", "in time", .sizes = {2, 2, 10}},
    {"atoms", "per thread, or per warp", .words = {"thread", "warp", NULL}},
    {"threads", "of a block", .sizes = {128, 128, 128}, .most = 1024},
    {0},
};

/* As the lanes add up: halves onto halves. */
static struct vector force_by(const struct atom *atoms, const u32 *counts, u32 i, u32 side,
                              u32 lanes)
{
    struct vector sums[32];
    for (u32 lane = 0; lane < lanes; lane++)
        sums[lane] = forces_on(atoms, counts, i / ROOM, i % ROOM, side, lane, lanes);
    for (u32 by = lanes / 2; by > 0; by /= 2) {
        for (u32 lane = 0; lane < by; lane++) {
            sums[lane].x += sums[lane + by].x;
            sums[lane].y += sums[lane + by].y;
            sums[lane].z += sums[lane + by].z;
        }
    }
    return sums[0];
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "md", choices, argc, argv);
    u32 threads = host_measure(&h, "threads");
    u32 side = host_measure(&h, "side"), cells = side * side * side, slots = cells * ROOM;
    u32 lanes = host_chosen(&h, "atoms") == WARP ? 32 : 1;
    if (side < 3)
        host_fail(&h, "--side is %u, expected at least 3", side);
    struct random r = random_stream(h.seed, "atoms");
    struct atom *atoms[2] = {HOST_ARRAY(&h, struct atom, slots),
                             HOST_ARRAY(&h, struct atom, slots)};
    u32 *counts[2] = {HOST_ARRAY(&h, u32, cells), HOST_ARRAY(&h, u32, cells)};
    struct vector *forces = HOST_ARRAY(&h, struct vector, slots);
    for (u32 i = 0; i < 8 * cells; i++) { /* a lattice, shaken; many are near the next cell */
        u32 c = i / 8, k = i % 8;
        struct atom *a = &atoms[0][c * ROOM + counts[0][c]++];
        a->at.x = (float)(c % side) + 0.5f * (float)(k % 2) + 0.06f * random_unit(r, 6 * i);
        a->at.y = (float)(c / side % side) + 0.5f * (float)(k / 2 % 2) +
                  0.06f * random_unit(r, 6 * i + 1);
        u32 layer = c / side / side, half = k / 4;
        a->at.z = (float)layer + 0.5f * (float)half + 0.06f * random_unit(r, 6 * i + 2);
        a->velocity =
            (struct vector){2 * random_unit(r, 6 * i + 3) - 1, 2 * random_unit(r, 6 * i + 4) - 1,
                            2 * random_unit(r, 6 * i + 5) - 1};
    }
    size_t bytes = slots * sizeof(struct atom);
    CUdeviceptr device[2] = {host_upload(&h, atoms[0], bytes), host_zeros(&h, bytes)};
    CUdeviceptr device_counts[2] = {host_upload(&h, counts[0], cells * sizeof(u32)),
                                    host_zeros(&h, cells * sizeof(u32))};
    CUdeviceptr device_forces = host_zeros(&h, slots * sizeof *forces);
    CUfunction force = host_kernel(&h, lanes == 1 ? "md_force" : "md_force_warp");
    CUfunction move = host_kernel(&h, "md_move"), bin = host_kernel(&h, "md_cells");
    struct dim block = DIM1(threads);
    float dt = 0.01f;
    u32 steps = host_measure(&h, "steps"), from = 0;
    for (u32 step = 0; step < steps; step++, from = 1 - from) {
        u32 to = 1 - from;
        host_launch(&h, force, DIM1(blocks_for(slots * lanes, threads)), block, 0,
                    ARGS(&device[from], &device_counts[from], &device_forces, &side));
        host_launch(&h, move, DIM1(blocks_for(slots, threads)), block, 0,
                    ARGS(&device[from], &device_counts[from], &device_forces, &dt, &side));
        host_launch(
            &h, bin, DIM1(blocks_for(cells, threads)), block, 0,
            ARGS(&device[from], &device_counts[from], &device[to], &device_counts[to], &side));
        for (u32 i = 0; i < slots; i++) {
            if (i % ROOM < counts[from][i / ROOM])
                forces[i] = force_by(atoms[from], counts[from], i, side, lanes);
        }
        for (u32 i = 0; i < slots; i++) {
            if (i % ROOM < counts[from][i / ROOM])
                atoms[from][i] = moved(atoms[from][i], forces[i], dt, side);
        }
        for (u32 c = 0; c < cells; c++) {
            counts[to][c] = collect(atoms[from], counts[from], c, side, atoms[to]);
            if (counts[to][c] == ROOM)
                host_fail(&h, "cell %u is full: %u atoms", c, ROOM);
        }
    }
    host_check_u32(&h, "counts", device_counts[from], counts[from], cells);
    struct atom *got = HOST_ARRAY(&h, struct atom, slots);
    host_download(&h, got, device[from], bytes);
    for (u32 c = 0; c < cells; c++)
        host_compare_f32(&h, "atoms", &got[c * ROOM].at.x, &atoms[from][c * ROOM].at.x,
                         6 * (size_t)counts[from][c]);
    return host_finish(&h);
}
