/* A program of a few instructions, given as words: code at 0x10000, data at 0x20000. */
#ifndef AARCH64_BED_H
#define AARCH64_BED_H

#include "aarch64/program.h"

#include "testing.h"

#define BED_CODE 0x10000u
#define BED_DATA 0x20000u
#define BED_DATA_BYTES 0x10000u

static inline void bed_open(struct a64_program *p, const u32 *words, u32 count, u32 vl)
{
    struct err err = ERR_INIT;
    memset(p, 0, sizeof *p);
    p->path = "words";
    a64_decoder_init(&p->decoder);
    assert_true(a64_memory_init(&p->memory, &err));
    assert_true(a64_memory_map(&p->memory, BED_CODE, count * 4ul, A64_EXECUTABLE));
    assert_true(a64_memory_map(&p->memory, BED_DATA, BED_DATA_BYTES, A64_WRITABLE));
    memcpy(p->memory.bytes + BED_CODE, words, count * 4ul);
    p->code_start = BED_CODE;
    p->code_end = BED_CODE + count * 4ul;
    p->code = calloc(a64_code_words(p) + A64_TRAMPOLINE_WORDS, sizeof *p->code);
    p->process.threads[0] = &p->thread;
    p->process.thread_count = 1;
    p->thread.process = &p->process;
    p->thread.memory = &p->memory;
    p->thread.core_vl = p->thread.vl = vl;
    p->thread.is_enforced = true;
    p->thread.pc = BED_CODE;
}

/* Up to the end of its code. */
static inline void bed_step(struct a64_program *p, u64 steps)
{
    for (; steps && p->thread.pc != p->code_end && !p->thread.stop; steps--) {
        const struct a64_op *op = a64_fetch(p, &p->thread);
        if (op)
            a64_execute_op(&p->thread, op);
    }
}

#define BED_HINT(n) (0xd503201fu | (n) << 5)
#define BED_PIN BED_HINT(96u)
#define BED_UNPIN BED_HINT(97u)
#define BED_SAVE BED_HINT(98u)
#define BED_RESTORE BED_HINT(99u)

#endif
