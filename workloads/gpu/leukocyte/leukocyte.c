/*
 * Host of leukocyte: detection and tracking of cells in an image (see leukocyte.cu for its memory
 * behaviour and use).
 *
 * The CPU does the kernels' operations in the kernels' order, nothing fused, so every score, every
 * dilated score and every point of every cell's flow is compared exactly. The windows that are
 * tracked are those around the strongest peaks that the GPU found.
 */
#include "host.h"
#include "random.h"

#include <string.h>

#define CIRCLES 7
#define POINTS 24
#define MARGIN 16
#define ELEMENT 12
#define WINDOW_X 81
#define WINDOW_Y 41
#define WINDOW (WINDOW_X * WINDOW_Y)
#define FLOW_BLOCK 320
#define BLOCK 32

#define SHARPNESS 10.0f
#define SPREAD 0.1f
#define PULL 0.2f

struct tables {
    float cosines[POINTS], sines[POINTS];
    int right[CIRCLES][POINTS], down[CIRCLES][POINTS];
    int element[ELEMENT][ELEMENT];
};

struct image {
    int width, height;
    size_t pixels;
    float *light, *gradient_x, *gradient_y;
};

/* Circles of radius 2, 4, ... 14, and a disc as the structuring element. The angles come from
 * repeated rotation by 15 degrees: the same numbers on any machine. */
static void make_tables(struct tables *t)
{
    double x = 1, y = 0, turn_x = 0.96592582628906831, turn_y = 0.25881904510252074;
    for (u32 p = 0; p < POINTS; p++) {
        t->cosines[p] = (float)x;
        t->sines[p] = (float)y;
        for (u32 c = 0; c < CIRCLES; c++) {
            double radius = 2.0 * (c + 1);
            t->right[c][p] = (int)(radius * x + 100.5) - 100; /* to the nearest */
            t->down[c][p] = (int)(radius * y + 100.5) - 100;
        }
        double turned = x * turn_x - y * turn_y;
        y = y * turn_x + x * turn_y;
        x = turned;
    }
    for (int i = 0; i < ELEMENT; i++) {
        for (int j = 0; j < ELEMENT; j++) {
            int across = 2 * i + 1 - ELEMENT, along = 2 * j + 1 - ELEMENT;
            t->element[i][j] = across * across + along * along <= ELEMENT * ELEMENT;
        }
    }
}

/* Bright cells at random places on a dark, noisy ground, and the differences between pixels. */
static struct image make_image(struct host *h, u32 width, u32 height, u32 cells)
{
    struct image m = {.width = (int)width, .height = (int)height, .pixels = (size_t)width * height};
    m.light = HOST_ARRAY(h, float, m.pixels);
    m.gradient_x = HOST_ARRAY(h, float, m.pixels);
    m.gradient_y = HOST_ARRAY(h, float, m.pixels);
    struct random noise = random_stream(h->seed, "noise"), places = random_stream(h->seed, "cells");
    for (size_t i = 0; i < m.pixels; i++)
        m.light[i] = 0.2f * random_unit(noise, i);
    for (u32 c = 0; c < cells; c++) {
        int cx = (int)random_below(places, 3 * c, width);
        int cy = (int)random_below(places, 3 * c + 1, height);
        int radius = 5 + (int)random_below(places, 3 * c + 2, 8);
        for (int y = cy - radius; y <= cy + radius; y++) {
            for (int x = cx - radius; x <= cx + radius; x++) {
                int apart = (x - cx) * (x - cx) + (y - cy) * (y - cy);
                if (x >= 0 && x < m.width && y >= 0 && y < m.height && apart <= radius * radius)
                    m.light[y * m.width + x] +=
                        0.5f * (1 - (float)apart / (float)(radius * radius));
            }
        }
    }
    for (int y = 1; y < m.height - 1; y++) {
        for (int x = 1; x < m.width - 1; x++) {
            int i = y * m.width + x;
            m.gradient_x[i] = 0.5f * (m.light[i + 1] - m.light[i - 1]);
            m.gradient_y[i] = 0.5f * (m.light[i + m.width] - m.light[i - m.width]);
        }
    }
    return m;
}

static void find_scores(const struct image *m, const struct tables *t, float *score)
{
    for (int y = MARGIN; y < m->height - MARGIN; y++) {
        for (int x = MARGIN; x < m->width - MARGIN; x++) {
            float best = 0;
            for (u32 c = 0; c < CIRCLES; c++) {
                float sum = 0, mean = 0, squares = 0;
                for (u32 p = 0; p < POINTS; p++) {
                    int i = (y + t->down[c][p]) * m->width + x + t->right[c][p];
                    float inwards =
                        m->gradient_x[i] * t->cosines[p] + m->gradient_y[i] * t->sines[p];
                    float change = inwards - mean;
                    sum += inwards;
                    mean += change / (float)(p + 1);
                    squares += change * (inwards - mean);
                }
                mean = sum / POINTS;
                float ratio = mean * mean / (squares / (POINTS - 1));
                best = ratio > best ? ratio : best;
            }
            score[y * m->width + x] = best;
        }
    }
}

static void dilate(const struct image *m, const struct tables *t, const float *score,
                   float *dilated)
{
    for (int y = 0; y < m->height; y++) {
        for (int x = 0; x < m->width; x++) {
            float most = 0;
            for (int i = 0; i < ELEMENT * ELEMENT; i++) {
                int fx = x + i % ELEMENT - ELEMENT / 2, fy = y + i / ELEMENT - ELEMENT / 2;
                bool inside = fx >= 0 && fx < m->width && fy >= 0 && fy < m->height;
                if (inside && t->element[i / ELEMENT][i % ELEMENT]) {
                    float value = score[fy * m->width + fx];
                    most = value > most ? value : most;
                }
            }
            dilated[y * m->width + x] = most;
        }
    }
}

/* The windows around the strongest peaks: pixels whose score dilation left as it was. */
static void cut_windows(struct host *h, const struct image *m, const float *score,
                        const float *dilated, float *images, u32 cells)
{
    bool *taken = HOST_ARRAY(h, bool, m->pixels);
    for (u32 c = 0; c < cells; c++) {
        size_t peak = 0;
        for (size_t i = 0; i < m->pixels; i++) {
            if (!taken[i] && score[i] == dilated[i] && score[i] > score[peak])
                peak = i;
        }
        taken[peak] = true;
        int x0 = (int)peak % m->width - WINDOW_X / 2, y0 = (int)peak / m->width - WINDOW_Y / 2;
        x0 = x0 < 0 ? 0 : x0 > m->width - WINDOW_X ? m->width - WINDOW_X : x0;
        y0 = y0 < 0 ? 0 : y0 > m->height - WINDOW_Y ? m->height - WINDOW_Y : y0;
        for (int y = 0; y < WINDOW_Y; y++)
            memcpy(images + c * WINDOW + y * WINDOW_X, m->light + (y0 + y) * m->width + x0,
                   WINDOW_X * sizeof(float));
    }
}

static float inflow(float rise, float along)
{
    float steep = rise * along * SHARPNESS;
    float size = steep < 0 ? -steep : steep;
    return rise * (0.5f + 0.5f * (steep / (1 + size)));
}

static void step_flow(const float *image, float vx, float vy, const float *from, float *to)
{
    for (int i = 0; i < WINDOW; i++) {
        int x = i % WINDOW_X, y = i / WINDOW_X;
        int west = x > 0 ? -1 : 0, east = x < WINDOW_X - 1 ? 1 : 0;
        int north = y > 0 ? -WINDOW_X : 0, south = y < WINDOW_Y - 1 ? WINDOW_X : 0;
        const float *at = from + i;
        float here = *at, sum = inflow(at[north + west] - here, vx - vy);
        sum += inflow(at[north] - here, -vy);
        sum += inflow(at[north + east] - here, -vx - vy);
        sum += inflow(at[west] - here, vx);
        sum += inflow(at[east] - here, -vx);
        sum += inflow(at[south + west] - here, vx + vy);
        sum += inflow(at[south] - here, vy);
        sum += inflow(at[south + east] - here, vy - vx);
        to[i] = here + SPREAD * sum - PULL * image[i] * (here - image[i]);
    }
}

static void upload_constant(struct host *h, const char *name, const void *from, size_t bytes)
{
    CUdeviceptr at;
    CU(h, cuModuleGetGlobal, (&at, NULL, h->module, name));
    CU(h, cuMemcpyHtoD, (at, from, bytes));
}

static void detect(struct host *h, const struct image *m, float *score, float *dilated)
{
    struct tables t;
    make_tables(&t);
    upload_constant(h, "cosines", t.cosines, sizeof t.cosines);
    upload_constant(h, "sines", t.sines, sizeof t.sines);
    upload_constant(h, "right", t.right, sizeof t.right);
    upload_constant(h, "down", t.down, sizeof t.down);
    upload_constant(h, "element", t.element, sizeof t.element);
    size_t bytes = m->pixels * sizeof(float);
    CUdeviceptr x = host_upload(h, m->gradient_x, bytes), y = host_upload(h, m->gradient_y, bytes);
    CUdeviceptr device_score = host_device_alloc(h, bytes);
    CUdeviceptr device_dilated = host_device_alloc(h, bytes);
    struct image size = *m;
    struct dim grid = DIM2(blocks_for((u32)m->width, BLOCK), (u32)m->height), block = DIM1(BLOCK);
    bool textured = host_chosen(h, "reads") == 1;
    CUtexObject at_x = textured ? host_texture(h, x, bytes) : 0;
    CUtexObject at_y = textured ? host_texture(h, y, bytes) : 0;
    host_launch(h, host_kernel(h, textured ? "leukocyte_gicov_texture" : "leukocyte_gicov"), grid,
                block, 0,
                ARGS(textured ? (void *)&at_x : &x, textured ? (void *)&at_y : &y, &device_score,
                     &size.width, &size.height));
    if (textured) {
        CU(h, cuTexObjectDestroy, (at_x));
        CU(h, cuTexObjectDestroy, (at_y));
    }
    CUtexObject at_score = textured ? host_texture(h, device_score, bytes) : 0;
    host_launch(h, host_kernel(h, textured ? "leukocyte_dilate_texture" : "leukocyte_dilate"), grid,
                block, 0,
                ARGS(textured ? (void *)&at_score : &device_score, &device_dilated, &size.width,
                     &size.height));
    if (textured)
        CU(h, cuTexObjectDestroy, (at_score));
    host_download(h, score, device_score, bytes);
    host_download(h, dilated, device_dilated, bytes);

    float *expected = HOST_ARRAY(h, float, m->pixels);
    find_scores(m, &t, expected);
    host_compare_f32(h, "score", score, expected, m->pixels);
    dilate(m, &t, score, expected);
    host_compare_f32(h, "dilated", dilated, expected, m->pixels);
}

static void track(struct host *h, const float *images, u32 cells, u32 iterations)
{
    struct random r = random_stream(h->seed, "motion");
    float *motion = HOST_ARRAY(h, float, 2 * cells);
    for (u32 i = 0; i < 2 * cells; i++)
        motion[i] = 2 * random_unit(r, i) - 1;
    size_t count = (size_t)cells * WINDOW;
    CUdeviceptr device_images = host_upload(h, images, count * sizeof(float));
    CUdeviceptr device_motion = host_upload(h, motion, 2 * cells * sizeof(float));
    CUdeviceptr device_flows = host_device_alloc(h, count * sizeof(float));
    float sharpness = SHARPNESS, spread = SPREAD, pull = PULL;
    host_launch(h, host_kernel(h, "leukocyte_flow"), DIM1(cells), DIM1(FLOW_BLOCK), 0,
                ARGS(&device_images, &device_motion, &device_flows, &iterations, &sharpness,
                     &spread, &pull));

    float *got = HOST_ARRAY(h, float, count), *expected = HOST_ARRAY(h, float, count);
    host_download(h, got, device_flows, count * sizeof(float));
    for (u32 c = 0; c < cells; c++) {
        float plane[2][WINDOW];
        memcpy(plane[0], images + c * WINDOW, sizeof plane[0]);
        for (u32 i = 0; i < iterations; i++)
            step_flow(images + c * WINDOW, motion[2 * c], motion[2 * c + 1], plane[i % 2],
                      plane[(i + 1) % 2]);
        memcpy(expected + c * WINDOW, plane[iterations % 2], sizeof plane[0]);
    }
    host_compare_f32(h, "flow", got, expected, count);
}

static const struct host_choice choices[] = {
    {"reads", "of gradients and scores: plain loads, or through the texture cache as Rodinia does",
     .words = {"global", "texture", NULL}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "leukocyte", choices, argc, argv);
    u32 cells = host_pick(&h, 3, 30, 144);
    struct image m =
        make_image(&h, host_pick(&h, 96, 224, 1280), host_pick(&h, 48, 128, 960), cells);
    float *score = HOST_ARRAY(&h, float, m.pixels), *dilated = HOST_ARRAY(&h, float, m.pixels);
    float *images = HOST_ARRAY(&h, float, (size_t)cells *WINDOW);
    detect(&h, &m, score, dilated);
    cut_windows(&h, &m, score, dilated, images, cells);
    track(&h, images, cells, host_pick(&h, 2, 6, 100));
    return host_finish(&h);
}
