/*
 * Host of lud: LU decomposition in blocks (see lud.cu for its memory behaviour and use).
 *
 * The kernels do for every element the operations of the plain algorithm in its order, so every
 * element of L and U is compared exactly with that algorithm on the CPU.
 */
#include "host.h"
#include "random.h"

#include <math.h>

#define TILE 16

/* The diagonal outweighs the rest of its row, so that no pivoting is needed. */
static float *make_matrix(struct host *h, u32 n)
{
    struct random r = random_stream(h->seed, "matrix");
    size_t count = (size_t)n * n;
    float *m = HOST_ARRAY(h, float, count);
    for (size_t i = 0; i < count; i++)
        m[i] = random_unit(r, i) - 0.5f;
    for (u32 i = 0; i < n; i++)
        m[(size_t)i * n + i] += (float)n / 2;
    return m;
}

static void decompose(float *m, u32 n)
{
    for (u32 k = 0; k < n; k++) {
        const float *upper = m + (size_t)k * n;
        for (u32 i = k + 1; i < n; i++) {
            float *row = m + (size_t)i * n;
            row[k] = row[k] / upper[k];
            for (u32 j = k + 1; j < n; j++)
                row[j] = fmaf(-row[k], upper[j], row[j]);
        }
    }
}

static const struct host_choice choices[] = {
    {"side", "of the matrix, a multiple of 16", .sizes = {80, 544, 2048}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "lud", choices, argc, argv);
    u32 n = host_multiple(&h, "side", TILE);
    size_t count = (size_t)n * n;
    float *m = make_matrix(&h, n);
    CUdeviceptr device = host_upload(&h, m, count * sizeof(float));
    CUfunction diagonal = host_kernel(&h, "lud_diagonal");
    CUfunction perimeter = host_kernel(&h, "lud_perimeter");
    CUfunction internal = host_kernel(&h, "lud_internal");

    for (u32 at = 0; at < n; at += TILE) {
        u32 left = (n - at) / TILE - 1; /* blocks still to the right and below */
        host_launch(&h, diagonal, DIM1(1), DIM1(TILE), 0, ARGS(&device, &n, &at));
        if (left == 0)
            break;
        host_launch(&h, perimeter, DIM1(left), DIM1(2 * TILE), 0, ARGS(&device, &n, &at));
        host_launch(&h, internal, DIM2(left, left), DIM2(TILE, TILE), 0, ARGS(&device, &n, &at));
    }

    float *got = HOST_ARRAY(&h, float, count);
    host_download(&h, got, device, count * sizeof(float));
    decompose(m, n);
    host_compare_f32(&h, "lu", got, m, count);
    return host_finish(&h);
}
