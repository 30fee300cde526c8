/*
 * micro [--emit DIR] [--out DIR] [--repeat N] [GROUP...]: micro-benchmarks of an NVIDIA GPU.
 *
 * Writes OUT/micro.csv (and tables of raw measurements beside it). --emit alone writes the kernels
 * as PTX without a GPU.
 */
#include "bench.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define DATA_BYTES ((size_t)8 << 30)
#define BRIEF_BYTES ((size_t)1 << 30)
#define BRIEF_CLEARED ((size_t)16 << 20)

static const struct {
    const char *name;
    void (*run)(struct bench *b);
} groups[] = {
    {"device", group_device},
    {"clock", group_clock},
    {"instruction", group_instructions},
    {"issue", group_issue},
    {"latency", group_latency},
    {"lines", group_lines},
    {"bandwidth", group_bandwidth},
    {"shared", group_shared},
    {"atomics", group_atomics},
    {"launch", group_launch},
    {"merge", group_merge},
    {"rows", group_rows},
    {"load", group_load},
    {"code", group_code},
    {"fetch", group_fetch},
    {"overlap", group_overlap},
    {"hot", group_hot},
    {"first", group_first},
    {"share", group_share},
    {"coalesce", group_coalesce},
    {"fence", group_fence},
    {"wide", group_wide},
    {"constant", group_constant},
    {"adds", group_adds},
    {"stores", group_stores},
    {"local", group_local},
    {"full", group_full},
    {"chain", group_chain},
};

static void open_device(struct bench *b)
{
    char why[256];
    int major, minor;
    if (!driver_open(&b->cu, why, sizeof why))
        bench_fail("%s", why);
    void *symbol = dlsym(b->cu.library, "cuFuncGetAttribute");
    memcpy(&b->function_attribute, &symbol, sizeof symbol);
    symbol = dlsym(b->cu.library, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    memcpy(&b->occupancy, &symbol, sizeof symbol);
    CU(b, cuInit, (0));
    CU(b, cuDeviceGet, (&b->device, 0));
    CU(b, cuDeviceGetName, (b->gpu, sizeof b->gpu, b->device));
    CU(b, cuDevicePrimaryCtxRetain, (&b->context, b->device));
    CU(b, cuCtxSetCurrent, (b->context));
    CU(b, cuDeviceGetAttribute, (&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, b->device));
    CU(b, cuDeviceGetAttribute, (&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, b->device));
    CU(b, cuDeviceGetAttribute, (&b->sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, b->device));
    b->capability = 10 * major + minor;
    b->data_bytes = b->brief ? BRIEF_BYTES : DATA_BYTES;
    CU(b, cuMemAlloc, (&b->data, b->data_bytes));
    CU(b, cuMemAlloc, (&b->out, OUT_WORDS * sizeof(u64)));
    CU(b, cuMemsetD8, (b->data, 0, b->brief ? BRIEF_CLEARED : b->data_bytes));
}

static bool is_asked(const char *name, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], name) == 0)
            return true;
    }
    return argc == 0;
}

int main(int argc, char **argv)
{
    struct bench b = {.capability = 90, .sms = 132, .folder = ".", .repetitions = 5};
    bool out = false;
    int i = 1;
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
        if (strcmp(argv[i], "--emit") == 0) {
            b.emit = argv[i + 1];
        } else if (strcmp(argv[i], "--out") == 0) {
            b.folder = argv[i + 1];
            out = true;
        } else if (strcmp(argv[i], "--repeat") == 0) {
            b.repetitions = (u32)atoi(argv[i + 1]);
        } else if (strcmp(argv[i], "--brief") == 0) {
            b.brief = strcmp(argv[i + 1], "yes") == 0;
        } else {
            bench_fail("unknown option '%s', expected --emit, --out, --repeat or --brief", argv[i]);
        }
    }
    if (b.repetitions < 1 || b.repetitions > MOST_SAMPLES)
        bench_fail("--repeat is %u, expected 1 to %u", b.repetitions, MOST_SAMPLES);
    b.got = calloc(OUT_WORDS, sizeof(u64));
    b.dry = b.emit && !out;
    if (!b.dry) {
        open_device(&b);
        b.csv = fopen(text("%s/micro.csv", b.folder), "w");
        if (!b.csv)
            bench_fail("cannot write %s/micro.csv", b.folder);
        fputs("group,name,parameter,value,unit,spread,repetitions\n", b.csv);
    } else {
        b.repetitions = 1;
    }
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
        if (!is_asked(groups[g].name, argc - i, argv + i))
            continue;
        b.group = groups[g].name;
        fprintf(stderr, "micro: %s\n", b.group);
        groups[g].run(&b);
        if (b.csv)
            fflush(b.csv);
    }
    if (b.csv)
        fclose(b.csv);
    return 0;
}
