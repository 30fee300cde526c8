/*
 * Host of mri-q: the matrix Q of an MRI reconstruction (see mri-q.cu for its memory behaviour and
 * use).
 *
 * The weights are compared exactly. For Q the CPU does the kernel's operations in the kernel's
 * order but for sine and cosine, where the GPU's error is below 2^-20 and the CPU's below 2^-23. A
 * term then differs by less than its weight x 2^-19, and each of n partial sums, at most the sum of
 * the weights, is rounded to 2^-24 on both sides: Q differs by less than
 * sum of the weights x (2^-19 + n x 2^-23). Every voxel is compared.
 */
#include "host.h"
#include "random.h"

#include <math.h>

#define BLOCK 256
#define TWO_PI 6.2831853f

struct sample {
    float x, y, z, weight;
};

struct voxels {
    u32 side, count;
    float *x, *y, *z;
};

/* A cube around the origin, coordinates from -1/2 to below 1/2. */
static struct voxels make_voxels(struct host *h)
{
    struct voxels v;
    v.side = host_measure(h, "side");
    v.count = v.side * v.side * v.side;
    v.x = HOST_ARRAY(h, float, v.count);
    v.y = HOST_ARRAY(h, float, v.count);
    v.z = HOST_ARRAY(h, float, v.count);
    for (u32 i = 0; i < v.count; i++) {
        v.x[i] = (float)(i % v.side) / (float)v.side - 0.5f;
        v.y[i] = (float)(i / v.side % v.side) / (float)v.side - 0.5f;
        u32 layer = i / v.side / v.side;
        v.z[i] = (float)layer / (float)v.side - 0.5f;
    }
    return v;
}

static float *make_signal(struct host *h, const char *name, u32 count)
{
    struct random r = random_stream(h->seed, name);
    float *signal = HOST_ARRAY(h, float, count);
    for (u32 i = 0; i < count; i++)
        signal[i] = 2 * random_unit(r, i) - 1;
    return signal;
}

/* Positions in k-space, anywhere in a cube as wide as the image has voxels. */
static struct sample *make_samples(struct host *h, u32 count, u32 side)
{
    struct random r = random_stream(h->seed, "samples");
    struct sample *samples = HOST_ARRAY(h, struct sample, count);
    for (u32 i = 0; i < count; i++) {
        samples[i].x = (random_unit(r, 3 * i) - 0.5f) * (float)side;
        samples[i].y = (random_unit(r, 3 * i + 1) - 0.5f) * (float)side;
        samples[i].z = (random_unit(r, 3 * i + 2) - 0.5f) * (float)side;
    }
    return samples;
}

static void add_samples(const struct sample *samples, u32 count, const struct voxels *v, u32 voxel,
                        float *real, float *imaginary)
{
    for (u32 i = 0; i < count; i++) {
        const struct sample *k = &samples[i];
        float turns = fmaf(k->z, v->z[voxel], fmaf(k->y, v->y[voxel], k->x * v->x[voxel]));
        float angle = TWO_PI * (turns - rintf(turns));
        *real = fmaf(k->weight, cosf(angle), *real);
        *imaginary = fmaf(k->weight, sinf(angle), *imaginary);
    }
}

static const struct host_choice choices[] = {
    {"side", "of the cube of voxels", .sizes = {16, 48, 64}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "mri-q", choices, argc, argv);
    struct voxels v = make_voxels(&h);
    u32 count = host_pick(&h, 48, 112, 2048), chunk = host_pick(&h, 24, 56, 1024);
    size_t bytes = v.count * sizeof(float), weight_bytes = count * sizeof(float), constant_bytes;
    float *real = make_signal(&h, "real", count), *imaginary = make_signal(&h, "imaginary", count);
    struct sample *samples = make_samples(&h, count, v.side);

    CUdeviceptr device_real = host_upload(&h, real, weight_bytes);
    CUdeviceptr device_imaginary = host_upload(&h, imaginary, weight_bytes);
    CUdeviceptr device_weights = host_device_alloc(&h, weight_bytes), constant;
    CUdeviceptr x = host_upload(&h, v.x, bytes), y = host_upload(&h, v.y, bytes);
    CUdeviceptr z = host_upload(&h, v.z, bytes);
    CUdeviceptr q_real = host_device_alloc(&h, bytes), q_imaginary = host_device_alloc(&h, bytes);
    CU(&h, cuMemsetD32, (q_real, 0, v.count));
    CU(&h, cuMemsetD32, (q_imaginary, 0, v.count));
    CU(&h, cuModuleGetGlobal, (&constant, &constant_bytes, h.module, "samples"));

    host_launch(&h, host_kernel(&h, "mriq_weights"), DIM1(blocks_for(count, BLOCK)), DIM1(BLOCK), 0,
                ARGS(&device_real, &device_imaginary, &device_weights, &count));
    float *weights = HOST_ARRAY(&h, float, count), *expected = HOST_ARRAY(&h, float, count);
    double sum = 0;
    host_download(&h, weights, device_weights, weight_bytes);
    for (u32 i = 0; i < count; i++) {
        expected[i] = fmaf(real[i], real[i], imaginary[i] * imaginary[i]);
        samples[i].weight = weights[i];
        sum += (double)expected[i];
    }
    host_compare_f32(&h, "weights", weights, expected, count);

    CUfunction add = host_kernel(&h, "mriq_add");
    for (u32 i = 0; i < count; i += chunk) {
        CU(&h, cuMemcpyHtoD, (constant, samples + i, chunk * sizeof(struct sample)));
        host_launch(&h, add, DIM1(blocks_for(v.count, BLOCK)), DIM1(BLOCK), 0,
                    ARGS(&x, &y, &z, &q_real, &q_imaginary, &chunk, &v.count));
    }

    float *expected_real = HOST_ARRAY(&h, float, v.count), *got = HOST_ARRAY(&h, float, v.count);
    float *expected_imaginary = HOST_ARRAY(&h, float, v.count);
    for (u32 i = 0; i < v.count; i++)
        add_samples(samples, count, &v, i, &expected_real[i], &expected_imaginary[i]);
    double bound = sum * (0x1p-19 + count * 0x1p-23);
    host_download(&h, got, q_real, bytes);
    host_compare_f32_within(&h, "q_real", got, expected_real, v.count, bound, 0);
    host_download(&h, got, q_imaginary, bytes);
    host_compare_f32_within(&h, "q_imaginary", got, expected_imaginary, v.count, bound, 0);
    return host_finish(&h);
}
