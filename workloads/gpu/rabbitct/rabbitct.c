/*
 * Host of rabbitct: a volume from X-ray projections (see rabbitct.cu for its memory behaviour and
 * use).
 *
 * The CPU adds the views in the same order with the same operations: every voxel is compared
 * exactly.
 */
#include "host.h"
#include "project.h"

#define MOST_VIEWS 16
#define PI 3.14159265358979323846

static const struct host_choice choices[] = {
    {"side", "of the volume", .sizes = {20, 64, 192}},
    {"views", "of the object, in launches of up to 16", .sizes = {4, 16, 32}},
    {"pixels", "of the detector in a row", .sizes = {40, 128, 512}},
    {0},
};

/* The source turns around the object's middle at twice its size. */
static struct view make_view(double turn, u32 side, u32 pixels)
{
    double c = cos(turn), s = sin(turn), middle = side / 2.0, far = 2.0 * side;
    double row[3][4] = {{-s, c, 0, middle * (s - c)},
                        {0, 0, 1, -middle},
                        {-c / far, -s / far, 0, 1 + middle * (c + s) / far}};
    struct view v;
    for (u32 i = 0; i < 12; i++) {
        double shift = i < 8 ? row[2][i % 4] * pixels / 2.0 : 0;
        double scale = i < 8 ? 0.6 * pixels / side : 1;
        v.row[i / 4][i % 4] = (float)(row[i / 4][i % 4] * scale + shift);
    }
    return v;
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "rabbitct", choices, argc, argv);
    u32 side = host_measure(&h, "side"), views = host_measure(&h, "views");
    u32 pixels = host_measure(&h, "pixels"), voxels = side * side * side;
    size_t image = (size_t)pixels * pixels, constant_bytes;
    float *images = host_random_f32(&h, "images", image * views, 0, 1);
    float *volume = HOST_ARRAY(&h, float, voxels);
    CUdeviceptr constant, device_images = host_upload(&h, images, image * views * sizeof(float));
    CUdeviceptr device_volume = host_zeros(&h, voxels * sizeof(float));
    CU(&h, cuModuleGetGlobal, (&constant, &constant_bytes, h.module, "views"));
    for (u32 first = 0; first < views; first += MOST_VIEWS) {
        u32 count = views - first < MOST_VIEWS ? views - first : MOST_VIEWS;
        struct view now[MOST_VIEWS];
        for (u32 v = 0; v < count; v++)
            now[v] = make_view(2 * PI * (first + v) / views, side, pixels);
        CU(&h, cuMemcpyHtoD, (constant, now, count * sizeof *now));
        CUdeviceptr from = device_images + first * image * sizeof(float);
        host_launch(&h, host_kernel(&h, "rabbitct"),
                    DIM3(blocks_for(side, 32), blocks_for(side, 4), side), DIM2(32, 4), 0,
                    ARGS(&from, &device_volume, &side, &pixels, &pixels, &count));
        for (u32 i = 0; i < voxels; i++) {
            u32 layer = i / (side * side);
            for (u32 v = 0; v < count; v++)
                volume[i] =
                    add_view(images + (first + v) * image, &now[v], pixels, pixels,
                             (float)(i % side), (float)(i / side % side), (float)layer, volume[i]);
        }
    }
    host_check_f32(&h, "volume", device_volume, volume, voxels);
    return host_finish(&h);
}
