/*
 * Host of transport: particles through a cube (see transport.cu for its memory behaviour and use).
 *
 * A particle's life depends on its number and the seed alone; tallies are whole numbers, so their
 * order does not matter. All are compared exactly.
 */
#include "flight.h"
#include "host.h"

#define BLOCK 128

static const struct host_choice choices[] = {
    {"side", "of the cube, in mean flights and in cells", .sizes = {8, 40, 200}},
    {"particles", "from the middle", .sizes = {1000, 40000, 3000000}},
    {"blocks", "of 128 threads", .sizes = {2, 60, 1056}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "transport", choices, argc, argv);
    u32 side = host_measure(&h, "side"), cells = side * side * side;
    u32 count = host_measure(&h, "particles"), seed = (u32)h.seed * 0x9e3779b1u, left = 0;
    float *density = host_random_f32(&h, "density", cells, 0.3f, 1);
    float *absorb = host_random_f32(&h, "absorb", cells, 0, 0.2f);
    size_t bytes = cells * sizeof(u32);
    CUdeviceptr device_density = host_upload(&h, density, bytes);
    CUdeviceptr device_absorb = host_upload(&h, absorb, bytes);
    CUdeviceptr device_collisions = host_zeros(&h, bytes), device_absorbed = host_zeros(&h, bytes);
    CUdeviceptr device_left = host_zeros(&h, sizeof(u32));
    host_launch(&h, host_kernel(&h, "transport"), DIM1(host_measure(&h, "blocks")), DIM1(BLOCK), 0,
                ARGS(&device_density, &device_absorb, &device_collisions, &device_absorbed,
                     &device_left, &side, &seed, &count));
    u32 *collisions = HOST_ARRAY(&h, u32, cells), *absorbed = HOST_ARRAY(&h, u32, cells), cell;
    for (u32 i = 0; i < count; i++) {
        struct particle p = particle_at(i, seed, side);
        for (u32 flight = 0; flight < MOST_FLIGHTS; flight++) {
            if (!fly(&p, side, &cell)) {
                left++;
                break;
            }
            if (mix_unit(p.random++) >= density[cell])
                continue;
            collisions[cell]++;
            if (mix_unit(p.random++) < absorb[cell]) {
                absorbed[cell]++;
                break;
            }
            turn(&p);
        }
    }
    host_check_u32(&h, "collisions", device_collisions, collisions, cells);
    host_check_u32(&h, "absorbed", device_absorbed, absorbed, cells);
    host_check_u32(&h, "left", device_left, &left, 1);
    return host_finish(&h);
}
