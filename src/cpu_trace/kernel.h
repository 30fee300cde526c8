/*
 * Synthetic CPU kernels: a loop with a given mix of instructions, dependences, branches and
 * accesses, as a stream of instructions.
 *
 * "cpu:NAME,KNOB=VALUE,..." names one: a starting point of the table in kernels.c, and what
 * differs from it. Kinds of instructions are spread evenly over the loop. All instructions are 4
 * bytes long; a stream holds exactly `length` of them, and is the same for the same seed.
 *
 * The loop is laid out in copies, two of them or one for each target of an indirect jump. A taken
 * conditional branch continues in the next copy, an indirect jump in any, so that every path has
 * the mix that was asked for. The last instruction of a copy jumps to its first. A call goes
 * to a function of one return.
 */
#ifndef CPU_TRACE_KERNEL_H
#define CPU_TRACE_KERNEL_H

#include "config/param.h"
#include "cpu_trace/stream.h"

/* Where loads and stores go. */
enum cpu_pattern {
    CPU_PATTERN_STRIDE, /* through the footprint, and again */
    CPU_PATTERN_RANDOM,
    CPU_PATTERN_CHASE, /* each load needs the one before it; one round meets every element once */
};

struct cpu_kernel {
    u64 length;
    u32 threads;
    u32 code_bytes;
    u32 dependence_distance;
    u32 alu, mul, div, fp_add, fp_mul, fp_div, fp_fma, simd, load, store; /* shares */
    u32 branch, indirect, call, nop;
    double taken;
    u32 branch_period;
    u32 indirect_targets;
    u32 pattern; /* enum cpu_pattern */
    u64 footprint_bytes;
    u64 stride_bytes;
    u32 access_bytes;
    bool shared; /* threads use the same data */
};

/* A starting point: what differs from the defaults, as it is written in a name. */
struct cpu_kernel_row {
    const char *name, *about, *knobs;
};

extern const struct param cpu_kernel_params[];
extern const struct cpu_kernel_row cpu_kernel_rows[]; /* ends with a NULL name */

/* The kernel that a name says, without its "cpu:". */
bool cpu_kernel_parse(struct cpu_kernel *k, const char *name, struct err *err);
/* Of a kernel that was parsed; thread below k->threads. */
void cpu_kernel_open(struct cpu_stream *s, const struct cpu_kernel *k, const char *name, u32 thread,
                     u64 seed);

#endif
