/*
 * Softmax or layer norm of the rows of a matrix of floats.
 *
 *   rows [csv] [softmax|norm] [rows] [columns]
 *
 * Blocks are persistent. One thread copies rows to shared memory (cp.async.bulk), as many as there
 * are stages ahead; eight warps work on one row at a time, and the result goes back by a bulk copy
 * from the same place, which is free again when that has been read.
 */
#include "hopper.h"

enum { THREADS = 256, WARPS = THREADS / 32, STAGES = 4, MOST_COLUMNS = 8192 };

struct matrix {
    const float *from, *gain, *bias; /* the last two of layer norm */
    float *to;
    int rows, columns;
};

#if __CUDA_ARCH__ >= 900 || !defined(__CUDA_ARCH__)
static __device__ void load_row(const matrix *m, int row, float *to, barrier_t *full)
{
    unsigned bytes = (unsigned)m->columns * 4;
    barrier_expect(full, bytes);
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
                 "[%3];" ::"r"(at(to)), "l"(m->from + (size_t)row * m->columns), "r"(bytes),
                 "r"(at(full)) : "memory");
}

static __device__ void store_row(const matrix *m, int row, const float *from)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
                 "cp.async.bulk.commit_group;" ::"l"(m->to + (size_t)row * m->columns),
                 "r"(at(from)), "r"(m->columns * 4) : "memory");
}

/* Of all threads of the block, by each. */
template <class OP> static __device__ float all_of(float v, float *parts, OP op)
{
    for (int i = 16; i; i /= 2)
        v = op(v, __shfl_xor_sync(~0u, v, i));
    __syncthreads(); /* parts are free */
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = v;
    __syncthreads();
    v = parts[0];
    for (int i = 1; i < WARPS; i++)
        v = op(v, parts[i]);
    return v;
}

static __device__ float add(float a, float b)
{
    return a + b;
}

static __device__ float greater(float a, float b)
{
    return fmaxf(a, b);
}

static __device__ void softmax(float *row, int columns, float *parts)
{
    float most = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < columns; i += THREADS)
        most = fmaxf(most, row[i]);
    most = all_of(most, parts, greater);
    for (int i = threadIdx.x; i < columns; i += THREADS) {
        row[i] = expf(row[i] - most);
        sum += row[i];
    }
    sum = all_of(sum, parts, add);
    for (int i = threadIdx.x; i < columns; i += THREADS)
        row[i] /= sum;
}

static __device__ void layer_norm(const matrix *m, float *row, float *parts)
{
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < m->columns; i += THREADS)
        sum += row[i];
    float mean = all_of(sum, parts, add) / m->columns;
    for (int i = threadIdx.x; i < m->columns; i += THREADS)
        squares += (row[i] - mean) * (row[i] - mean);
    float scale = rsqrtf(all_of(squares, parts, add) / m->columns + 1e-5f);
    for (int i = threadIdx.x; i < m->columns; i += THREADS)
        row[i] = (row[i] - mean) * scale * m->gain[i] + m->bias[i];
}
#endif

template <bool IS_NORM>
__global__ __launch_bounds__(THREADS, 1) void rows(const __grid_constant__ matrix m)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) float stages[]; /* STAGES rows */
    __shared__ float parts[WARPS];
    __shared__ barrier_t full[STAGES];
    int first = blockIdx.x, step = gridDim.x;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++)
            barrier_init(&full[i], 1);
        barriers_are_made();
        for (int i = 0; i < STAGES - 1 && first + i * step < m.rows; i++)
            load_row(&m, first + i * step, stages + i * m.columns, &full[i]);
    }
    __syncthreads();
    for (int turn = 0, row = first; row < m.rows; turn++, row += step) {
        int ahead = row + (STAGES - 1) * step;
        if (threadIdx.x == 0 && ahead < m.rows) {
            int stage = (turn + STAGES - 1) % STAGES; /* the last turn's, when it has been read */
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
            load_row(&m, ahead, stages + stage * m.columns, &full[stage]);
        }
        float *own = stages + turn % STAGES * m.columns;
        barrier_wait(&full[turn % STAGES], turn / STAGES & 1);
        if (IS_NORM)
            layer_norm(&m, own, parts);
        else
            softmax(own, m.columns, parts);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0)
            store_row(&m, row, own);
    }
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
#endif
}

/* ---- numbers ------------------------------------------------------------------------------- */

static float *numbers(size_t count, unsigned seed, float least, float wide)
{
    float *all = (float *)malloc(count * sizeof *all);
    unsigned state = seed;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        all[i] = least + wide * (float)(state >> 8) / 16777216;
    }
    return all;
}

/* Of a row, in doubles. */
static int wrong_in(const float *from, const float *to, const float *gain, const float *bias,
                    int columns, bool is_norm)
{
    double most = -INFINITY, sum = 0, squares = 0;
    int wrong = 0;
    for (int i = 0; i < columns; i++) {
        most = fmax(most, from[i]);
        sum += from[i];
    }
    double mean = sum / columns, exponentials = 0;
    for (int i = 0; i < columns; i++) {
        squares += (from[i] - mean) * (from[i] - mean);
        exponentials += exp(from[i] - most);
    }
    double scale = 1 / sqrt(squares / columns + 1e-5);
    for (int i = 0; i < columns; i++) {
        double expected = is_norm ? (from[i] - mean) * scale * gain[i] + bias[i]
                                  : exp(from[i] - most) / exponentials;
        wrong += !(fabs(to[i] - expected) <= 1e-5 * fabs(expected) + (is_norm ? 1e-5 : 0));
    }
    return wrong;
}

int main(int argc, char **argv)
{
    bool csv = argc > 1 && !strcmp(argv[1], "csv");
    char **word = argv + 1 + csv;
    int count = argc - 1 - csv, sms, wrong = 0;
    bool is_norm = count > 0 && !strcmp(word[0], "norm");
    matrix m = {};
    m.rows = count > 1 ? atoi(word[1]) : 300;
    m.columns = count > 2 ? atoi(word[2]) : 1024;
    if (m.rows < 1 || m.columns < 4 || m.columns % 4 || m.columns > MOST_COLUMNS) {
        fprintf(stderr, "usage: rows [csv] [softmax|norm] [rows] [columns, a multiple of 4 up to "
                        "8192]\n");
        return 2;
    }
    size_t all = (size_t)m.rows * m.columns;
    float *from = numbers(all, 1, -4, 8), *gain = numbers(m.columns, 2, 0, 2),
          *bias = numbers(m.columns, 3, -1, 2), *to = (float *)malloc(all * 4);
    m.from = (const float *)on_device(from, all * 4);
    m.gain = (const float *)on_device(gain, m.columns * 4);
    m.bias = (const float *)on_device(bias, m.columns * 4);
    m.to = (float *)on_device(NULL, all * 4);
    auto kernel = is_norm ? rows<true> : rows<false>;
    int bytes = STAGES * m.columns * 4;
    must(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "no device");
    must(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
         "shared memory");
    auto launch = [&] { kernel<<<m.rows < sms ? m.rows : sms, THREADS, bytes>>>(m); };
    if (csv) {
        printf("%s,%d,%d,%.0f\n", is_norm ? "norm" : "softmax", m.rows, m.columns,
               nanoseconds(launch));
    } else {
        launch();
        must(cudaGetLastError(), "launch");
    }
    must(cudaMemcpy(to, m.to, all * 4, cudaMemcpyDeviceToHost), "kernel");
    for (int i = 0; i < m.rows; i++)
        wrong += wrong_in(from + (size_t)i * m.columns, to + (size_t)i * m.columns, gain, bias,
                          m.columns, is_norm);
    if (wrong || !csv)
        printf("%s of %d rows of %d: %d wrong\n", is_norm ? "norm" : "softmax", m.rows, m.columns,
               wrong);
    free(from);
    free(gain);
    free(bias);
    free(to);
    cudaFree((void *)m.from);
    cudaFree((void *)m.gain);
    cudaFree((void *)m.bias);
    cudaFree(m.to);
    return wrong != 0;
}
