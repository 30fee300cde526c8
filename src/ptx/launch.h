/*
 * Running a grid without timing: blocks in order, warps in turn, fair enough
 * that blocks and threads may wait for each other.
 */
#ifndef PTX_LAUNCH_H
#define PTX_LAUNCH_H

#include "base/err.h"
#include "base/text.h"
#include "ptx/device_call.h"
#include "ptx/program.h"
#include "device/texture.h"

struct signature_collector;

/* What a kernel may ask of the world around it. */
struct launch_host {
    void *context;
    /* device printf: whole formatted text */
    void (*print)(void *context, const char *text, size_t length);
    /* a failed assertion: a line for the host's stderr */
    void (*assert_failed)(void *context, const char *text, size_t length);
    /* device malloc and free; 0 when the heap is full */
    u64 (*heap_alloc)(void *context, u64 bytes);
    void (*heap_free)(void *context, u64 address);
    /* texture or surface object by handle; NULL: unknown */
    const struct texture *(*texture)(void *context, u64 handle);
    /* a call of the device runtime */
    void (*runtime)(void *context, struct device_call *call);
};

struct launch {
    struct kernel *kernel;
    u32 grid[3], block[3];
    u32 cluster[3]; /* blocks of one, which divide the grid; 0: none */
    u32 dynamic_shared_bytes;
    u32 stack_bytes;    /* of a thread that recurses: cudaLimitStackSize; 0: CUDA's default */
    const void *params; /* param_bytes of them */
    struct device_memory *memory;
    const struct launch_host *host;
    u32 resident_blocks; /* how many may be alive at once; at least 1 */
    u32 sm_count;        /* what %nsmid says */
    u64 grid_id;
    u64 clock;            /* what %clock64 and %globaltimer count on from */
    bool cooperative;     /* all blocks are resident: fails if they do not fit */
    bool is_nested;       /* launched by a kernel */
    u64 graph_exec;       /* what %current_graph_exec says */
    u64 max_instructions; /* of warps, all together: a fault after so many; 0: no limit */
    u64 first_block;      /* blocks before it are not run: they were run elsewhere */
    struct signature_collector *signature; /* of what is executed; NULL: none */
};

struct launch_counts {
    u64 warp_instructions, thread_instructions;
    u64 clock; /* cycles of %clock64, which runs ahead of the instructions when a warp waits for it
                */
};

/* False: a fault in the kernel; err is the sentence (kernel, instruction, thread,
 * nearest allocation), `fault` the CUDA error it corresponds to. */
enum launch_fault {
    FAULT_NONE,
    FAULT_ADDRESS, /* illegal address */
    FAULT_MISALIGNED,
    FAULT_TRAP,
    FAULT_ASSERT,
    FAULT_INSTRUCTION,
    FAULT_STACK,
    FAULT_DEADLOCK,  /* every thread waits */
    FAULT_LIMIT,     /* more instructions than allowed */
    FAULT_RESOURCES, /* a block does not fit on the chip */
};

bool launch_run(const struct launch *l, struct launch_counts *counts, enum launch_fault *fault,
                struct err *err);

#endif
