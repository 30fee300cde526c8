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

/* ---- matrices of which only a part is stored ---- */

enum { STORED_FULL, STORED_BAND, STORED_PACKED };
enum { SHAPE_GENERAL, SHAPE_SYMMETRIC, SHAPE_TRIANGULAR };

/* A matrix as BLAS stores it, and how it is to be read. */
struct storage {
    void *a;
    int ld, n; /* n: of a packed matrix */
    int stored, shape;
    int is_lower, transposed, unit;
    int offset;       /* of the diagonal in a column of a band */
    int below, above; /* diagonals that can hold something, as stored */
};

/* Where element (i, k) of the stored part lies. */
DEVICE_CALL long long place(const storage *s, long long i, long long k)
{
    if (s->stored == STORED_BAND)
        return s->offset + i - k + k * s->ld;
    if (s->stored == STORED_PACKED)
        return i + (s->is_lower ? (2LL * s->n - k - 1) * k / 2 : k * (k + 1) / 2);
    return i + k * s->ld;
}

template <class T> DEVICE_CALL T stored_get(const storage *s, long long i, long long k)
{
    bool is_other = s->is_lower ? i < k : i > k;
    if (s->shape == SHAPE_SYMMETRIC ? is_other : s->transposed != 0) {
        long long other = i;
        i = k;
        k = other;
    }
    if (s->shape == SHAPE_TRIANGULAR) {
        if (s->is_lower ? i < k : i > k)
            return 0;
        if (i == k && s->unit)
            return 1;
    }
    return ((const T *)s->a)[place(s, i, k)];
}

/* The columns from which row i can get something. */
DEVICE_CALL void reach(const storage *s, long long i, long long columns, long long *first,
                       long long *end)
{
    long long left = s->transposed ? s->above : s->below;
    long long right = s->transposed ? s->below : s->above;
    *first = i > left ? i - left : 0;
    *end = i + right + 1 < columns ? i + right + 1 : columns;
}

/* op(A) x = alpha b in place, one unknown after the other. */
template <class T>
DEVICE_CALL void solve(const storage *s, int n, T alpha, T *b, long long step)
{
    bool forward = (s->is_lower != 0) != (s->transposed != 0);
    for (int i = (int)threadIdx.x; i < n && alpha != 1; i += (int)blockDim.x)
        b[i * step] *= alpha;
    for (int turn = 0; turn < n; turn++) {
        long long i = forward ? turn : n - 1 - turn, first, end;
        __syncthreads();
        if (threadIdx.x == 0 && !s->unit)
            b[i * step] /= stored_get<T>(s, i, i);
        __syncthreads();
        T found = b[i * step];
        first = forward ? i + 1 : i - s->below - s->above;
        end = forward ? i + s->below + s->above + 1 : i;
        first = first < 0 ? 0 : first;
        end = end > n ? n : end;
        for (long long k = first + threadIdx.x; k < end; k += blockDim.x)
            b[k * step] -= stored_get<T>(s, k, i) * found;
    }
}

/* b = alpha op(A) b in place: each element is spread over the others while it is the old one. */
template <class T>
DEVICE_CALL void triangle_multiply(const storage *s, int n, T alpha, T *b, long long step)
{
    bool lower = (s->is_lower != 0) != (s->transposed != 0);
    for (int turn = 0; turn < n; turn++) {
        long long i = lower ? n - 1 - turn : turn, first, end;
        __syncthreads();
        T old = b[i * step] * alpha;
        __syncthreads();
        if (threadIdx.x == 0)
            b[i * step] = stored_get<T>(s, i, i) * old;
        first = lower ? i + 1 : i - s->below - s->above;
        end = lower ? i + s->below + s->above + 1 : i;
        first = first < 0 ? 0 : first;
        end = end > n ? n : end;
        for (long long k = first + threadIdx.x; k < end; k += blockDim.x)
            b[k * step] += stored_get<T>(s, k, i) * old;
    }
}

#define STORAGE_KERNELS(T, letter)                                                                 \
    extern "C" __global__ void heddle_##letter##matvec(storage s, int rows, int columns,           \
                                                       factor alpha, const T *x, int incx,         \
                                                       factor beta, T *y, int incy)                \
    {                                                                                              \
        long long i = thread_number(), first, end;                                                 \
        if (i >= rows)                                                                             \
            return;                                                                                \
        T total = 0, scale = factor_get<T>(beta), *out = &y[at(i, rows, incy)];                    \
        reach(&s, i, columns, &first, &end);                                                       \
        for (long long k = first; k < end; k++)                                                    \
            total += stored_get<T>(&s, i, k) * x[at(k, columns, incx)];                            \
        T scaled = factor_get<T>(alpha) * total;                                                   \
        *out = scale == 0 ? scaled : scaled + scale * *out;                                        \
    }                                                                                              \
    extern "C" __global__ void heddle_##letter##solve(storage s, int n, factor alpha, T *b,        \
                                                      long long step, long long apart)             \
    {                                                                                              \
        solve(&s, n, factor_get<T>(alpha), b + (long long)blockIdx.x * apart, step);               \
    }                                                                                              \
    extern "C" __global__ void heddle_##letter##triangle(storage s, int n, factor alpha, T *b,     \
                                                         long long step, long long apart)          \
    {                                                                                              \
        triangle_multiply(&s, n, factor_get<T>(alpha), b + (long long)blockIdx.x * apart, step);   \
    }                                                                                              \
    extern "C" __global__ void heddle_##letter##update(storage s, int n, factor alpha, const T *x, \
                                                       int incx, const T *y, int incy, int both)   \
    {                                                                                              \
        long long i = thread_number(), k = blockIdx.y;                                             \
        if (i >= n || (s.is_lower ? i < k : i > k))                                                \
            return;                                                                                \
        T sum = x[at(i, n, incx)] * y[at(k, n, incy)];                                             \
        if (both)                                                                                  \
            sum += y[at(i, n, incy)] * x[at(k, n, incx)];                                          \
        ((T *)s.a)[place(&s, i, k)] += factor_get<T>(alpha) * sum;                                 \
    }                                                                                              \
    extern "C" __global__ void heddle_##letter##symm(storage s, int right, int m, int n,           \
                                                     factor alpha, const T *b, int ldb,            \
                                                     factor beta, T *c, int ldc)                   \
    {                                                                                              \
        long long i = thread_number(), j = blockIdx.y;                                             \
        if (i >= m)                                                                                \
            return;                                                                                \
        T total = 0, scale = factor_get<T>(beta), *out = &c[i + j * ldc];                          \
        for (long long k = 0; k < (right ? n : m); k++)                                            \
            total += right ? b[i + k * ldb] * stored_get<T>(&s, k, j)                              \
                           : stored_get<T>(&s, i, k) * b[k + j * ldb];                             \
        T scaled = factor_get<T>(alpha) * total;                                                   \
        *out = scale == 0 ? scaled : scaled + scale * *out;                                        \
    }                                                                                              \
    extern "C" __global__ void heddle_##letter##dgmm(int right, int m, int n, const T *a, int lda, \
                                                     const T *x, int incx, T *c, int ldc)          \
    {                                                                                              \
        long long i = thread_number(), k = blockIdx.y;                                             \
        if (i < m)                                                                                 \
            c[i + k * ldc] = a[i + k * lda] * x[right ? at(k, n, incx) : at(i, m, incx)];          \
    }
STORAGE_KERNELS(float, s)
STORAGE_KERNELS(double, d)

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

/* ---- batched LU: a block for each matrix ---- */

enum { LU_THREADS = 128 };

template <class T> DEVICE_CALL T magnitude(T v)
{
    return v < 0 ? -v : v;
}

/* The row of the largest element of column k from row k on; of equals the first. */
template <class T>
DEVICE_CALL int pivot_find(const T *a, int ld, int n, int k, T *best, int *where)
{
    int me = (int)threadIdx.x, row = k;
    T largest = -1;
    for (int i = k + me; i < n; i += LU_THREADS) {
        T v = magnitude(a[i + (long long)k * ld]);
        if (v > largest) {
            largest = v;
            row = i;
        }
    }
    best[me] = largest;
    where[me] = row;
    __syncthreads();
    for (int half = LU_THREADS / 2; half; half /= 2) {
        if (me < half && (best[me + half] > best[me] ||
                          (best[me + half] == best[me] && where[me + half] < where[me]))) {
            best[me] = best[me + half];
            where[me] = where[me + half];
        }
        __syncthreads();
    }
    return where[0];
}

/* P A = L U in place; without pivots P is the identity. info: the first U(k, k) that is zero. */
template <class T>
DEVICE_CALL void factor_lu(int n, T *const *list, int ld, int *pivots, int *info, T *best,
                           int *where)
{
    T *a = list[blockIdx.x];
    int me = (int)threadIdx.x, failed = 0;
    for (int k = 0; k < n; k++) {
        if (pivots) {
            int row = pivot_find(a, ld, n, k, best, where);
            if (me == 0)
                pivots[(long long)blockIdx.x * n + k] = row + 1;
            for (int j = me; j < n && row != k; j += LU_THREADS) {
                T old = a[k + (long long)j * ld];
                a[k + (long long)j * ld] = a[row + (long long)j * ld];
                a[row + (long long)j * ld] = old;
            }
            __syncthreads();
        }
        T divisor = a[k + (long long)k * ld];
        int rest = n - k - 1;
        if (divisor == 0 && !failed)
            failed = k + 1;
        if (divisor != 0) {
            for (int i = k + 1 + me; i < n; i += LU_THREADS)
                a[i + (long long)k * ld] /= divisor;
        }
        __syncthreads();
        for (long long at = me; divisor != 0 && at < (long long)rest * rest; at += LU_THREADS) {
            long long i = k + 1 + at % rest, j = k + 1 + at / rest;
            a[i + j * ld] -= a[i + (long long)k * ld] * a[k + j * ld];
        }
        __syncthreads();
    }
    if (me == 0)
        info[blockIdx.x] = failed;
}

template <class T> DEVICE_CALL void swap_rows(int n, T *x, const int *pivots, bool backwards)
{
    for (int step = 0; pivots && step < n; step++) {
        int k = backwards ? n - 1 - step : step, row = pivots[k] - 1;
        T old = x[k];
        x[k] = x[row];
        x[row] = old;
    }
}

/* One right side: x becomes the solution. */
template <class T>
DEVICE_CALL void solve_lu(int n, const T *a, long long ld, const int *pivots, T *x, bool transposed)
{
    if (transposed) {
        for (int i = 0; i < n; i++) {
            T sum = x[i];
            for (int k = 0; k < i; k++)
                sum -= a[k + i * ld] * x[k];
            x[i] = sum / a[i + i * ld];
        }
        for (int i = n - 1; i >= 0; i--) {
            T sum = x[i];
            for (int k = i + 1; k < n; k++)
                sum -= a[k + i * ld] * x[k];
            x[i] = sum;
        }
        swap_rows(n, x, pivots, true);
        return;
    }
    swap_rows(n, x, pivots, false);
    for (int i = 0; i < n; i++) {
        T sum = x[i];
        for (int k = 0; k < i; k++)
            sum -= a[i + k * ld] * x[k];
        x[i] = sum;
    }
    for (int i = n - 1; i >= 0; i--) {
        T sum = x[i];
        for (int k = i + 1; k < n; k++)
            sum -= a[i + k * ld] * x[k];
        x[i] = sum / a[i + i * ld];
    }
}

#define LU_KERNELS(T, letter)                                                                      \
    extern "C" __global__ void heddle_##letter##getrf(int n, T *const *list, int ld, int *pivots,  \
                                                      int *info)                                   \
    {                                                                                              \
        __shared__ T best[LU_THREADS];                                                             \
        __shared__ int where[LU_THREADS];                                                          \
        factor_lu(n, list, ld, pivots, info, best, where);                                         \
    }                                                                                              \
    extern "C" __global__ void heddle_##letter##getrs(int transposed, int n, int columns,          \
                                                      const T *const *list, int ld,                \
                                                      const int *pivots, T *const *sides, int lds) \
    {                                                                                              \
        const int *own = pivots ? pivots + (long long)blockIdx.x * n : pivots;                     \
        for (int j = (int)threadIdx.x; j < columns; j += LU_THREADS)                               \
            solve_lu(n, list[blockIdx.x], ld, own, sides[blockIdx.x] + (long long)j * lds,         \
                     transposed != 0);                                                             \
    }                                                                                              \
    extern "C" __global__ void heddle_##letter##getri(int n, const T *const *list, int ld,         \
                                                      const int *pivots, T *const *inverses,       \
                                                      int ldc, int *info)                          \
    {                                                                                              \
        const T *a = list[blockIdx.x];                                                             \
        const int *own = pivots ? pivots + (long long)blockIdx.x * n : pivots;                     \
        int singular = 0;                                                                          \
        for (int k = n; k-- > 0;)                                                                  \
            singular = a[k + (long long)k * ld] == 0 ? k + 1 : singular;                           \
        if (threadIdx.x == 0)                                                                      \
            info[blockIdx.x] = singular;                                                           \
        for (int j = (int)threadIdx.x; !singular && j < n; j += LU_THREADS) {                      \
            T *x = inverses[blockIdx.x] + (long long)j * ldc;                                      \
            for (int i = 0; i < n; i++)                                                            \
                x[i] = i == j ? 1 : 0;                                                             \
            solve_lu(n, a, ld, own, x, false);                                                     \
        }                                                                                          \
    }
LU_KERNELS(float, s)
LU_KERNELS(double, d)
