/*
 * A warp as the executor sees it: registers, and the paths its lanes are on.
 *
 * Lanes that go the same way form a path with one program counter. A branch
 * that splits a path makes a join at the branch's immediate post-dominator;
 * both halves wait there for each other, so that they go on together. Any path
 * that is not waiting may run: the one split off last runs first, as with the
 * classic stack, but a path that loops while others could run gives way, so
 * that threads of one warp may wait for each other (sm_70 semantics).
 *
 * A frame is a function's registers, vectors of 32 lanes; frames of callees
 * follow the caller's. Paths in different functions may overlap in the same
 * memory: their lanes are disjoint.
 */
#ifndef PTX_EXEC_WARP_H
#define PTX_EXEC_WARP_H

#include "ptx/decode/function.h"
#include "ptx/decode/op.h"
#include "ptx/exec/lane_memory.h"
#include "ptx/launch.h"
#include "ptx/lower/machine.h"
#include "device/memory_log.h"

#include <stddef.h>
#include <string.h>

struct function;
struct grid;
struct signature_collector;
struct block;
struct window;

#define MOST_PATHS 32
#define NO_JOIN 0xff
#define PRODUCT_GROUPS 16u

enum path_state { PATH_FREE, PATH_READY, PATH_AT_BARRIER, PATH_AT_COLLECTIVE };

struct path {
    u8 state, join;
    u8 barrier; /* id it waits at */
    u32 pc, mask;
    u32 frame; /* byte offset of its frame in the warp's registers */
    const struct function *function;
    u32 stack; /* bytes of local memory used by its callers */
    u32 used;  /* bytes of the stack that machine code would have used */
};

struct reconvergence {
    u8 parent;
    u32 pc, frame, expected, arrived;
    u32 stack, used;
    const struct function *function;
};

struct stretch;

/* What a step of a warp with one path touches is one line of the host's caches, all up to
 * paths[0].function, and for an access to memory a second one, which begins with `on`. */
struct warp {
    _Alignas(64) u8 *base[REF_BASES]; /* by enum ref_base; base[REF_FRAME] of the current path */
    u8 current;                       /* path that runs */
    u8 ready;                         /* number of paths that can run */
    bool waits;                       /* a loop that waits for others had its turns */
    bool in_cluster;                  /* its block has others beside it */
    u32 meet; /* where the join of the current path is; PTX_NONE: it has none */
    struct path paths[MOST_PATHS];
    _Alignas(64) struct executor *on;
    struct grid *grid;
    struct block *block;
    u32 used_paths, used_reconvergence; /* bit each; what is not used is not initialised either */
    struct reconvergence *joins;        /* MOST_PATHS */
    struct stretch *stretch; /* what has executed and is not issued; NULL: warps are not seen
                              * executing PTX */
    /* what is issued of machine code, when the timing model sees that */
    struct machine_place place;
    struct window *window; /* NULL: it does not */
    u8 *registers;
    u8 *more_registers; /* the same when calls have made them grow; NULL else */
    u32 register_room;
    u32 live;                     /* lanes that have not exited */
    u32 index;                    /* in its block */
    u32 spins;                    /* backward branches since the path was chosen */
    u32 clock_reads;              /* so far */
    u32 local_room;               /* bytes */
    u8 *local;                    /* LANES x local_room */
    u8 *more_local;               /* the same when calls have made it grow; NULL else */
    u32 *tops;                    /* of alloca, by lane; NULL: the program has none */
    u64 retired;                  /* instructions */
    u64 async_groups, async_done; /* cp.async */
    /* wgmma: products so far, those that a wait_group waits for, and how many there were when each
     * of the newest groups was committed */
    u32 products, awaited_products, product_groups;
    u32 products_of[PRODUCT_GROUPS];
};
_Static_assert(offsetof(struct warp, paths) + offsetof(struct path, stack) == 64,
               "a step needs one line of a warp");

#define MOST_BARRIERS 16
/* and CLUSTER_BARRIER, barrier.cluster: see cluster.c; and in path.barrier alone: */
#define PRODUCTS_BARRIER 17 /* wgmma.wait_group: see warpgroup.c */
#define MOST_WARPS 32       /* of a block */

struct barrier {
    u32 arrived, expected; /* threads; expected 0: all that are alive */
    u32 count, all, any;   /* of bar.red */
    u32 lanes[MOST_WARPS]; /* with a count: those of each warp that are among the arrived */
};

#define MOST_CLUSTER_BLOCKS 16

/* Blocks that run at the same time, and reach each other's shared memory: cluster.c. */
struct cluster {
    u32 count;                                 /* that it has; fewer may have begun */
    u32 gone;                                  /* those that have ended, a bit each */
    struct block *blocks[MOST_CLUSTER_BLOCKS]; /* by rank; NULL: not begun */
};

struct block {
    struct grid *grid;
    struct cluster *cluster; /* NULL: it is alone */
    u32 rank;                /* in its cluster */
    u32 id[3];
    u64 linear_id;
    u32 sm;
    u8 *shared;
    struct warp *warps;
    u32 warp_count, thread_count, live_threads;
    u32 barriers_used; /* since the block began; PRODUCTS_BARRIER: one of its warps has waited */
    struct barrier barriers[MOST_BARRIERS + 1];
    u8 *special; /* special values, one area per warp */
    u8 *local;
    struct completion *completions; /* of copies: transfer.h; NULL: the program has none */
    bool in_use;
    bool had_effects; /* beyond memory: it has printed or allocated */
};

/* What all warps of a launch share. */
struct grid {
    const struct launch *launch;
    const struct program *program;
    const struct function *kernel;
    struct device_memory *memory;
    u32 shared_bytes, local_bytes;
    u32 shared_room;  /* with what is reserved for the system, where a program asks for it */
    u32 stack_bytes;  /* of a thread, at most */
    u32 alloca_bytes; /* the same for alloca, at the start of local memory; 0: not used */
    u32 warps_per_block, threads_per_block;
    u32 cluster[3], cluster_blocks; /* 1 x 1 x 1 without clusters */
    u64 blocks;
    u64 limit; /* of warp instructions; 0: none */
    u64 grid_workspace;
    struct slab *slabs;         /* memory of its blocks, and what of it need not be cleared: */
    struct slab *rough, *begun; /* begun: blocks, their warps and what every issue reads of them */
    bool keeps_registers;       /* as their executors: registers of all lanes are seen */
    /* special values that its program reads; the first few differ from block to block */
    u8 specials[SPECIAL_COUNT + 2];
    u32 special_count, block_specials;
};

#define MOST_ACCESS_BYTES 32u /* of a lane */
#define SWAP_WORDS 512u

/* A word of shared memory: how often it was swapped since it is in the table. */
struct swap_word {
    u32 key; /* where, in which block */
    u32 swaps;
};

/* What one SM has of its own while it executes warps of a grid: nothing of it is seen by another
 * SM. A launch without timing has one for all its blocks. */
struct executor {
    struct memory_log *log;           /* the SM's; NULL: stores and atomics take effect at once */
    bool put_off;                     /* the last step did so: see executor_put_off */
    u8 phase;                         /* enum phase_event of the last step */
    u8 pattern, pattern_bytes;        /* enum access_pattern of the last step; of a lane */
    u64 spread;                       /* likewise: see struct winst */
    struct cluster *opened;           /* the last step has opened its barrier; NULL: it has not */
    u32 begun;                        /* ranks of whose mbarriers it has completed a phase */
    struct transfer_record *transfer; /* of the last step; NULL: without timing */
    struct step_watch *watch;         /* is told of every step; NULL: no watcher */
    struct signature_collector *signature; /* the same */
    bool is_observed;                      /* by one of them */
    bool keeps_registers; /* the SM asks for registers of stopped blocks: all are in their frames */
    const cycle_t *clock; /* what %clock reads; NULL: instructions are counted instead */
    u32 fp_mode;          /* what MXCSR is set to */
    u64 warp_instructions, thread_instructions;
    u64 clock_ahead; /* of the instructions: without timing only */
    u64 changes;     /* see source_ops */
    /* the last allocation that was hit, valid for one epoch */
    u64 cache_start, cache_end, cache_epoch;
    u64 *address; /* of the last memory instruction, by lane: looked at right after it */
    u64 addresses[LANES];
    const struct lane_memory *memory;
    u8 copies[LANES][MOST_ACCESS_BYTES]; /* what lanes read that their SM has just stored */
    enum launch_fault fault;
    struct err err;
    struct swap_word swaps[SWAP_WORDS]; /* the last ones: lowered.c */
};

static inline void executor_init(struct executor *e, const cycle_t *clock, struct memory_log *log)
{
    *e = (struct executor){
        .clock = clock, .log = log, .memory = lane_memory_select(), .err = ERR_INIT};
    e->address = e->addresses;
}

/* for each lane of a mask, lowest first */
#define EACH(lane, mask)                                                                           \
    for (u32 left_##lane = (mask), lane;                                                           \
         left_##lane && (lane = (u32)__builtin_ctz(left_##lane), true);                            \
         left_##lane &= left_##lane - 1)

static inline void *ref_get(const struct warp *w, ref_t ref)
{
    return w->base[ref >> 30] + (ref & REF_OFFSET);
}

/* One lane of a vector whose elements have `bytes`; 0: of a predicate. Of 16 bytes the
 * lower half. */
static inline u64 lane_read(const void *vector, u32 lane, u8 bytes)
{
    u64 v = 0;
    switch (bytes) {
    case 0:
        return *(const u32 *)vector >> lane & 1;
    case 1:
        return ((const u8 *)vector)[lane];
    case 2:
        return ((const u16 *)vector)[lane];
    case 4:
        return ((const u32 *)vector)[lane];
    default:
        memcpy(&v, (const u8 *)vector + (size_t)lane * bytes, 8);
        return v;
    }
}

static inline void lane_write(void *vector, u32 lane, u8 bytes, u64 value)
{
    switch (bytes) {
    case 0: {
        u32 *mask = vector;
        *mask = (*mask & ~(1u << lane)) | (u32)(value & 1) << lane;
        break;
    }
    case 1:
        ((u8 *)vector)[lane] = (u8)value;
        break;
    case 2:
        ((u16 *)vector)[lane] = (u16)value;
        break;
    case 4:
        ((u32 *)vector)[lane] = (u32)value;
        break;
    default:
        memcpy((u8 *)vector + (size_t)lane * bytes, &value, 8);
    }
}

/* A predicate gets new values in the lanes of a mask; REF_NONE: the values are not needed. */
static inline void predicate_merge(struct warp *w, ref_t ref, u32 value, u32 mask)
{
    if (ref == REF_NONE)
        return;
    u32 *p = ref_get(w, ref);
    *p = (*p & ~mask) | (value & mask);
}

/* Generic addresses: windows for shared and local memory, both far from any
 * allocation; everything else is global. */
#define SHARED_WINDOW 0x7e0000000000ull
#define LOCAL_WINDOW 0x7e8000000000ull
#define PARAM_WINDOW 0x7ec000000000ull
#define WINDOW_BYTES 0x1000000000ull

/* Stops the launch; the first fault stays. */
void warp_fault(struct warp *w, const struct op *op, enum launch_fault fault, u32 lane,
                const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Moves on to where the warp can execute its next instruction, if it can. */
enum warp_next warp_settle(struct warp *w, const struct op **next);
/* Executes the instruction at which the warp has settled; the lanes that did. */
u32 warp_step(struct warp *w, const struct op *op);

/* WARP_WAITS: it spins on something that another warp or block must write */
enum warp_status { WARP_RAN, WARP_WAITS, WARP_BLOCKED, WARP_DONE };

/* Runs up to `budget` instructions; less when it ends, blocks or faults, and not past what may
 * have set other warps going (a barrier, an exit) or, in step with them, past a memory access. */
enum warp_status warp_run(struct warp *w, u32 budget, bool in_step);
/* Lanes that have exited, or are on their way to with nothing else to do, or never were. */
u32 warp_ended_lanes(struct warp *w);
/* All lanes at the first instruction of a kernel. */
void warp_start(struct warp *w, const struct function *f, u32 lanes);
/* The instruction takes place at the end of the cycle; until then the warp stays where it is. */
void executor_put_off(struct warp *w, const struct op *op, u32 mask, u8 *const *where,
                      log_action *run);
/* Rounding and flushing as an instruction wants them: see FP_FLUSH. */
void executor_set_fp(struct executor *e, u32 mode);

#endif
