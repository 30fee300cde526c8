/*
 * A convolution of images (N, H, W, C) with filters (K, R, S, C) as a product: im2col tensor maps
 * gather the pixels of a filter's place, zeros outside, without a copy of them in memory.
 *
 *   convolution [csv] [N] [H] [W] [C] [K] [filter side] [padding] [stride]
 *
 * Rows of the product are output pixels in order (n, p, q), columns are filters; 64 channels of one
 * place (r, s) are a step along k. Persistent blocks have tiles of 128 pixels x 128 filters; a warp
 * group copies, two multiply.
 */
#include "hopper.h"

struct convolution {
    int n, h, w, c, k, side, pad, stride;
    int p, q, pixels; /* of the output */
    float *out;
};

#if __CUDA_ARCH__ >= 900 || !defined(__CUDA_ARCH__)
static __device__ void load_pixels(void *to, const CUtensorMap *map, int c, int w, int h, int n, int s,
                                   int r, barrier_t *b)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(at(to)), "l"(map), "r"(c),
                 "r"(w), "r"(h), "r"(n), "r"(at(b)), "h"((short)s), "h"((short)r) : "memory");
}
#endif

__global__ __launch_bounds__(3 * GROUP, 1) void convolve(const __grid_constant__ CUtensorMap image,
                                                         const __grid_constant__ CUtensorMap filters,
                                                         const __grid_constant__ convolution v)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(1024) char shared[];
    tiles *t = (tiles *)shared;
    int group = threadIdx.x / GROUP, wide = v.k / 128, all = (v.pixels + 127) / 128 * wide;
    int parts = v.c / ROW_HALVES, steps = v.side * v.side * parts;
    unsigned turn = 0;
    tiles_init(t);
    if (group == 2) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        for (int i = blockIdx.x; i < all && threadIdx.x == 2 * GROUP; i += gridDim.x) {
            int pixel = i / wide * 128, n = pixel / (v.p * v.q), rest = pixel % (v.p * v.q);
            int h = rest / v.q * v.stride - v.pad, w = rest % v.q * v.stride - v.pad;
            for (int k = 0; k < steps; k++) {
                int part = k % parts, s = k / parts % v.side, r = k / parts / v.side;
                unsigned stage = tiles_fill(t, turn++);
                load_pixels(t->a[stage], &image, part * ROW_HALVES, w, h, n, s, r, &t->full[stage]);
                load_2d(t->b[stage], &filters, k * ROW_HALVES, i % wide * 128, &t->full[stage]);
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        for (int i = blockIdx.x; i < all; i += gridDim.x) {
            float d[64];
            tiles_consume(t, d, steps, &turn);
            sums_store(v.out, d, i / wide * 128 + group * 64, v.pixels, i % wide * 128, v.k);
        }
    }
#endif
}

/* Boxes of 128 pixels and 64 channels; corners say which pixels may be a filter's first. */
static CUtensorMap map_of_images(void *address, const convolution *v)
{
    CUtensorMap map;
    cuuint64_t size[4] = {(cuuint64_t)v->c, (cuuint64_t)v->w, (cuuint64_t)v->h, (cuuint64_t)v->n};
    cuuint64_t stride[3] = {size[0] * 2, size[0] * size[1] * 2, size[0] * size[1] * size[2] * 2};
    cuuint32_t steps[4] = {1, (cuuint32_t)v->stride, (cuuint32_t)v->stride, 1};
    int lower[2] = {-v->pad, -v->pad}, upper[2] = {v->pad - (v->side - 1), v->pad - (v->side - 1)};
    must(cuTensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4, address, size, stride,
                                 lower, upper, ROW_HALVES, 128, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                 CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
         "cuTensorMapEncodeIm2col");
    return map;
}

static int wrong_sums(const convolution *v, const __half *image, const __half *filters,
                      const float *out)
{
    int wrong = 0, every = v->pixels > 96 ? v->pixels / 96 : 1;
    for (int pixel = 0; pixel < v->pixels; pixel += every) {
        int n = pixel / (v->p * v->q), p = pixel / v->q % v->p, q = pixel % v->q;
        for (int k = 0; k < v->k; k++) {
            float sum = 0;
            for (int r = 0; r < v->side; r++) {
                for (int s = 0; s < v->side; s++) {
                    int y = p * v->stride - v->pad + r, x = q * v->stride - v->pad + s;
                    if (y < 0 || y >= v->h || x < 0 || x >= v->w)
                        continue;
                    const __half *a = image + (((size_t)n * v->h + y) * v->w + x) * v->c,
                                 *b = filters + (((size_t)k * v->side + r) * v->side + s) * v->c;
                    for (int c = 0; c < v->c; c++)
                        sum += __half2float(a[c]) * __half2float(b[c]);
                }
            }
            wrong += out[(size_t)pixel * v->k + k] != sum;
        }
    }
    return wrong;
}

int main(int argc, char **argv)
{
    bool csv = argc > 1 && !strcmp(argv[1], "csv");
    int given[8] = {2, 14, 14, 64, 128, 3, 1, 1}, sms;
    for (int i = 0; i < 8 && i + 1 + csv < argc; i++)
        given[i] = atoi(argv[i + 1 + csv]);
    convolution v = {given[0], given[1], given[2], given[3], given[4],
                     given[5], given[6], given[7], 0,        0,
                     0,        NULL};
    bool ok = v.n > 0 && v.h > 0 && v.w > 0 && v.c > 0 && v.c % 64 == 0 && v.k > 0 &&
              v.k % 128 == 0 && v.side > 0 && v.side < 16 && v.pad >= 0 && v.pad < v.side &&
              v.stride > 0 && v.stride < 9 && v.h + 2 * v.pad >= v.side && v.w + 2 * v.pad >= v.side;
    if (!ok) {
        fprintf(stderr, "usage: convolution [csv] [N] [H] [W] [C] [K] [filter side] [padding] "
                        "[stride]\nC a multiple of 64, K of 128\n");
        return 2;
    }
    v.p = (v.h + 2 * v.pad - v.side) / v.stride + 1;
    v.q = (v.w + 2 * v.pad - v.side) / v.stride + 1;
    v.pixels = v.n * v.p * v.q;
    size_t inputs = (size_t)v.n * v.h * v.w * v.c, depth = (size_t)v.side * v.side * v.c;
    size_t outputs = (size_t)v.pixels * v.k;
    __half *image = small_integers(inputs, 7), *filters = small_integers(v.k * depth, 3);
    void *di = on_device(image, inputs * 2), *df = on_device(filters, v.k * depth * 2);
    float *out = (float *)malloc(outputs * 4);
    v.out = (float *)on_device(NULL, outputs * 4);
    CUtensorMap mi = map_of_images(di, &v), mf = map_of_rows(df, v.k, (int)depth, 128);
    must(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "no device");
    must(cudaFuncSetAttribute(convolve, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              (int)sizeof(tiles)),
         "shared memory");
    auto launch = [&] { convolve<<<sms, 3 * GROUP, sizeof(tiles)>>>(mi, mf, v); };
    if (csv) {
        printf("convolution,%d,%d,%d,%d,%d,%d,%d,%d,%.0f\n", v.n, v.h, v.w, v.c, v.k, v.side, v.pad,
               v.stride, nanoseconds(launch));
    } else {
        launch();
        must(cudaGetLastError(), "launch");
    }
    must(cudaMemcpy(out, v.out, outputs * 4, cudaMemcpyDeviceToHost), "kernel");
    int wrong = wrong_sums(&v, image, filters, out);
    if (wrong || !csv)
        printf("%d images of %d x %d x %d, %d filters of %d x %d, padding %d, stride %d: %d wrong\n",
               v.n, v.h, v.w, v.c, v.k, v.side, v.side, v.pad, v.stride, wrong);
    free(image);
    free(filters);
    free(out);
    cudaFree(di);
    cudaFree(df);
    cudaFree(v.out);
    return wrong != 0;
}
