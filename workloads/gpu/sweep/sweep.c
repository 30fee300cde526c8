/*
 * Host of sweep: transport through a cube by wavefronts (see sweep.cu for its memory behaviour and
 * use).
 *
 * A cell has one value per angle, made from its neighbours' by the same operations here and there;
 * the scalar flux is added in one order. Both are compared exactly.
 */
#include "host.h"
#include "upstream.h"

#define CELLS_PER_BLOCK 4

static const struct host_choice choices[] = {
    {"side", "of the cube of cells", .sizes = {8, 32, 96}},
    {"sweeps", "there and back by turns", .sizes = {2, 4, 4}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "sweep", choices, argc, argv);
    u32 side = host_measure(&h, "side"), cells = side * side * side, planes = 3 * side - 2;
    float *source = host_random_f32(&h, "source", cells, 0, 1);
    float *absorb = host_random_f32(&h, "absorb", cells, 0.5f, 2);
    float *psi = HOST_ARRAY(&h, float, (size_t)cells *ANGLES);
    float *flux = HOST_ARRAY(&h, float, cells);
    u32 *order = HOST_ARRAY(&h, u32, cells), *first = HOST_ARRAY(&h, u32, planes + 1), used = 0;
    for (u32 p = 0; p < planes; p++) { /* cells by plane */
        for (u32 z = 0; z < side; z++) {
            for (u32 y = 0; y < side; y++) {
                u32 x = p - y - z;
                if (y + z <= p && x < side)
                    order[used++] = (z * side + y) * side + x;
            }
        }
        first[p + 1] = used;
    }
    CUdeviceptr device_source = host_upload(&h, source, cells * sizeof(float));
    CUdeviceptr device_absorb = host_upload(&h, absorb, cells * sizeof(float));
    CUdeviceptr device_order = host_upload(&h, order, cells * sizeof(u32));
    CUdeviceptr device_psi = host_zeros(&h, (size_t)cells * ANGLES * sizeof(float));
    CUdeviceptr device_flux = host_zeros(&h, cells * sizeof(float));
    CUfunction plane = host_kernel(&h, "sweep_plane"), add = host_kernel(&h, "sweep_flux");
    for (u32 s = 0, sweeps = host_measure(&h, "sweeps"); s < sweeps; s++) {
        u32 backwards = s % 2;
        for (u32 i = 0; i < planes; i++) {
            u32 p = backwards ? planes - 1 - i : i, count = first[p + 1] - first[p];
            CUdeviceptr list = device_order + first[p] * sizeof(u32);
            host_launch(&h, plane, DIM1(blocks_for(count, CELLS_PER_BLOCK)),
                        DIM2(ANGLES, CELLS_PER_BLOCK), 0,
                        ARGS(&list, &count, &device_source, &device_absorb, &device_psi, &side,
                             &backwards));
            for (u32 k = first[p] * ANGLES; k < first[p + 1] * ANGLES; k++) {
                u32 cell = order[k / ANGLES], angle = k % ANGLES;
                psi[cell * ANGLES + angle] =
                    flux_at(source, absorb, psi, cell, angle, side, backwards);
            }
        }
        host_launch(&h, add, DIM1(blocks_for(cells, 128)), DIM1(128), 0,
                    ARGS(&device_psi, &device_flux, &cells));
        for (u32 k = 0; k < cells * ANGLES; k++)
            flux[k / ANGLES] += psi[k];
    }
    host_check_f32(&h, "psi", device_psi, psi, (size_t)cells * ANGLES);
    host_check_f32(&h, "flux", device_flux, flux, cells);
    return host_finish(&h);
}
