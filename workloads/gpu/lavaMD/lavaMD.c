/*
 * Host of lavaMD: potential and force between particles (see lavaMD.cu for its memory behaviour and
 * use).
 *
 * The CPU does the kernel's operations in the kernel's order, the exponential included, so
 * potential and force of every particle are compared exactly: as pairs of 32-bit words.
 */
#include "host.h"
#include "random.h"

#include <math.h>

#define NEIGHBOURS 27
#define NONE 0xffffffffu
#define NARROWNESS 0.5

struct particle {
    double x, y, z, charge;
};

struct effect {
    double potential, x, y, z;
};

static double exponential(double x)
{
    double n = rint(x * 1.4426950408889634);
    double r = fma(n, -0x1.62e42fefa38p-1, x);
    r = fma(n, -0x1.ef35793c7673p-45, r);
    double sum = 1.0 / 3628800;
    for (int k = 9; k >= 0; k--) { /* Taylor's series */
        double factorial = 1;
        for (int i = 2; i <= k; i++)
            factorial *= i;
        sum = fma(sum, r, 1 / factorial);
    }
    return ldexp(sum, (int)n);
}

/* The boxes around each box, itself first, in a cube of `side` boxes along each axis. */
static u32 *make_neighbours(struct host *h, u32 side)
{
    u32 *neighbours = HOST_ARRAY(h, u32, (size_t)side * side * side * NEIGHBOURS);
    int n = (int)side;
    for (int box = 0; box < n * n * n; box++) {
        u32 *list = neighbours + box * NEIGHBOURS, used = 0;
        list[used++] = (u32)box;
        for (int i = 0; i < NEIGHBOURS; i++) {
            int x = box % n + i % 3 - 1, y = box / n % n + i / 3 % 3 - 1,
                z = box / n / n + i / 9 - 1;
            bool inside = x >= 0 && y >= 0 && z >= 0 && x < n && y < n && z < n;
            if (inside && i != NEIGHBOURS / 2)
                list[used++] = (u32)(x + n * (y + n * z));
        }
        while (used < NEIGHBOURS)
            list[used++] = NONE;
    }
    return neighbours;
}

/* Boxes are cubes of length 1; each particle is somewhere in its box. */
static struct particle *make_particles(struct host *h, u32 side, u32 count)
{
    struct random r = random_stream(h->seed, "particles");
    u32 total = side * side * side * count;
    struct particle *particles = HOST_ARRAY(h, struct particle, total);
    for (u32 i = 0; i < total; i++) {
        u32 box = i / count, layer = box / side / side;
        particles[i].x = box % side + (double)random_unit(r, 4 * i);
        particles[i].y = box / side % side + (double)random_unit(r, 4 * i + 1);
        particles[i].z = layer + (double)random_unit(r, 4 * i + 2);
        particles[i].charge = (double)random_unit(r, 4 * i + 3) - 0.5;
    }
    return particles;
}

static void add_box(struct effect *e, struct particle p, const struct particle *others, u32 count)
{
    for (u32 j = 0; j < count; j++) {
        double x = p.x - others[j].x, y = p.y - others[j].y, z = p.z - others[j].z;
        double square = fma(z, z, fma(y, y, x * x));
        double potential = others[j].charge * exponential(-(NARROWNESS * square));
        double pull = 2 * potential;
        e->potential += potential;
        e->x = fma(pull, x, e->x);
        e->y = fma(pull, y, e->y);
        e->z = fma(pull, z, e->z);
    }
}

static const struct host_choice choices[] = {
    {"side", "of the cube of boxes", .sizes = {2, 5, 10}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "lavaMD", choices, argc, argv);
    u32 side = host_measure(&h, "side"), boxes = side * side * side;
    u32 count = host_pick(&h, 20, 24, 100),
        total = boxes * count; /* particles, per box and in all */
    double narrowness = NARROWNESS;

    struct particle *particles = make_particles(&h, side, count);
    u32 *neighbours = make_neighbours(&h, side);
    size_t bytes = total * sizeof(struct effect);
    CUdeviceptr device_particles = host_upload(&h, particles, total * sizeof *particles);
    CUdeviceptr device_neighbours =
        host_upload(&h, neighbours, (size_t)boxes * NEIGHBOURS * sizeof(u32));
    CUdeviceptr effects = host_device_alloc(&h, bytes);
    CU(&h, cuMemsetD8, (effects, 0, bytes));

    host_launch(&h, host_kernel(&h, "lavamd_boxes"), DIM1(boxes), DIM1((count + 31) / 32 * 32), 0,
                ARGS(&device_particles, &device_neighbours, &effects, &narrowness, &count));

    struct effect *got = HOST_ARRAY(&h, struct effect, total);
    struct effect *expected = HOST_ARRAY(&h, struct effect, total);
    host_download(&h, got, effects, bytes);
    for (u32 i = 0; i < total; i++) {
        const u32 *list = neighbours + i / count * NEIGHBOURS;
        for (u32 k = 0; k < NEIGHBOURS && list[k] != NONE; k++)
            add_box(&expected[i], particles[i], particles + list[k] * count, count);
    }
    host_compare_u32(&h, "effects", (const u32 *)got, (const u32 *)expected, bytes / sizeof(u32));
    return host_finish(&h);
}
