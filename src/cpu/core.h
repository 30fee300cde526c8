/*
 * One CPU core: fed by a stream of instructions, a client of a memory system.
 *
 *   predict -> fetch-target queue -> line buffers (L1I) -> extract -> decode
 *           -> dispatch -> window -> issue -> units, L1D -> retire -> stores to the L1D
 *
 * All instructions from prediction to retirement lie in one ring in program order; each stage is a
 * position in it. What waits for a result hangs on its producer, what is ready at a known time on a
 * wheel of cycles, what can issue now is a bit per unit: a core with nothing to do in a cycle is
 * not ticked. Instructions of wrong paths are not in a trace and are not fetched: after a branch
 * that was predicted wrong the front end waits for its result.
 */
#ifndef CPU_CORE_H
#define CPU_CORE_H

#include "cpu/caches.h"
#include "cpu/config.h"
#include "cpu/tlb.h"
#include "front/cpu/stream.h"

/* Where the slots of retirement went: each of retire_width in every cycle is charged to one. */
enum core_slot {
    CORE_RETIRED,
    CORE_BRANCH,  /* front end waits for a branch predicted wrong, and fills up again */
    CORE_TARGET,  /* the target of a taken branch was known late */
    CORE_ICACHE,  /* instructions on their way from below the L1I */
    CORE_FETCH,   /* the front end otherwise */
    CORE_EXECUTE, /* the oldest instruction works */
    CORE_UNITS,   /* it waits for a unit, or for its turn to issue */
    CORE_L1D,     /* it waits for data: of the L1D or of a store */
    CORE_L2,
    CORE_LLC,
    CORE_DRAM,
    CORE_TLB,
    CORE_MSHR,   /* its access waits for a free MSHR of the L1D */
    CORE_STORES, /* the queue of stores is full */
    CORE_SLOTS,
};
extern const char *const core_slot_names[CORE_SLOTS], *const core_slot_meanings[CORE_SLOTS];

struct core_counts {
    u64 cycles, instructions; /* while a program runs */
    u64 slots[CORE_SLOTS], charged_slots, all_slots;
    u64 classes[CPU_CLASS_COUNT];
    u64 loads, stores, forwards; /* accesses; those answered by a store in the queue */
    u64 fetch_blocks, fetch_lines, line_buffer_hits;
    u64 programs; /* that ended */
};

extern const struct stat_def core_stats[];

#define NO_NODE UINT16_MAX
#define OP_NODES (CPU_MOST_SOURCES + CPU_MOST_READS) /* what an instruction can wait for */
#define WHEEL 512u
#define FRONT_MOST 256u /* instructions between prediction and dispatch */

enum op_stage {
    OP_FRONT,   /* not dispatched */
    OP_WAITS,   /* for sources, or on the wheel */
    OP_READY,   /* to issue */
    OP_MEMORY,  /* for lines */
    OP_BLOCKED, /* its access has to be tried again */
    OP_DONE,    /* done_at is known */
};

struct core_op {
    cycle_t ready_at; /* decoded; then: sources there; then: data there */
    cycle_t done_at;  /* CYCLE_NEVER: not known */
    u32 read_done;    /* bytes of its current read that have been accessed */
    u32 next;         /* on the wheel */
    u16 waiters;      /* first of those who wait for its result: slot * OP_NODES + source */
    u16 lines_left;   /* that have not come */
    u8 sources_left;  /* that are not known */
    u8 unit, stage;   /* enum cpu_class, enum op_stage */
    u8 late;       /* enum core_slot: why the front end brought it late; CORE_RETIRED: it did not */
    u8 waits;      /* enum core_slot: what it waits for, where that is known */
    u8 read;       /* the next of its reads to be accessed */
    bool is_wrong; /* a branch that was predicted wrong */
    bool is_translated;
};

/* A write in the queue of stores. */
struct core_store {
    u64 seq, address, pc;
    u32 bytes, done_bytes; /* that have been accessed */
    u32 lines_left;        /* that have not come */
};

struct fetch_block {
    u64 first, end;      /* instructions */
    u64 line, last_line; /* the next to be asked for, and the last */
    u64 reading;         /* the line that is being extracted */
};

struct line_buffer {
    u64 line;      /* NO_LINE: none */
    cycle_t ready; /* CYCLE_NEVER: on its way */
    u64 used;
    u32 users; /* uses by blocks that have not been extracted */
};

struct core_front {
    u64 predicted, extracted; /* positions: the next of each */
    bool ended;               /* the stream has */
    bool is_wrong;            /* waits for the branch before `predicted` */
    u8 late;                  /* of the next instruction: enum core_slot */
    cycle_t resume_at;
    struct fetch_block *blocks; /* a ring */
    u32 block_head, block_asked, block_tail, block_mask;
    struct line_buffer *buffers;
    u8 *asked; /* buffers of the lines that were asked for and not yet extracted: a ring */
    u32 asked_head, asked_tail, asked_mask;
    u64 clock;
    bool is_blocked; /* by MSHRs of the L1I */
};

struct core {
    const struct core_config *config;
    struct sim *sim;
    struct engine *engine;
    unit_id unit;
    u32 index;
    struct caches caches;
    struct branch_unit branch;
    struct tlb itlb, dtlb;
    struct address_table second_tlb;
    struct cpu_stream *stream; /* NULL: no program */
    /* The ring: position & mask is the slot. */
    struct cpu_instruction *instructions;
    struct core_op *ops;
    u16 *node_next; /* OP_NODES of each slot */
    u32 mask, words;
    u64 retired, dispatched; /* positions: the next of each */
    u64 issue_at;            /* the oldest that has not been issued; for in_order */
    struct core_front front;
    u64 writers[CPU_REGISTERS];  /* 1 + position of the last writer; 0: none */
    u64 *ready[CPU_CLASS_COUNT]; /* bit per slot */
    u64 *ready_any, ready_words; /* of all units together, and a bit per word that is not 0 */
    u32 ready_count[CPU_CLASS_COUNT], ready_units;
    struct blocked {
        u64 *slots; /* bit each */
        u32 count;
    } by_stores, by_mshrs;
    u32 wheel[WHEEL]; /* slot + 1 of the first */
    u64 wheel_used[WHEEL / 64];
    cycle_t *pipe_free[CPU_CLASS_COUNT];
    u32 unissued, loads_held;
    struct unit_row units[CPU_CLASS_COUNT];
    struct core_store *stores;
    u64 store_head, store_access, store_retired, store_tail; /* positions in their ring */
    u64 store_unissued; /* the oldest whose address is not known */
    u32 store_mask;
    bool store_blocked;
    u16 *store_filter;
    u32 wide_stores;
    /* time */
    cycle_t last;   /* the last cycle that was charged */
    u64 unresolved; /* slots lost to a load whose level is not known yet */
    struct core_counts counts;
    /* The program has ended: nothing of it is left in the core. */
    void (*on_end)(void *context, struct core *core, cycle_t now);
    void *context;
    struct err err; /* why a stream ended early */
};

struct core_policies {
    struct policy_choice branch;
    struct cache_policies caches;
};

u64 core_most_requests(const struct core_config *c);
void core_init(struct core *c, const struct build_site *site, domain_id domain,
               const struct core_config *config, u32 index, u32 agent, struct memory_system *memory,
               const struct core_policies *p);
/* Between two instants: runs a program from the next cycle on. The core has none. */
void core_start(struct core *c, struct cpu_stream *stream, u8 application);
/* Between two instants: its program brings no more instructions, and ends when all are done. */
void core_cut(struct core *c);
/* Brings the statistics up to the present. */
void core_settle(struct core *c, cycle_t now);

/* ---- between the files of a core ---- */

static inline u32 core_slot_of(const struct core *c, u64 position)
{
    return (u32)position & c->mask;
}

/* front.c: each returns the next cycle in which it can go on. */
cycle_t front_tick(struct core *c, cycle_t now);
void front_init(struct core *c);
void front_restart(struct core *c);
void front_line_came(struct core *c, u32 buffer, cycle_t now);
void front_branch_done(struct core *c, cycle_t done_at);
/* Why the instruction that would be dispatched next is not there. */
enum core_slot front_late(const struct core *c);

/* lsq.c */
void lsq_init(struct core *c);
bool lsq_has_room(const struct core *c, const struct cpu_instruction *i);
void lsq_dispatch(struct core *c, u64 position);
enum issue_answer { ISSUE_DONE, ISSUE_BUSY, ISSUE_BLOCKED, ISSUE_LATER };
/* The reads of an instruction, as far as pipes go. */
enum issue_answer lsq_issue_reads(struct core *c, u32 slot, cycle_t now);
void lsq_retire(struct core *c, const struct cpu_instruction *i);
/* Retired stores go to the L1D. */
cycle_t lsq_drain(struct core *c, cycle_t now);
void lsq_store_done(struct core *c);
bool lsq_is_empty(const struct core *c);
/* The youngest store before a position that writes some of these bytes; NULL: none. */
const struct core_store *lsq_conflict(const struct core *c, u64 position, u64 address, u32 bytes);

/* core.c */
/* All that an instruction reads is there, at ready_at. */
void core_data_came(struct core *c, u32 slot, cycle_t now);
/* A pipe that is free: the cycle from which it is again is to be set. NULL: none. */
cycle_t *core_free_pipe(struct core *c, u32 unit, cycle_t now);
/* It can issue from then on. */
void core_schedule(struct core *c, u32 slot, cycle_t at, cycle_t now);
/* It has to be tried again when something has come or gone. */
void core_block(struct core *c, u32 slot, enum core_slot why);
/* All that waited for a store. */
void core_stores_moved(struct core *c);
/* The source `node` of an instruction is the result of another. */
void core_depend(struct core *c, u32 slot, u32 node, u64 producer);

#endif
