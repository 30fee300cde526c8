/*
 * libcurand: generators of pseudo-random numbers with the sequences and the order of NVIDIA's, as
 * an H200's library gives them (version 10.4). XORWOW and MRG32k3a have a state for each of 4,096
 * and 81,920 threads, 2^67 and 2^76 numbers apart, that take turns; Philox has 65,536 streams that
 * give four numbers each. Sobol sequences of 32 and 64 bits are those of the device generators of
 * cuRAND's headers with Joe and Kuo's direction vectors, for the first 21 dimensions. The rest is
 * refused by name: scrambled sequences, MTGP32 and MT19937 need tables that are NVIDIA's.
 */
#include "cuda/libraries/library.h"

#include "base/arena.h"
#include "cuda/libraries/curand_jump.h"
#include "cuda/libraries/curand_sobol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char curand_ptx[];
static struct library curand = {.name = "cuRAND", .ptx = curand_ptx};

enum {
    CURAND_STATUS_SUCCESS = 0,
    CURAND_STATUS_NOT_INITIALIZED = 101,
    CURAND_STATUS_ALLOCATION_FAILED = 102,
    CURAND_STATUS_TYPE_ERROR = 103,
    CURAND_STATUS_OUT_OF_RANGE = 104,
    CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
    CURAND_STATUS_LAUNCH_FAILURE = 201,
};
enum { RNG_DEFAULT = 100, RNG_XORWOW = 101, RNG_MRG32K3A = 121, RNG_PHILOX = 161 };
enum { RNG_QUASI_DEFAULT = 200, RNG_SOBOL32 = 201, RNG_SOBOL64 = 203 };
enum { MOST_DIMENSIONS = 20000, ORDERING_QUASI_DEFAULT = 201 };
enum { ORDERING_BEST = 100, ORDERING_DEFAULT, ORDERING_SEEDED, ORDERING_LEGACY, ORDERING_DYNAMIC };
enum form { BITS, UNIFORM, UNIFORM_DOUBLE, NORMAL, NORMAL_DOUBLE };

typedef struct generator {
    u32 type;
    u64 seed, offset; /* of the first number, as asked for */
    bool is_host, is_ready;
    u64 turn;  /* how often a thread's state was used since */
    u64 value; /* Philox: the next value; Sobol: the next of each dimension */
    u32 dimensions;
    CUdeviceptr states;
    CUstream stream;
} * curandGenerator_t;

/* As the kernels take it. */
struct numbers {
    CUdeviceptr out;
    u64 count;
    double mean, deviation;
    int form, is_log;
};

static bool is_sobol(const struct generator *g)
{
    return g->type == RNG_SOBOL32 || g->type == RNG_SOBOL64;
}

static bool upload(curandGenerator_t g, const void *data, size_t bytes)
{
    return (g->states || cuMemAlloc(&g->states, bytes) == CUDA_SUCCESS) &&
           cuMemcpyHtoD(g->states, data, bytes) == CUDA_SUCCESS;
}

static u32 threads_of(const struct generator *g)
{
    return g->type == RNG_XORWOW ? CURAND_XORWOW_THREADS : CURAND_MRG_THREADS;
}

/* States from seed and offset: what the threads would have after that many numbers. */
static int generator_prepare(curandGenerator_t g)
{
    if (g->is_ready)
        return CURAND_STATUS_SUCCESS;
    if (!library_enter(&curand))
        return CURAND_STATUS_NOT_INITIALIZED;
    g->turn = g->value = g->offset;
    g->is_ready = true;
    if (g->type == RNG_PHILOX)
        return CURAND_STATUS_SUCCESS;
    if (is_sobol(g)) {
        u64 vectors[CURAND_SOBOL_DIMENSIONS][CURAND_SOBOL_BITS];
        for (u32 i = 0; i < CURAND_SOBOL_DIMENSIONS; i++)
            curand_sobol_vectors(i, vectors[i]);
        return upload(g, vectors, sizeof vectors) ? CURAND_STATUS_SUCCESS
                                                  : CURAND_STATUS_ALLOCATION_FAILED;
    }
    u32 threads = threads_of(g);
    size_t bytes = (size_t)threads * CURAND_STATE_WORDS * sizeof(u32);
    u32 *states = xrealloc(NULL, bytes);
    if (g->type == RNG_XORWOW)
        curand_xorwow_states(states, g->seed, g->offset);
    else
        curand_mrg_states(states, g->seed, g->offset);
    bool ok = upload(g, states, bytes);
    free(states);
    return ok ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
}

static bool run_sobol(curandGenerator_t g, struct numbers *n)
{
    u32 is_wide = g->type == RNG_SOBOL64, blocks = (u32)min_u64((n->count + 255) / 256, 1024);
    u64 first = g->value, each = n->count / g->dimensions;
    void *params[] = {&g->states, &is_wide, &first, &each, n};
    g->value += each;
    return library_launch(&curand, "heddle_sobol", blocks, 1, 1, 256, g->stream, params);
}

static bool run(curandGenerator_t g, struct numbers *n)
{
    if (is_sobol(g))
        return run_sobol(g, n);
    if (g->type == RNG_PHILOX) {
        bool wide = n->form == UNIFORM_DOUBLE || n->form == NORMAL_DOUBLE;
        u64 groups = wide ? (n->count + 1) / 2 : (n->count + 3) / 4;
        u32 blocks = (u32)min_u64((groups + 255) / 256, 256);
        u64 first = g->value;
        void *params[] = {&g->seed, &first, n};
        g->value += wide ? 2 * n->count : n->count;
        return library_launch(&curand, "heddle_philox", blocks, 1, 1, 256, g->stream, params);
    }
    u32 threads = threads_of(g), shift = (u32)(g->turn % threads);
    void *params[] = {&g->states, &threads, &shift, n};
    bool pairs = n->form == NORMAL || n->form == NORMAL_DOUBLE;
    g->turn += pairs ? (n->count + 1) / 2 : n->count;
    return library_launch(&curand, g->type == RNG_XORWOW ? "heddle_xorwow" : "heddle_mrg32k3a",
                          threads / 64, 1, 1, 64, g->stream, params);
}

static int generate(curandGenerator_t g, void *out, size_t count, struct numbers n)
{
    static const u8 bytes_of[] = {
        [BITS] = 4, [UNIFORM] = 4, [UNIFORM_DOUBLE] = 8, [NORMAL] = 4, [NORMAL_DOUBLE] = 8};
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (is_sobol(g) && (n.form == NORMAL || n.form == NORMAL_DOUBLE)) {
        library_refuse("normal numbers of a Sobol sequence");
        return CURAND_STATUS_TYPE_ERROR;
    }
    if (is_sobol(g) && count % g->dimensions)
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    int status = generator_prepare(g);
    if (status || !count)
        return status;
    size_t bytes = count * (n.form == BITS && g->type == RNG_SOBOL64 ? 8 : bytes_of[n.form]);
    n.count = count;
    n.out = (CUdeviceptr)(uintptr_t)out;
    if (!g->is_host)
        return run(g, &n) ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
    if (cuMemAlloc(&n.out, bytes) != CUDA_SUCCESS)
        return CURAND_STATUS_ALLOCATION_FAILED;
    bool ok = run(g, &n) && cuMemcpyDtoH(out, n.out, bytes) == CUDA_SUCCESS;
    cuMemFree(n.out);
    return ok ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

#define CALL(name, ...)                                                                            \
    LIBRARY_EXPORT int name(__VA_ARGS__);                                                          \
    int name(__VA_ARGS__)

static int create(curandGenerator_t *g, u32 type, bool is_host)
{
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    static const struct {
        u32 type;
        const char *name;
    } refused[] = {
        {141, "MTGP32"}, {142, "MT19937"}, {202, "scrambled Sobol32"}, {204, "scrambled Sobol64"}};
    type = type == RNG_DEFAULT ? RNG_XORWOW : type == RNG_QUASI_DEFAULT ? RNG_SOBOL32 : type;
    for (u32 i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (refused[i].type != type)
            continue;
        char what[64];
        snprintf(what, sizeof what, "cuRAND's generator %s", refused[i].name);
        library_refuse(what);
        return CURAND_STATUS_TYPE_ERROR;
    }
    if (type != RNG_XORWOW && type != RNG_MRG32K3A && type != RNG_PHILOX && type != RNG_SOBOL32 &&
        type != RNG_SOBOL64)
        return CURAND_STATUS_TYPE_ERROR;
    if (!library_enter(&curand))
        return CURAND_STATUS_NOT_INITIALIZED;
    *g = xrealloc(NULL, sizeof **g);
    **g = (struct generator){.type = type, .is_host = is_host, .dimensions = 1};
    return CURAND_STATUS_SUCCESS;
}

CALL(curandCreateGenerator, curandGenerator_t *g, u32 type)
{
    return create(g, type, false);
}

CALL(curandCreateGeneratorHost, curandGenerator_t *g, u32 type)
{
    return create(g, type, true);
}

CALL(curandDestroyGenerator, curandGenerator_t g)
{
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (g->states)
        cuMemFree(g->states);
    free(g);
    return CURAND_STATUS_SUCCESS;
}

CALL(curandGetVersion, int *version)
{
    *version = 10400;
    return CURAND_STATUS_SUCCESS;
}

CALL(curandGetProperty, int type, int *value)
{
    static const int parts[] = {10, 4, 0};
    if (type < 0 || type > 2)
        return CURAND_STATUS_OUT_OF_RANGE;
    *value = parts[type];
    return CURAND_STATUS_SUCCESS;
}

CALL(curandSetStream, curandGenerator_t g, CUstream stream)
{
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    g->stream = stream;
    return CURAND_STATUS_SUCCESS;
}

CALL(curandSetPseudoRandomGeneratorSeed, curandGenerator_t g, u64 seed)
{
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (is_sobol(g))
        return CURAND_STATUS_TYPE_ERROR;
    g->seed = seed;
    g->is_ready = false;
    return CURAND_STATUS_SUCCESS;
}

CALL(curandSetGeneratorOffset, curandGenerator_t g, u64 offset)
{
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    g->offset = offset;
    g->is_ready = false;
    return CURAND_STATUS_SUCCESS;
}

CALL(curandSetGeneratorOrdering, curandGenerator_t g, u32 order)
{
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (is_sobol(g))
        return order == ORDERING_QUASI_DEFAULT ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE;
    if (order < ORDERING_BEST || order > ORDERING_DYNAMIC)
        return CURAND_STATUS_OUT_OF_RANGE;
    if (order == ORDERING_SEEDED || order == ORDERING_DYNAMIC) {
        library_refuse("this ordering of cuRAND's numbers");
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    return CURAND_STATUS_SUCCESS; /* the others are one */
}

CALL(curandGenerateSeeds, curandGenerator_t g)
{
    return g ? generator_prepare(g) : CURAND_STATUS_NOT_INITIALIZED;
}

CALL(curandGenerate, curandGenerator_t g, u32 *out, size_t count)
{
    if (g && g->type == RNG_SOBOL64)
        return CURAND_STATUS_TYPE_ERROR;
    return generate(g, out, count, (struct numbers){.form = BITS});
}

/* Numbers of 64 bits, which only such a Sobol sequence has. */
CALL(curandGenerateLongLong, curandGenerator_t g, u64 *out, size_t count)
{
    if (g && g->type != RNG_SOBOL64)
        return CURAND_STATUS_TYPE_ERROR;
    return generate(g, out, count, (struct numbers){.form = BITS});
}

CALL(curandSetQuasiRandomGeneratorDimensions, curandGenerator_t g, u32 dimensions)
{
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (!is_sobol(g))
        return CURAND_STATUS_TYPE_ERROR;
    if (dimensions < 1 || dimensions > MOST_DIMENSIONS)
        return CURAND_STATUS_OUT_OF_RANGE;
    if (dimensions > CURAND_SOBOL_DIMENSIONS) {
        library_refuse("a Sobol sequence of more than 21 dimensions");
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    g->dimensions = dimensions;
    g->is_ready = false;
    return CURAND_STATUS_SUCCESS;
}

CALL(curandGenerateUniform, curandGenerator_t g, float *out, size_t count)
{
    return generate(g, out, count, (struct numbers){.form = UNIFORM});
}

CALL(curandGenerateUniformDouble, curandGenerator_t g, double *out, size_t count)
{
    return generate(g, out, count, (struct numbers){.form = UNIFORM_DOUBLE});
}

#define NORMAL_CALL(name, type, the_form, log)                                                     \
    CALL(name, curandGenerator_t g, type *out, size_t count, type mean, type deviation)            \
    {                                                                                              \
        struct numbers n = {.mean = (double)mean,                                                  \
                            .deviation = (double)deviation,                                        \
                            .form = the_form,                                                      \
                            .is_log = log};                                                        \
        return generate(g, out, count, n);                                                         \
    }
NORMAL_CALL(curandGenerateNormal, float, NORMAL, 0)
NORMAL_CALL(curandGenerateNormalDouble, double, NORMAL_DOUBLE, 0)
NORMAL_CALL(curandGenerateLogNormal, float, NORMAL, 1)
NORMAL_CALL(curandGenerateLogNormalDouble, double, NORMAL_DOUBLE, 1)

#define REFUSED(name)                                                                              \
    CALL(name, void)                                                                               \
    {                                                                                              \
        library_refuse(#name);                                                                     \
        return CURAND_STATUS_TYPE_ERROR;                                                           \
    }
REFUSED(curandCreatePoissonDistribution)
REFUSED(curandDestroyDistribution)
REFUSED(curandGeneratePoisson)
REFUSED(curandGeneratePoissonMethod)
REFUSED(curandGetDirectionVectors32)
REFUSED(curandGetDirectionVectors64)
REFUSED(curandGetScrambleConstants32)
REFUSED(curandGetScrambleConstants64)
