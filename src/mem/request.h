/*
 * A memory request on its way between a core and DRAM and back.
 *
 * Requests live in one pool per chip and are named by handles; a handle is what
 * crosses ports. One request is one line, or some sectors of it. The time stamps
 * are for latency accounting and belong to whoever the field names.
 */
#ifndef MEM_REQUEST_H
#define MEM_REQUEST_H

#include "base/pool.h"
#include "base/types.h"

enum request_kind {
    REQUEST_LOAD,
    REQUEST_STORE,
    REQUEST_ATOMIC,
    REQUEST_FETCH,     /* instructions */
    REQUEST_WRITEBACK, /* a dirty victim */
};

/* What policies and instructions ask of the caches on the way. */
enum request_flag {
    REQUEST_NO_L1 = 1,   /* ld.cg: not looked up in L1 */
    REQUEST_NO_FILL = 2, /* a miss takes no line (Poise: warps that may not pollute) */
    REQUEST_VOLATILE = 4,
    REQUEST_REPLY = 8, /* it is on its way back */
};

struct request {
    u64 line;       /* address of the line */
    u32 sectors;    /* bit per 32 bytes of the line */
    u16 core, warp; /* who asked */
    u8 kind, flags;
    u8 application;
    bool from_cpu;
    u32 ticket;    /* the asker's own: which of its entries waits */
    handle_t next; /* in a list of requests that wait for the same line */
    cycle_t issued, reached_l2, reached_dram, returned;
};

#endif
