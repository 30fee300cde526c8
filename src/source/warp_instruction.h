/*
 * A warp instruction: all that an SM knows of programs.
 *
 * PTX execution, traces, synthetic kernels and recordings are sources of them.
 * What is fixed about an instruction (struct instruction) can be looked at
 * before it executes, for the scoreboard and the units; stepping a warp executes
 * it and says what happened (struct winst). Functional work is done in the step,
 * which is when the SM issues, or in that of an instruction shortly before (ptx/exec/stretch.h);
 * timing follows from what the step says.
 */
#ifndef SOURCE_WARP_INSTRUCTION_H
#define SOURCE_WARP_INSTRUCTION_H

#include "base/err.h"
#include "base/types.h"
#include "device/types.h"

/* Which unit of an SM does the work. */
enum op_unit {
    UNIT_INT,
    UNIT_FP32,
    UNIT_FP64,
    UNIT_FP16,
    UNIT_SFU,
    UNIT_TENSOR,
    UNIT_MEMORY,
    UNIT_BRANCH,
    UNIT_COUNT,
};

/* How much work it is there. */
enum op_cost {
    COST_SIMPLE, /* add, logic, moves, conversions */
    COST_SELECT, /* min, max */
    COST_MULTIPLY,
    COST_MULTIPLY_ADD,
    COST_DIVIDE,  /* also remainder and square root where they are one instruction */
    COST_COMPARE, /* of machine code: a comparison whose result guards instructions */
    COST_SHUFFLE, /* values of other lanes; shared memory's network moves them where the chip says
                     so */
    COST_WIDE,    /* of machine code: a product of words with 64 bits, or the upper half of one */
    COST_COUNT,
};

/* `bytes` of a fence: whom it is for; of a fence of the block 0. That of a barrier of a cluster of
 * one takes no time (hopper.csv: 36 cycles with the barrier, 343 for a cluster of two). */
enum { FENCE_OF_CLUSTER = 2, FENCE_WIDE = 4 };

/* The cost of an atomic in shared memory: how lanes that meet at a word are served. */
enum shared_atomic {
    SHARED_ATOMIC_EACH,  /* one after the other */
    SHARED_ATOMIC_SWAP,  /* the same, by compare-and-swap */
    SHARED_ATOMIC_TRY,   /* a compare-and-swap of which one lane succeeds; the others come again */
    SHARED_ATOMIC_COUNT, /* together: they are counted */
};

enum winst_kind {
    WINST_ARITHMETIC,
    WINST_CONTROL, /* branch, call, return: the next one may be anywhere */
    WINST_LOAD,
    WINST_STORE,
    WINST_ATOMIC,
    WINST_TEXTURE,    /* a load through the texture cache */
    WINST_PREFETCH,   /* a load that no instruction waits for */
    WINST_ASYNC_COPY, /* from global to shared memory: a load that WINST_ASYNC_WAIT waits for */
    WINST_ASYNC_COMMIT,
    WINST_ASYNC_WAIT,   /* until at most `bytes` groups of copies are under way */
    WINST_GROUP_MMA,    /* wgmma: a tensor core goes on by itself, `bytes` columns / 8 */
    WINST_GROUP_COMMIT, /* what it was given since the last one is a group */
    WINST_GROUP_WAIT,   /* until at most `bytes` groups are under way */
    WINST_TRANSFER,     /* a bulk or tensor copy: see struct transfer_view */
    WINST_FENCE,        /* until the warp's stores have been acknowledged */
    WINST_BARRIER,      /* of the block; the source knows which warps wait for which */
    WINST_SLEEP,
    WINST_EXIT,
};

/* What a memory instruction asks of the caches. */
enum cache_operator {
    CACHE_ALL,      /* .ca, and what has no operator */
    CACHE_GLOBAL,   /* .cg: not in L1 */
    CACHE_STREAM,   /* .cs, evict first */
    CACHE_VOLATILE, /* .cv, .volatile, .relaxed and stronger: not in L1 */
};

/* Of a warp-group product: what its operands are, as bits. */
enum group_operands {
    GROUP_A_SHARED = 1, /* A is in shared memory, not in registers */
    GROUP_SPARSE = 2,   /* twice as much of B belongs to as much of A */
    GROUP_PENDING = 4,  /* of WINST_GROUP_COMMIT, WINST_GROUP_WAIT: what was given since the last
                           group is one, if there is such */
};

/* The fixed part; one per instruction of a program, kept as long as the program. */
struct instruction {
    u64 pc;          /* address of its code, a multiple of INSTRUCTION_BYTES */
    const u16 *regs; /* for the scoreboard: destinations first, then sources and the guard */
    u8 dst_count, src_count;
    u8 kind, unit, cost;
    u8 space;          /* enum space; SPACE_GENERIC: each lane its own */
    u8 bytes;          /* of one lane's access; of a fence 0: it is one of the block alone */
    u8 cache_operator; /* enum cache_operator; of WINST_GROUP_MMA enum group_operands */
};

/* Code addresses count in these, whatever the machine's real encoding. */
#define INSTRUCTION_BYTES 8u

/* In winst.barrier: barrier.cluster. */
#define CLUSTER_BARRIER 16u
/* In winst.barrier: no arrival, or the warp's lanes wait for each other only. */
#define NO_BARRIER 0xffu

/* Why a block is called by another of its cluster. */
enum cluster_event {
    CLUSTER_OPENED, /* a barrier of theirs has opened */
    CLUSTER_PHASE,  /* a warp was the last that one of its mbarriers waited for */
    CLUSTER_COPIED, /* a copy was */
};

/* What an mbarrier made of a step. */
enum phase_event {
    PHASE_NONE,
    PHASE_AWAITED, /* try_wait found the phase incomplete: the warp may be suspended */
    PHASE_BEGUN,   /* the last arrival: waiting warps may look again */
};

/* A copy that goes on by itself: whole lines, for which no register waits. */
struct transfer_view {
    const u64 *lines; /* of global memory, in order */
    u32 line_count;
    u32 boxes; /* copies that it is made of */
    u32 bytes; /* of shared memory */
    u32 token; /* for source_ops.arrived, when all is there; NO_TOKEN: no notification */
    bool is_store, reduces;
};
#define NO_TOKEN UINT32_MAX

/* How the addresses of 32 lanes that all access memory lie; what is not known is ACCESS_ANY. */
enum access_pattern {
    ACCESS_ANY,
    ACCESS_ROW,  /* each right behind that of the lane before */
    ACCESS_SAME, /* all the same, and a multiple of its size */
};

/* What one step did. */
struct winst {
    const struct instruction *instruction;
    u32 mask; /* lanes that executed it */
    /* Memory instructions: one address per lane of the mask; spaces are disjoint. A shared
     * or local address counts from the start of the block's or thread's memory. */
    u32 in_global, in_shared, in_local, in_const;
    const u64 *address;
    /* Of aligned accesses of all lanes: the bits in which their addresses differ. 0: not examined,
     * or they are all the same. */
    u64 spread;
    u32 sleep_cycles;
    const struct transfer_view *transfer; /* WINST_TRANSFER; NULL: it moves nothing */
    u32 in_cluster;                       /* lanes of in_shared that are another block's */
    /* WINST_BARRIER: at which of the block's its lanes arrive, how many threads open it (0: all
     * that have not exited), and whether they go on without waiting. Zero: bar.sync 0. */
    u32 barrier_threads;
    u8 barrier;
    bool arrives_only;
    bool diverged; /* a branch at which its lanes parted */
    u8 phase;      /* enum phase_event */
    u8 pattern;    /* enum access_pattern, of accesses of instruction->bytes */
    /* It may have set other warps of the block going: a barrier, an exit. */
    bool wakes_others;
    /* It takes place at the end of the cycle (device/memory_log.h): not before then may next() be
     * asked what the warp does next. */
    bool is_put_off;
};

enum warp_next {
    NEXT_READY, /* *next is its next instruction */
    NEXT_WAITS, /* for another warp of its block */
    NEXT_ENDED,
};

struct region_list;

/* One launched grid. The SM owns nothing of it. */
struct grid_source {
    const struct source_ops *ops;
    void *self;
    const char *name; /* of the kernel */
    u64 blocks;
    /* Part of a larger grid: its n-th block is number first_block + n * block_step there; step 0
     * means 1. */
    u64 first_block, block_step;
    u32 grid[3], block[3]; /* as launched; 0 0 0: unknown */
    u32 threads_per_block, warps_per_block;
    u32 registers_per_thread, shared_bytes_per_block, local_bytes_per_thread;
    u32 scoreboard_registers; /* numbers in instruction.regs are below this */
    u64 stream;               /* of its application: grids of one follow each other */
    u64 queue;                /* the stream that its program put it into, for block policies */
    u64 launch_number;        /* 1 + launches of its program before it; 0: not counted */
    u8 application;           /* of the machine: mem/application.h */
    bool cooperative;         /* its blocks wait for each other: all must come to run */
    bool is_nested;           /* launched by a kernel: on its way for longer */
    const struct region_list *regions; /* device/kernel_regions.h; NULL: unknown */
    u64 code_start, code_bytes;        /* of its instructions, as pc counts; 0: unknown */
    u32 cluster_blocks; /* that run at the same time, near each other; 0 or 1: each alone */
    bool is_shared;     /* its blocks share state: SMs take turns instead of running side by side */
};

static inline u64 grid_block(const struct grid_source *g, u64 n)
{
    return g->first_block + n * (g->block_step ? g->block_step : 1);
}

struct memory_log;
struct step_watch;

/* What a block finds on the SM that it runs on. */
struct sm_place {
    u32 sm;
    const cycle_t *clock;     /* the SM's cycle counter */
    struct memory_log *log;   /* of what its warps do to global memory; NULL: it is done at once */
    struct step_watch *watch; /* source/step_watch.h; NULL: no watcher */
    bool reads_registers;     /* it calls live_registers */
    /* A block of this SM is called by another of its cluster at cycle `now`. NULL: not needed. */
    void (*call)(void *context, const void *block, enum cluster_event event, cycle_t now);
    void *call_context;
};

/* One 32-bit register: its number (register_word), its 32 lanes. */
typedef void register_visit(void *context, u32 name, const u32 *lanes);

struct source_ops {
    /* A block starts on an SM. */
    void *(*block_begin)(void *self, u64 block, const struct sm_place *at);
    void (*block_end)(void *self, void *block);
    /* Optional: a block that was stopped goes on, here or on another SM. Absent: it does not see
     * where it runs. */
    void (*block_move)(void *self, void *block, const struct sm_place *at);
    /* Optional: may the block be dropped and begin again, as far as only its source can tell? */
    bool (*block_may_restart)(void *block);
    /* Optional: the registers of a stopped block's warp that it still needs; false: all, as many as
     * it has. And: the values of the others are lost. */
    bool (*live_registers)(void *block, u32 warp, register_visit *each, void *context);
    void (*forget_dead)(void *block, u32 warp);
    /* Optional: words of a stopped block's shared memory are lost; one is as global memory has it.
     */
    void (*forget_shared)(void *block, u32 first, u32 words);
    void (*reload_shared)(void *block, u32 word, u64 address);
    /* What a warp will do next; asking changes nothing that can be seen. */
    enum warp_next (*next)(void *block, u32 warp, const struct instruction **next);
    /* Executes what next() returned. False: a fault, for which err() has the sentence. */
    bool (*step)(void *block, u32 warp, struct winst *out);
    /* Optional: a transfer of the block has come; enum phase_event. */
    u8 (*arrived)(void *block, u32 token);
    void (*fault)(void *self, struct err *err);
    /* Optional, for the report of a hang: where a warp waits and for which warps, or which address
     * it reads again and again (*address, else 0). False: it does neither. */
    bool (*explain)(void *block, u32 warp, u64 *address, struct err *err);
    /* Optional: a number that a warp has again when it is where it was with the same registers;
     * and how often something happened that may make it go another way: an atomic has changed
     * memory, a clock was read. */
    u64 (*state)(void *block, u32 warp);
    u64 (*changes)(void *self);
};

#endif
