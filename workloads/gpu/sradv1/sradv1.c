/*
 * Host of sradv1: speckle reduction, one small kernel per step (see sradv1.cu for its memory
 * behaviour and use).
 *
 * The CPU does the kernels' operations in the kernels' order: the sums are the same tree of pairs,
 * exponential and logarithm the same series. Every pixel is compared exactly.
 */
#include "host.h"
#include "random.h"

#include <math.h>

#define BLOCK 512
#define LAMBDA 0.5f

/* By columns: pixel (row, column) is at row + rows x column. */
struct image {
    u32 rows, columns, pixels;
    float *now, *terms, *squares; /* terms and squares: of the two sums */
    float *d_north, *d_south, *d_west, *d_east, *coefficient;
};

static struct image make_image(struct host *h, u32 rows, u32 columns)
{
    struct image m = {.rows = rows, .columns = columns, .pixels = rows * columns};
    float **arrays[] = {&m.now,     &m.terms,  &m.squares, &m.d_north,
                        &m.d_south, &m.d_west, &m.d_east,  &m.coefficient};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        *arrays[i] = HOST_ARRAY(h, float, m.pixels);
    /* A bright disc on a dark ground, both speckled. */
    struct random r = random_stream(h->seed, "speckle");
    for (u32 i = 0; i < m.pixels; i++) {
        float y = (float)(i % rows) / (float)rows - 0.5f;
        u32 column = i / rows;
        float x = (float)column / (float)columns - 0.5f;
        float ground = x * x + y * y < 0.1f ? 170.0f : 60.0f;
        m.now[i] = ground * (0.5f + random_unit(r, i));
    }
    return m;
}

static void extract(struct image *m)
{
    for (u32 i = 0; i < m->pixels; i++) {
        float x = m->now[i] / 255, sum = 1;
        for (u32 term = 9; term > 0; term--)
            sum = fmaf(x / (float)term, sum, 1);
        m->now[i] = sum;
    }
}

static void compress(struct image *m)
{
    for (u32 i = 0; i < m->pixels; i++) {
        float x = (m->now[i] - 1) / (m->now[i] + 1), square = x * x, sum = 0;
        for (u32 power = 19; power > 2; power -= 2)
            sum = fmaf(square, sum, 1.0f / (float)power);
        m->now[i] = 255 * 2 * x * fmaf(square, sum, 1);
    }
}

/* The kernel's tree: it pads with zeros, which change no sum. */
static float tree_sum(float *terms, u32 count)
{
    for (u32 apart = 1; apart < count; apart *= 2) {
        for (u32 i = 0; i + apart < count; i += 2 * apart)
            terms[i] += terms[i + apart];
    }
    return terms[0];
}

/* How rough speckle is in this image: variance / mean^2. */
static float roughness(float sum, float squares, u32 pixels)
{
    float mean = sum / (float)pixels;
    float variance = squares / (float)pixels - mean * mean;
    return variance / (mean * mean);
}

static void iterate(struct image *m)
{
    for (u32 i = 0; i < m->pixels; i++) {
        m->terms[i] = m->now[i];
        m->squares[i] = m->now[i] * m->now[i];
    }
    float sum = tree_sum(m->terms, m->pixels), squares = tree_sum(m->squares, m->pixels);
    float q0 = roughness(sum, squares, m->pixels);
    for (u32 i = 0; i < m->pixels; i++) {
        u32 row = i % m->rows, column = i / m->rows;
        float here = m->now[i];
        float dn = m->now[row > 0 ? i - 1 : i] - here;
        float ds = m->now[row < m->rows - 1 ? i + 1 : i] - here;
        float dw = m->now[column > 0 ? i - m->rows : i] - here;
        float de = m->now[column < m->columns - 1 ? i + m->rows : i] - here;
        float gradient = (dn * dn + ds * ds + dw * dw + de * de) / (here * here);
        float laplacian = (dn + ds + dw + de) / here;
        float rise = 0.5f * gradient - 0.0625f * (laplacian * laplacian);
        float level = 1 + 0.25f * laplacian;
        float q = rise / (level * level);
        float c = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
        m->d_north[i] = dn;
        m->d_south[i] = ds;
        m->d_west[i] = dw;
        m->d_east[i] = de;
        m->coefficient[i] = c < 0 ? 0 : c > 1 ? 1 : c;
    }
    for (u32 i = 0; i < m->pixels; i++) {
        const float *c = m->coefficient;
        u32 row = i % m->rows, column = i / m->rows;
        float below = c[row < m->rows - 1 ? i + 1 : i];
        float beside = c[column < m->columns - 1 ? i + m->rows : i];
        float divergence = c[i] * m->d_north[i] + below * m->d_south[i] + c[i] * m->d_west[i] +
                           beside * m->d_east[i];
        m->now[i] = m->now[i] + 0.25f * LAMBDA * divergence;
    }
}

/* The place before and after each of `count` rows or columns; the outermost are their own. */
static void upload_neighbours(struct host *h, u32 count, CUdeviceptr *before, CUdeviceptr *after)
{
    u32 *b = HOST_ARRAY(h, u32, count), *a = HOST_ARRAY(h, u32, count);
    for (u32 i = 0; i < count; i++) {
        b[i] = i > 0 ? i - 1 : i;
        a[i] = i < count - 1 ? i + 1 : i;
    }
    *before = host_upload(h, b, count * sizeof(u32));
    *after = host_upload(h, a, count * sizeof(u32));
}

static const struct host_choice choices[] = {
    {"width", "of the image", .sizes = {100, 512, 4096}},
    {"height", "of the image", .sizes = {76, 512, 3000}},
    {"iterations", "of the reduction", .sizes = {2, 3, 10}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "sradv1", choices, argc, argv);
    struct image m = make_image(&h, host_measure(&h, "width"), host_measure(&h, "height"));
    u32 iterations = host_measure(&h, "iterations");
    size_t bytes = m.pixels * sizeof(float);

    CUdeviceptr image = host_upload(&h, m.now, bytes), north, south, west, east;
    upload_neighbours(&h, m.rows, &north, &south);
    upload_neighbours(&h, m.columns, &west, &east);
    CUdeviceptr sums = host_device_alloc(&h, bytes), squares = host_device_alloc(&h, bytes);
    CUdeviceptr d_north = host_device_alloc(&h, bytes), d_south = host_device_alloc(&h, bytes);
    CUdeviceptr d_west = host_device_alloc(&h, bytes), d_east = host_device_alloc(&h, bytes);
    CUdeviceptr coefficient = host_device_alloc(&h, bytes);
    CUfunction prepare = host_kernel(&h, "sradv1_prepare");
    CUfunction reduce = host_kernel(&h, "sradv1_reduce");
    CUfunction srad = host_kernel(&h, "sradv1_srad"), srad2 = host_kernel(&h, "sradv1_srad2");

    struct dim grid = DIM1(blocks_for(m.pixels, BLOCK)), block = DIM1(BLOCK);
    float lambda = LAMBDA;
    host_launch(&h, host_kernel(&h, "sradv1_extract"), grid, block, 0, ARGS(&image, &m.pixels));
    extract(&m);
    for (u32 i = 0; i < iterations; i++) {
        host_launch(&h, prepare, grid, block, 0, ARGS(&image, &sums, &squares, &m.pixels));
        for (u32 count = m.pixels, stride = 1; count > 1; stride *= BLOCK) {
            host_launch(&h, reduce, DIM1(blocks_for(count, BLOCK)), block, 0,
                        ARGS(&sums, &squares, &count, &stride));
            count = blocks_for(count, BLOCK);
        }
        float sum, square_sum;
        host_download(&h, &sum, sums, sizeof sum);
        host_download(&h, &square_sum, squares, sizeof square_sum);
        float q0 = roughness(sum, square_sum, m.pixels);
        host_launch(&h, srad, grid, block, 0,
                    ARGS(&north, &south, &west, &east, &d_north, &d_south, &d_west, &d_east,
                         &coefficient, &image, &m.rows, &m.pixels, &q0));
        host_launch(&h, srad2, grid, block, 0,
                    ARGS(&south, &east, &d_north, &d_south, &d_west, &d_east, &coefficient, &image,
                         &m.rows, &m.pixels, &lambda));
        iterate(&m);
    }
    host_launch(&h, host_kernel(&h, "sradv1_compress"), grid, block, 0, ARGS(&image, &m.pixels));
    compress(&m);

    float *got = HOST_ARRAY(&h, float, m.pixels);
    host_download(&h, got, image, bytes);
    host_compare_f32(&h, "image", got, m.now, m.pixels);
    return host_finish(&h);
}
