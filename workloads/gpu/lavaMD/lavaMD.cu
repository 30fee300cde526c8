// potential and force between charged particles in a grid of boxes, f64
//
// Memory: a block has one box; it brings the particles of each neighbouring box into shared memory
// and goes through them. The sums stay in global memory, 32 bytes per particle: each pair reads and
// writes four of them, every access touching 8 lines per warp, and as a write drops its line from
// L1, nearly every read comes from L2. Bound by the networks and L2, with much f64 arithmetic; DRAM
// hardly matters.
// Used by: the bandwidth and cooperative-caching studies (Rodinia's lavaMD, 7 x 7 x 7 boxes of 100
// particles; here from the method of cells). Small has 5 x 5 x 5 boxes of 24: the blocks of a full
// chip, one warp each, three quarters of the lanes at work as in the original.
#include "device.h"
#include "exponential.h"

#define MOST_PARTICLES 128
#define NEIGHBOURS 27
#define NONE 0xffffffffu

struct particle {
    double x, y, z, charge;
};

struct effect {
    double potential, x, y, z;
};

// One block per box, one thread per particle: the block has at least `count` threads. The boxes
// around box b, itself included, are neighbours[b * NEIGHBOURS] and on, then NONE.
extern "C" __global__ void __launch_bounds__(MOST_PARTICLES)
    lavamd_boxes(const struct particle *particles, const u32 *neighbours, struct effect *effects,
                 double narrowness, u32 count)
{
    __shared__ struct particle others[MOST_PARTICLES];
    u32 box = blockIdx.x, me = threadIdx.x;
    struct effect *mine = effects + box * count + me;
    struct particle p = {0, 0, 0, 0};
    if (me < count)
        p = particles[box * count + me];
    for (u32 i = 0; i < NEIGHBOURS; i++) {
        u32 other = neighbours[box * NEIGHBOURS + i];
        if (other == NONE)
            break;
        if (me < count)
            others[me] = particles[other * count + me];
        __syncthreads();
        for (u32 j = 0; me < count && j < count; j++) {
            double x = p.x - others[j].x, y = p.y - others[j].y, z = p.z - others[j].z;
            double square = fma(z, z, fma(y, y, x * x));
            double potential = others[j].charge * exponential(-(narrowness * square));
            double pull = 2 * potential;
            mine->potential += potential;
            mine->x = fma(pull, x, mine->x);
            mine->y = fma(pull, y, mine->y);
            mine->z = fma(pull, z, mine->z);
            asm volatile("" ::: "memory"); // or the compiler keeps the sums in registers
        }
        __syncthreads();
    }
}
