/*
 * What the drop-ins for NVIDIA's libraries share: kernels of ours in PTX, loaded into the program's
 * context and launched through the driver interface.
 */
#ifndef CUDA_LIBRARIES_LIBRARY_H
#define CUDA_LIBRARIES_LIBRARY_H

#include "base/types.h"
#include "cuda/core/export.h"

#define LIBRARY_EXPORT __attribute__((visibility("default")))

/* One library in one process. */
struct library {
    const char *name; /* "cuRAND" */
    const char *ptx;
    CUcontext context; /* into which the module was loaded */
    CUmodule module;
};

/* A context to work in: the current one, or the primary as the runtime has it. False: none. */
bool library_enter(struct library *l);
CUfunction library_kernel(struct library *l, const char *name);
/* params: one pointer for each argument. */
bool library_launch(struct library *l, const char *name, u32 blocks_x, u32 blocks_y, u32 blocks_z,
                    u32 threads, CUstream stream, void **params);
/* "heddle: ..." on stderr, once for each call of that name. */
void library_refuse(const char *call);

#endif
