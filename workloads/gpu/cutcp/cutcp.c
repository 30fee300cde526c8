/*
 * Host of cutcp: Coulomb potential with a cutoff (see cutcp.cu for its memory behaviour and use).
 *
 * The CPU does the kernel's operations in the kernel's order but for the reciprocal root, which the
 * GPU approximates to 2^-22 and the CPU rounds twice. All charges are positive, so nothing cancels:
 * with at most n terms, each differing by less than 2^-21 and each partial sum rounded to 2^-24 on
 * both sides, a point differs by less than 2^-21 + n x 2^-23 of its value. Every point is compared.
 */
#include "host.h"
#include "random.h"

#include <math.h>

#define POINTS 8
#define SPACING 0.5f
#define SLOTS 8
#define MOST_BINS 343

struct atom {
    float x, y, z, charge;
};

struct box {
    u32 size[3]; /* bins with lattice points; `rim` empty ones more at either end */
    u32 rim, across, up;
    float cutoff2;
    struct atom *atoms; /* SLOTS per bin, those of charge 0 being none */
    int around[MOST_BINS];
    u32 around_count;
};

static u32 bin_at(const struct box *b, u32 x, u32 y, u32 z)
{
    return ((z + b->rim) * b->up + y + b->rim) * b->across + x + b->rim;
}

/* Six or seven atoms per bin, the density of water: anywhere on a fine lattice that shares no point
 * with that of the potential. */
static void place_atoms(const struct box *b, u64 seed, u32 x, u32 y, u32 z)
{
    struct random r = random_stream(seed, "atoms");
    u32 bin = bin_at(b, x, y, z);
    u32 count = 6 + random_below(r, (u64)bin * 64, 2);
    for (u32 i = 0; i < count; i++) {
        u64 n = (u64)bin * 64 + 4 * (i + 1);
        struct atom *a = &b->atoms[bin * SLOTS + i];
        a->x = (float)(x * 256 + random_below(r, n, 256)) / 64 + 1.0f / 128;
        a->y = (float)(y * 256 + random_below(r, n + 1, 256)) / 64 + 1.0f / 128;
        a->z = (float)(z * 256 + random_below(r, n + 2, 256)) / 64 + 1.0f / 128;
        a->charge = 0.1f + 0.9f * random_unit(r, n + 3);
    }
}

static struct box make_box(struct host *h)
{
    struct box b = {.rim = host_pick(h, 1, 1, 3)};
    b.size[0] = host_measure(h, "width");
    b.size[1] = host_measure(h, "height");
    b.size[2] = host_measure(h, "depth");
    float cutoff = (float)(b.rim * POINTS) * SPACING;
    b.cutoff2 = cutoff * cutoff;
    b.across = b.size[0] + 2 * b.rim;
    b.up = b.size[1] + 2 * b.rim;
    b.atoms = HOST_ARRAY(h, struct atom, (size_t)b.across * b.up * (b.size[2] + 2 * b.rim) * SLOTS);
    for (u32 z = 0; z < b.size[2]; z++) {
        for (u32 y = 0; y < b.size[1]; y++) {
            for (u32 x = 0; x < b.size[0]; x++)
                place_atoms(&b, h->seed, x, y, z);
        }
    }
    int rim = (int)b.rim;
    for (int z = -rim; z <= rim; z++) {
        for (int y = -rim; y <= rim; y++) {
            for (int x = -rim; x <= rim; x++)
                b.around[b.around_count++] = (z * (int)b.up + y) * (int)b.across + x;
        }
    }
    return b;
}

/* The potential at a lattice point; *most becomes the largest number of terms so far. */
static float potential_at(const struct box *b, u32 px, u32 py, u32 pz, u32 *most)
{
    u32 home = bin_at(b, px / POINTS, py / POINTS, pz / POINTS), terms = 0;
    float inverse = 1 / b->cutoff2, sum = 0;
    for (u32 i = 0; i < b->around_count * SLOTS; i++) {
        u32 bin = home + (u32)b->around[i / SLOTS];
        struct atom a = b->atoms[bin * SLOTS + i % SLOTS];
        float dx = a.x - (float)px * SPACING, dy = a.y - (float)py * SPACING;
        float dz = a.z - (float)pz * SPACING;
        float square = fmaf(dz, dz, fmaf(dx, dx, dy * dy));
        if (a.charge > 0 && square < b->cutoff2) {
            float fade = 1 - square * inverse;
            sum = fmaf(a.charge * (1 / sqrtf(square)), fade * fade, sum);
            terms++;
        }
    }
    *most = terms > *most ? terms : *most;
    return sum;
}

static const struct host_choice choices[] = {
    {"width", "of the lattice in bins", .sizes = {3, 7, 12}},
    {"height", "of the lattice in bins", .sizes = {2, 7, 12}},
    {"depth", "of the lattice in bins", .sizes = {2, 8, 12}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "cutcp", choices, argc, argv);
    struct box b = make_box(&h);
    u32 width = b.size[0] * POINTS, height = b.size[1] * POINTS, depth = b.size[2] * POINTS;
    size_t points = (size_t)width * height * depth, constant_bytes;
    size_t slots = (size_t)b.across * b.up * (b.size[2] + 2 * b.rim) * SLOTS;

    CUdeviceptr atoms = host_upload(&h, b.atoms, slots * sizeof(struct atom)), around;
    CUdeviceptr potential = host_device_alloc(&h, points * sizeof(float));
    CU(&h, cuModuleGetGlobal, (&around, &constant_bytes, h.module, "around"));
    CU(&h, cuMemcpyHtoD, (around, b.around, b.around_count * sizeof(int)));

    host_launch(&h, host_kernel(&h, "cutcp_potential"), DIM3(b.size[0], b.size[1], b.size[2]),
                DIM3(POINTS, POINTS, 2), 0,
                ARGS(&atoms, &potential, &b.around_count, &b.rim, &b.cutoff2));

    float *got = HOST_ARRAY(&h, float, points), *expected = HOST_ARRAY(&h, float, points);
    u32 most = 0;
    host_download(&h, got, potential, points * sizeof(float));
    for (size_t i = 0; i < points; i++)
        expected[i] = potential_at(&b, (u32)(i % width), (u32)(i / width % height),
                                   (u32)(i / width / height), &most);
    host_compare_f32_within(&h, "potential", got, expected, points, 0, 0x1p-21 + most * 0x1p-23);
    return host_finish(&h);
}
