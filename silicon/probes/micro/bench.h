/*
 * The frame of the micro-benchmarks: kernels as PTX text, launches on the CUDA driver API, rows of
 * results.
 *
 * Every kernel has the same parameters (out, data, loops, a0, a1) and leaves four numbers per warp
 * in `out`: clock64 before and after the measured loop, the SM, and a spare. A time is always the
 * difference of two runs with different loop counts, so what is around the loop drops out.
 *
 * Without a GPU (`micro --emit DIR`) kernels are only written as PTX, one file each, for ptxas and
 * nvdisasm; launches then do nothing.
 */
#ifndef SILICON_BENCH_H
#define SILICON_BENCH_H

#include "driver.h"
#include "types.h"

#include <stdio.h>

#define MOST_SAMPLES 64
#define WARP_WORDS 4 /* start, stop, SM, spare */
#define OUT_WORDS (1u << 20)

struct kernel {
    CUmodule module;
    CUfunction function;
};

struct bench {
    struct driver cu;
    __typeof__(cuFuncGetAttribute) *function_attribute;
    __typeof__(cuOccupancyMaxActiveBlocksPerMultiprocessor) *occupancy;
    CUdevice device;
    CUcontext context;
    char gpu[64];
    int sms, capability; /* 90 is compute capability 9.0 */
    CUdeviceptr out, data;
    size_t data_bytes;
    u64 *got;           /* what the last launch left in out, the first words of it */
    const char *emit;   /* folder, or NULL */
    const char *folder; /* of the tables */
    bool dry;
    FILE *csv;
    const char *group;
    u32 repetitions;
    struct kernel reader; /* of bench_flush */
    bool flush;           /* kernel_cycles empties L2 before every launch */
    bool brief;           /* for a simulated chip: short runs, small footprints, no emptying */
};

struct launch {
    u32 grid, block, shared, loops, a0;
    u64 a1;
    CUdeviceptr data; /* 0: the bench's */
};

struct samples {
    double v[MOST_SAMPLES];
    u32 count;
};

/* How long a run is: on a simulated chip every cycle takes its time. */
static inline u32 loops_of(const struct bench *b, u32 usual, u32 brief)
{
    return b->brief ? brief : usual;
}

void bench_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
void bench_expect(struct bench *b, CUresult result, const char *call);
#define CU(b, call, arguments) bench_expect((b), (b)->cu.call arguments, #call)

/* `body` is what stands between the braces after the common prologue: %d0 is out, %d1 data, %d2 a1,
 * %r0 loops, %r1 a0, %r2 the thread in the block, %r3 the lane, %r4 the warp of the whole grid.
 * %d0-%d9, %r0-%r9 and %p0-%p3 are the frame's; a body has %rN, %dN from 10, %h, %p from 4.
 * `shared` bytes of shared memory are declared as smem, `before` stands before the entry. */
struct kernel kernel_build(struct bench *b, const char *name, const char *before, u32 shared,
                           const char *body);
void kernel_free(struct bench *b, struct kernel *k);
/* Launches, waits, and brings back the words of `words`. */
void kernel_run(struct bench *b, const struct kernel *k, struct launch l, u32 words);
void kernel_launch(struct bench *b, const struct kernel *k, struct launch l);
/* The longest time of any SM between its first start and last stop of what kernel_run left. */
double elapsed_cycles(const struct bench *b, u32 warps);
/* Cycles per loop, as many samples as the bench repeats: runs of `loops` and of twice that. */
struct samples kernel_cycles(struct bench *b, const struct kernel *k, struct launch l);
/* Reads what nobody else uses, so that L2 holds nothing else and nothing to write back. */
void bench_flush(struct bench *b);
/* Milliseconds of one launch between events. */
double kernel_ms(struct bench *b, const struct kernel *k, struct launch l);

void samples_add(struct samples *s, double v);
double samples_median(const struct samples *s);
double samples_spread(const struct samples *s);
/* One row: the median of samples times `scale`. */
void record(struct bench *b, const char *name, const char *parameter, const struct samples *s,
            double scale, const char *unit);
void record_value(struct bench *b, const char *name, const char *parameter, double value,
                  const char *unit);
/* cycles of `work` per loop as work per cycle */
void record_rate(struct bench *b, const char *name, const char *parameter, const struct samples *s,
                 double work, const char *unit);

/* printf into static storage that lasts for a thousand calls. */
const char *text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The loop of every timed kernel around `steps`; `before` prepares registers. */
char *timed_loop(const char *before, const char *steps, const char *sink);

void group_instructions(struct bench *b);
void group_issue(struct bench *b);
void group_latency(struct bench *b);
void group_lines(struct bench *b);
void group_merge(struct bench *b);
void group_rows(struct bench *b);
void group_load(struct bench *b);
void group_code(struct bench *b);
void group_fetch(struct bench *b);
void group_overlap(struct bench *b);
void group_hot(struct bench *b);
void group_first(struct bench *b);
void group_share(struct bench *b);
void group_coalesce(struct bench *b);
void group_fence(struct bench *b);
void group_wide(struct bench *b);
void group_constant(struct bench *b);
void group_adds(struct bench *b);
void group_stores(struct bench *b);
void group_local(struct bench *b);
void group_full(struct bench *b);
void group_chain(struct bench *b);
void group_bandwidth(struct bench *b);
void group_shared(struct bench *b);
void group_atomics(struct bench *b);
void group_launch(struct bench *b);
void group_device(struct bench *b);
void group_clock(struct bench *b);

#endif
