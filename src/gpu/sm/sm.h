/*
 * A streaming multiprocessor: warps, schedulers, execution units, LSU and L1.
 *
 * One unit of the engine. Readiness of warps is kept in bit masks, one bit per
 * slot, that events change: an issue, a fill, a fetch, a barrier. A warp that
 * waits for a result of known latency hangs on a wheel of cycles. So an SM in
 * which nothing can happen sleeps, and a cycle costs what happens in it.
 */
#ifndef GPU_SM_SM_H
#define GPU_SM_SM_H

#include "base/timed_queue.h"
#include "base/wheel.h"
#include "gpu/config.h"
#include "gpu/l1/l1.h"
#include "gpu/observe/block_use.h"
#include "gpu/preempt/context.h"
#include "gpu/preempt/flush.h"
#include "gpu/sm/cluster_calls.h"
#include "gpu/sm/fetch.h"
#include "gpu/sm/group_mma.h"
#include "gpu/sm/issue.h"
#include "gpu/sm/l0_icache.h"
#include "gpu/sm/lsu.h"
#include "gpu/sm/ro_cache.h"
#include "gpu/sm/scoreboard.h"
#include "gpu/sm/transfers.h"
#include "gpu/sm/units.h"
#include "gpu/sm/warp_policy.h"
#include "device/memory_log.h"
#include "mem/agent.h"
#include "sim/port.h"
#include "sim/site.h"

#include <stddef.h>

/* Nearly all results of known latency come within it, later ones are looked for again; a longer one
 * takes more of the host's caches, which it goes round in. */
#define WHEEL_CYCLES 256u
#define ASYNC_GROUPS 16u
#define NOTE_ROOM 4096u /* decisions of a policy that are kept, per SM */

struct sm_counts {
    u64 scheduler_slots[SLOT_COUNT]; /* each scheduler's cycles */
    u64 core_slots[SLOT_COUNT];      /* the SM's cycles: issued when any scheduler did */
    u64 cycles, scheduler_cycles, charged_cycles;
    u64 warp_instructions, thread_instructions;
    u64 unit_instructions[UNIT_COUNT];
    u64 blocks, warps;
    u64 warp_cycles;               /* resident warps, from their block's start until they end */
    u64 loads, stores, atomics;    /* warp instructions */
    u64 requests;                  /* coalesced: lines of global and local memory */
    u64 load_requests, load_lines; /* loads to global memory, and the lines they touched */
    u64 shared_accesses, shared_passes;
    u64 constant_accesses, texture_accesses;
    u64 tensor_cycles[TENSOR_SHARES];
    u64 bank_conflict_cycles;       /* register banks */
    u64 load_gap_cycles, gap_loads; /* first to last answer of a load with several misses */
};

/* A block on this SM. */
struct sm_block {
    const struct grid_source *grid;
    const struct kernel_regions *regions; /* NULL: nobody asks */
    void *stream;                         /* the source's own */
    struct block_use *use;                /* where what it uses is counted; NULL: nowhere */
    u64 id, launch;                       /* number of the block in its grid, and of the grid */
    u64 warps;                            /* slots */
    u32 left;                             /* warps that have not ended and drained */
    u64 started_fs;
    cycle_t started;
    struct block_poll poll; /* of what it uses */
    /* Of one that is stopped or goes on: context.c. The dispatcher keeps it while it is stopped. */
    u8 context;     /* enum context_state */
    u8 how;         /* it is to stop: enum block_stop; BLOCK_RUNS: no */
    u8 why;         /* enum stop_reason */
    u32 place;      /* of its context in memory */
    bool in_buffer; /* its context, on the chip */
    u32 context_bytes;
    u32 own_lines; /* of its context; the rest are of memory that it has copied */
    u32 line_next, lines_to_send, lines_left;
    cycle_t shuffled_at;
    cycle_t stopped_at, context_since;
};

/* What few instructions need of a warp. */
struct sm_warp_rare {
    cycle_t suspended;    /* not_before as a try_wait has set it */
    cycle_t cluster_from; /* its last arrival at the cluster's barrier is known to all */
    cycle_t fence_from;   /* the fence it is at takes its time from then on */
    u32 async_left[ASYNC_GROUPS];
};

/* One line of the host's caches. */
struct sm_warp {
    _Alignas(64) const struct instruction *next; /* NULL: waits for others, or has ended */
    struct sm_block *block;
    struct sm_warp_rare *rare;
    cycle_t not_before; /* of its next issue: after a barrier, asleep */
    cycle_t ready_from; /* of `next`, as warp_check found; CYCLE_NEVER: a load is to come */
    u32 index;          /* in its block */
    u32 loads_left, stores_left;
    u32 async_group; /* being filled */
    u32 async_wait; /* what a fenced warp waits for: FENCE_STORES, or the groups that may be left */
    bool ended;
    bool has_loaded; /* since its last fence; or multiplied (wgmma) */
    u8 application;  /* of its grid */
};
_Static_assert(sizeof(struct sm_warp) == 64, "one line");
#define FENCE_STORES UINT32_MAX

/* What windows of a policy that samples counted. */
struct sample_counts {
    u64 at_most[WARP_COUNTERS], at_least[WARP_COUNTERS];
};

/* For a page that is not there before that cycle. */
struct held_request {
    handle_t request;
    cycle_t until;
};

struct ccn_node;
struct l1_peer;
struct dram_channel;
struct reduction;

/* What every cycle touches comes first, in few lines of the host's caches: the engine fetches them
 * ahead (SM_HOT_BYTES). */
struct sm {
    _Alignas(64) const struct gpu_config *config;
    struct engine *engine;
    cycle_t now;          /* what %clock reads */
    u64 flush_waits;      /* slots at a fence that wait for the L2 to be flushed */
    u64 wide_fences;      /* slots at a fence beyond their block, which empties caches */
    struct sm_uses *uses; /* of its blocks; NULL: nobody asks */
    u32 put_off_count;
    bool faulted;
    bool tells_issues; /* somebody wants to know of every instruction */
    bool uses_rare;    /* what few chips and programs use has been used here: see rare_next */
    u64 slots;         /* that exist, one bit per slot */
    u64 used;          /* by a block */
    struct issue_unit issue;
    struct wheel wheel;
    u64 *due; /* slots to be looked at, by spoke */
    struct warp_policy policy;
    struct warp_fetch fetch;
    struct port reply, launch; /* from the network, from the dispatcher */
    struct lsu lsu;
    struct warp_view view;

    struct context_unit context;
    struct l1 l1;
    struct sim *sim;
    struct pool *requests;
    const struct address_map *map;
    struct home *home;        /* mem/page_placement.h; NULL: all memory is this socket's */
    u16 link_node, link_mask; /* of the request network: the first that leads to other sockets */
    u32 homeless_count;
    handle_t *homeless;        /* requests of this cycle for pages that nobody had when it began */
    bool *has_homeless;        /* of the cluster: some SM has such */
    struct held_request *held; /* for pages that are on their way, in order of time */
    u32 held_count, held_most;
    bool held_blocks;  /* one whose page is there finds no room in its port */
    cycle_t held_next; /* when the next page is there */
    struct home_asks asks;
    struct versions *versions;   /* NULL: there is no checker */
    struct coherence *coherence; /* of caches that hold others' lines; NULL: the L2 does not */
    u64 *flush_numbers;          /* by slot of flush_waits: for which flush */
    unit_id unit;
    u32 index, number; /* in its cluster, among those of all sockets */
    struct agent agent;
    struct memory_log log; /* of this cycle */
    struct sm_place place;
    /* slots whose instruction takes place when all SMs have issued, in order of issue */
    u8 put_off[MOST_SM_WARPS];
    struct port done, miss, ro_cache_miss; /* to the dispatcher, to the network */
    struct sm_block *blocks;
    struct sm_warp warps[MOST_SM_WARPS];
    struct scoreboard scoreboard;
    u64 spins; /* slots found to go round for ever, when the run has ended: see run/spin_detection.h
                */

    const struct dram_channel *channels; /* for policies that ask how busy they are */
    u32 channel_count;
    domain_id memory_domain;
    struct warp_note *notes; /* of the policy, the first NOTE_ROOM */
    u32 note_count;
    u64 notes_dropped;
    u64 last_launch[MOST_APPLICATIONS]; /* number of the grid that the last block was of */
    u64 newest_launch;                  /* the highest so far: what a policy has been told of */
    struct units units;
    struct cluster_calls calls;
    struct transfer_unit transfers;
    struct group_mma *groups;            /* by slot */
    cycle_t group_free[MOST_SCHEDULERS]; /* the tensor core takes the next product of a group */
    cycle_t barrier_free;                /* the warps of the last barrier have gone on then */

    struct sm_counts counts;
    struct ro_cache instruction, constant, texture;
    struct l0_icache l0_icache;
    struct timed_queue delay;        /* answers of an ideal memory or of other SMs on their way */
    struct ccn_node *ccn;            /* NULL: nobody else answers */
    struct region_rows *region_rows; /* its counts; NULL: nobody asks */
    const struct kernel_regions *region_kernels;
    struct sample_counts samples;
    struct application_counts *by_application; /* NULL: nobody asks */
    struct reduction *reduction;               /* of contexts; NULL: they are saved whole */
    struct flush_log *flush_logs;              /* by block slot; NULL: nobody flushes */
    track_id *tracks;                          /* of block slots, in the timeline */
    struct sm_block *left;                     /* by slot: as they were when they left, ... */
    u64 left_slots;                            /* ... in this cycle, to be drawn */
    struct sm_block *faulted_block;
};
#define SM_HOT_BYTES offsetof(struct sm, view.age)

/* Draws the blocks that have left in this cycle. */
void sm_draw_blocks(struct sm *sm);

struct sm_parts {
    const struct build_site *site;
    domain_id domain;
    const struct gpu_config *config;
    u32 index; /* of the SMs of its socket */
    u32 agent; /* of the memory system */
    const struct address_map *map;
    struct pool *requests;
    struct policy_choice l1_replacement, lru; /* of L1, and of the read-only caches */
};

void sm_init(struct sm *sm, const struct sm_parts *parts);
/* After sm_init; `shared` is the chip's. False: the policy cannot run as configured. */
bool sm_init_policy(struct sm *sm, const struct warp_policy_ops *ops, const void *config,
                    void *shared, struct err *err);
/* Charges what is still open, up to the given cycle; before statistics are read. */
void sm_settle(struct sm *sm, cycle_t now);
u64 sm_most_requests(const struct gpu_config *c);

/* ---- between the parts of an SM ---- */

/* sm.c */
void sm_send(struct sm *sm, handle_t h, struct port *port, cycle_t now);
/* gpu/sm/page_homes.c, with several sockets: where a request goes, now or when the cycle ends.
 * False: its page is not there yet, and it is held. */
bool homes_route(struct sm *sm, handle_t h, struct request *r, cycle_t now);
/* Those whose page has come go. */
void homes_release(struct sm *sm, cycle_t now);
/* That an SM holds at most before its L1 waits. */
u32 homes_most_held(const struct gpu_config *c);
/* Who has a line; what nobody has yet, this socket will. */
u8 homes_expect(const struct sm *sm, u64 line);
/* Refused, the SM is woken when there is more room. */
bool sm_can_send(struct sm *sm, struct port *port, u32 requests);
void sm_wake_at(struct sm *sm, u32 slot, cycle_t at);
/* The block of a source that runs here; NULL: it has ended. */
struct sm_block *sm_block_of(struct sm *sm, const void *stream);
/* A shuffle, where shared memory's network does it. */
static inline bool sm_moves_lanes(const struct sm *sm, const struct instruction *i)
{
    return i->cost == COST_SHUFFLE && i->kind == WINST_ARITHMETIC &&
           sm->config->sm.shared.shuffle_cycles;
}

/* execute.c: warps of the block that wait look again */
void sm_wake_block(struct sm *sm, struct sm_block *b, cycle_t now);
void sm_begin_phase(struct sm *sm, struct sm_block *b, bool by_copy, cycle_t now);
/* The line of a load miss comes from another SM in that cycle; cycles do not fall. */
void sm_receive_at(struct sm *sm, handle_t h, cycle_t at);
/* warp.c */
/* Asks the source what the warp does next, and whether it can issue that at cycle `at`. */
void warp_advance(struct sm *sm, u32 slot, cycle_t at);
/* Can it issue at cycle `at`? If not, it hangs on the wheel or waits for memory. */
void warp_check(struct sm *sm, u32 slot, cycle_t at);
/* The same when nothing has changed since but the time and what fetch has brought. */
void warp_check_again(struct sm *sm, u32 slot, cycle_t now);
/* It issues nothing more; when nothing of its block is under way, context_drained. */
void warp_stop(struct sm *sm, u32 slot);
/* block.c */
void sm_take_blocks(struct sm *sm, cycle_t now);
/* A warp that has ended and has nothing under way is gone; so is a block without warps. */
void warp_drained(struct sm *sm, u32 slot);
/* A block that was stopped has its context back. */
void block_resume(struct sm *sm, struct sm_block *b, cycle_t now);
/* policy.c */
/* The policy is told that warps came, went, or began or ceased to wait. */
void policy_changed(struct sm *sm);
/* A block of a kernel that this SM has not seen comes. */
void policy_kernel(struct sm *sm, const struct sm_block *b);
void policy_ring(struct sm *sm, cycle_t now);
/* Those whose next instruction the policy lets issue; see issue_unit_allowed. */
u64 policy_allowed(const struct sm *sm, u64 slots);
/* execute.c: what an instruction does, and the SM as its issue sees it */
void issue_client_init(struct sm *sm);
void sm_issue(struct sm *sm, cycle_t now);
cycle_t sm_issue_next(const struct sm *sm, cycle_t now, bool *ready);
/* icache_client.c: the SM as its fetch sees it */
void icache_client_init(struct sm *sm, struct arena *arena);
/* memory_access.c */
void memory_access_init(struct sm *sm, struct arena *arena);
void memory_issue(struct sm *sm, u32 slot, const struct winst *x, cycle_t now);
/* A store of this warp is where it belongs. */
void warp_stored(struct sm *sm, u32 slot);
/* One of the copies of a group has been made. */
void warp_copied(struct sm *sm, u32 slot, u32 group);
/* A warp at a fence goes on. */
void warp_unfence(struct sm *sm, u32 slot);
/* Copies that the warp's wait is for. */
u32 async_under_way(const struct sm_warp *w);
/* fence.c; the first two when a warp comes to a fence, the third when its stores are done */
void fence_begin(struct sm *sm, u32 slot);
void fence_begin_timed(struct sm *sm, u32 slot, const struct instruction *i, cycle_t now);
void fence_stored(struct sm *sm, u32 slot);
/* Warps go on for whom the L2 has been flushed. */
void fence_poll(struct sm *sm);
/* coalesce.c: lines of local memory, added to the `count` that are there */
u32 coalesce_local(const struct sm *sm, u32 slot, const struct winst *x, struct piece *out,
                   u32 count);
/* l1_client.c: the SM as its L1 sees it, and what is attached to the L1 */
void l1_client_init(struct sm *sm, struct arena *arena, struct policy_choice replacement);
/* The hooks that the warp policy has. */
void l1_attach_policy(struct sm *sm);
void l1_attach_regions(struct sm *sm);
void l1_attach_versions(struct sm *sm);
/* Lines of other sockets have ways of their own. */
void l1_attach_sockets(struct sm *sm, const struct way_partition *split);
/* l1_peer.c: other SMs' L1s may answer (sm->ccn), and what their network may do with this one */
void l1_attach_peers(struct sm *sm);
/* The line of a load miss has come from another L1. */
void l1_found_elsewhere(struct sm *sm, handle_t h, cycle_t now);
struct l1_peer l1_peer_of(struct sm *sm);
/* ro_cache_client.c: the SM as its read-only caches see it */
void ro_cache_client_init(struct sm *sm, struct arena *arena, struct policy_choice lru);

/* Can an instruction for that pipe go to the LSU in that cycle? */
static inline bool sm_memory_accepts(const struct sm *sm, enum pipe pipe, cycle_t now)
{
    return lsu_accepts(&sm->lsu, pipe == PIPE_GLOBAL, now) &&
           !(pipe == PIPE_READ_ONLY && sm->lsu.words_free > now) &&
           !(pipe == PIPE_GLOBAL && UNLIKELY(transfers_full(&sm->transfers)));
}

/* Where an access of a region counts. */
static inline struct region_counts *sm_region(const struct sm *sm, u32 row, cycle_t now)
{
    const struct kernel_regions *k = &sm->region_kernels[(row - 1) / REGION_ROWS];
    return &sm->region_rows->at[now >= k->trained_at][row];
}

/* Behind all data of a program: local memory of the machine's warps; saved contexts. */
#define LOCAL_START 0x600000000000ull
#define LOCAL_END 0x700000000000ull
#define CONTEXT_BASE ((u64)1 << 52)

static inline bool line_is_private(u64 line)
{
    u64 address = line & (((u64)1 << APPLICATION_SHIFT) - 1);
    return address - LOCAL_START < LOCAL_END - LOCAL_START || address >= CONTEXT_BASE;
}

static inline struct request *sm_request(const struct sm *sm, handle_t h)
{
    return pool_get(sm->requests, h);
}

#define EACH_SLOT(slot, mask)                                                                      \
    for (u64 left_##slot = (mask), slot;                                                           \
         left_##slot && (slot = (u64)__builtin_ctzll(left_##slot), true);                          \
         left_##slot &= left_##slot - 1)

#endif
