/* Short names for the instructions that scripted kernels of tests are made of. */
#ifndef TESTS_GPU_SCRIPT_H
#define TESTS_GPU_SCRIPT_H

#include "source/synthetic/scripted.h"

#define KIB 1024u
#define MIB (1024u * 1024u)

/* An addition; 0 is no register. */
#define ALU(d, a)                                                                                  \
    {                                                                                              \
        .unit = UNIT_INT, .dst = (d), .src0 = (a)                                                  \
    }
/* Of 4 bytes a lane, lanes so many bytes apart. The address comes last; fields may follow it. */
#define LOAD_APART(d, apart, ...)                                                                  \
    {                                                                                              \
        .kind = WINST_LOAD, .unit = UNIT_MEMORY, .dst = (d), .space = SPACE_GLOBAL, .bytes = 4,    \
        .lane_stride = (apart), .base = __VA_ARGS__                                                \
    }
/* The same with all lanes of a warp in one line. */
#define LOAD(d, ...) LOAD_APART(d, 4, __VA_ARGS__)
#define STORE(...)                                                                                 \
    {                                                                                              \
        .kind = WINST_STORE, .unit = UNIT_MEMORY, .space = SPACE_GLOBAL, .bytes = 4,               \
        .lane_stride = 4, .base = __VA_ARGS__                                                      \
    }
#define BARRIER(...)                                                                               \
    {                                                                                              \
        .kind = WINST_BARRIER, .unit = UNIT_BRANCH, __VA_ARGS__                                    \
    }
#define FENCE()                                                                                    \
    {                                                                                              \
        .kind = WINST_FENCE, .unit = UNIT_BRANCH                                                   \
    }
/* The one before is of the block. */
#define FENCE_OF_GPU                                                                               \
    {                                                                                              \
        .kind = WINST_FENCE, .unit = UNIT_BRANCH, .bytes = 4                                       \
    }
/* The cycles; fields may follow. */
#define SLEEP(...)                                                                                 \
    {                                                                                              \
        .kind = WINST_SLEEP, .unit = UNIT_BRANCH, .sleep_cycles = __VA_ARGS__                      \
    }
#define EXIT()                                                                                     \
    {                                                                                              \
        .kind = WINST_EXIT, .unit = UNIT_BRANCH                                                    \
    }
/* A kernel of one block that runs a list. The threads come last; fields may follow. */
#define KERNEL(list, ...)                                                                          \
    (struct scripted_kernel)                                                                       \
    {                                                                                              \
        .code = (list), .count = ARRAY_LEN(list), .threads_per_block = __VA_ARGS__                 \
    }

#endif
