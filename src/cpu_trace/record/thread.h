/*
 * One thread of the guest: words of the plugin become instructions.
 *
 * Steps of a string instruction are one instruction, pieces of one access are one access, and an
 * instruction is said when the next one is known, because only then is it known where it went.
 */
#ifndef CPU_TRACE_RECORD_THREAD_H
#define CPU_TRACE_RECORD_THREAD_H

#include "cpu_trace/record/code.h"

struct guest_thread;

/* What is done with an instruction; False: no more are wanted. */
typedef bool guest_sink(void *context, u32 thread, const struct cpu_instruction *i,
                        const struct code_instruction *code);

struct guest_thread {
    u32 number;
    const struct code_block *block; /* NULL: none has begun */
    u32 position;                   /* of the instruction in the block that is next */
    bool is_open;                   /* it has begun: `now` is filled */
    struct cpu_instruction instructions[2];
    struct cpu_instruction *now, *last;
    const struct code_instruction *now_code, *last_code; /* last_code NULL: there is none */
    u64 lost_accesses;                                   /* more than an instruction can hold */
    bool has_ended;
};

/* Words of a chunk. False: the sink wants no more. */
bool guest_thread_run(struct guest_thread *t, const struct guest_code *code,
                      const struct chunk *chunk, guest_sink *sink, void *context);
/* The thread has ended: its last instruction is said. */
bool guest_thread_end(struct guest_thread *t, const struct guest_code *code, guest_sink *sink,
                      void *context);

#endif
