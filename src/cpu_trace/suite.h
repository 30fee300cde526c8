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

struct suite_program {
    const char *name;     /* of the published one */
    const char *class;    /* of a struct suite_class */
    const char *stand_in; /* what it is, in a word */
    const char *command;  /* what is recorded; it begins with ./ where it is a kernel of ours */
    const char *input;    /* command of ours that writes the file NAME.input; "": none is needed */
    const char *package;  /* Debian's that has the program; "" for kernels */
    u64 skip;             /* instructions before the trace */
    double mpki, pkc;     /* published: misses of L2 per 1000 instructions, packets per 1000 cycles;
                             0: not */
};

struct suite {
    const char *folder; /* of the kernels */
    const char *cache;  /* of the traces */
    struct suite_program *programs;
    u32 count;
};

bool suite_read(struct suite *s, struct arena *arena, struct err *err);
/* NULL: there is none, see err. */
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

#endif
