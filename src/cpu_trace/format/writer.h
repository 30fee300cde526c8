/*
 * Writes a trace of a CPU program: instructions of its threads, in any order of threads.
 *
 * The file gets its name when the trace is finished; until then, and if anything goes wrong, there
 * is none.
 */
#ifndef CPU_TRACE_FORMAT_WRITER_H
#define CPU_TRACE_FORMAT_WRITER_H

#include "base/err.h"
#include "cpu_trace/instruction.h"

struct cpu_trace_writer;

/* What a trace says of the program it was made from. */
struct cpu_trace_about {
    const char *program;          /* as it was called */
    const char *const *arguments; /* without the program */
    u32 argument_count;
    const char *sha256;  /* of the program's file; "" when not known */
    const char *machine; /* x86_64, aarch64; "" when not known */
    const char *origin;  /* how the trace was made, in a line */
    u64 skipped;         /* instructions of all threads before the window */
    u64 asked;           /* instructions that the window was to have; 0: to the program's end */
    bool whole;          /* the program ended in the window */
};

/* NULL: see err. */
struct cpu_trace_writer *cpu_trace_create(const char *path, struct err *err);
/* thread below CPU_TRACE_THREADS; taken and target are known. */
void cpu_trace_put(struct cpu_trace_writer *w, u32 thread, const struct cpu_instruction *i);
/* What the assembler calls the instruction at a pc, for people; borrowed until the end. May return
 * NULL. */
void cpu_trace_name(struct cpu_trace_writer *w, const char *(*text_of)(void *context, u64 pc),
                    void *context);
/* Frees the writer. False: there is no file, see err. */
bool cpu_trace_finish(struct cpu_trace_writer *w, const struct cpu_trace_about *about,
                      struct err *err);
/* Leaves no file; frees the writer. */
void cpu_trace_discard(struct cpu_trace_writer *w);

#define CPU_TRACE_THREADS 4096u

#endif
