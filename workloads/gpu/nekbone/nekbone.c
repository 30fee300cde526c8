/*
 * Host of nekbone: conjugate gradients over spectral elements (see nekbone.cu for its memory
 * behaviour and use).
 *
 * Copies of a point, elements' sums and blocks' sums are added in the same order as there, and both
 * sides use their own sums: solution and residual are compared exactly.
 */
#include "element.h"
#include "host.h"

#define DOT_BLOCKS 16

static const struct host_choice choices[] = {
    {"side", "of the cube of elements", .sizes = {2, 6, 16}},
    {"iterations", "of five kernels and two sums", .sizes = {2, 3, 10}},
    {0},
};

struct problem {
    u32 count, shared; /* points of all elements; places that several have */
    u32 *first, *copies;
    float *weights, *share, d[N * N];
    float *x, *r, *p, *w;
};

/* The copies of every place, which is a point of a grid of (7 side + 1)^3. */
static void make_links(struct problem *m, struct host *h, u32 side)
{
    u32 across = (N - 1) * side + 1, places = across * across * across, used = 0;
    u32 *place = HOST_ARRAY(h, u32, m->count), *have = HOST_ARRAY(h, u32, places + 1);
    for (u32 i = 0; i < m->count; i++) {
        u32 e = i / POINTS, x = e % side * (N - 1) + i % N,
            y = e / side % side * (N - 1) + i / N % N;
        u32 layer = i / (N * N) % N, z = e / side / side * (N - 1) + layer;
        place[i] = (z * across + y) * across + x;
        have[place[i]]++;
    }
    u32 *number = HOST_ARRAY(h, u32, places);
    m->first = HOST_ARRAY(h, u32, places + 1);
    for (u32 n = 0; n < places; n++) {
        number[n] = m->shared;
        if (have[n] > 1)
            m->first[++m->shared] = used += have[n];
    }
    m->copies = HOST_ARRAY(h, u32, used + 1); /* one at least */
    m->share = HOST_ARRAY(h, float, m->count);
    u32 *next = HOST_ARRAY(h, u32, m->shared + 1);
    for (u32 i = 0; i < m->count; i++) {
        u32 n = number[place[i]];
        if (have[place[i]] > 1)
            m->copies[m->first[n] + next[n]++] = i;
        m->share[i] = 1 / (float)have[place[i]];
    }
}

static void apply(struct problem *m)
{
    float parts[3][POINTS];
    for (u32 e = 0; e < m->count; e += POINTS) {
        for (u32 t = 0; t < 3 * POINTS; t++)
            parts[t / POINTS][t % POINTS] =
                m->weights[e + t % POINTS] * derived(m->p + e, m->d, t % POINTS, t / POINTS, false);
        for (u32 t = 0; t < POINTS; t++) {
            float sum = 0.1f * m->p[e + t];
            for (u32 k = 0; k < 3; k++)
                sum += derived(parts[k], m->d, t, k, true);
            m->w[e + t] = sum;
        }
    }
}

static void join(const struct problem *m, float *w)
{
    for (u32 n = 0; n < m->shared; n++) {
        float sum = 0;
        for (u32 i = m->first[n]; i < m->first[n + 1]; i++)
            sum += w[m->copies[i]];
        for (u32 i = m->first[n]; i < m->first[n + 1]; i++)
            w[m->copies[i]] = sum;
    }
}

static float add_up(const float *sums)
{
    float sum = 0;
    for (u32 b = 0; b < DOT_BLOCKS; b++)
        sum += sums[b];
    return sum;
}

static float dot(const struct problem *m, const float *a, const float *b)
{
    float trees[DOT_BLOCKS * 256] = {0}, sums[DOT_BLOCKS];
    for (u32 i = 0; i < m->count; i++) {
        float *at = &trees[i % (DOT_BLOCKS * 256)];
        *at = fmaf(a[i] * m->share[i], b[i], *at);
    }
    for (u32 block = 0; block < DOT_BLOCKS; block++) {
        float *tree = &trees[256 * block];
        for (u32 by = 128; by > 0; by /= 2) {
            for (u32 t = 0; t < by; t++)
                tree[t] += tree[t + by];
        }
        sums[block] = tree[0];
    }
    return add_up(sums);
}

struct device {
    CUdeviceptr first, copies, weights, share, x, r, p, w, sums;
};

static float device_dot(struct host *h, struct device *d, CUdeviceptr *a, CUdeviceptr *b, u32 count)
{
    float sums[DOT_BLOCKS];
    host_launch(h, host_kernel(h, "nekbone_dot"), DIM1(DOT_BLOCKS), DIM1(256), 0,
                ARGS(a, b, &d->share, &d->sums, &count));
    host_download(h, sums, d->sums, sizeof sums);
    return add_up(sums);
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "nekbone", choices, argc, argv);
    u32 side = host_measure(&h, "side"), elements = side * side * side;
    struct problem m = {.count = elements * POINTS};
    size_t bytes = m.count * sizeof(float), constant_bytes;
    make_links(&m, &h, side);
    float *d = host_random_f32(&h, "derivative", N * N, -1, 1);
    for (u32 i = 0; i < N * N; i++)
        m.d[i] = d[i];
    m.weights = host_random_f32(&h, "weights", m.count, 0.5f, 1);
    m.x = HOST_ARRAY(&h, float, m.count);
    m.w = HOST_ARRAY(&h, float, m.count);
    m.p = HOST_ARRAY(&h, float, m.count);
    m.r = host_random_f32(&h, "r", m.count, -1, 1);
    join(&m, m.r); /* copies agree */
    for (u32 i = 0; i < m.count; i++)
        m.p[i] = m.r[i];
    struct device v = {.first = host_upload(&h, m.first, (m.shared + 1) * sizeof(u32)),
                       .copies = host_upload(&h, m.copies, (m.first[m.shared] + 1) * sizeof(u32)),
                       .weights = host_upload(&h, m.weights, bytes),
                       .share = host_upload(&h, m.share, bytes),
                       .x = host_zeros(&h, bytes),
                       .r = host_upload(&h, m.r, bytes),
                       .p = host_upload(&h, m.p, bytes),
                       .w = host_device_alloc(&h, bytes),
                       .sums = host_device_alloc(&h, DOT_BLOCKS * sizeof(float))};
    CUdeviceptr constant;
    CU(&h, cuModuleGetGlobal, (&constant, &constant_bytes, h.module, "derivative"));
    CU(&h, cuMemcpyHtoD, (constant, m.d, sizeof m.d));
    struct dim all = DIM1(blocks_for(m.count, 256)), block = DIM1(256);
    float rr = dot(&m, m.r, m.r), device_rr = device_dot(&h, &v, &v.r, &v.r, m.count);
    for (u32 i = 0, iterations = host_measure(&h, "iterations"); i < iterations; i++) {
        host_launch(&h, host_kernel(&h, "nekbone_apply"), DIM1(elements), DIM1(POINTS), 0,
                    ARGS(&v.p, &v.weights, &v.w));
        if (m.shared > 0)
            host_launch(&h, host_kernel(&h, "nekbone_join"), DIM1(blocks_for(m.shared, 256)), block,
                        0, ARGS(&v.first, &v.copies, &v.w, &m.shared));
        float device_a = device_rr / device_dot(&h, &v, &v.p, &v.w, m.count);
        host_launch(&h, host_kernel(&h, "nekbone_update"), all, block, 0,
                    ARGS(&v.x, &v.r, &v.p, &v.w, &device_a, &m.count));
        float device_next = device_dot(&h, &v, &v.r, &v.r, m.count);
        float device_b = device_next / device_rr;
        host_launch(&h, host_kernel(&h, "nekbone_direction"), all, block, 0,
                    ARGS(&v.p, &v.r, &device_b, &m.count));
        device_rr = device_next;

        apply(&m);
        join(&m, m.w);
        float a = rr / dot(&m, m.p, m.w), before = rr;
        for (u32 k = 0; k < m.count; k++) {
            m.x[k] = fmaf(a, m.p[k], m.x[k]);
            m.r[k] = fmaf(-a, m.w[k], m.r[k]);
        }
        rr = dot(&m, m.r, m.r);
        for (u32 k = 0; k < m.count; k++)
            m.p[k] = fmaf(rr / before, m.p[k], m.r[k]);
    }
    host_check_f32(&h, "x", v.x, m.x, m.count);
    host_check_f32(&h, "r", v.r, m.r, m.count);
    return host_finish(&h);
}
