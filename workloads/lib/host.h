/*
 * The frame of a workload's host program: command line, device, kernels, memory, comparison with
 * the CPU's result, and the last line with its exit code.
 *
 *     int main(int argc, char **argv)
 *     {
 *         struct host h;
 *         host_init(&h, "vecadd", NULL, argc, argv);
 *         ...
 *         return host_finish(&h);
 *     }
 *
 * Only public calls of the CUDA driver API are made: the same program and PTX run on heddle and on
 * any NVIDIA GPU from sm_75. A call that fails ends the program with a sentence and exit code 2;
 * what was taken from the host (memory on either side, kernels) is given back by host_finish.
 */
#ifndef WORKLOADS_HOST_H
#define WORKLOADS_HOST_H

#include "driver.h"
#include "types.h"

#include <assert.h>

enum host_size { SIZE_TINY, SIZE_SMALL, SIZE_LARGE };

#define MOST_CHOICES 6

/* An option of one workload alone: --name WORD, the first word being the default; or, where there
 * are no words, --name N, a measure of the input that --size chooses otherwise. */
struct host_choice {
    const char *name;
    const char *help;
    const char *words[MOST_CHOICES + 1]; /* ends with NULL */
    u32 sizes[3];                        /* of tiny, small, large */
    u32 most;                            /* that may be given; 0: as large */
    const char *as;                      /* the measure that it follows unless it is given */
    const char *texts[3];                /* any text instead: of tiny, small, large */
};

struct host {
    const char *name;
    struct driver cu;
    CUdevice device;
    CUcontext context;
    CUmodule module;

    /* the command line */
    enum host_size size;
    u64 seed;
    char *ptx; /* the file */
    bool time, quiet;
    const struct host_choice *choices;
    u32 chosen[MOST_CHOICES];        /* word, or number; 0: by --size */
    const char *texts[MOST_CHOICES]; /* NULL: by --size */

    /* what host_finish gives back */
    void **host_blocks;
    CUdeviceptr *device_blocks;
    CUevent *events; /* with --time: two per launch */
    u32 host_block_count, device_block_count, event_count, launches;

    /* the comparison */
    u64 verified;
    char wrong[160]; /* the first wrong element, or empty */
};

/* Reads the command line, opens the device and loads NAME.ptx, which lies beside the program unless
 * --ptx names another. choices ends with a NULL name; NULL: none. */
void host_init(struct host *h, const char *name, const struct host_choice *choices, int argc,
               char **argv);
/* Prints `NAME: verified N elements` or `NAME: WRONG element ARRAY[i]: got x, expected y` and
 * returns the exit code: 0 or 1. */
int host_finish(struct host *h);
/* NAME: a sentence; exit code 2. */
void host_fail(const struct host *h, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), noreturn));

/* The value for the size that was asked for. */
u32 host_pick(const struct host *h, u32 tiny, u32 small, u32 large);
/* Which word of an own option was given, counted from 0. */
u32 host_chosen(const struct host *h, const char *choice);
/* The number of an own option, as given or as --size has it. */
u32 host_measure(const struct host *h, const char *choice);

/* The text of an own option. */
const char *host_text(const struct host *h, const char *choice);

/* The same where only multiples of `unit` will do. */
u32 host_multiple(const struct host *h, const char *choice, u32 unit);

/* Memory of the CPU, zeroed. */
void *host_alloc(struct host *h, size_t count, size_t element_bytes);
#define HOST_ARRAY(h, type, count) ((type *)host_alloc((h), (count), sizeof(type)))

/* Memory of the GPU, as cuMemAlloc leaves it; or with a copy of `from`. */
CUdeviceptr host_device_alloc(struct host *h, size_t bytes);
CUdeviceptr host_upload(struct host *h, const void *from, size_t bytes);
void host_download(struct host *h, void *to, CUdeviceptr from, size_t bytes);

/* The same, zeroed. */
CUdeviceptr host_zeros(struct host *h, size_t bytes);

/* Inputs that the seed and a name alone decide: from low to below high; below bound. */
float *host_random_f32(struct host *h, const char *name, size_t count, float low, float high);
u32 *host_random_u32(struct host *h, const char *name, size_t count, u32 bound);

/* A texture of one float per element over linear memory, which a texture may be 2^27 elements of;
 * the caller destroys it. */
CUtexObject host_texture(struct host *h, CUdeviceptr address, size_t bytes);

CUfunction host_kernel(struct host *h, const char *name);

struct dim {
    u32 x, y, z;
};
#define DIM1(nx) ((struct dim){(nx), 1, 1})
#define DIM2(nx, ny) ((struct dim){(nx), (ny), 1})
#define DIM3(nx, ny, nz) ((struct dim){(nx), (ny), (nz)})
/* The kernel's arguments: addresses of variables of exactly the parameters' types. */
#define ARGS(...) ((void *[]){__VA_ARGS__})

/* Blocks that cover `count` threads. */
static inline u32 blocks_for(u32 count, u32 block)
{
    assert(block > 0);
    return count / block + (count % block != 0);
}

/* On the default stream; returns at once, as CUDA does. */
void host_launch(struct host *h, CUfunction kernel, struct dim grid, struct dim block,
                 u32 shared_bytes, void **args);

/* Any other call: CU(h, cuMemsetD8, (address, 0, bytes)) */
#define CU(h, call, arguments) host_expect((h), (h)->cu.call arguments, #call)
void host_expect(const struct host *h, CUresult result, const char *call);

/* Every element must be as expected; the first that is not is what host_finish reports. */
void host_compare_u32(struct host *h, const char *array, const u32 *got, const u32 *expected,
                      size_t count);
void host_compare_f32(struct host *h, const char *array, const float *got, const float *expected,
                      size_t count);
/* |got - expected| <= absolute + relative x |expected| */
void host_compare_f32_within(struct host *h, const char *array, const float *got,
                             const float *expected, size_t count, double absolute, double relative);
/* The same of an array on the device. */
void host_check_u32(struct host *h, const char *array, CUdeviceptr from, const u32 *expected,
                    size_t count);
void host_check_f32(struct host *h, const char *array, CUdeviceptr from, const float *expected,
                    size_t count);

#endif
