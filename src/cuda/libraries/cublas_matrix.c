/* libcublas: matrices with vectors, and matrices of which only a part is stored. */
#include "cuda/libraries/cublas.h"

#include "base/arena.h"

enum { SIDE_RIGHT = 1, DIAGONAL_UNIT = 1 };
enum { STORED_FULL, STORED_BAND, STORED_PACKED };
enum { SHAPE_GENERAL, SHAPE_SYMMETRIC, SHAPE_TRIANGULAR };
enum { EVERY_DIAGONAL = 1 << 30, THREADS = 128 };

/* As the kernels take it: see cublas.cu. */
struct storage {
    const void *a;
    int ld, n;
    int stored, shape;
    int is_lower, transposed, unit;
    int offset, below, above;
};

static u32 blocks_for_rows(int rows)
{
    return (u32)((u64)rows + THREADS - 1) / THREADS;
}

static int at_least_one(int n)
{
    return n > 1 ? n : 1;
}

static bool is_side(int side)
{
    return side == 0 || side == SIDE_RIGHT;
}

static bool is_diagonal(int diagonal)
{
    return diagonal == 0 || diagonal == DIAGONAL_UNIT;
}

/* ---- matrices with vectors ---- */

#define MATRIX_CALLS(T, L, l, E)                                                                   \
    CALL(cublas##L##gemv_v2, cublasHandle_t h, int op, int m, int n, const T *alpha, const T *a,   \
         int lda, const T *x, int incx, const T *beta, T *y, int incy)                             \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(is_op(op));                                                                           \
        NEED(alpha &&beta &&m >= 0 && n >= 0 && lda >= at_least_one(m) && incx && incy);           \
        struct factor fa = cublas_factor(h, alpha, E), fb = cublas_factor(h, beta, E);             \
        int transposed = op != 0, rows = transposed ? n : m;                                       \
        void *params[] = {&transposed, &m, &n, &fa, &a, &lda, &x, &incx, &fb, &y, &incy};          \
        return m && n ? cublas_launch(h, "heddle_" #l "gemv", blocks_for_rows(rows), 1, 1,         \
                                      THREADS, params)                                             \
                      : CUBLAS_STATUS_SUCCESS;                                                     \
    }                                                                                              \
    CALL(cublas##L##ger_v2, cublasHandle_t h, int m, int n, const T *alpha, const T *x, int incx,  \
         const T *y, int incy, T *a, int lda)                                                      \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(alpha &&m >= 0 && n >= 0 && lda >= at_least_one(m) && incx && incy);                  \
        struct factor f = cublas_factor(h, alpha, E);                                              \
        void *params[] = {&m, &n, &f, &x, &incx, &y, &incy, &a, &lda};                             \
        return m && n ? cublas_launch(h, "heddle_" #l "ger", blocks_for_rows(m), (u32)n, 1,        \
                                      THREADS, params)                                             \
                      : CUBLAS_STATUS_SUCCESS;                                                     \
    }                                                                                              \
    CALL(cublas##L##geam, cublasHandle_t h, int opa, int opb, int m, int n, const T *alpha,        \
         const T *a, int lda, const T *beta, const T *b, int ldb, T *c, int ldc)                   \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(is_op(opa) && is_op(opb));                                                            \
        NEED(alpha &&beta &&m >= 0 && n >= 0 && ldc >= at_least_one(m) &&                          \
             lda >= at_least_one(opa ? n : m) && ldb >= at_least_one(opb ? n : m));                \
        struct factor fa = cublas_factor(h, alpha, E), fb = cublas_factor(h, beta, E);             \
        int ta = opa != 0, tb = opb != 0;                                                          \
        void *params[] = {&ta, &tb, &m, &fa, &a, &lda, &fb, &b, &ldb, &c, &ldc};                   \
        return m && n ? cublas_launch(h, "heddle_" #l "geam", blocks_for_rows(m), (u32)n, 1,       \
                                      THREADS, params)                                             \
                      : CUBLAS_STATUS_SUCCESS;                                                     \
    }
MATRIX_CALLS(float, S, s, FLOAT)
MATRIX_CALLS(double, D, d, DOUBLE)

/* ---- matrices of which a part is stored ---- */

static struct storage full_half(int shape, const void *a, int ld, int fill)
{
    return (struct storage){.a = a,
                            .ld = ld,
                            .stored = STORED_FULL,
                            .shape = shape,
                            .is_lower = fill == FILL_LOWER,
                            .below = EVERY_DIAGONAL,
                            .above = EVERY_DIAGONAL};
}

static struct storage packed_half(int shape, const void *a, int n, int fill)
{
    struct storage s = full_half(shape, a, 0, fill);
    s.stored = STORED_PACKED;
    s.n = n;
    return s;
}

static struct storage band_half(int shape, const void *a, int ld, int fill, int diagonals)
{
    struct storage s = full_half(shape, a, ld, fill);
    s.stored = STORED_BAND;
    s.offset = fill == FILL_LOWER ? 0 : diagonals;
    s.below = s.above = diagonals;
    return s;
}

static struct storage triangle(struct storage s, int op, int diagonal)
{
    s.transposed = op != 0;
    s.unit = diagonal == DIAGONAL_UNIT;
    return s;
}

static int matvec(cublasHandle_t h, enum element e, const char *kernel, struct storage s, int rows,
                  int columns, const void *alpha, const void *x, int incx, const void *beta,
                  void *y, int incy)
{
    NEED_HANDLE(h);
    NEED(alpha && beta && rows >= 0 && columns >= 0 && incx && incy);
    struct factor fa = cublas_factor(h, alpha, e), fb = cublas_factor(h, beta, e);
    void *params[] = {&s, &rows, &columns, &fa, &x, &incx, &fb, &y, &incy};
    return rows && columns ? cublas_launch(h, kernel, blocks_for_rows(rows), 1, 1, THREADS, params)
                           : CUBLAS_STATUS_SUCCESS;
}

/* One vector, or with alpha each of `vectors` whose elements are `step` apart, in place. */
static int in_place(cublasHandle_t h, enum element e, const char *kernel, struct storage s, int n,
                    const void *alpha, void *b, long long step, long long apart, int vectors)
{
    struct factor f = alpha ? cublas_factor(h, alpha, e) : (struct factor){.value = 1};
    void *params[] = {&s, &n, &f, &b, &step, &apart};
    return n && vectors ? cublas_launch(h, kernel, (u32)vectors, 1, 1, THREADS, params)
                        : CUBLAS_STATUS_SUCCESS;
}

static int on_vector(cublasHandle_t h, enum element e, const char *kernel, struct storage s, int n,
                     void *x, int incx)
{
    NEED_HANDLE(h);
    NEED(n >= 0 && incx);
    char *first = x;
    if (incx < 0)
        first += (long long)(1 - n) * incx * (e == DOUBLE ? 8 : 4);
    return in_place(h, e, kernel, s, n, NULL, first, incx, 0, 1);
}

/* From the right each row is a vector, with the other transposition. */
static int on_matrix(cublasHandle_t h, enum element e, const char *kernel, struct storage s,
                     int side, int m, int n, const void *alpha, void *b, int ldb)
{
    bool right = side == SIDE_RIGHT;
    s.transposed = s.transposed != right;
    return right ? in_place(h, e, kernel, s, n, alpha, b, ldb, 1, m)
                 : in_place(h, e, kernel, s, m, alpha, b, 1, ldb, n);
}

/* A += alpha (x y' + y x') in one half; with y NULL alpha x x'. */
static int update(cublasHandle_t h, enum element e, const char *kernel, struct storage s, int n,
                  const void *alpha, const void *x, int incx, const void *y, int incy)
{
    NEED_HANDLE(h);
    NEED(alpha && n >= 0 && incx && (!y || incy));
    struct factor f = cublas_factor(h, alpha, e);
    int both = y != NULL;
    const void *other = both ? y : x;
    int step = both ? incy : incx;
    void *params[] = {&s, &n, &f, &x, &incx, &other, &step, &both};
    return n ? cublas_launch(h, kernel, blocks_for_rows(n), (u32)n, 1, THREADS, params)
             : CUBLAS_STATUS_SUCCESS;
}

#define SYMMETRIC_CALLS(T, L, l, E)                                                                \
    CALL(cublas##L##symv_v2, cublasHandle_t h, int fill, int n, const T *alpha, const T *a,        \
         int lda, const T *x, int incx, const T *beta, T *y, int incy)                             \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(is_fill(fill));                                                                       \
        NEED(lda >= at_least_one(n));                                                              \
        return matvec(h, E, "heddle_" #l "matvec", full_half(SHAPE_SYMMETRIC, a, lda, fill), n, n, \
                      alpha, x, incx, beta, y, incy);                                              \
    }                                                                                              \
    CALL(cublas##L##sbmv_v2, cublasHandle_t h, int fill, int n, int k, const T *alpha, const T *a, \
         int lda, const T *x, int incx, const T *beta, T *y, int incy)                             \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(is_fill(fill));                                                                       \
        NEED(k >= 0 && lda > k);                                                                   \
        return matvec(h, E, "heddle_" #l "matvec", band_half(SHAPE_SYMMETRIC, a, lda, fill, k), n, \
                      n, alpha, x, incx, beta, y, incy);                                           \
    }                                                                                              \
    CALL(cublas##L##spmv_v2, cublasHandle_t h, int fill, int n, const T *alpha, const T *a,        \
         const T *x, int incx, const T *beta, T *y, int incy)                                      \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(is_fill(fill));                                                                       \
        return matvec(h, E, "heddle_" #l "matvec", packed_half(SHAPE_SYMMETRIC, a, n, fill), n, n, \
                      alpha, x, incx, beta, y, incy);                                              \
    }                                                                                              \
    CALL(cublas##L##gbmv_v2, cublasHandle_t h, int op, int m, int n, int below, int above,         \
         const T *alpha, const T *a, int lda, const T *x, int incx, const T *beta, T *y, int incy) \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(is_op(op));                                                                           \
        NEED(below >= 0 && above >= 0 && lda > below + above);                                     \
        struct storage s = band_half(SHAPE_GENERAL, a, lda, FILL_UPPER, above);                    \
        s.below = below;                                                                           \
        s.transposed = op != 0;                                                                    \
        return matvec(h, E, "heddle_" #l "matvec", s, op ? n : m, op ? m : n, alpha, x, incx,      \
                      beta, y, incy);                                                              \
    }                                                                                              \
    CALL(cublas##L##syr_v2, cublasHandle_t h, int fill, int n, const T *alpha, const T *x,         \
         int incx, T *a, int lda)                                                                  \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(is_fill(fill));                                                                       \
        NEED(lda >= at_least_one(n));                                                              \
        return update(h, E, "heddle_" #l "update", full_half(SHAPE_SYMMETRIC, a, lda, fill), n,    \
                      alpha, x, incx, NULL, 0);                                                    \
    }                                                                                              \
    CALL(cublas##L##syr2_v2, cublasHandle_t h, int fill, int n, const T *alpha, const T *x,        \
         int incx, const T *y, int incy, T *a, int lda)                                            \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(is_fill(fill));                                                                       \
        NEED(y &&lda >= at_least_one(n));                                                          \
        return update(h, E, "heddle_" #l "update", full_half(SHAPE_SYMMETRIC, a, lda, fill), n,    \
                      alpha, x, incx, y, incy);                                                    \
    }                                                                                              \
    CALL(cublas##L##spr_v2, cublasHandle_t h, int fill, int n, const T *alpha, const T *x,         \
         int incx, T *a)                                                                           \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(is_fill(fill));                                                                       \
        return update(h, E, "heddle_" #l "update", packed_half(SHAPE_SYMMETRIC, a, n, fill), n,    \
                      alpha, x, incx, NULL, 0);                                                    \
    }                                                                                              \
    CALL(cublas##L##spr2_v2, cublasHandle_t h, int fill, int n, const T *alpha, const T *x,        \
         int incx, const T *y, int incy, T *a)                                                     \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(is_fill(fill));                                                                       \
        NEED(y);                                                                                   \
        return update(h, E, "heddle_" #l "update", packed_half(SHAPE_SYMMETRIC, a, n, fill), n,    \
                      alpha, x, incx, y, incy);                                                    \
    }                                                                                              \
    CALL(cublas##L##symm_v2, cublasHandle_t h, int side, int fill, int m, int n, const T *alpha,   \
         const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc)                   \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(is_side(side) && is_fill(fill));                                                      \
        int right = side == SIDE_RIGHT;                                                            \
        NEED(alpha &&beta &&m >= 0 && n >= 0 && lda >= at_least_one(right ? n : m) &&              \
             ldb >= at_least_one(m) && ldc >= at_least_one(m));                                    \
        struct storage s = full_half(SHAPE_SYMMETRIC, a, lda, fill);                               \
        struct factor fa = cublas_factor(h, alpha, E), fb = cublas_factor(h, beta, E);             \
        void *params[] = {&s, &right, &m, &n, &fa, &b, &ldb, &fb, &c, &ldc};                       \
        return m && n ? cublas_launch(h, "heddle_" #l "symm", blocks_for_rows(m), (u32)n, 1,       \
                                      THREADS, params)                                             \
                      : CUBLAS_STATUS_SUCCESS;                                                     \
    }                                                                                              \
    CALL(cublas##L##dgmm, cublasHandle_t h, int side, int m, int n, const T *a, int lda,           \
         const T *x, int incx, T *c, int ldc)                                                      \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(is_side(side));                                                                       \
        NEED(m >= 0 && n >= 0 && lda >= at_least_one(m) && ldc >= at_least_one(m));                \
        int right = side == SIDE_RIGHT;                                                            \
        void *params[] = {&right, &m, &n, &a, &lda, &x, &incx, &c, &ldc};                          \
        return m && n ? cublas_launch(h, "heddle_" #l "dgmm", blocks_for_rows(m), (u32)n, 1,       \
                                      THREADS, params)                                             \
                      : CUBLAS_STATUS_SUCCESS;                                                     \
    }
SYMMETRIC_CALLS(float, S, s, FLOAT)
SYMMETRIC_CALLS(double, D, d, DOUBLE)

#define TRIANGLE_CALLS(T, L, l, E)                                                                 \
    CALL(cublas##L##trmv_v2, cublasHandle_t h, int fill, int op, int diagonal, int n, const T *a,  \
         int lda, T *x, int incx)                                                                  \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(is_fill(fill) && is_op(op) && is_diagonal(diagonal));                                 \
        NEED(lda >= at_least_one(n));                                                              \
        struct storage s = full_half(SHAPE_TRIANGULAR, a, lda, fill);                              \
        return on_vector(h, E, "heddle_" #l "triangle", triangle(s, op, diagonal), n, x, incx);    \
    }                                                                                              \
    CALL(cublas##L##tbmv_v2, cublasHandle_t h, int fill, int op, int diagonal, int n, int k,       \
         const T *a, int lda, T *x, int incx)                                                      \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(is_fill(fill) && is_op(op) && is_diagonal(diagonal));                                 \
        NEED(k >= 0 && lda > k);                                                                   \
        struct storage s = band_half(SHAPE_TRIANGULAR, a, lda, fill, k);                           \
        s.above = 0; /* `below` is what it reaches over */                                         \
        return on_vector(h, E, "heddle_" #l "triangle", triangle(s, op, diagonal), n, x, incx);    \
    }                                                                                              \
    CALL(cublas##L##tpmv_v2, cublasHandle_t h, int fill, int op, int diagonal, int n, const T *a,  \
         T *x, int incx)                                                                           \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(is_fill(fill) && is_op(op) && is_diagonal(diagonal));                                 \
        struct storage s = packed_half(SHAPE_TRIANGULAR, a, n, fill);                              \
        return on_vector(h, E, "heddle_" #l "triangle", triangle(s, op, diagonal), n, x, incx);    \
    }                                                                                              \
    CALL(cublas##L##trsv_v2, cublasHandle_t h, int fill, int op, int diagonal, int n, const T *a,  \
         int lda, T *x, int incx)                                                                  \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(is_fill(fill) && is_op(op) && is_diagonal(diagonal));                                 \
        NEED(lda >= at_least_one(n));                                                              \
        struct storage s = full_half(SHAPE_TRIANGULAR, a, lda, fill);                              \
        return on_vector(h, E, "heddle_" #l "solve", triangle(s, op, diagonal), n, x, incx);       \
    }                                                                                              \
    CALL(cublas##L##tbsv_v2, cublasHandle_t h, int fill, int op, int diagonal, int n, int k,       \
         const T *a, int lda, T *x, int incx)                                                      \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(is_fill(fill) && is_op(op) && is_diagonal(diagonal));                                 \
        NEED(k >= 0 && lda > k);                                                                   \
        struct storage s = band_half(SHAPE_TRIANGULAR, a, lda, fill, k);                           \
        s.above = 0; /* `below` is what it reaches over */                                         \
        return on_vector(h, E, "heddle_" #l "solve", triangle(s, op, diagonal), n, x, incx);       \
    }                                                                                              \
    CALL(cublas##L##tpsv_v2, cublasHandle_t h, int fill, int op, int diagonal, int n, const T *a,  \
         T *x, int incx)                                                                           \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(is_fill(fill) && is_op(op) && is_diagonal(diagonal));                                 \
        struct storage s = packed_half(SHAPE_TRIANGULAR, a, n, fill);                              \
        return on_vector(h, E, "heddle_" #l "solve", triangle(s, op, diagonal), n, x, incx);       \
    }                                                                                              \
    CALL(cublas##L##trsm_v2, cublasHandle_t h, int side, int fill, int op, int diagonal, int m,    \
         int n, const T *alpha, const T *a, int lda, T *b, int ldb)                                \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(is_side(side) && is_fill(fill) && is_op(op) && is_diagonal(diagonal));                \
        NEED(alpha &&m >= 0 && n >= 0 && ldb >= at_least_one(m) &&                                 \
             lda >= at_least_one(side ? n : m));                                                   \
        struct storage s = full_half(SHAPE_TRIANGULAR, a, lda, fill);                              \
        return on_matrix(h, E, "heddle_" #l "solve", triangle(s, op, diagonal), side, m, n, alpha, \
                         b, ldb);                                                                  \
    }                                                                                              \
    CALL(cublas##L##trmm_v2, cublasHandle_t h, int side, int fill, int op, int diagonal, int m,    \
         int n, const T *alpha, const T *a, int lda, const T *b, int ldb, T *c, int ldc)           \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(is_side(side) && is_fill(fill) && is_op(op) && is_diagonal(diagonal));                \
        NEED(alpha &&m >= 0 && n >= 0 && ldb >= at_least_one(m) && ldc >= at_least_one(m) &&       \
             lda >= at_least_one(side ? n : m));                                                   \
        struct storage s = full_half(SHAPE_TRIANGULAR, a, lda, fill);                              \
        struct factor one = {.value = 1}, none = {.value = 0};                                     \
        int no = 0;                                                                                \
        void *params[] = {&no, &no, &m, &one, &b, &ldb, &none, &b, &ldb, &c, &ldc};                \
        int status = b == c || !m || !n                                                            \
                         ? CUBLAS_STATUS_SUCCESS                                                   \
                         : cublas_launch(h, "heddle_" #l "geam", blocks_for_rows(m), (u32)n, 1,    \
                                         THREADS, params);                                         \
        return status ? status                                                                     \
                      : on_matrix(h, E, "heddle_" #l "triangle", triangle(s, op, diagonal), side,  \
                                  m, n, alpha, c, ldc);                                            \
    }
TRIANGLE_CALLS(float, S, s, FLOAT)
TRIANGLE_CALLS(double, D, d, DOUBLE)
