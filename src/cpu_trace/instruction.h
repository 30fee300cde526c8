/*
 * A CPU instruction as it was executed: all that a core knows of programs.
 *
 * Traces and synthetic kernels are sources of them (cpu_trace/stream.h). An instruction of any
 * class may read and write memory; those of CPU_LOAD and CPU_STORE do nothing else, and have an
 * address of what they do unless they come from elsewhere than our own recordings. Two
 * instructions depend on each other through registers with the same number, and only so.
 */
#ifndef CPU_TRACE_INSTRUCTION_H
#define CPU_TRACE_INSTRUCTION_H

#include "base/types.h"

/* What it needs of a core besides memory. */
enum cpu_class {
    CPU_ALU,
    CPU_MUL,
    CPU_DIV,
    CPU_FP_ADD, /* also comparisons and conversions, of scalars and vectors */
    CPU_FP_MUL,
    CPU_FP_DIV, /* also square roots */
    CPU_FP_FMA,
    CPU_SIMD, /* integer work, logic and moves of vectors */
    CPU_LOAD,
    CPU_STORE,
    CPU_BRANCH,
    CPU_NOP,
    CPU_SYSTEM, /* system calls, fences, and what no other class fits */
    CPU_EVENT,  /* no instruction: a synchronisation event, see enum cpu_event */
    CPU_CLASS_COUNT,
};

enum cpu_branch {
    CPU_NO_BRANCH,
    CPU_CONDITIONAL,
    CPU_JUMP,
    CPU_INDIRECT_JUMP,
    CPU_CALL,
    CPU_INDIRECT_CALL,
    CPU_RETURN,
    CPU_BRANCH_COUNT,
};

/* The five events of a program with threads, as an OpenMP runtime makes them: Milić's thesis
 * (UPC 2017), chapter 5. Sources leave them out unless they are asked for. */
enum cpu_event {
    CPU_PARALLEL_START,
    CPU_PARALLEL_END,
    CPU_WAIT,   /* for a critical section or semaphore to be free; the thread then has it */
    CPU_SIGNAL, /* gives it up */
    CPU_BARRIER,
    CPU_EVENT_COUNT,
};

/*
 * Registers are numbers from 1 to 255, 0 is none. ChampSim's traces keep their numbers, which are
 * those of Pin; our own recordings use the same numbers for what Pin has too. The instruction
 * pointer is no register here: what reads or writes it is a branch.
 */
enum {
    CPU_REG_NONE = 0,
    CPU_REG_GENERAL = 3, /* x86: rdi rsi rbp rsp rbx rdx rcx rax r8 ... r15 */
    CPU_REG_FRAME = 5,   /* x86: rbp */
    CPU_REG_STACK = 6,   /* also AArch64's sp */
    CPU_REG_FLAGS = 25,
    CPU_REG_IP = 26,          /* in ChampSim's files only */
    CPU_REG_CONTROL = 27,     /* rounding mode, status of floating point */
    CPU_REG_SEGMENT = 28,     /* segment bases, thread pointers */
    CPU_REG_MASK = 32,        /* x86: k0 ... k7; AArch64: p0 ... p15 from here */
    CPU_REG_X87 = 48,         /* st0 ... st7, mm0 ... mm7 */
    CPU_REG_FIRST_FAULT = 48, /* AArch64: ffr */
    CPU_REG_ARM = 64,         /* AArch64: x0 ... x30 */
    CPU_REG_VECTOR = 96,      /* xmm0 ... xmm31 at any width; AArch64: v0 ... v31 */
    CPU_REGISTERS = 256,
};

/* What a scalable-vector instruction did, beyond what all instructions have. The addresses of a
 * gather or scatter are here, one of each active element in order, and not among its reads and
 * writes; a contiguous access is one read or write from its first active element to its last. */
#define CPU_MOST_ELEMENTS 64u
struct cpu_vector {
    u16 lanes, active_lanes; /* of an access to memory; 0: it has none */
    u16 count;               /* of addresses */
    u8 element_bytes;        /* in memory */
    bool is_scatter;
    u8 registers; /* long registers that it writes */
    u8 serial;    /* steps that follow each other: its latency is so many times its unit's; 0: 1 */
    u64 address[CPU_MOST_ELEMENTS];
};

enum {
    CPU_MOST_READS = 4, /* memory operands: as ChampSim has them */
    CPU_MOST_WRITES = 2,
    CPU_MOST_SOURCES = 8,
    CPU_MOST_DESTINATIONS = 4,
};

struct cpu_instruction {
    u64 pc;
    /* Of a branch: where it goes when it is taken; 0: not known, as of one that is not taken in a
     * trace without targets. An event: its object (which critical section), or 0. */
    u64 target;
    u64 read[CPU_MOST_READS]; /* addresses; beyond the counts, all lists are 0 */
    u64 write[CPU_MOST_WRITES];
    u32 read_bytes[CPU_MOST_READS]; /* 0: not known */
    u32 write_bytes[CPU_MOST_WRITES];
    u8 sources[CPU_MOST_SOURCES];           /* registers read; none twice, none is 0 */
    u8 destinations[CPU_MOST_DESTINATIONS]; /* and written */
    u8 source_count, destination_count;
    u8 read_count, write_count;
    u8 length; /* bytes; 0: not known */
    u8 class;  /* enum cpu_class */
    u8 branch; /* enum cpu_branch; of CPU_BRANCH another than CPU_NO_BRANCH */
    u8 event;  /* enum cpu_event, of CPU_EVENT */
    u16 thread;
    bool taken; /* of every branch: conditional ones may not be */
    /* A destination that is worked out from one source beside the access, as an address is: the
     * stack pointer of push, pop, call and ret, the base of pre- and post-indexed accesses. It does
     * not wait for data. Places in the lists; base_from is 1 more, 0: none. */
    u8 base_from : 4, base_to : 4;
    /* Of scalable-vector instructions, else NULL. Stays for CPU_VECTORS_KEPT instructions more of
     * its stream. */
    const struct cpu_vector *vector;
};

#define CPU_VECTORS_KEPT 4096u

extern const char *const cpu_class_names[CPU_CLASS_COUNT + 1]; /* end with NULL */
extern const char *const cpu_branch_names[CPU_BRANCH_COUNT + 1];
extern const char *const cpu_event_names[CPU_EVENT_COUNT + 1];

/* Does it read memory, write it? */
static inline bool cpu_instruction_loads(const struct cpu_instruction *i)
{
    return i->read_count ||
           (UNLIKELY(i->vector != NULL) && i->vector->count && !i->vector->is_scatter);
}

static inline bool cpu_instruction_stores(const struct cpu_instruction *i)
{
    return i->write_count ||
           (UNLIKELY(i->vector != NULL) && i->vector->count && i->vector->is_scatter);
}

/* Where the next instruction of its thread begins. 0: not known. */
static inline u64 cpu_instruction_next_pc(const struct cpu_instruction *i)
{
    return i->taken ? i->target : i->length ? i->pc + i->length : 0;
}

/* Finds the base that it updates, if any, from its registers and from its text ("": not known, as
 * of ChampSim's traces: then only a stack pointer is). Files do not have it. */
void cpu_instruction_find_base(struct cpu_instruction *i, const char *text);

#endif
