/* What the files of libcublas share. */
#ifndef CUDA_LIBRARIES_CUBLAS_H
#define CUDA_LIBRARIES_CUBLAS_H

#include "cuda/libraries/library.h"

enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
};
enum { FILL_LOWER = 0, FILL_UPPER = 1 };
enum element { HALF, BFLOAT, FLOAT, DOUBLE };

typedef struct handle {
    CUstream stream;
    int pointer_mode; /* 1: factors and results are in device memory */
    int math_mode, atomics_mode;
    CUdeviceptr scratch; /* for a result on its way to the host */
} * cublasHandle_t;

/* As the kernels take them. */
struct factor {
    CUdeviceptr at;
    double value;
};

#define CALL(name, ...)                                                                            \
    LIBRARY_EXPORT int name(__VA_ARGS__);                                                          \
    int name(__VA_ARGS__)
#define NEED(claim)                                                                                \
    do {                                                                                           \
        if (!(claim))                                                                              \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
    } while (0)
#define NEED_HANDLE(handle)                                                                        \
    do {                                                                                           \
        if (!(handle))                                                                             \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                  \
    } while (0)

/* What NVIDIA's library takes for real numbers; conjugation is transposition (2). */
static inline bool is_op(int op)
{
    return op >= 0 && op <= 2;
}

static inline bool is_fill(int fill)
{
    return fill == FILL_LOWER || fill == FILL_UPPER;
}

/* A factor from where the handle says that factors are. */
struct factor cublas_factor(cublasHandle_t h, const void *p, enum element element);
int cublas_launch(cublasHandle_t h, const char *kernel, u32 x, u32 y, u32 z, u32 threads,
                  void **params);

#endif
