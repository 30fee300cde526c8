/* Batched LU: factors, solutions and inverses of many small matrices, a block for each. */
#include "cuda/libraries/cublas.h"

enum { LU_THREADS = 128 };

static int lu_launch(cublasHandle_t h, const char *kernel, int batch, void **params)
{
    return batch ? cublas_launch(h, kernel, (u32)batch, 1, 1, LU_THREADS, params)
                 : CUBLAS_STATUS_SUCCESS;
}

/* What is wrong with the arguments of a solution, by number, as LAPACK counts; 0: nothing. */
static int wrong_argument(int op, int n, int columns, int ld, int lds)
{
    int least = n > 1 ? n : 1;
    return op < 0 || op > 2 ? -1
           : n < 0          ? -2
           : columns < 0    ? -3
           : ld < least     ? -5
           : lds < least    ? -8
                            : 0;
}

#define LU_CALLS(T, L, l)                                                                          \
    CALL(cublas##L##getrfBatched, cublasHandle_t h, int n, T *const list[], int ld, int *pivots,   \
         int *info, int batch)                                                                     \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(n >= 0 && batch >= 0 && ld >= (n > 1 ? n : 1) && (!batch || (list && info)));         \
        void *params[] = {&n, &list, &ld, &pivots, &info};                                         \
        return lu_launch(h, "heddle_" #l "getrf", batch, params);                                  \
    }                                                                                              \
    CALL(cublas##L##getrsBatched, cublasHandle_t h, int op, int n, int columns,                    \
         const T *const list[], int ld, const int *pivots, T *const sides[], int lds, int *info,   \
         int batch)                                                                                \
    {                                                                                              \
        NEED_HANDLE(h);                                                                            \
        NEED(info);                                                                                \
        *info = batch < 0 ? -10 : wrong_argument(op, n, columns, ld, lds);                         \
        NEED(!*info && (!batch || (list && sides)));                                               \
        int transposed = op != 0;                                                                  \
        void *params[] = {&transposed, &n, &columns, &list, &ld, &pivots, &sides, &lds};           \
        return lu_launch(h, "heddle_" #l "getrs", batch, params);                                  \
    }                                                                                              \
    CALL(cublas##L##getriBatched, cublasHandle_t h, int n, const T *const list[], int ld,          \
         const int *pivots, T *const inverses[], int ldc, int *info, int batch)                    \
    {                                                                                              \
        int least = n > 1 ? n : 1;                                                                 \
        NEED_HANDLE(h);                                                                            \
        NEED(n >= 0 && batch >= 0 && ld >= least && ldc >= least &&                                \
             (!batch || (list && inverses && info)));                                              \
        void *params[] = {&n, &list, &ld, &pivots, &inverses, &ldc, &info};                        \
        return lu_launch(h, "heddle_" #l "getri", batch, params);                                  \
    }
LU_CALLS(float, S, s)
LU_CALLS(double, D, d)
