/*
 * A trace of a CPU program on disk: a container (base/container.h) of blocks, and of the
 * directory. Numbers are those of base/bytes.h.
 *
 *   directory  what is said of the program (see struct cpu_trace_about): each text as length and
 *              bytes, each number; threads, and of each the instructions;
 *              the table: entries, and of each what table.c says;
 *              blocks, and of each the thread, instructions, items (instructions and events),
 *              place: offset as a difference to the end of the one before, packed bytes, raw bytes
 *   block      items of one thread behind each other: the entry of the first; whether the last
 *              was taken, and its target as a difference to its pc;
 *              bytes of three lists, then the lists:
 *              steps from one item to the next, addresses, shapes of variable entries
 *
 * An entry of the table is all of an instruction that does not change: see struct
 * cpu_trace_entry. A program meets few of them often, so an item takes little more than what is
 * new about it:
 *
 *   step      a number of steps that go where the last step from the same entry went (the first
 *             time to the entry behind it in the table), then one that does not: difference of the
 *             entries x 4 + enum step; with STEP_TARGET the target as a difference to the pc. The
 *             steps after the last such one are not written.
 *   address   difference to the last one of the same operand plus its last stride; the first time
 *             in a block to the last address of the thread
 *   shape     reads + 8 x writes, and the bytes of each
 *   vector    among the shapes, of an entry that is one: 1 of memory + 2 a scatter + 4 x long
 *             registers written, steps; of memory lanes, active ones, bytes of an element, and
 *             how many addresses; those are among the addresses, each as a difference to the last
 *             one of the thread
 *
 * Nothing is carried from block to block, so each can be read alone.
 */
#ifndef CPU_TRACE_FORMAT_FORMAT_H
#define CPU_TRACE_FORMAT_FORMAT_H

#include "base/container.h"
#include "cpu_trace/instruction.h"

#define CPU_TRACE_MAGIC "HEDDLECT"
#define CPU_TRACE_VERSION 1u

extern const struct container_kind cpu_trace_container;

/* A block ends with the item that reaches one of them. */
#define BLOCK_ITEMS (1u << 20)
#define BLOCK_RAW_BYTES (4u << 20)

enum step {
    STEP_TAKEN = 1,  /* the branch before it was */
    STEP_TARGET = 2, /* and did not go where it seems */
};

/* What is known of the way from an entry to the next, and of the addresses of an operand; of the
 * block in which it was last met. */
struct cpu_trace_way {
    u32 next, block;
    bool taken;
};

struct cpu_trace_operand {
    u64 last, stride;
    u32 block;
};

/* The way before it was ever gone. */
static inline struct cpu_trace_way cpu_trace_first_way(u32 entry, const struct cpu_instruction *i)
{
    return (struct cpu_trace_way){
        .next = entry + 1, .taken = i->branch != CPU_NO_BRANCH && i->branch != CPU_CONDITIONAL};
}

/* Whose target is a part of the instruction. */
static inline bool cpu_trace_is_direct(const struct cpu_instruction *i)
{
    return i->branch == CPU_CONDITIONAL || i->branch == CPU_JUMP || i->branch == CPU_CALL;
}

/* Where an item that is `fixed` seems to have gone. */
static inline u64 cpu_trace_seems(const struct cpu_instruction *fixed, bool taken, u64 next_pc)
{
    return cpu_trace_is_direct(fixed) || !taken ? fixed->target : next_pc;
}

#endif
