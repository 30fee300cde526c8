/*
 * softmax(Q x K' / sqrt(d)) x V, fused, f16 with f32 sums: attention forward.
 *
 *   attention [csv] [head size 64|128] [heads] [queries and keys] [causal|full]
 *
 * A block has 128 queries of a head. One warp group copies Q once and tiles of 128 keys and values
 * in turn; two have 64 queries each. They take turns at the tensor cores: while one finds maxima and
 * exponentials of its scores, the other multiplies (ping-pong). Within a group the product of
 * scores for the next keys is under way with that of the last probabilities and values. Maxima and
 * sums of a row are kept and corrected from tile to tile, so scores never leave registers.
 */
#include "hopper.h"

enum { QUERIES = 128, KEYS = 128, STAGES = 2 };

struct shape {
    int heads, length;
    bool causal;
    float scale; /* of scores, times log2 e */
};

#if __CUDA_ARCH__ >= 900 || !defined(__CUDA_ARCH__)
/* Parts of 64 columns lie behind each other. */
template <int D> struct memory {
    __half q[QUERIES * D], k[STAGES][KEYS * D], v[STAGES][KEYS * D];
    barrier_t q_full, k_full[STAGES], k_empty[STAGES], v_full[STAGES], v_empty[STAGES];
};

/* Tiles of keys that the block's last query sees. */
static __device__ int tiles_of(const shape *s)
{
    return s->causal ? (int)blockIdx.x + 1 : s->length / KEYS;
}

template <int D>
static __device__ void load_rows(__half *to, const CUtensorMap *map, int row, barrier_t *full)
{
    barrier_expect(full, 128 * D * 2);
    for (int part = 0; part < D / ROW_HALVES; part++)
        load_2d(to + part * 128 * ROW_HALVES, map, part * ROW_HALVES, row, full);
}

template <int D>
static __device__ void produce(memory<D> *m, const CUtensorMap *q, const CUtensorMap *k,
                               const CUtensorMap *v, const shape *s)
{
    int first = (int)blockIdx.y * s->length;
    load_rows<D>(m->q, q, first + (int)blockIdx.x * QUERIES, &m->q_full);
    for (int i = 0; i < tiles_of(s); i++) {
        int stage = i % STAGES, parity = (i / STAGES & 1) ^ 1;
        barrier_wait(&m->k_empty[stage], parity);
        load_rows<D>(m->k[stage], k, first + i * KEYS, &m->k_full[stage]);
        barrier_wait(&m->v_empty[stage], parity);
        load_rows<D>(m->v[stage], v, first + i * KEYS, &m->v_full[stage]);
    }
}

/* What a thread keeps of its rows r and r + 8. */
template <int D> struct rows {
    float scores[KEYS / 2], out[D / 2], most[2], sum[2];
    unsigned p[KEYS / 4]; /* probabilities as the next product wants them */
};

template <int D>
static __device__ void score(rows<D> *r, const memory<D> *m, int group, int stage)
{
    for (int i = 0; i < D / 16; i++) {
        int part = i / 4 * ROW_HALVES;
        multiply_128(r->scores, descriptor(m->q + part * QUERIES + group * 64 * ROW_HALVES) + i % 4 * 2,
                     descriptor(m->k[stage] + part * KEYS) + i % 4 * 2, i > 0);
    }
    products_commit();
}

template <int D> static __device__ void add_values(rows<D> *r, const memory<D> *m, int stage)
{
    for (int i = 0; i < KEYS / 16; i++)
        multiply_registers(r->out, &r->p[4 * i],
                           descriptor(m->v[stage] + i * 16 * ROW_HALVES, KEYS * ROW_BYTES));
    products_commit();
}

/* Keys behind a query have no part in it. */
template <int D> static __device__ void mask(rows<D> *r, int query, int key)
{
    int lane = threadIdx.x % 32;
    for (int i = 0; i < KEYS / 2; i++) {
        if (key + i / 4 * 8 + lane % 4 * 2 + i % 2 > query + i / 2 % 2 * 8)
            r->scores[i] = -INFINITY;
    }
}

/* Scores become exponentials; by how much what was added so far is to be scaled. */
template <int D> static __device__ void exponentials(rows<D> *r, float scale, float *correction)
{
    for (int h = 0; h < 2; h++) {
        float most = r->most[h], sum = 0;
        for (int i = 2 * h; i < KEYS / 2; i += 4)
            most = fmaxf(most, fmaxf(r->scores[i], r->scores[i + 1]));
        most = fmaxf(most, __shfl_xor_sync(~0u, most, 1));
        most = fmaxf(most, __shfl_xor_sync(~0u, most, 2));
        for (int i = 2 * h; i < KEYS / 2; i += 4) {
            r->scores[i] = exp2f((r->scores[i] - most) * scale);
            r->scores[i + 1] = exp2f((r->scores[i + 1] - most) * scale);
            sum += r->scores[i] + r->scores[i + 1];
        }
        correction[h] = exp2f((r->most[h] - most) * scale);
        r->sum[h] = r->sum[h] * correction[h] + sum;
        r->most[h] = most;
    }
}

template <int D> static __device__ void correct(rows<D> *r, const float *correction)
{
    for (int i = 0; i < D / 2; i++)
        r->out[i] *= correction[i / 2 % 2];
    for (int i = 0; i < KEYS / 4; i++) {
        __half2 pair = __floats2half2_rn(r->scores[2 * i], r->scores[2 * i + 1]);
        r->p[i] = *(const unsigned *)&pair;
    }
}

/* Named barriers 1 and 2: it is the turn of group 0, of group 1. */
static __device__ void turn_wait(int group)
{
    asm volatile("bar.sync %0, 256;" ::"r"(1 + group) : "memory");
}

static __device__ void turn_give(int group)
{
    asm volatile("bar.arrive %0, 256;" ::"r"(1 + group) : "memory");
}

template <int D> static __device__ void write_rows(rows<D> *r, __half *out, size_t row)
{
    int lane = threadIdx.x % 32;
    for (int h = 0; h < 2; h++) {
        r->sum[h] += __shfl_xor_sync(~0u, r->sum[h], 1);
        r->sum[h] += __shfl_xor_sync(~0u, r->sum[h], 2);
    }
    for (int i = 0; i < D / 2; i += 2) {
        int h = i / 2 % 2;
        __half2 pair = __floats2half2_rn(r->out[i] / r->sum[h], r->out[i + 1] / r->sum[h]);
        *(__half2 *)(out + (row + h * 8) * D + i / 4 * 8 + lane % 4 * 2) = pair;
    }
}

template <int D>
static __device__ void consume(memory<D> *m, __half *out, const shape *s, int group)
{
    rows<D> r;
    float correction[2];
    int tiles = tiles_of(s), lane = threadIdx.x % 32, warp = threadIdx.x % GROUP / 32;
    int query = (int)blockIdx.x * QUERIES + group * 64 + warp * 16 + lane / 4;
    bool signals = threadIdx.x % GROUP == 0;
    for (int i = 0; i < D / 2; i++)
        r.out[i] = 0;
    for (int h = 0; h < 2; h++) {
        r.most[h] = -1e30f;
        r.sum[h] = 0;
    }
    barrier_wait(&m->q_full, 0);
    if (group == 1)
        turn_give(0);
    for (int i = 0; i <= tiles; i++) {
        int stage = i % STAGES, before = (i + STAGES - 1) % STAGES;
        if (i < tiles)
            barrier_wait(&m->k_full[stage], i / STAGES & 1);
        if (i > 0)
            barrier_wait(&m->v_full[before], (i - 1) / STAGES & 1);
        turn_wait(group);
        products_begin();
        if (i < tiles)
            score(&r, m, group, stage);
        if (i > 0)
            add_values(&r, m, before);
        if (group == 0 || i < tiles)
            turn_give(1 - group);
        if (i < tiles) {
            if (i > 0)
                products_wait<1>();
            else
                products_wait<0>();
            if (signals)
                barrier_arrive(&m->k_empty[stage]);
            if (s->causal && i == tiles - 1)
                mask(&r, query, i * KEYS);
            exponentials(&r, s->scale, correction);
        }
        products_wait<0>();
        if (i > 0 && signals)
            barrier_arrive(&m->v_empty[before]);
        if (i < tiles)
            correct(&r, correction);
    }
    write_rows(&r, out, (size_t)blockIdx.y * s->length + query);
}
#endif

template <int D>
__global__ __launch_bounds__(3 * GROUP, 1) void attention(const __grid_constant__ CUtensorMap q,
                                                          const __grid_constant__ CUtensorMap k,
                                                          const __grid_constant__ CUtensorMap v,
                                                          __half *out,
                                                          const __grid_constant__ shape s)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(1024) char shared[];
    memory<D> *m = (memory<D> *)shared;
    int group = threadIdx.x / GROUP;
    if (threadIdx.x == 0) {
        barrier_init(&m->q_full, 1);
        for (int i = 0; i < STAGES; i++) {
            barrier_init(&m->k_full[i], 1);
            barrier_init(&m->v_full[i], 1);
            barrier_init(&m->k_empty[i], 2);
            barrier_init(&m->v_empty[i], 2);
        }
        barriers_are_made();
    }
    __syncthreads();
    if (group == 2) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 2 * GROUP)
            produce(m, &q, &k, &v, &s);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        consume(m, out, &s, group);
    }
#endif
}

/* ---- numbers ------------------------------------------------------------------------------- */

/* From -1 to 1, in steps that f16 has. */
static __half *numbers(size_t count, unsigned seed)
{
    __half *all = (__half *)malloc(count * sizeof *all);
    unsigned state = seed;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        all[i] = __float2half((float)(int)(state >> 24) / 128 - 1);
    }
    return all;
}

/* Probabilities are rounded to f16 before they meet values of at most 1, and so is the result:
 * 2^-11 of each, and a little for the order of sums. */
static int wrong_rows(const shape *s, int d, const __half *q, const __half *k, const __half *v,
                      const __half *out)
{
    int wrong = 0, rows = s->heads * s->length, every = rows > 256 ? rows / 256 - 1 : 1;
    double *p = (double *)malloc((size_t)s->length * sizeof *p);
    for (int row = 0; row < rows; row += every | 1) {
        size_t first = (size_t)(row / s->length) * s->length;
        int keys = s->causal ? row % s->length + 1 : s->length;
        double most = -INFINITY, sum = 0;
        for (int j = 0; j < keys; j++) {
            p[j] = 0;
            for (int x = 0; x < d; x++)
                p[j] += (double)__half2float(q[(size_t)row * d + x]) *
                        __half2float(k[(first + j) * d + x]);
            p[j] /= sqrt((double)d);
            most = fmax(most, p[j]);
        }
        for (int j = 0; j < keys; j++)
            sum += p[j] = exp(p[j] - most);
        for (int x = 0; x < d; x++) {
            double expected = 0;
            for (int j = 0; j < keys; j++)
                expected += p[j] / sum * __half2float(v[(first + j) * d + x]);
            wrong += !(fabs(__half2float(out[(size_t)row * d + x]) - expected) <= 2e-3);
        }
    }
    free(p);
    return wrong;
}

template <int D> static void run(shape s, bool csv)
{
    size_t rows = (size_t)s.heads * s.length, bytes = rows * D * sizeof(__half);
    __half *q = numbers(rows * D, 1), *k = numbers(rows * D, 2), *v = numbers(rows * D, 3);
    void *dq = on_device(q, bytes), *dk = on_device(k, bytes), *dv = on_device(v, bytes);
    __half *out = (__half *)on_device(NULL, bytes), *back = (__half *)malloc(bytes);
    CUtensorMap mq = map_of_rows(dq, rows, D, 128), mk = map_of_rows(dk, rows, D, 128),
                mv = map_of_rows(dv, rows, D, 128);
    s.scale = (float)(1.4426950408889634 / sqrt((double)D));
    must(cudaFuncSetAttribute(attention<D>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              (int)sizeof(memory<D>)),
         "shared memory");
    auto launch = [&] {
        attention<D><<<dim3(s.length / QUERIES, s.heads), 3 * GROUP, sizeof(memory<D>)>>>(mq, mk, mv,
                                                                                         out, s);
    };
    if (csv) {
        printf("attention,%d,%d,%d,%s,%.0f\n", D, s.heads, s.length, s.causal ? "causal" : "full",
               nanoseconds(launch));
    } else {
        launch();
        must(cudaGetLastError(), "launch");
    }
    must(cudaMemcpy(back, out, bytes, cudaMemcpyDeviceToHost), "kernel");
    int wrong = wrong_rows(&s, D, q, k, v, back);
    if (wrong || !csv)
        printf("attention d %d, %d heads of %d, %s: %d wrong\n", D, s.heads, s.length,
               s.causal ? "causal" : "full", wrong);
    if (wrong)
        exit(1);
    free(q);
    free(k);
    free(v);
    free(back);
    cudaFree(dq);
    cudaFree(dk);
    cudaFree(dv);
    cudaFree(out);
}

int main(int argc, char **argv)
{
    bool csv = argc > 1 && !strcmp(argv[1], "csv");
    char **word = argv + 1 + csv;
    int count = argc - 1 - csv, d = count > 0 ? atoi(word[0]) : 64;
    shape s = {};
    s.heads = count > 1 ? atoi(word[1]) : 2;
    s.length = count > 2 ? atoi(word[2]) : 512;
    s.causal = count > 3 && !strcmp(word[3], "causal");
    if ((d != 64 && d != 128) || s.heads < 1 || s.length < KEYS || s.length % KEYS) {
        fprintf(stderr, "usage: attention [csv] [64|128] [heads] [length, a multiple of 128] "
                        "[causal|full]\n");
        return 2;
    }
    d == 64 ? run<64>(s, csv) : run<128>(s, csv);
    return 0;
}
