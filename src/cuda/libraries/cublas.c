/*
 * libcublas: handles, copies, vectors, matrices with vectors and products of matrices, by kernels
 * of ours. Results are those of NVIDIA's within rounding: the order of additions is our own. Sums
 * over vectors are made in double precision. The rest is refused by name (cublas_stubs.h).
 */
#include "cuda/libraries/cublas.h"

#include "base/arena.h"
#include "cuda/libraries/cublas_stubs.h"

#include <stdlib.h>
#include <string.h>

extern const char cublas_ptx[];
static struct library cublas = {.name = "cuBLAS", .ptx = cublas_ptx};

enum { CUDA_R_32F = 0, CUDA_R_64F = 1, CUDA_R_16F = 2, CUDA_R_16BF = 14 };
enum { SUM_DOT, SUM_ABS, SUM_SQUARES };
enum { VECTOR_THREADS = 256 };

/* As the kernels take them. */
struct operand {
    CUdeviceptr data, list;
    long long stride;
    int ld, transposed, element;
};

struct product {
    int m, n, k;
    struct operand a, b, c;
    struct factor alpha, beta;
    int factors_are_half, half;
};

/* ---- handles ---- */

CALL(cublasCreate_v2, cublasHandle_t *handle)
{
    NEED(handle);
    if (!library_enter(&cublas))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    *handle = xrealloc(NULL, sizeof **handle);
    **handle = (struct handle){0};
    return cuMemAlloc(&(*handle)->scratch, 16) == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS
                                                               : CUBLAS_STATUS_ALLOC_FAILED;
}

CALL(cublasDestroy_v2, cublasHandle_t handle)
{
    NEED_HANDLE(handle);
    cuMemFree(handle->scratch);
    free(handle);
    return CUBLAS_STATUS_SUCCESS;
}

CALL(cublasGetVersion_v2, cublasHandle_t handle, int *version)
{
    (void)handle;
    NEED(version);
    *version = 130100;
    return CUBLAS_STATUS_SUCCESS;
}

CALL(cublasGetProperty, int type, int *value)
{
    static const int parts[] = {13, 1, 0};
    NEED(value && type >= 0 && type <= 2);
    *value = parts[type];
    return CUBLAS_STATUS_SUCCESS;
}

LIBRARY_EXPORT const char *cublasGetStatusName(int status);
const char *cublasGetStatusName(int status)
{
    static const char *const names[] = {
        [CUBLAS_STATUS_SUCCESS] = "CUBLAS_STATUS_SUCCESS",
        [CUBLAS_STATUS_NOT_INITIALIZED] = "CUBLAS_STATUS_NOT_INITIALIZED",
        [CUBLAS_STATUS_ALLOC_FAILED] = "CUBLAS_STATUS_ALLOC_FAILED",
        [CUBLAS_STATUS_INVALID_VALUE] = "CUBLAS_STATUS_INVALID_VALUE",
        [CUBLAS_STATUS_EXECUTION_FAILED] = "CUBLAS_STATUS_EXECUTION_FAILED",
        [CUBLAS_STATUS_NOT_SUPPORTED] = "CUBLAS_STATUS_NOT_SUPPORTED",
    };
    bool known = status >= 0 && status <= CUBLAS_STATUS_NOT_SUPPORTED && names[status];
    return known ? names[status] : "unknown status";
}

LIBRARY_EXPORT const char *cublasGetStatusString(int status);
const char *cublasGetStatusString(int status)
{
    return cublasGetStatusName(status);
}

#define SETTING(word, type, field)                                                                 \
    CALL(cublasSet##word, cublasHandle_t handle, type value)                                       \
    {                                                                                              \
        NEED_HANDLE(handle);                                                                       \
        handle->field = value;                                                                     \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }                                                                                              \
    CALL(cublasGet##word, cublasHandle_t handle, type *value)                                      \
    {                                                                                              \
        NEED_HANDLE(handle);                                                                       \
        NEED(value);                                                                               \
        *value = handle->field;                                                                    \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }
SETTING(Stream_v2, CUstream, stream)
SETTING(PointerMode_v2, int, pointer_mode)
SETTING(MathMode, int, math_mode)
SETTING(AtomicsMode, int, atomics_mode)

CALL(cublasSetWorkspace_v2, cublasHandle_t handle, void *workspace, size_t bytes)
{
    (void)workspace, (void)bytes; /* our kernels need none */
    NEED_HANDLE(handle);
    return CUBLAS_STATUS_SUCCESS;
}

/* ---- copies between host and device ---- */

/* Rows of `width` bytes, each a step from the next; only one side is the host's. */
static int copy_rows(void *to, size_t to_step, const void *from, size_t from_step, size_t width,
                     size_t rows, CUstream stream, bool waits)
{
    if (!width || !rows)
        return CUBLAS_STATUS_SUCCESS;
    if (!library_enter(&cublas))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    CUDA_MEMCPY2D d = {.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                       .srcDevice = (CUdeviceptr)(uintptr_t)from,
                       .srcPitch = from_step,
                       .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                       .dstDevice = (CUdeviceptr)(uintptr_t)to,
                       .dstPitch = to_step,
                       .WidthInBytes = width,
                       .Height = rows};
    CUresult status = waits ? cuMemcpy2D(&d) : cuMemcpy2DAsync(&d, stream);
    return status == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

static int copy_vector(int n, int bytes, const void *x, int incx, void *y, int incy,
                       CUstream stream, bool waits)
{
    NEED(n >= 0 && bytes > 0 && incx > 0 && incy > 0);
    size_t size = (size_t)bytes;
    return copy_rows(y, size * (size_t)incy, x, size * (size_t)incx, size, (size_t)n, stream,
                     waits);
}

static int copy_matrix(int rows, int columns, int bytes, const void *a, int lda, void *b, int ldb,
                       CUstream stream, bool waits)
{
    NEED(rows >= 0 && columns >= 0 && bytes > 0 && lda >= rows && ldb >= rows);
    size_t size = (size_t)bytes;
    return copy_rows(b, size * (size_t)ldb, a, size * (size_t)lda, size * (size_t)rows,
                     (size_t)columns, stream, waits);
}

#define COPY_CALLS(word)                                                                           \
    CALL(cublas##word##Vector, int n, int bytes, const void *x, int incx, void *y, int incy)       \
    {                                                                                              \
        return copy_vector(n, bytes, x, incx, y, incy, NULL, true);                                \
    }                                                                                              \
    CALL(cublas##word##VectorAsync, int n, int bytes, const void *x, int incx, void *y, int incy,  \
         CUstream stream)                                                                          \
    {                                                                                              \
        return copy_vector(n, bytes, x, incx, y, incy, stream, false);                             \
    }                                                                                              \
    CALL(cublas##word##Matrix, int rows, int columns, int bytes, const void *a, int lda, void *b,  \
         int ldb)                                                                                  \
    {                                                                                              \
        return copy_matrix(rows, columns, bytes, a, lda, b, ldb, NULL, true);                      \
    }                                                                                              \
    CALL(cublas##word##MatrixAsync, int rows, int columns, int bytes, const void *a, int lda,      \
         void *b, int ldb, CUstream stream)                                                        \
    {                                                                                              \
        return copy_matrix(rows, columns, bytes, a, lda, b, ldb, stream, false);                   \
    }
COPY_CALLS(Set)
COPY_CALLS(Get)

/* ---- vectors ---- */

struct factor cublas_factor(cublasHandle_t h, const void *p, enum element element)
{
    if (h->pointer_mode)
        return (struct factor){.at = (CUdeviceptr)(uintptr_t)p};
    if (element == DOUBLE)
        return (struct factor){.value = *(const double *)p};
    return (struct factor){.value = (double)*(const float *)p};
}

int cublas_launch(cublasHandle_t h, const char *kernel, u32 x, u32 y, u32 z, u32 threads,
                  void **params)
{
    return library_launch(&cublas, kernel, x, y, z, threads, h->stream, params)
               ? CUBLAS_STATUS_SUCCESS
               : CUBLAS_STATUS_EXECUTION_FAILED;
}

static u32 blocks_for(int n)
{
    return (u32)min_u64(((u64)n + VECTOR_THREADS - 1) / VECTOR_THREADS, 1024);
}

/* The result of a kernel goes where the program wants it; a host waits for it. */
static int fetch(cublasHandle_t h, void *result, size_t bytes)
{
    if (h->pointer_mode)
        return CUBLAS_STATUS_SUCCESS;
    bool ok = cuMemcpyDtoHAsync(result, h->scratch, bytes, h->stream) == CUDA_SUCCESS &&
              cuStreamSynchronize(h->stream) == CUDA_SUCCESS;
    return ok ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

static int sum(cublasHandle_t h, const char *kernel, int kind, int n, const void *x, int incx,
               const void *y, int incy, void *result, size_t bytes)
{
    NEED_HANDLE(h);
    NEED(result && (n <= 0 || x));
    if (n <= 0 || (kind != SUM_DOT && incx <= 0))
        n = 0;
    CUdeviceptr out = h->pointer_mode ? (CUdeviceptr)(uintptr_t)result : h->scratch;
    void *params[] = {&kind, &n, &x, &incx, &y, &incy, &out};
    int status = cublas_launch(h, kernel, 1, 1, 1, VECTOR_THREADS, params);
    return status ? status : fetch(h, result, bytes);
}

static int extreme(cublasHandle_t h, const char *kernel, int is_least, int n, const void *x,
                   int incx, int *result)
{
    NEED_HANDLE(h);
    NEED(result);
    if (n <= 0 || incx <= 0)
        n = 0;
    CUdeviceptr out = h->pointer_mode ? (CUdeviceptr)(uintptr_t)result : h->scratch;
    void *params[] = {&is_least, &n, &x, &incx, &out};
    int status = cublas_launch(h, kernel, 1, 1, 1, VECTOR_THREADS, params);
    return status ? status : fetch(h, result, sizeof *result);
}

static int vector(cublasHandle_t h, const char *kernel, int n, void **params)
{
    NEED_HANDLE(h);
    return n <= 0 ? CUBLAS_STATUS_SUCCESS
                  : cublas_launch(h, kernel, blocks_for(n), 1, 1, VECTOR_THREADS, params);
}

#define VECTOR_CALLS(T, L, l, E)                                                                   \
    CALL(cublas##L##scal_v2, cublasHandle_t h, int n, const T *alpha, T *x, int incx)              \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(alpha);                                                                               \
        struct factor a = cublas_factor(h, alpha, E);                                              \
        void *params[] = {&n, &a, &x, &incx};                                                      \
        return incx > 0 ? vector(h, "heddle_" #l "scal", n, params) : CUBLAS_STATUS_SUCCESS;       \
    }                                                                                              \
    CALL(cublas##L##axpy_v2, cublasHandle_t h, int n, const T *alpha, const T *x, int incx, T *y,  \
         int incy)                                                                                 \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(alpha);                                                                               \
        struct factor a = cublas_factor(h, alpha, E);                                              \
        void *params[] = {&n, &a, &x, &incx, &y, &incy};                                           \
        return vector(h, "heddle_" #l "axpy", n, params);                                          \
    }                                                                                              \
    CALL(cublas##L##copy_v2, cublasHandle_t h, int n, const T *x, int incx, T *y, int incy)        \
    {                                                                                              \
        void *params[] = {&n, &x, &incx, &y, &incy};                                               \
        return vector(h, "heddle_" #l "copy", n, params);                                          \
    }                                                                                              \
    CALL(cublas##L##swap_v2, cublasHandle_t h, int n, T *x, int incx, T *y, int incy)              \
    {                                                                                              \
        void *params[] = {&n, &x, &incx, &y, &incy};                                               \
        return vector(h, "heddle_" #l "swap", n, params);                                          \
    }                                                                                              \
    CALL(cublas##L##rot_v2, cublasHandle_t h, int n, T *x, int incx, T *y, int incy, const T *c,   \
         const T *s)                                                                               \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(c &&s);                                                                               \
        struct factor fc = cublas_factor(h, c, E), fs = cublas_factor(h, s, E);                    \
        void *params[] = {&n, &x, &incx, &y, &incy, &fc, &fs};                                     \
        return vector(h, "heddle_" #l "rot", n, params);                                           \
    }                                                                                              \
    CALL(cublas##L##dot_v2, cublasHandle_t h, int n, const T *x, int incx, const T *y, int incy,   \
         T *result)                                                                                \
    {                                                                                              \
        return sum(h, "heddle_" #l "sum", SUM_DOT, n, x, incx, y, incy, result, sizeof(T));        \
    }                                                                                              \
    CALL(cublas##L##nrm2_v2, cublasHandle_t h, int n, const T *x, int incx, T *result)             \
    {                                                                                              \
        return sum(h, "heddle_" #l "sum", SUM_SQUARES, n, x, incx, NULL, 0, result, sizeof(T));    \
    }                                                                                              \
    CALL(cublas##L##asum_v2, cublasHandle_t h, int n, const T *x, int incx, T *result)             \
    {                                                                                              \
        return sum(h, "heddle_" #l "sum", SUM_ABS, n, x, incx, NULL, 0, result, sizeof(T));        \
    }                                                                                              \
    CALL(cublasI##l##amax_v2, cublasHandle_t h, int n, const T *x, int incx, int *result)          \
    {                                                                                              \
        return extreme(h, "heddle_" #l "extreme", 0, n, x, incx, result);                          \
    }                                                                                              \
    CALL(cublasI##l##amin_v2, cublasHandle_t h, int n, const T *x, int incx, int *result)          \
    {                                                                                              \
        return extreme(h, "heddle_" #l "extreme", 1, n, x, incx, result);                          \
    }
VECTOR_CALLS(float, S, s, FLOAT)
VECTOR_CALLS(double, D, d, DOUBLE)

/* ---- products ---- */

/* IEEE half precision as a float. */
static float half_value(u16 h)
{
    u32 sign = (u32)(h & 0x8000) << 16, e = h >> 10 & 31, m = h & 1023;
    float f;
    if (e == 0) {
        f = (float)m * 0x1p-24f;
        return sign ? -f : f;
    }
    u32 bits = sign | (e == 31 ? 255u : e + 112) << 23 | m << 13;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* What all of them come to. `factors`: the type that alpha and beta have. */
static int multiply(cublasHandle_t h, int opa, int opb, struct product p, const void *alpha,
                    const void *beta, enum element factors, int batch)
{
    NEED_HANDLE(h);
    NEED(is_op(opa) && is_op(opb));
    p.a.transposed = opa != 0;
    p.b.transposed = opb != 0;
    int rows_a = p.a.transposed ? p.k : p.m, rows_b = p.b.transposed ? p.n : p.k;
    NEED(alpha && beta && p.m >= 0 && p.n >= 0 && p.k >= 0 && batch >= 0);
    NEED(p.a.ld >= rows_a && p.b.ld >= rows_b && p.c.ld >= p.m && p.a.ld > 0 && p.b.ld > 0 &&
         p.c.ld > 0);
    if (!p.m || !p.n || !batch)
        return CUBLAS_STATUS_SUCCESS;
    p.factors_are_half = factors == HALF;
    if (factors == HALF && !h->pointer_mode) {
        p.alpha.value = (double)half_value(*(const u16 *)alpha);
        p.beta.value = (double)half_value(*(const u16 *)beta);
    } else {
        p.alpha = cublas_factor(h, alpha, factors);
        p.beta = cublas_factor(h, beta, factors);
    }
    void *params[] = {&p};
    if (p.a.element == HALF && p.b.element == HALF)
        return cublas_launch(h, "heddle_gemm_tensor", (u32)(p.m + 63) / 64, (u32)(p.n + 7) / 8,
                             (u32)batch, 128, params);
    return cublas_launch(h, p.a.element == DOUBLE ? "heddle_gemm_double" : "heddle_gemm_float",
                         (u32)(p.m + 15) / 16, (u32)(p.n + 15) / 16, (u32)batch, 256, params);
}

#define SHAPE(E)                                                                                   \
    {                                                                                              \
        .m = m, .n = n, .k = k, .a = {.ld = lda, .element = E}, .b = {.ld = ldb, .element = E},    \
        .c = {                                                                                     \
            .ld = ldc,                                                                             \
            .element = E                                                                           \
        }                                                                                          \
    }
#define ADDRESS(p) ((CUdeviceptr)(uintptr_t)(p))

#define PRODUCT_CALLS(T, E, plain, strided, batched)                                               \
    CALL(plain, cublasHandle_t h, int opa, int opb, int m, int n, int k, const T *alpha,           \
         const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc)                   \
    {                                                                                              \
        struct product p = SHAPE(E);                                                               \
        p.a.data = ADDRESS(a);                                                                     \
        p.b.data = ADDRESS(b);                                                                     \
        p.c.data = ADDRESS(c);                                                                     \
        return multiply(h, opa, opb, p, alpha, beta, E, 1);                                        \
    }                                                                                              \
    CALL(strided, cublasHandle_t h, int opa, int opb, int m, int n, int k, const T *alpha,         \
         const T *a, int lda, long long sa, const T *b, int ldb, long long sb, const T *beta,      \
         T *c, int ldc, long long sc, int batch)                                                   \
    {                                                                                              \
        struct product p = SHAPE(E);                                                               \
        p.a.data = ADDRESS(a);                                                                     \
        p.b.data = ADDRESS(b);                                                                     \
        p.c.data = ADDRESS(c);                                                                     \
        p.a.stride = sa;                                                                           \
        p.b.stride = sb;                                                                           \
        p.c.stride = sc;                                                                           \
        return multiply(h, opa, opb, p, alpha, beta, E, batch);                                    \
    }                                                                                              \
    CALL(batched, cublasHandle_t h, int opa, int opb, int m, int n, int k, const T *alpha,         \
         const T *const *a, int lda, const T *const *b, int ldb, const T *beta, T *const *c,       \
         int ldc, int batch)                                                                       \
    {                                                                                              \
        struct product p = SHAPE(E);                                                               \
        p.a.list = ADDRESS(a);                                                                     \
        p.b.list = ADDRESS(b);                                                                     \
        p.c.list = ADDRESS(c);                                                                     \
        return multiply(h, opa, opb, p, alpha, beta, E, batch);                                    \
    }
PRODUCT_CALLS(float, FLOAT, cublasSgemm_v2, cublasSgemmStridedBatched, cublasSgemmBatched)
PRODUCT_CALLS(double, DOUBLE, cublasDgemm_v2, cublasDgemmStridedBatched, cublasDgemmBatched)
PRODUCT_CALLS(u16, HALF, cublasHgemm, cublasHgemmStridedBatched, cublasHgemmBatched)

/* A product with its own transpose, of which one half is made. */
#define RANK_CALL(T, E, name)                                                                      \
    CALL(name, cublasHandle_t h, int fill, int op, int n, int k, const T *alpha, const T *a,       \
         int lda, const T *beta, T *c, int ldc)                                                    \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(is_fill(fill) && is_op(op));                                                          \
        int m = n, ldb = lda;                                                                      \
        struct product p = SHAPE(E);                                                               \
        p.a.data = p.b.data = ADDRESS(a);                                                          \
        p.c.data = ADDRESS(c);                                                                     \
        p.half = fill == FILL_LOWER ? 1 : 2;                                                       \
        return multiply(h, op != 0, op == 0, p, alpha, beta, E, 1);                                \
    }
RANK_CALL(float, FLOAT, cublasSsyrk_v2)
RANK_CALL(double, DOUBLE, cublasDsyrk_v2)

static bool element_of(int type, int *element)
{
    static const struct {
        int type, element;
    } types[] = {
        {CUDA_R_32F, FLOAT}, {CUDA_R_64F, DOUBLE}, {CUDA_R_16F, HALF}, {CUDA_R_16BF, BFLOAT}};
    for (u32 i = 0; i < ARRAY_LEN(types); i++) {
        *element = types[i].element;
        if (types[i].type == type)
            return true;
    }
    return false;
}

/* Types of their own for each matrix. Half-precision arithmetic is done in f32, as tensor cores do.
 */
static int multiply_ex(cublasHandle_t h, int opa, int opb, struct product p, const int types[3],
                       int compute, const void *alpha, const void *beta, int batch)
{
    enum { COMPUTE_16F = 64, COMPUTE_16F_PEDANTIC, COMPUTE_64F = 70, COMPUTE_64F_PEDANTIC };
    if (!element_of(types[0], &p.a.element) || !element_of(types[1], &p.b.element) ||
        !element_of(types[2], &p.c.element) || p.a.element != p.b.element || compute < 0 ||
        (compute >= 72 && compute <= 73)) {
        library_refuse("a product of these types by cublasGemmEx");
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    bool is_half = compute == COMPUTE_16F || compute == COMPUTE_16F_PEDANTIC;
    bool is_double = compute == COMPUTE_64F || compute == COMPUTE_64F_PEDANTIC ||
                     compute == CUDA_R_64F; /* of CUDA 10, where this was a type */
    return multiply(h, opa, opb, p, alpha, beta,
                    is_half     ? HALF
                    : is_double ? DOUBLE
                                : FLOAT,
                    batch);
}

#define SHAPE_EX                                                                                   \
    {                                                                                              \
        .m = m, .n = n, .k = k, .a = {.ld = lda}, .b = {.ld = ldb}, .c = {.ld = ldc }              \
    }

CALL(cublasGemmEx, cublasHandle_t h, int opa, int opb, int m, int n, int k, const void *alpha,
     const void *a, int ta, int lda, const void *b, int tb, int ldb, const void *beta, void *c,
     int tc, int ldc, int compute, int algorithm)
{
    (void)algorithm;
    struct product p = SHAPE_EX;
    const int types[3] = {ta, tb, tc};
    p.a.data = ADDRESS(a);
    p.b.data = ADDRESS(b);
    p.c.data = ADDRESS(c);
    return multiply_ex(h, opa, opb, p, types, compute, alpha, beta, 1);
}

CALL(cublasGemmStridedBatchedEx, cublasHandle_t h, int opa, int opb, int m, int n, int k,
     const void *alpha, const void *a, int ta, int lda, long long sa, const void *b, int tb,
     int ldb, long long sb, const void *beta, void *c, int tc, int ldc, long long sc, int batch,
     int compute, int algorithm)
{
    (void)algorithm;
    struct product p = SHAPE_EX;
    const int types[3] = {ta, tb, tc};
    p.a.data = ADDRESS(a);
    p.b.data = ADDRESS(b);
    p.c.data = ADDRESS(c);
    p.a.stride = sa;
    p.b.stride = sb;
    p.c.stride = sc;
    return multiply_ex(h, opa, opb, p, types, compute, alpha, beta, batch);
}

CALL(cublasGemmBatchedEx, cublasHandle_t h, int opa, int opb, int m, int n, int k,
     const void *alpha, const void *const *a, int ta, int lda, const void *const *b, int tb,
     int ldb, const void *beta, void *const *c, int tc, int ldc, int batch, int compute,
     int algorithm)
{
    (void)algorithm;
    struct product p = SHAPE_EX;
    const int types[3] = {ta, tb, tc};
    p.a.list = ADDRESS(a);
    p.b.list = ADDRESS(b);
    p.c.list = ADDRESS(c);
    return multiply_ex(h, opa, opb, p, types, compute, alpha, beta, batch);
}

CALL(cublasSgemmEx, cublasHandle_t h, int opa, int opb, int m, int n, int k, const float *alpha,
     const void *a, int ta, int lda, const void *b, int tb, int ldb, const float *beta, void *c,
     int tc, int ldc)
{
    return cublasGemmEx(h, opa, opb, m, n, k, alpha, a, ta, lda, b, tb, ldb, beta, c, tc, ldc, 68,
                        0);
}

#define STUB(name)                                                                                 \
    CALL(name, void)                                                                               \
    {                                                                                              \
        library_refuse(#name);                                                                     \
        return CUBLAS_STATUS_NOT_SUPPORTED;                                                        \
    }
CUBLAS_STUBS(STUB)
