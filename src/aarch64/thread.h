/*
 * A thread of an AArch64 program: registers, the length of its vectors, and whether it is pinned.
 *
 * A vector register has room for the longest vector. Only the first `vl` bytes mean anything; vl
 * is what the core has, or of a pinned thread what it was pinned at (aarch64/pin.h).
 */
#ifndef AARCH64_THREAD_H
#define AARCH64_THREAD_H

#include "aarch64/memory.h"

enum {
    A64_MOST_VL = 256, /* bytes: 2,048 bits */
    A64_LEAST_VL = 16,
    A64_MOST_ELEMENTS = 256,
};

enum a64_flag { A64_V = 1, A64_C = 2, A64_Z = 4, A64_N = 8 };

/* Why a thread cannot go on. */
enum a64_stop {
    A64_RUNS,
    A64_EXITED,
    A64_UNKNOWN_INSTRUCTION,
    A64_BAD_ACCESS,
    A64_BAD_FETCH,
    A64_STACK_OVERFLOW,
    A64_BAD_CALL, /* a system call that there is not */
    A64_BREAK,
    A64_UNPIN_TRAP,  /* UNPIN_VL at the floor of the level */
    A64_PIN_TRAP,    /* the level overflows */
    A64_LENGTH_TRAP, /* a level comes back whose length the core does not have */
    A64_KILLED,      /* by an unhandled signal */
    /* one thread of several */
    A64_WAITS,        /* in a futex */
    A64_ABSENT,       /* it has not begun */
    A64_THREAD_ENDED, /* and others go on */
};

/* What the last instruction did to memory, for a core's timing. */
struct a64_access {
    u64 address;
    u32 bytes;
    bool is_write;
};

enum { A64_MOST_ACCESSES = 4 };

struct a64_process;

struct a64_pin {
    u16 level, floor;
    u16 vl; /* bytes; of a level above 0 */
};

struct a64_thread {
    u64 pc;
    u64 x[32]; /* 31 is zero */
    u64 sp;
    u8 flags; /* enum a64_flag */
    u8 z[32][A64_MOST_VL];
    u8 p[16][A64_MOST_VL / 8];
    u8 ffr[A64_MOST_VL / 8];
    u32 vl;      /* bytes that vectors have now */
    u32 core_vl; /* bytes that the core has */
    struct a64_pin pin;
    bool is_enforced; /* a pinned thread keeps its length; false only to show what goes wrong */
    u32 fpcr, fpsr;
    u64 tpidr, exclusive; /* exclusive: address + 1; 0: none */
    u64 exclusive_value;  /* that was loaded: a store by another thread ends it */
    struct a64_memory *memory;
    struct a64_process *process;
    u32 id;               /* of the threads of its program */
    u64 pending, blocked; /* signals: bit n - 1 is signal n */
    i32 signal_code[65];
    u64 signal_address[65];
    u64 futex, wait_number; /* while it waits: where, and since when */
    u64 clear_tid;          /* becomes 0 when it ends; 0: nothing does */
    u64 stack_low;          /* the page below it is for overflows */
    /* the last step */
    enum a64_stop stop;
    u64 stop_address;
    u32 access_count;
    struct a64_access access[A64_MOST_ACCESSES];
    /* of gathers and scatters, and of contiguous accesses with a predicate */
    u32 lanes, active_lanes, element_bytes;
    u32 element_count; /* of `element`: of gathers and scatters */
    u64 element[A64_MOST_ELEMENTS];
    bool elements_write;
    /* Where the program writes; NULL: nowhere. */
    void (*output)(void *context, const void *bytes, u64 count);
    void *output_context;
};

#endif
