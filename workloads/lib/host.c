#include "host.h"

#include "random.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_SEED 1
#define LOG_BYTES 4096

static const char *const sizes[] = {"tiny", "small", "large", NULL};

void host_fail(const struct host *h, const char *fmt, ...)
{
    fflush(stdout);
    fprintf(stderr, "%s: ", h->name);
    va_list args;
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
    exit(2);
}

void host_expect(const struct host *h, CUresult result, const char *call)
{
    if (result == CUDA_SUCCESS)
        return;
    const char *name = NULL, *text = NULL;
    h->cu.cuGetErrorName(result, &name);
    h->cu.cuGetErrorString(result, &text);
    host_fail(h, "%s gave %s: %s", call, name ? name : "an unknown error", text ? text : "");
}

/* The command line */

static u32 read_word(const struct host *h, const char *option, const char *const *words,
                     const char *given)
{
    char expected[128] = "";
    for (u32 i = 0; words[i]; i++) {
        if (strcmp(words[i], given) == 0)
            return i;
        size_t used = strlen(expected);
        snprintf(expected + used, sizeof expected - used, "%s%s",
                 i == 0         ? ""
                 : words[i + 1] ? ", "
                                : " or ",
                 words[i]);
    }
    host_fail(h, "--%s is '%s', expected %s", option, given, expected);
}

static u64 read_number(const struct host *h, const char *option, const char *given)
{
    char *end;
    errno = 0;
    u64 value = strtoull(given, &end, 10);
    if (given[0] < '0' || given[0] > '9' || *end || errno)
        host_fail(h, "--%s is '%s', expected a whole number", option, given);
    return value;
}

static void print_help(const struct host *h)
{
    printf("usage: %s [options]\n\noptions:\n"
           "  --size tiny|small|large  of the input (default: small)\n"
           "  --seed N                 of the input (default: %d)\n",
           h->name, DEFAULT_SEED);
    for (const struct host_choice *c = h->choices; c && c->name; c++) {
        int width = printf("  --%s %s", c->name, c->texts[0] ? "TEXT" : c->words[0] ? "" : "N");
        for (u32 i = 0; c->words[i]; i++)
            width += printf("%s%s", i ? "|" : "", c->words[i]);
        printf("%*s%s (default: ", width < 26 ? 27 - width : 1, "", c->help);
        if (c->texts[0])
            printf("%s, %s or %s by size)\n", c->texts[SIZE_TINY], c->texts[SIZE_SMALL],
                   c->texts[SIZE_LARGE]);
        else if (c->words[0])
            printf("%s)\n", c->words[0]);
        else if (c->as)
            printf("as --%s)\n", c->as);
        else
            printf("%u, %u or %u by size)\n", c->sizes[SIZE_TINY], c->sizes[SIZE_SMALL],
                   c->sizes[SIZE_LARGE]);
    }
    printf("  --ptx FILE               the kernels (default: %s.ptx beside the program)\n"
           "  --time                   also print the kernels' time by CUDA events\n"
           "  --quiet                  print nothing when the result is right\n\n"
           "exit code: 0 verified, 1 wrong result, 2 could not run\n",
           h->name);
}

static u32 read_measure(const struct host *h, const struct host_choice *c, const char *given)
{
    u64 value = read_number(h, c->name, given);
    u32 most = c->most ? c->most : c->sizes[SIZE_LARGE];
    if (value < 1 || value > most)
        host_fail(h, "--%s is '%s', expected 1 to %u", c->name, given, most);
    return (u32)value;
}

static bool read_choice(struct host *h, const char *option, const char *value)
{
    for (u32 i = 0; h->choices && h->choices[i].name; i++) {
        const struct host_choice *c = &h->choices[i];
        assert(i < MOST_CHOICES);
        if (strcmp(option, c->name) == 0 && c->texts[0]) {
            h->texts[i] = value;
            return true;
        }
        if (strcmp(option, c->name) == 0) {
            h->chosen[i] =
                c->words[0] ? read_word(h, option, c->words, value) : read_measure(h, c, value);
            return true;
        }
    }
    return false;
}

static bool is_choice(const struct host *h, const char *option)
{
    for (const struct host_choice *c = h->choices; c && c->name; c++) {
        if (strcmp(option, c->name) == 0)
            return true;
    }
    return false;
}

static void read_arguments(struct host *h, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i];
        if (strcmp(option, "--time") == 0) {
            h->time = true;
        } else if (strcmp(option, "--quiet") == 0) {
            h->quiet = true;
        } else if (strcmp(option, "--help") == 0) {
            print_help(h);
            exit(0);
        } else if (strcmp(option, "--size") != 0 && strcmp(option, "--seed") != 0 &&
                   strcmp(option, "--ptx") != 0 &&
                   !(strncmp(option, "--", 2) == 0 && is_choice(h, option + 2))) {
            host_fail(h, "unknown argument '%s', see --help", option);
        } else if (i + 1 == argc) {
            host_fail(h, "%s needs a value", option);
        } else {
            const char *value = argv[++i];
            if (strcmp(option, "--size") == 0)
                h->size = (enum host_size)read_word(h, "size", sizes, value);
            else if (strcmp(option, "--seed") == 0)
                h->seed = read_number(h, "seed", value);
            else if (!read_choice(h, option + 2, value))
                snprintf(h->ptx, PATH_MAX, "%s", value);
        }
    }
}

u32 host_pick(const struct host *h, u32 tiny, u32 small, u32 large)
{
    return h->size == SIZE_TINY ? tiny : h->size == SIZE_SMALL ? small : large;
}

u32 host_chosen(const struct host *h, const char *choice)
{
    for (u32 i = 0; h->choices && h->choices[i].name; i++) {
        if (strcmp(choice, h->choices[i].name) == 0)
            return h->chosen[i];
    }
    host_fail(h, "there is no option --%s", choice);
}

u32 host_measure(const struct host *h, const char *choice)
{
    u32 given = host_chosen(h, choice);
    const struct host_choice *c = h->choices;
    while (strcmp(choice, c->name) != 0)
        c++;
    return given ? given : c->as ? host_measure(h, c->as) : c->sizes[h->size];
}

const char *host_text(const struct host *h, const char *choice)
{
    for (u32 i = 0; h->choices && h->choices[i].name; i++) {
        if (strcmp(choice, h->choices[i].name) == 0)
            return h->texts[i] ? h->texts[i] : h->choices[i].texts[h->size];
    }
    host_fail(h, "there is no option --%s", choice);
}

u32 host_multiple(const struct host *h, const char *choice, u32 unit)
{
    u32 value = host_measure(h, choice);
    if (value % unit)
        host_fail(h, "--%s is %u, expected a multiple of %u", choice, value, unit);
    return value;
}

/* Memory */

static void *xrealloc(const struct host *h, void *p, size_t bytes)
{
    p = realloc(p, bytes ? bytes : 1);
    if (!p)
        host_fail(h, "no memory for %zu bytes", bytes);
    return p;
}

/* Room for one more element, doubled at powers of two. */
static void *grow(const struct host *h, void *array, u32 count, size_t element_bytes)
{
    if (count & (count - 1))
        return array;
    return xrealloc(h, array, (count ? 2 * (size_t)count : 1) * element_bytes);
}

void *host_alloc(struct host *h, size_t count, size_t element_bytes)
{
    void *p = calloc(count ? count : 1, element_bytes);
    if (!p)
        host_fail(h, "no memory for %zu elements of %zu bytes", count, element_bytes);
    h->host_blocks = grow(h, h->host_blocks, h->host_block_count, sizeof *h->host_blocks);
    h->host_blocks[h->host_block_count++] = p;
    return p;
}

CUdeviceptr host_device_alloc(struct host *h, size_t bytes)
{
    CUdeviceptr address;
    CU(h, cuMemAlloc, (&address, bytes ? bytes : 1));
    h->device_blocks = grow(h, h->device_blocks, h->device_block_count, sizeof *h->device_blocks);
    h->device_blocks[h->device_block_count++] = address;
    return address;
}

CUdeviceptr host_upload(struct host *h, const void *from, size_t bytes)
{
    CUdeviceptr address = host_device_alloc(h, bytes);
    if (bytes > 0)
        CU(h, cuMemcpyHtoD, (address, from, bytes));
    return address;
}

void host_download(struct host *h, void *to, CUdeviceptr from, size_t bytes)
{
    CU(h, cuMemcpyDtoH, (to, from, bytes));
}

CUdeviceptr host_zeros(struct host *h, size_t bytes)
{
    CUdeviceptr address = host_device_alloc(h, bytes);
    CU(h, cuMemsetD8, (address, 0, bytes ? bytes : 1));
    return address;
}

float *host_random_f32(struct host *h, const char *name, size_t count, float low, float high)
{
    struct random r = random_stream(h->seed, name);
    float *values = HOST_ARRAY(h, float, count);
    for (size_t i = 0; i < count; i++)
        values[i] = low + (high - low) * random_unit(r, i);
    return values;
}

u32 *host_random_u32(struct host *h, const char *name, size_t count, u32 bound)
{
    struct random r = random_stream(h->seed, name);
    u32 *values = HOST_ARRAY(h, u32, count);
    for (size_t i = 0; i < count; i++)
        values[i] = random_below(r, i, bound);
    return values;
}

CUtexObject host_texture(struct host *h, CUdeviceptr address, size_t bytes)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};
    resource.res.linear.devPtr = address;
    resource.res.linear.format = CU_AD_FORMAT_FLOAT;
    resource.res.linear.numChannels = 1;
    resource.res.linear.sizeInBytes = bytes;
    CUDA_TEXTURE_DESC sampler = {.filterMode = CU_TR_FILTER_MODE_POINT};
    CUtexObject object;
    CU(h, cuTexObjectCreate, (&object, &resource, &sampler, NULL));
    return object;
}

/* Kernels */

static char *read_text(const struct host *h, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        host_fail(h, "%s cannot be read: %s", path, strerror(errno));
    char *text = NULL;
    size_t used = 0, got;
    do {
        text = xrealloc(h, text, used + 65536 + 1);
        got = fread(text + used, 1, 65536, f);
        used += got;
    } while (got > 0);
    bool failed = ferror(f);
    fclose(f);
    if (failed)
        host_fail(h, "%s cannot be read", path);
    text[used] = '\0';
    return text;
}

static void load_module(struct host *h)
{
    char *text = read_text(h, h->ptx);
    char log[LOG_BYTES] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CUresult result = h->cu.cuModuleLoadDataEx(&h->module, text, 2, options, values);
    free(text);
    if (result != CUDA_SUCCESS && log[0])
        fprintf(stderr, "%s\n", log);
    if (result != CUDA_SUCCESS)
        host_expect(h, result, h->ptx);
}

CUfunction host_kernel(struct host *h, const char *name)
{
    CUfunction kernel;
    CUresult result = h->cu.cuModuleGetFunction(&kernel, h->module, name);
    if (result == CUDA_ERROR_NOT_FOUND)
        host_fail(h, "%s has no kernel %s", h->ptx, name);
    host_expect(h, result, "cuModuleGetFunction");
    return kernel;
}

static void record_event(struct host *h)
{
    CUevent event;
    CU(h, cuEventCreate, (&event, CU_EVENT_DEFAULT));
    CU(h, cuEventRecord, (event, NULL));
    h->events = grow(h, h->events, h->event_count, sizeof(CUevent));
    h->events[h->event_count++] = event;
}

void host_launch(struct host *h, CUfunction kernel, struct dim grid, struct dim block,
                 u32 shared_bytes, void **args)
{
    if (h->time)
        record_event(h);
    CU(h, cuLaunchKernel,
       (kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared_bytes, NULL, args, NULL));
    if (h->time)
        record_event(h);
    h->launches++;
}

static void print_time(struct host *h)
{
    char gpu[128] = "";
    double sum = 0;
    for (u32 i = 0; i < h->event_count; i += 2) {
        float ms;
        CU(h, cuEventSynchronize, (h->events[i + 1]));
        CU(h, cuEventElapsedTime, (&ms, h->events[i], h->events[i + 1]));
        sum += (double)ms;
    }
    CU(h, cuDeviceGetName, (gpu, (int)sizeof gpu, h->device));
    printf("%s: %.3f ms in %u launch%s on %s\n", h->name, sum, h->launches,
           h->launches == 1 ? "" : "es", gpu);
}

/* Comparison */

static bool is_first_wrong(const struct host *h)
{
    return !h->wrong[0];
}

void host_compare_u32(struct host *h, const char *array, const u32 *got, const u32 *expected,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (got[i] != expected[i]) {
            if (is_first_wrong(h))
                snprintf(h->wrong, sizeof h->wrong, "%s[%zu]: got %u, expected %u", array, i,
                         got[i], expected[i]);
            return;
        }
    }
    h->verified += count;
}

void host_compare_f32(struct host *h, const char *array, const float *got, const float *expected,
                      size_t count)
{
    host_compare_f32_within(h, array, got, expected, count, 0, 0);
}

void host_compare_f32_within(struct host *h, const char *array, const float *got,
                             const float *expected, size_t count, double absolute, double relative)
{
    for (size_t i = 0; i < count; i++) {
        double g = (double)got[i], e = (double)expected[i];
        /* Written so that a NaN or an infinity where none is expected is wrong. */
        if (!(g == e || fabs(g - e) <= absolute + relative * fabs(e))) {
            if (is_first_wrong(h))
                snprintf(h->wrong, sizeof h->wrong, "%s[%zu]: got %.9g, expected %.9g", array, i, g,
                         e);
            return;
        }
    }
    h->verified += count;
}

void host_check_u32(struct host *h, const char *array, CUdeviceptr from, const u32 *expected,
                    size_t count)
{
    u32 *got = HOST_ARRAY(h, u32, count);
    host_download(h, got, from, count * sizeof *got);
    host_compare_u32(h, array, got, expected, count);
}

void host_check_f32(struct host *h, const char *array, CUdeviceptr from, const float *expected,
                    size_t count)
{
    float *got = HOST_ARRAY(h, float, count);
    host_download(h, got, from, count * sizeof *got);
    host_compare_f32(h, array, got, expected, count);
}

/* Start and end */

static void find_ptx(struct host *h)
{
    h->ptx = host_alloc(h, PATH_MAX, 1);
    ssize_t n = readlink("/proc/self/exe", h->ptx, PATH_MAX - 1);
    h->ptx[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(h->ptx, '/');
    size_t folder = slash ? (size_t)(slash + 1 - h->ptx) : 0;
    snprintf(h->ptx + folder, PATH_MAX - folder, "%s.ptx", h->name);
}

void host_init(struct host *h, const char *name, const struct host_choice *choices, int argc,
               char **argv)
{
    *h = (struct host){.name = name, .size = SIZE_SMALL, .seed = DEFAULT_SEED, .choices = choices};
    find_ptx(h);
    read_arguments(h, argc, argv);
    char why[512];
    if (!driver_open(&h->cu, why, sizeof why))
        host_fail(h, "%s", why);
    CU(h, cuInit, (0));
    CU(h, cuDeviceGet, (&h->device, 0));
    CU(h, cuDevicePrimaryCtxRetain, (&h->context, h->device));
    CU(h, cuCtxSetCurrent, (h->context));
    load_module(h);
}

int host_finish(struct host *h)
{
    CU(h, cuCtxSynchronize, ());
    if (h->time)
        print_time(h);
    for (u32 i = 0; i < h->event_count; i++)
        CU(h, cuEventDestroy, (h->events[i]));
    for (u32 i = 0; i < h->device_block_count; i++)
        CU(h, cuMemFree, (h->device_blocks[i]));
    CU(h, cuModuleUnload, (h->module));
    CU(h, cuDevicePrimaryCtxRelease, (h->device));
    bool right = !h->wrong[0] && h->verified > 0;
    if (h->wrong[0])
        printf("%s: WRONG element %s\n", h->name, h->wrong);
    else if (!right)
        printf("%s: WRONG: nothing was compared\n", h->name);
    else if (!h->quiet)
        printf("%s: verified %" PRIu64 " elements\n", h->name, h->verified);
    for (u32 i = 0; i < h->host_block_count; i++)
        free(h->host_blocks[i]);
    free(h->host_blocks);
    free(h->device_blocks);
    free((void *)h->events);
    /* The driver stays open: it may have threads of its own until the process ends. */
    *h = (struct host){0};
    if (fflush(stdout) != 0) {
        perror("standard output");
        return 2;
    }
    return right ? 0 : 1;
}
