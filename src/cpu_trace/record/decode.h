/*
 * What an instruction is, from its bytes: the only place that knows the decoding library
 * (Capstone), with one file for each instruction set.
 */
#ifndef CPU_TRACE_RECORD_DECODE_H
#define CPU_TRACE_RECORD_DECODE_H

#include "base/err.h"
#include "cpu_trace/instruction.h"

#include <capstone/capstone.h>

enum cpu_machine {
    MACHINE_X86_64,
    MACHINE_AARCH64,
    MACHINE_COUNT,
};

extern const char *const cpu_machine_names[MACHINE_COUNT]; /* as QEMU names its programs */

struct decoder {
    enum cpu_machine machine;
    csh library;
    cs_insn *scratch;
    u8 registers[512]; /* our number of each of the library's; CPU_REG_NONE: not followed */
};

struct decoded {
    struct cpu_instruction fixed; /* without what is only known when it runs */
    bool repeats;                 /* a string instruction that QEMU runs step by step */
    bool accesses;                /* it always accesses memory */
    bool is_atomic;               /* reads and writes memory at once */
    char text[200];               /* as an assembler writes it */
};

bool decoder_open(struct decoder *d, enum cpu_machine machine, struct err *err);
/* What the library does not know is CPU_SYSTEM, without registers. */
void decoder_decode(struct decoder *d, u64 pc, const u8 *bytes, u32 length, struct decoded *out);
void decoder_close(struct decoder *d);

/* decode_x86.c, decode_arm.c: our number of a register; registers, class, branch and the rest. */
u8 decode_x86_register(const char *name);
void decode_x86(struct decoder *d, const cs_insn *insn, struct decoded *out);
u8 decode_arm_register(const char *name);
void decode_arm(struct decoder *d, const cs_insn *insn, struct decoded *out);

/* Registers as the library says, which is good for x86. */
void decode_add_registers(struct decoder *d, const cs_insn *insn, struct cpu_instruction *f);
/* A source or destination that may be there already; beyond the room for them they are lost. */
void decode_add_source(struct cpu_instruction *i, u8 reg);
void decode_add_destination(struct cpu_instruction *i, u8 reg);

/* The class of the first row whose word the mnemonic begins with. */
struct decode_row {
    const char *word;
    u8 class;
};
/* CPU_CLASS_COUNT: of none. */
u8 decode_class(const struct decode_row *rows, const char *mnemonic);

#endif
