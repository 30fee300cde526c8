/*
 * The front end: predicts blocks, asks for their lines, extracts their instructions.
 *
 *   predict -> fetch-target queue -> line buffers (L1I) -> extract -> decode
 *
 * Instructions enter the ROB when they are predicted and can be dispatched up to `extracted`. After
 * a branch that was predicted wrong the front end waits for its result.
 */
#ifndef CPU_FETCH_H
#define CPU_FETCH_H

#include "cpu/branch.h"
#include "cpu/caches.h"
#include "cpu/rob.h"
#include "cpu/tlb.h"
#include "cpu_trace/stream.h"

struct icache_client;

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

/* What it works with. */
struct fetch_parts {
    const struct core_fetch_config *config;
    struct rob *rob;
    struct branch_unit *branch;
    struct caches *caches;
    struct tlb *itlb;
    struct core_counts *counts;
    struct icache_client *icache; /* of an I-cache that is shared; NULL: that of `caches` */
};

struct fetch {
    struct fetch_parts with;
    struct cpu_stream *stream;
    u64 extracted;     /* position: the next */
    bool ended;        /* the stream has */
    bool is_wrong;     /* waits for the branch before `predicted` */
    bool is_late;      /* waits until that branch is extracted: its target is not known */
    bool heeds_events; /* stops before each event of its stream */
    bool is_at_event;
    u8 late; /* of the next instruction: enum core_slot */
    cycle_t resume_at;
    struct fetch_block *blocks; /* a ring */
    u32 block_head, block_asked, block_tail, block_mask;
    struct line_buffer *buffers;
    u8 *asked; /* buffers of the lines that were asked for and not yet extracted: a ring */
    u32 asked_head, asked_tail, asked_mask;
    u64 clock;
    u64 translated;        /* the last line whose page was looked up for it; NO_LINE: none */
    cycle_t translated_at; /* when it is known */
    bool is_translating;   /* the line that is asked for next waits for that */
    bool is_blocked;       /* by MSHRs of the L1I */
};

void fetch_init(struct fetch *f, struct arena *arena, const struct fetch_parts *with);
/* Another program; nothing of the last one is left. */
void fetch_restart(struct fetch *f, struct cpu_stream *stream);
/* Returns the next cycle in which it can go on. */
cycle_t fetch_tick(struct fetch *f, cycle_t now);
/* The event that it stopped before is over. */
void fetch_pass_event(struct fetch *f);
/* The line that a buffer waited for. */
void fetch_line_came(struct fetch *f, u32 buffer, cycle_t now);
/* The branch it waits for will have its result at done_at. */
void fetch_branch_done(struct fetch *f, cycle_t done_at);
/* Why the instruction that would be dispatched next is not there. */
enum core_slot fetch_late(const struct fetch *f);

#endif
