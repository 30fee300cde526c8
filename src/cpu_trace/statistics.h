/*
 * Characteristics of a program that do not depend on the core: instruction mix, branches, code and
 * data that it touches. The characterisation of Milić's thesis (UPC 2017), chapter 4, and what its
 * chapter 5 adds for threads.
 *
 * Instructions between a parallel start and its end are parallel, all others serial; a trace
 * without events is serial. Threads are added one after the other.
 */
#ifndef CPU_TRACE_STATISTICS_H
#define CPU_TRACE_STATISTICS_H

#include "cpu_trace/stream.h"

enum cpu_section {
    CPU_SERIAL,
    CPU_PARALLEL,
    CPU_TOTAL, /* of both; made at the end */
    CPU_SECTIONS,
};

#define CPU_BIAS_BINS 10u
#define CPU_CURVE_POINTS 64u
#define CPU_INTERVALS 256u

struct cpu_counts {
    u64 instructions;
    u64 classes[CPU_CLASS_COUNT];
    u64 branches[CPU_BRANCH_COUNT];
    u64 conditional_taken;
    u64 taken, taken_backward; /* branches of any kind; to a lower address */
    u64 loads, stores;         /* instructions that access memory so */
    u64 bytes;                 /* of instructions that were executed */
    u64 blocks;                /* that were executed */
    u64 bias[CPU_BIAS_BINS];   /* executions of conditional branches, by how often each is taken */
    u64 static_bytes;          /* of all blocks that were executed */
    u64 hot_bytes;             /* of those that make up 99 % of the instructions */
};

/* A stretch of the first thread. */
struct cpu_interval {
    u64 instructions, branches, taken, loads, stores;
    u64 new_code_lines, new_data_lines; /* met for the first time */
};

struct cpu_statistics {
    struct cpu_counts counts[CPU_SECTIONS];
    u32 threads;
    double serial_share;            /* of the first thread's instructions */
    u64 first_serial, all_parallel; /* its serial instructions; parallel ones of all threads */
    u64 events[CPU_EVENT_COUNT];
    u64 different; /* instructions by pc */
    u64 code_lines, data_lines, data_pages;
    /* Parallel instructions at pcs that all threads executed, of all; and of bytes of code. */
    double shared_instructions, shared_bytes;
    /* Bytes of a line that were used while it was in an I-cache of 32 KiB, by the section that
     * brought it. */
    double line_use[CPU_SECTIONS];
    /* Code bytes, the most executed first, that make up a part of all instructions. */
    struct cpu_curve_point {
        u64 bytes;
        double part;
    } curve[CPU_CURVE_POINTS];
    u32 curve_points;
    struct cpu_interval intervals[CPU_INTERVALS];
    u32 interval_count;
    u64 interval_instructions; /* in each but the last */
};

/* The serial share with another number of threads, where parallel work divides: f(N) = S / (S + P /
 * N). */
double cpu_serial_share_with(const struct cpu_statistics *s, u32 threads);

struct cpu_measuring;
struct cpu_measuring *cpu_measuring_create(void);
/* Another thread: up to `most` instructions of a stream. */
bool cpu_measuring_add(struct cpu_measuring *m, struct cpu_stream *s, u64 most, struct err *err);
/* Frees. */
void cpu_measuring_finish(struct cpu_measuring *m, struct cpu_statistics *out);
void cpu_measuring_discard(struct cpu_measuring *m);

#endif
