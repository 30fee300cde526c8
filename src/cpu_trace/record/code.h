/*
 * The guest's code as the plugin has described it: blocks, and their instructions decoded once.
 */
#ifndef CPU_TRACE_RECORD_CODE_H
#define CPU_TRACE_RECORD_CODE_H

#include "base/map.h"
#include "cpu_trace/record/channel.h"
#include "cpu_trace/record/decode.h"
#include "cpu_trace/record/omp.h"

struct code_instruction {
    struct cpu_instruction fixed;
    bool repeats, accesses, is_atomic;
    bool is_runtime; /* of OpenMP */
    u8 entry;        /* enum omp_entry */
    u8 bytes[16];
    const char *text;
};

struct code_block {
    u32 count;
    const struct code_instruction *members[];
};

/* Blocks and instructions stay where they are. */
struct guest_code {
    struct arena arena;
    struct decoder decoder;
    const char *program;        /* its file */
    struct map by_pc;           /* the last instruction that was decoded at a pc, as a pointer */
    struct code_block **blocks; /* by the plugin's number */
    u32 block_count, block_room;
    struct omp_code omp;
};

bool guest_code_init(struct guest_code *c, enum cpu_machine machine, const char *program,
                     struct err *err);
void guest_code_define(struct guest_code *c, const struct chunk *definitions);
/* As an assembler writes the instruction at a pc; NULL: there is none. */
const char *guest_code_text(const struct guest_code *c, u64 pc);
void guest_code_fini(struct guest_code *c);

#endif
