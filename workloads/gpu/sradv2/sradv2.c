/*
 * Host of sradv2: speckle reduction by two tiled kernels (see sradv2.cu for its memory behaviour
 * and use).
 *
 * The CPU does the kernels' operations in the kernels' order, nothing fused, so every pixel is
 * compared exactly.
 */
#include "host.h"
#include "random.h"

#define TILE 16
#define REGION 64 /* side of the uniform region at the upper left */
#define LAMBDA 0.5f

struct image {
    u32 columns, rows;
    float *now, *d_north, *d_south, *d_west, *d_east, *coefficient;
};

static struct image make_image(struct host *h, u32 columns, u32 rows)
{
    struct image m = {.columns = columns, .rows = rows};
    float **arrays[] = {&m.now, &m.d_north, &m.d_south, &m.d_west, &m.d_east, &m.coefficient};
    size_t pixels = (size_t)columns * rows;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        *arrays[i] = HOST_ARRAY(h, float, pixels);
    /* Speckle between 1 and e, as the exponential of a brightness from 0 to 1 has it. */
    struct random r = random_stream(h->seed, "speckle");
    for (size_t i = 0; i < pixels; i++)
        m.now[i] = 1 + 1.718f * random_unit(r, i);
    return m;
}

/* How rough speckle is: variance / mean^2 of the region. */
static float roughness(const float *image, u32 columns)
{
    float sum = 0, squares = 0, count = REGION * REGION;
    for (u32 y = 0; y < REGION; y++) {
        for (u32 x = 0; x < REGION; x++) {
            float value = image[(size_t)y * columns + x];
            sum += value;
            squares += value * value;
        }
    }
    float mean = sum / count;
    float variance = squares / count - mean * mean;
    return variance / (mean * mean);
}

static void find_coefficients(struct image *m, float q0)
{
    for (u32 y = 0; y < m->rows; y++) {
        for (u32 x = 0; x < m->columns; x++) {
            size_t i = (size_t)y * m->columns + x;
            float here = m->now[i];
            float dn = m->now[y > 0 ? i - m->columns : i] - here;
            float ds = m->now[y < m->rows - 1 ? i + m->columns : i] - here;
            float dw = m->now[x > 0 ? i - 1 : i] - here;
            float de = m->now[x < m->columns - 1 ? i + 1 : i] - here;
            float gradient = (dn * dn + ds * ds + dw * dw + de * de) / (here * here);
            float laplacian = (dn + ds + dw + de) / here;
            float rise = (float)(0.5 * gradient - 0.0625 * (laplacian * laplacian));
            float level = (float)(1 + 0.25 * laplacian);
            float q = rise / (level * level);
            float excess = (q - q0) / (q0 * (1 + q0));
            float c = (float)(1.0 / (1.0 + excess));
            m->d_north[i] = dn;
            m->d_south[i] = ds;
            m->d_west[i] = dw;
            m->d_east[i] = de;
            m->coefficient[i] = c < 0 ? 0 : c > 1 ? 1 : c;
        }
    }
}

static void diffuse(struct image *m)
{
    const float *c = m->coefficient;
    for (u32 y = 0; y < m->rows; y++) {
        for (u32 x = 0; x < m->columns; x++) {
            size_t i = (size_t)y * m->columns + x;
            float below = c[y < m->rows - 1 ? i + m->columns : i];
            float beside = c[x < m->columns - 1 ? i + 1 : i];
            float divergence = c[i] * m->d_north[i] + below * m->d_south[i] + c[i] * m->d_west[i] +
                               beside * m->d_east[i];
            m->now[i] = (float)(m->now[i] + 0.25 * LAMBDA * divergence);
        }
    }
}

static const struct host_choice choices[] = {
    {"width", "of the image, a multiple of 16", .sizes = {96, 1024, 4096}},
    {"height", "of the image, a multiple of 16", .sizes = {80, 640, 4096}},
    {"iterations", "of the reduction", .sizes = {2, 2, 4}, .most = 1000},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "sradv2", choices, argc, argv);
    struct image m =
        make_image(&h, host_multiple(&h, "width", TILE), host_multiple(&h, "height", TILE));
    if (m.columns < REGION || m.rows < REGION)
        host_fail(&h, "%u x %u pixels, expected at least %u each way", m.columns, m.rows, REGION);
    u32 iterations = host_measure(&h, "iterations");
    size_t pixels = (size_t)m.columns * m.rows, bytes = pixels * sizeof(float);

    CUdeviceptr image = host_upload(&h, m.now, bytes);
    CUdeviceptr d_north = host_device_alloc(&h, bytes), d_south = host_device_alloc(&h, bytes);
    CUdeviceptr d_west = host_device_alloc(&h, bytes), d_east = host_device_alloc(&h, bytes);
    CUdeviceptr coefficient = host_device_alloc(&h, bytes);
    CUfunction find = host_kernel(&h, "sradv2_coefficients");
    CUfunction step = host_kernel(&h, "sradv2_diffuse");

    struct dim grid = DIM2(m.columns / TILE, m.rows / TILE), block = DIM2(TILE, TILE);
    float *got = HOST_ARRAY(&h, float, pixels), lambda = LAMBDA;
    for (u32 i = 0; i < iterations; i++) {
        host_download(&h, got, image, bytes);
        float q0 = roughness(got, m.columns);
        host_launch(&h, find, grid, block, 0,
                    ARGS(&image, &d_north, &d_south, &d_west, &d_east, &coefficient, &m.columns,
                         &m.rows, &q0));
        host_launch(&h, step, grid, block, 0,
                    ARGS(&image, &d_north, &d_south, &d_west, &d_east, &coefficient, &m.columns,
                         &m.rows, &lambda));
        find_coefficients(&m, roughness(m.now, m.columns));
        diffuse(&m);
    }

    host_download(&h, got, image, bytes);
    host_compare_f32(&h, "image", got, m.now, pixels);
    return host_finish(&h);
}
