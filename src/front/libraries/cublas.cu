// Kernels of the cuBLAS drop-in: vectors, matrices with vectors, products of matrices
#include "device.h"

typedef unsigned short u16;

/* A factor in device memory, or its value. */
struct factor {
    const void *at;
    double value;
};

template <class T> DEVICE_CALL T factor_get(factor f)
{
    return f.at ? *(const T *)f.at : (T)f.value;
}

DEVICE_CALL u32 thread_number()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

/* Element i of a vector; with a negative step the first is the last in memory. */
DEVICE_CALL long long at(long long i, long long n, long long step)
{
    return step < 0 ? (n - 1 - i) * -step : i * step;
}

/* ---- vectors ---- */

#define VECTOR_KERNELS(T, letter)                                                                  \
    extern "C" __global__ void heddle_##letter##scal(int n, factor a, T *x, int incx)             \
    {                                                                                              \
        for (int i = (int)thread_number(); i < n; i += (int)(gridDim.x * blockDim.x))              \
            x[(long long)i * incx] *= factor_get<T>(a);                                            \
    }                                                                                              \
    extern "C" __global__ void heddle_##letter##axpy(int n, factor a, const T *x, int incx, T *y,  \
                                                     int incy)                                     \
    {                                                                                              \
        for (int i = (int)thread_number(); i < n; i += (int)(gridDim.x * blockDim.x))              \
            y[at(i, n, incy)] += factor_get<T>(a) * x[at(i, n, incx)];                             \
    }                                                                                              \
    extern "C" __global__ void heddle_##letter##copy(int n, const T *x, int incx, T *y, int incy)  \
    {                                                                                              \
        for (int i = (int)thread_number(); i < n; i += (int)(gridDim.x * blockDim.x))              \
            y[at(i, n, incy)] = x[at(i, n, incx)];                                                 \
    }                                                                                              \
    extern "C" __global__ void heddle_##letter##swap(int n, T *x, int incx, T *y, int incy)        \
    {                                                                                              \
        for (int i = (int)thread_number(); i < n; i += (int)(gridDim.x * blockDim.x)) {            \
            T old = x[at(i, n, incx)];                                                             \
            x[at(i, n, incx)] = y[at(i, n, incy)];                                                 \
            y[at(i, n, incy)] = old;                                                               \
        }                                                                                          \
    }                                                                                              \
    extern "C" __global__ void heddle_##letter##rot(int n, T *x, int incx, T *y, int incy,         \
                                                    factor c, factor s)                            \
    {                                                                                              \
        for (int i = (int)thread_number(); i < n; i += (int)(gridDim.x * blockDim.x)) {            \
            T a = x[at(i, n, incx)], b = y[at(i, n, incy)];                                        \
            x[at(i, n, incx)] = factor_get<T>(c) * a + factor_get<T>(s) * b;                       \
            y[at(i, n, incy)] = factor_get<T>(c) * b - factor_get<T>(s) * a;                       \
        }                                                                                          \
    }
VECTOR_KERNELS(float, s)
VECTOR_KERNELS(double, d)

/* ---- sums over vectors: one block, in an order of its own that is always the same ---- */

enum { SUM_DOT, SUM_ABS, SUM_SQUARES };
#define SUM_THREADS 256

template <class T>
DEVICE_CALL void sum(int kind, int n, const T *x, int incx, const T *y, int incy, T *out,
                     double *part)
{
    double own = 0;
    for (int i = (int)threadIdx.x; i < n; i += SUM_THREADS) {
        double a = (double)x[at(i, n, incx)];
        own += kind == SUM_DOT       ? a * (double)y[at(i, n, incy)]
               : kind == SUM_SQUARES ? a * a
                                     : (a < 0 ? -a : a);
    }
    part[threadIdx.x] = own;
    for (u32 half = SUM_THREADS / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        *out = (T)(kind == SUM_SQUARES ? __nvvm_sqrt_rn_d(part[0]) : part[0]);
}

/* The first of the largest, or of the smallest, from 1; 0 for an empty vector. */
template <class T>
DEVICE_CALL void extreme(int is_least, int n, const T *x, int incx, int *out, T *value, int *place)
{
    T best = 0;
    int where = 0;
    for (int i = (int)threadIdx.x; i < n; i += SUM_THREADS) {
        T a = x[(long long)i * incx];
        a = a < 0 ? -a : a;
        if (!where || (is_least ? a < best : a > best)) {
            best = a;
            where = i + 1;
        }
    }
    value[threadIdx.x] = best;
    place[threadIdx.x] = where;
    for (u32 half = SUM_THREADS / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half && place[threadIdx.x + half]) {
            u32 other = threadIdx.x + half;
            bool better = is_least ? value[other] < value[threadIdx.x]
                                   : value[other] > value[threadIdx.x];
            bool first = value[other] == value[threadIdx.x] && place[other] < place[threadIdx.x];
            if (!place[threadIdx.x] || better || first) {
                value[threadIdx.x] = value[other];
                place[threadIdx.x] = place[other];
            }
        }
    }
    if (threadIdx.x == 0)
        *out = place[0];
}

#define SUM_KERNELS(T, letter)                                                                     \
    extern "C" __global__ void heddle_##letter##sum(int kind, int n, const T *x, int incx,         \
                                                    const T *y, int incy, T *out)                  \
    {                                                                                              \
        __shared__ double part[SUM_THREADS];                                                       \
        sum(kind, n, x, incx, y, incy, out, part);                                                 \
    }                                                                                              \
    extern "C" __global__ void heddle_##letter##extreme(int is_least, int n, const T *x, int incx, \
                                                        int *out)                                  \
    {                                                                                              \
        __shared__ T value[SUM_THREADS];                                                           \
        __shared__ int place[SUM_THREADS];                                                         \
        extreme(is_least, n, x, incx, out, value, place);                                          \
    }
SUM_KERNELS(float, s)
SUM_KERNELS(double, d)

/* ---- matrices, by columns ---- */

/* A row, or with `transposed` a column, for each thread. */
#define MATRIX_KERNELS(T, letter)                                                                  \
    extern "C" __global__ void heddle_##letter##gemv(int transposed, int m, int n, factor alpha,   \
                                                     const T *a, int lda, const T *x, int incx,    \
                                                     factor beta, T *y, int incy)                  \
    {                                                                                              \
        int rows = transposed ? n : m, columns = transposed ? m : n;                               \
        int i = (int)thread_number();                                                              \
        if (i >= rows)                                                                             \
            return;                                                                                \
        T total = 0, scale = factor_get<T>(beta), *out = &y[at(i, rows, incy)];                    \
        for (int k = 0; k < columns; k++) {                                                        \
            T element = transposed ? a[k + (long long)i * lda] : a[i + (long long)k * lda];        \
            total += element * x[at(k, columns, incx)];                                            \
        }                                                                                          \
        T scaled = factor_get<T>(alpha) * total;                                                   \
        *out = scale == 0 ? scaled : scaled + scale * *out;                                        \
    }                                                                                              \
    extern "C" __global__ void heddle_##letter##ger(int m, int n, factor alpha, const T *x,        \
                                                    int incx, const T *y, int incy, T *a, int lda) \
    {                                                                                              \
        int i = (int)thread_number(), k = (int)blockIdx.y;                                         \
        if (i < m)                                                                                 \
            a[i + (long long)k * lda] +=                                                           \
                factor_get<T>(alpha) * x[at(i, m, incx)] * y[at(k, n, incy)];                      \
    }                                                                                              \
    extern "C" __global__ void heddle_##letter##geam(int ta, int tb, int m, factor alpha,          \
                                                     const T *a, int lda, factor beta, const T *b, \
                                                     int ldb, T *c, int ldc)                       \
    {                                                                                              \
        long long i = (long long)thread_number(), k = (long long)blockIdx.y;                       \
        if (i >= m)                                                                                \
            return;                                                                                \
        T f = factor_get<T>(alpha), g = factor_get<T>(beta), sum = 0;                              \
        if (f != 0)                                                                                \
            sum = f * (ta ? a[k + i * lda] : a[i + k * lda]);                                      \
        if (g != 0)                                                                                \
            sum += g * (tb ? b[k + i * ldb] : b[i + k * ldb]);                                     \
        c[i + k * ldc] = sum;                                                                      \
    }
MATRIX_KERNELS(float, s)
MATRIX_KERNELS(double, d)

/* ---- half of a matrix: symmetric, or with zeros in the other half ---- */

/* Element (i, k) of a symmetric matrix of which one half is stored. */
template <class T>
DEVICE_CALL T symmetric_get(const T *a, int lda, int is_lower, long long i, long long k)
{
    return (i >= k) == (is_lower != 0) || i == k ? a[i + k * lda] : a[k + i * lda];
}

/* op(A) x = alpha b in place, for each block another b: one unknown after the other. */
template <class T>
DEVICE_CALL void solve(int is_lower, int transposed, int unit, int n, const T *a, int lda, T alpha,
                       T *b, long long step)
{
    bool forward = (is_lower != 0) != (transposed != 0);
    for (int i = (int)threadIdx.x; i < n && alpha != 1; i += (int)blockDim.x)
        b[i * step] *= alpha;
    for (int turn = 0; turn < n; turn++) {
        long long i = forward ? turn : n - 1 - turn;
        __syncthreads();
        if (threadIdx.x == 0 && !unit)
            b[i * step] /= a[i + i * lda];
        __syncthreads();
        T found = b[i * step];
        long long first = forward ? i + 1 : 0, end = forward ? n : i;
        for (long long k = first + threadIdx.x; k < end; k += blockDim.x)
            b[k * step] -= (transposed ? a[i + k * lda] : a[k + i * lda]) * found;
    }
}

#define TRIANGLE_KERNELS(T, letter)                                                                \
    extern "C" __global__ void heddle_##letter##solve(int is_lower, int transposed, int unit,      \
                                                      int n, factor alpha, const T *a, int lda,    \
                                                      T *b, long long step, long long apart)       \
    {                                                                                              \
        solve(is_lower, transposed, unit, n, a, lda, factor_get<T>(alpha),                         \
              b + (long long)blockIdx.x * apart, step);                                            \
    }                                                                                              \
    extern "C" __global__ void heddle_##letter##symv(int is_lower, int n, factor alpha,            \
                                                     const T *a, int lda, const T *x, int incx,    \
                                                     factor beta, T *y, int incy)                  \
    {                                                                                              \
        int i = (int)thread_number();                                                              \
        if (i >= n)                                                                                \
            return;                                                                                \
        T total = 0, scale = factor_get<T>(beta), *out = &y[at(i, n, incy)];                       \
        for (int k = 0; k < n; k++)                                                                \
            total += symmetric_get(a, lda, is_lower, i, k) * x[at(k, n, incx)];                    \
        T scaled = factor_get<T>(alpha) * total;                                                   \
        *out = scale == 0 ? scaled : scaled + scale * *out;                                        \
    }                                                                                              \
    extern "C" __global__ void heddle_##letter##syr(int is_lower, int n, factor alpha, const T *x, \
                                                    int incx, T *a, int lda)                       \
    {                                                                                              \
        int i = (int)thread_number(), k = (int)blockIdx.y;                                         \
        if (i < n && (is_lower ? i >= k : i <= k))                                                 \
            a[i + (long long)k * lda] +=                                                           \
                factor_get<T>(alpha) * x[at(i, n, incx)] * x[at(k, n, incx)];                      \
    }
TRIANGLE_KERNELS(float, s)
TRIANGLE_KERNELS(double, d)

/* ---- products ---- */

DEVICE_CALL float half_to_float(u16 h)
{
    float f;
    asm("{ cvt.f32.f16 %0, %1; }" : "=f"(f) : "h"(h));
    return f;
}

DEVICE_CALL u16 half_from_float(float f)
{
    u16 h;
    asm("{ cvt.rn.f16.f32 %0, %1; }" : "=h"(h) : "f"(f));
    return h;
}

enum element { HALF, BFLOAT, FLOAT, DOUBLE };

/* One of a batch: matrices a stride apart, or each where a list says. */
struct operand {
    const void *data;
    const void *const *list;
    long long stride; /* in elements */
    int ld, transposed, element;
};

struct product {
    int m, n, k;
    operand a, b, c;
    factor alpha, beta;
    int factors_are_half; /* in device memory */
    int half;             /* of C that is made: 0 all, 1 the lower, 2 the upper */
};

DEVICE_CALL u32 element_bytes(int element)
{
    return element == DOUBLE ? 8 : element == FLOAT ? 4 : 2;
}

DEVICE_CALL const char *base_of(operand o)
{
    return o.list ? (const char *)o.list[blockIdx.z]
                  : (const char *)o.data +
                        (long long)blockIdx.z * o.stride * element_bytes(o.element);
}

template <class T> DEVICE_CALL T element_get(const char *base, long long i, int element)
{
    if (element == DOUBLE)
        return (T)((const double *)base)[i];
    if (element == FLOAT)
        return (T)((const float *)base)[i];
    u16 bits = ((const u16 *)base)[i];
    return (T)(element == HALF ? half_to_float(bits) : __uint_as_float((u32)bits << 16));
}

DEVICE_CALL void element_put(char *base, long long i, int element, double value)
{
    if (element == DOUBLE) {
        ((double *)base)[i] = value;
        return;
    }
    float f = (float)value;
    if (element == FLOAT)
        ((float *)base)[i] = f;
    else if (element == HALF)
        ((u16 *)base)[i] = half_from_float(f);
    else /* to nearest, ties to even */
        ((u16 *)base)[i] = (u16)((__float_as_uint(f) + 0x7fff + (__float_as_uint(f) >> 16 & 1)) >> 16);
}

template <class T> DEVICE_CALL T product_factor(const product *p, factor f)
{
    if (f.at && p->factors_are_half)
        return (T)half_to_float(*(const u16 *)f.at);
    return factor_get<T>(f);
}

template <class T> DEVICE_CALL void finish(const product *p, int row, int column, T total)
{
    if (row >= p->m || column >= p->n || (p->half == 1 && row < column) ||
        (p->half == 2 && row > column))
        return;
    char *c = (char *)base_of(p->c);
    long long i = row + (long long)column * p->c.ld;
    T scale = product_factor<T>(p, p->beta), value = product_factor<T>(p, p->alpha) * total;
    if (scale != 0)
        value += scale * element_get<T>(c, i, p->c.element);
    element_put(c, i, p->c.element, (double)value);
}

#define TILE 16

/* A tile of 16 by 16 for each block, of 16 at a time in shared memory. */
template <class T> DEVICE_CALL void multiply(const product *p, T (*as)[TILE + 1], T (*bs)[TILE + 1])
{
    int x = (int)threadIdx.x % TILE, y = (int)threadIdx.x / TILE;
    int row = (int)blockIdx.x * TILE + x, column = (int)blockIdx.y * TILE + y;
    const char *a = base_of(p->a), *b = base_of(p->b);
    T total = 0;
    for (int start = 0; start < p->k; start += TILE) {
        int ka = start + y, kb = start + x;
        long long i = p->a.transposed ? ka + (long long)row * p->a.ld
                                      : row + (long long)ka * p->a.ld;
        long long j = p->b.transposed ? column + (long long)kb * p->b.ld
                                      : kb + (long long)column * p->b.ld;
        as[y][x] = row < p->m && ka < p->k ? element_get<T>(a, i, p->a.element) : 0;
        bs[y][x] = column < p->n && kb < p->k ? element_get<T>(b, j, p->b.element) : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            total += as[k][x] * bs[y][k];
        __syncthreads();
    }
    finish(p, row, column, total);
}

extern "C" __global__ void heddle_gemm_float(product p)
{
    __shared__ float as[TILE][TILE + 1], bs[TILE][TILE + 1];
    multiply(&p, as, bs);
}

extern "C" __global__ void heddle_gemm_double(product p)
{
    __shared__ double as[TILE][TILE + 1], bs[TILE][TILE + 1];
    multiply(&p, as, bs);
}

/* Two halves of A along k, or of B, as a fragment of the tensor cores has them. */
DEVICE_CALL u32 half_pair(const char *base, operand o, int line, int lines, int k, int end,
                          bool lines_first)
{
    u32 pair = 0;
    for (int i = 0; i < 2; i++) {
        if (line >= lines || k + i >= end)
            continue;
        long long at = lines_first ? line + (long long)(k + i) * o.ld
                                   : k + i + (long long)line * o.ld;
        pair |= (u32)((const u16 *)base)[at] << (16 * i);
    }
    return pair;
}

/* f16 on tensor cores: 16 rows by 8 columns for each of four warps, 8 of k at a time. */
extern "C" __global__ void heddle_gemm_tensor(product p)
{
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    int group = lane / 4, pair = lane % 4 * 2;
    int row = (int)blockIdx.x * 64 + warp * 16 + group, column = (int)blockIdx.y * 8;
    const char *a = base_of(p.a), *b = base_of(p.b);
    float c[4] = {0, 0, 0, 0};
    for (int k = 0; k < p.k; k += 8) {
        u32 a0 = half_pair(a, p.a, row, p.m, k + pair, p.k, !p.a.transposed);
        u32 a1 = half_pair(a, p.a, row + 8, p.m, k + pair, p.k, !p.a.transposed);
        u32 b0 = half_pair(b, p.b, column + group, p.n, k + pair, p.k, p.b.transposed);
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, "
                     "{%6}, {%0, %1, %2, %3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a0), "r"(a1), "r"(b0));
    }
    for (int i = 0; i < 4; i++)
        finish(&p, row + i / 2 * 8, column + pair + i % 2, c[i]);
}
