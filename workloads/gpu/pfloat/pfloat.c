/*
 * Host of pfloat: a particle filter (see pfloat.cu for its memory behaviour and use).
 *
 * The CPU does the kernels' operations in the kernels' order, the exponential included, so all bits
 * are the same: places, cumulated weights and new places are compared exactly after every frame, as
 * halves of f64.
 */
#include "host.h"
#include "random.h"

#include <math.h>

#include "exponential.h" /* fma first */

#define BLOCK 128
#define RADIUS 4
#define PIXELS 64

/* What lies on the device, and the CPU's own. */
struct filter {
    u32 count, width, height;
    double *x, *y, *weight, *cumulated, *next_x, *next_y;
    CUdeviceptr device_x, device_y, device_weight, device_cumulated, device_next_x, device_next_y,
        pixel_at;
};

/* A bright disk on a dark ground, both with noise, that moves by 1 and -2. */
static void make_frame(struct host *h, u8 *frame, u32 width, u32 height, u32 number)
{
    struct random r = random_stream(h->seed + number, "frame");
    int cx = (int)(width / 2 + number), cy = (int)(height / 2) - 2 * (int)number;
    for (u32 i = 0; i < width * height; i++) {
        int dx = (int)(i % width) - cx, dy = (int)(i / width) - cy;
        u32 base = dx * dx + dy * dy <= RADIUS * RADIUS ? 208 : 80;
        frame[i] = (u8)(base + random_below(r, i, 40));
    }
}

static double weigh(const struct filter *f, const u8 *frame, u32 i)
{
    int cx = (int)rint(f->x[i]), cy = (int)rint(f->y[i]), sum = 0, pixels = 0;
    for (int dy = -RADIUS; dy <= RADIUS; dy++) {
        for (int dx = -RADIUS; dx <= RADIUS; dx++) {
            if (dx * dx + dy * dy > RADIUS * RADIUS)
                continue;
            u32 px = (u32)(cx + dx), py = (u32)(cy + dy);
            int value = frame[px < f->width && py < f->height ? py * f->width + px : 0];
            sum += (value - 100) * (value - 100) - (value - 228) * (value - 228);
            pixels++;
        }
    }
    return exponential((double)sum / (50.0 * pixels) / 40);
}

static void step_on_cpu(struct filter *f, const u8 *frame, const double *noise, double start)
{
    double sum = 0;
    for (u32 i = 0; i < f->count; i++) {
        f->x[i] = f->x[i] + 1 + 5 * noise[2 * i];
        f->y[i] = f->y[i] - 2 + 2 * noise[2 * i + 1];
        sum += weigh(f, frame, i);
        f->cumulated[i] = sum;
    }
    for (u32 i = 0, at = 0; i < f->count; i++) { /* what is wanted rises with i */
        double wanted = (i + start) / f->count * sum;
        while (at + 1 < f->count && f->cumulated[at] < wanted)
            at++;
        f->next_x[i] = f->x[at];
        f->next_y[i] = f->y[at];
    }
}

static void compare(struct host *h, const char *name, CUdeviceptr from, const double *expected,
                    u32 count)
{
    double *got = HOST_ARRAY(h, double, count);
    host_download(h, got, from, count * sizeof(double));
    host_compare_u32(h, name, (const u32 *)(const void *)got, (const u32 *)(const void *)expected,
                     2 * (size_t)count);
}

static void filter_init(struct filter *f, struct host *h)
{
    size_t bytes = f->count * sizeof(double);
    double **arrays[] = {&f->x, &f->y, &f->weight, &f->cumulated, &f->next_x, &f->next_y};
    CUdeviceptr *on_device[] = {&f->device_x,         &f->device_y,      &f->device_weight,
                                &f->device_cumulated, &f->device_next_x, &f->device_next_y};
    for (u32 a = 0; a < sizeof arrays / sizeof arrays[0]; a++) {
        *arrays[a] = HOST_ARRAY(h, double, f->count);
        for (u32 i = 0; i < f->count; i++)
            (*arrays[a])[i] = a % 4 == 0 ? f->width / 2 : f->height / 2;
        *on_device[a] = host_upload(h, *arrays[a], bytes);
    }
    f->pixel_at = host_device_alloc(h, (size_t)f->count * PIXELS * sizeof(u32));
}

static void step_on_device(struct host *h, struct filter *f, CUdeviceptr frame, CUdeviceptr noise,
                           double start)
{
    struct dim grid = DIM1(blocks_for(f->count, BLOCK)), block = DIM1(BLOCK);
    host_launch(h, host_kernel(h, "pfloat_weigh"), grid, block, 0,
                ARGS(&frame, &f->width, &f->height, &noise, &f->pixel_at, &f->device_x,
                     &f->device_y, &f->device_weight, &f->count));
    host_launch(h, host_kernel(h, "pfloat_cumulate"), DIM1(1), DIM1(32), 0,
                ARGS(&f->device_weight, &f->device_cumulated, &f->count));
    host_launch(h, host_kernel(h, "pfloat_resample"), grid, block, 0,
                ARGS(&f->device_cumulated, &f->device_x, &f->device_y, &f->device_next_x,
                     &f->device_next_y, &start, &f->count));
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "pfloat", NULL, argc, argv);
    struct filter f = {.count = host_pick(&h, 256, 2048, 65536), .width = 128, .height = 128};
    u32 frames = host_pick(&h, 2, 3, 10);
    size_t bytes = f.count * sizeof(double);
    u8 *frame = HOST_ARRAY(&h, u8, (size_t)f.width * f.height);
    double *noise = HOST_ARRAY(&h, double, 2 * (size_t)f.count);
    filter_init(&f, &h);
    CUdeviceptr device_frame = host_device_alloc(&h, (size_t)f.width * f.height);
    CUdeviceptr device_noise = host_device_alloc(&h, 2 * bytes);
    for (u32 n = 0; n < frames; n++) {
        struct random r = random_stream(h.seed + n, "noise"),
                      s = random_stream(h.seed + n, "start");
        double start = (double)random_unit(s, 0);
        for (u32 i = 0; i < 2 * f.count; i++)
            noise[i] = 2 * (double)random_unit(r, i) - 1;
        make_frame(&h, frame, f.width, f.height, n);
        CU(&h, cuMemcpyHtoD, (device_frame, frame, (size_t)f.width * f.height));
        CU(&h, cuMemcpyHtoD, (device_noise, noise, 2 * bytes));
        step_on_device(&h, &f, device_frame, device_noise, start);
        step_on_cpu(&f, frame, noise, start);
        compare(&h, "x", f.device_x, f.x, f.count);
        compare(&h, "y", f.device_y, f.y, f.count);
        compare(&h, "cumulated", f.device_cumulated, f.cumulated, f.count);
        compare(&h, "next_x", f.device_next_x, f.next_x, f.count);
        compare(&h, "next_y", f.device_next_y, f.next_y, f.count);
        /* the new ones are the next frame's */
        double *x = f.x, *y = f.y;
        CUdeviceptr device_x = f.device_x, device_y = f.device_y;
        f.x = f.next_x, f.y = f.next_y, f.device_x = f.device_next_x, f.device_y = f.device_next_y;
        f.next_x = x, f.next_y = y, f.device_next_x = device_x, f.device_next_y = device_y;
    }
    return host_finish(&h);
}
