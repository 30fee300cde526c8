/*
 * The distinct instructions of a traced kernel.
 *
 * A trace repeats an instruction's registers on every line; here each is kept
 * once, as the SM wants it. Two lines are the same instruction when PC, opcode,
 * registers and immediates are: PCs alone are not enough, because they count from
 * the start of a function and a kernel may call several.
 */
#ifndef SOURCE_SASS_PROGRAM_H
#define SOURCE_SASS_PROGRAM_H

#include "base/arena.h"
#include "base/log.h"
#include "base/map.h"
#include "source/sass/line.h"
#include "source/warp_stream.h"

/* R0 to R255, UR0 to UR255, P0 to P7 and UP0 to UP7. */
#define TRACE_SCOREBOARD_REGISTERS (256u + 256u + 8u + 8u)

/* What it has to do with mbarriers. */
enum trace_part {
    TRACE_OTHER,
    TRACE_LOOK, /* SYNCS.PHASECHK */
    TRACE_COPY, /* a bulk copy to shared memory */
    TRACE_WORK, /* ends a wait: a product, another SYNCS */
};

struct trace_instruction {
    struct instruction instruction;
    struct barrier_arrival arrival; /* of a barrier */
    u32 sleep_cycles;
    bool is_outward; /* a bulk copy to global memory */
    u8 part;         /* enum trace_part */
    u32 unknown;     /* place of its mnemonic in the program's list + 1; 0: it is known */
    /* What its lines have in common. */
    struct slice fixed;
    i64 immediates[2];
    u32 immediate_count, bulk_bytes;
    bool has_addresses;
    u32 next_same_hash; /* number in the program + 1; 0: none */
};

struct trace_program {
    struct trace_instruction **instructions;
    u32 count, room;
    struct map by_hash; /* to the number of the first with that hash */
    struct arena arena;
    u64 code_base;
    u32 code_scale; /* bytes of one instruction of the machine / INSTRUCTION_BYTES */
    const struct log *log;
    /* Distinct instructions: taken for simple integer ones, because the opcode is unknown
     * or the tracer recorded a memory instruction without addresses. */
    u32 unknown_opcodes, without_addresses;
    struct strmap unknown_names; /* place in the list */
    struct unknown_opcode {
        const char *name;
        u64 line;  /* the first */
        u64 count; /* instructions of warps read so far */
    } * unknown;
    u32 unknown_count;
};

/* log: gets a warning for each unknown mnemonic; NULL: silent */
void trace_program_init(struct trace_program *p, const struct trace_header *h,
                        const struct log *log);
void trace_program_fini(struct trace_program *p);

/* The instruction of a line, added when it is new. `s` is for messages. */
bool trace_program_find(struct trace_program *p, const struct trace_line *line,
                        const struct scan *s, u32 *number, struct err *err);

#endif
