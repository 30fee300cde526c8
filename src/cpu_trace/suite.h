/*
 * The suite: stand-ins for CPU programs that studies name and that cannot be had.
 *
 * workloads/cpu has the kernels and programs.csv, which says what stands for what. Their traces are
 * in the user's cache folder, one for each name, and are programs called "suite:NAME".
 * accepted.csv, beside programs.csv and in the cache folder, says which traces behave as the
 * published programs do; a mix takes no others.
 */
#ifndef CPU_TRACE_SUITE_H
#define CPU_TRACE_SUITE_H

#include "base/arena.h"
#include "base/err.h"

#define SUITE_PREFIX "suite:"
#define SUITE_HASH 64u /* digits of a SHA-256 */

/* By which an HPC program is accepted: columns of hpc.csv, and what cpu_trace/statistics.h says. */
enum suite_descriptor {
    SUITE_BRANCHES, /* of instructions of parallel regions, in % */
    SUITE_BACKWARD, /* of taken branches there, in % */
    SUITE_BLOCK,    /* mean basic block there, in bytes */
    SUITE_HOT,      /* code that makes up 99 % of instructions there, in KiB */
    SUITE_STATIC,   /* all code that was executed, in KiB */
    SUITE_SERIAL,   /* of the first thread's instructions, in % */
    SUITE_INDIRECT, /* indirect branches of all branches of parallel regions, in % */
    SUITE_SHARED,   /* instructions there at addresses that all threads executed, in % */
    SUITE_DESCRIPTORS,
};
extern const char *const suite_descriptor_names[SUITE_DESCRIPTORS];

enum suite_group {
    SUITE_SPEC, /* programs.csv: a window of a program with one thread */
    SUITE_HPC,  /* hpc.csv: OpenMP programs, recorded whole with so many threads */
};

#define SUITE_HPC_THREADS 8u

/* Which traces are accepted, in the folder of the kernels and in the cache. */
#define SUITE_ACCEPTED "accepted.csv"
#define SUITE_HPC_ACCEPTED "hpc-accepted.csv"

struct suite_program {
    const char *name; /* of the published one */
    enum suite_group group;
    const char *class;    /* of a struct suite_class */
    const char *stand_in; /* what it is, in a word */
    const char *command;  /* what is recorded; it begins with ./ where it is a kernel of ours */
    const char *input;    /* command of ours that writes the file NAME.input; "": none is needed */
    const char *package;  /* Debian's that has the program; "" for kernels */
    u64 skip;             /* instructions before the trace */
    double mpki, pkc;     /* published: misses of L2 per 1000 instructions, packets per 1000 cycles;
                             0: not */
    const char *libraries; /* SUITE_HPC: words that link the kernel, or "" */
    const char *published; /* and the suite that it is of there */
    struct suite_band {    /* and what its descriptors must be; high 0: anything */
        double low, high;
    } bands[SUITE_DESCRIPTORS];
};

struct suite {
    const char *folder; /* of the kernels */
    const char *cache;  /* of the traces */
    struct suite_program *programs;
    u32 count;
};

bool suite_read(struct suite *s, struct arena *arena, struct err *err);
/* "BT.9" is the HPC program BT with 9 threads: the row's name, and how many (8 without a number).
 */
const char *suite_base_name(const char *name, u32 *threads, struct arena *arena);
/* "suite:BT" or "BT" with so many threads. */
const char *suite_with_threads(const char *name, u32 threads, struct arena *arena);
/* NULL: there is none, see err. Of an HPC program with a number of threads, its row. */
const struct suite_program *suite_find(const struct suite *s, const char *name, struct err *err);
/* Is it a kernel of ours? */
bool suite_is_kernel(const struct suite_program *p);

/* A trace in the cache. */
struct suite_trace {
    const char *path;
    const char *recipe;   /* hash of all that it was made from */
    const char *contents; /* its own hash */
    u64 instructions;
};

/* False: there is none that can be used. */
bool suite_trace_read(const struct suite *s, const char *name, struct suite_trace *t,
                      struct arena *arena);
bool suite_trace_write(const struct suite *s, const char *name, const struct suite_trace *t,
                       struct arena *arena, struct err *err);

/* The file of "suite:NAME", which has been recorded. NULL: see err. */
const char *suite_path(const char *name, struct src_pos at, struct arena *arena, struct err *err);
/* The hash of its trace. NULL: see err. */
const char *suite_contents(const char *name, struct src_pos at, struct arena *arena,
                           struct err *err);
/* Names for people and results: "mcf~network-simplex"; a window behind the name goes. */
const char *suite_label(const char *name, struct arena *arena);

/* Does a program that begins with SUITE_PREFIX have a trace that was accepted? */
bool suite_check_accepted(const char *name, struct src_pos at, struct arena *arena,
                          struct err *err);
/* The hash of the trace that was accepted, whether it has been recorded here or not. NULL: none
 * was, see err. */
const char *suite_accepted_contents(const char *name, struct src_pos at, struct arena *arena,
                                    struct err *err);

#endif
