/*
 * Dense matrices and vectors of f32 for linear algebra, stored by rows, and the CPU's products.
 *
 * Elements are whole numbers from -8 to 8. The products do one fused multiply-add per term, in
 * ascending order of the index summed over: a kernel whose thread does the same for its element
 * gives the same result to the last bit, also where sums no longer are whole numbers of f32.
 */
#ifndef WORKLOADS_DENSE_H
#define WORKLOADS_DENSE_H

#include "host.h"
#include "random.h"

#include <math.h>
#include <stdio.h>

/* An array of the host that the seed and the name alone decide; a vector has one column. */
static inline float *dense_make(struct host *h, const char *name, u32 rows, u32 columns)
{
    struct random r = random_stream(h->seed, name);
    size_t count = (size_t)rows * columns;
    float *m = HOST_ARRAY(h, float, count);
    for (size_t i = 0; i < count; i++)
        m[i] = (float)((int)random_below(r, i, 17) - 8);
    return m;
}

static inline CUdeviceptr dense_upload(struct host *h, const float *m, u32 rows, u32 columns)
{
    return host_upload(h, m, (size_t)rows * columns * sizeof(float));
}

/* The option of programs whose matrix may be part of a wider one: its rows then begin further apart
 * than they are long, which decides the sets of a cache that they share. */
#define DENSE_PITCH(columns)                                                                       \
    {                                                                                              \
        "pitch", "elements from row to row", .sizes = {0, 0, 65536}, .as = columns                 \
    }

static inline u32 dense_pitch(const struct host *h, u32 columns)
{
    u32 pitch = host_measure(h, "pitch");
    if (pitch < columns)
        host_fail(h, "--pitch is %u, expected at least a row's %u elements", pitch, columns);
    return pitch;
}

/* What lies between rows is left as it is. */
static inline CUdeviceptr dense_upload_pitched(struct host *h, const float *m, u32 rows,
                                               u32 columns, u32 pitch)
{
    if (pitch == columns)
        return dense_upload(h, m, rows, columns);
    CUdeviceptr to = host_device_alloc(h, (size_t)rows * pitch * sizeof(float));
    for (u32 i = 0; i < rows; i++)
        CU(h, cuMemcpyHtoD,
           (to + (size_t)i * pitch * sizeof(float), m + (size_t)i * columns,
            columns * sizeof(float)));
    return to;
}

/* The kernel for rows that follow each other, or the one for a pitch. */
static inline CUfunction dense_kernel(struct host *h, const char *name, bool is_pitched)
{
    char pitched[64];
    snprintf(pitched, sizeof pitched, "%s_pitched", name);
    return host_kernel(h, is_pitched ? pitched : name);
}

/* The option of programs whose sums may be in memory while they grow, as in Polybench. */
#define DENSE_SUMS                                                                                 \
    {                                                                                              \
        "sums", "stored at the end, or at every step as Polybench does, in blocks of its 256",     \
            .words = {                                                                             \
                "register",                                                                        \
                "memory",                                                                          \
                NULL                                                                               \
            }                                                                                      \
    }

static inline bool dense_sums_in_memory(const struct host *h)
{
    return host_chosen(h, "sums") == 1;
}

/* NAME_memory takes the pitch, as NAME_pitched does. */
static inline CUfunction dense_sum_kernel(struct host *h, const char *name, bool is_pitched)
{
    char in_memory[64];
    snprintf(in_memory, sizeof in_memory, "%s_memory", name);
    return dense_sums_in_memory(h) ? host_kernel(h, in_memory) : dense_kernel(h, name, is_pitched);
}

/* y += A x: y has A's rows, x its columns. */
static inline void dense_multiply(float *y, const float *a, const float *x, u32 rows, u32 columns)
{
    for (u32 i = 0; i < rows; i++) {
        for (u32 j = 0; j < columns; j++)
            y[i] = fmaf(a[(size_t)i * columns + j], x[j], y[i]);
    }
}

/* y += A^T x: y has A's columns, x its rows. */
static inline void dense_multiply_transposed(float *y, const float *a, const float *x, u32 rows,
                                             u32 columns)
{
    for (u32 i = 0; i < rows; i++) {
        for (u32 j = 0; j < columns; j++)
            y[j] = fmaf(a[(size_t)i * columns + j], x[i], y[j]);
    }
}

/* The array on the device must be as expected, in every element. */
static inline void dense_compare(struct host *h, const char *name, CUdeviceptr from,
                                 const float *expected, u32 rows, u32 columns)
{
    size_t count = (size_t)rows * columns;
    float *got = HOST_ARRAY(h, float, count);
    host_download(h, got, from, count * sizeof(float));
    host_compare_f32(h, name, got, expected, count);
}

#endif
