/*
 * An AArch64 program: a static executable in memory, its code decoded as it is first executed, and
 * its threads.
 *
 *     a64_program_open, then a64_fetch and a64_execute_op until a thread's stop
 *
 * A step executes one instruction and leaves in the thread what it did to memory. The first thread
 * runs from the beginning; others are there when it, or one of them, makes them.
 */
#ifndef AARCH64_PROGRAM_H
#define AARCH64_PROGRAM_H

#include "aarch64/decode.h"
#include "aarch64/process.h"

#define A64_STACK_BYTES ((u64)8 << 20)
#define A64_STACK_TOP ((u64)0xf0000000)

struct a64_symbol {
    u64 address, bytes;
    const char *name;
};

struct a64_program {
    const char *path;
    struct a64_memory memory;
    struct a64_decoder decoder;
    struct a64_process process;
    struct a64_thread thread;  /* the first */
    struct a64_thread *others; /* process.thread_count - 1 of them */
    u64 code_start, code_end;  /* addresses that may be executed */
    struct a64_op *code;       /* one per word of them, and of the trampoline */
    u64 entry;
    u8 *file; /* symbols' names are in it */
    u64 file_bytes;
    struct a64_symbol *symbols; /* by address */
    u32 symbol_count;
};

struct a64_arguments {
    const char *path;
    u32 vl;                   /* bytes of the vectors of every thread's core */
    u32 threads;              /* at one time; 0: one */
    const char *const *words; /* argv[1] and on; ends with NULL; NULL: none */
};

/* A static executable for AArch64; false: what it is instead. */
bool a64_program_open(struct a64_program *p, const struct a64_arguments *a, struct err *err);
/* From its beginning. */
bool a64_program_restart(struct a64_program *p, const struct a64_arguments *a, struct err *err);
void a64_program_close(struct a64_program *p);
/* elf.c: segments into memory, symbols. */
bool a64_load(struct a64_program *p, struct err *err);

/* The symbol that an address lies in; NULL: none. */
const struct a64_symbol *a64_symbol_at(const struct a64_program *p, u64 address);
/* Why a thread has stopped, with its place; one that has exited did nothing wrong. */
bool a64_thread_check(const struct a64_program *p, const struct a64_thread *t, struct err *err);
/* ... any thread. */
bool a64_program_check(const struct a64_program *p, struct err *err);

/* The next instruction of a thread, decoded. NULL: there is none, and the thread has stopped. */
const struct a64_op *a64_fetch(struct a64_program *p, struct a64_thread *t);
/* Executes it. A trap may begin a handler. */
static inline void a64_execute_op(struct a64_thread *t, const struct a64_op *op);
/* Up to so many instructions without interruption, threads in turn; how many there were. */
u64 a64_run(struct a64_program *p, u64 most);

enum { A64_TRAMPOLINE_WORDS = 2 };
static inline u64 a64_code_words(const struct a64_program *p)
{
    return (p->code_end - p->code_start) / 4 + 1;
}

void a64_pin_vector(struct a64_thread *t);

static inline void a64_execute_op(struct a64_thread *t, const struct a64_op *op)
{
    t->access_count = t->element_count = t->lanes = t->active_lanes = 0;
    t->elements_write = false;
    if (op->is_vector && UNLIKELY(!t->pin.level))
        a64_pin_vector(t);
    t->pc += 4;
    op->execute(t, op);
    if (UNLIKELY(t->stop))
        a64_deliver_fault(t);
}

#endif
