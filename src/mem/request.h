/*
 * A memory request on its way between an agent and DRAM and back.
 *
 * Requests live in one pool per chip and are named by handles; a handle is what
 * crosses ports. One request is one line, or some sectors of it. The time stamps
 * are instants of the simulated machine, for latency accounting.
 */
#ifndef MEM_REQUEST_H
#define MEM_REQUEST_H

#include "base/pool.h"
#include "base/types.h"
#include "mem/application.h"

#define SECTOR_BYTES 32u
#define PACKET_HEADER_BYTES 8u /* GPGPU-Sim v3.2.2, bandwidth-and-ccn spec 1.1 */

enum request_kind {
    REQUEST_LOAD,
    REQUEST_STORE,
    REQUEST_ATOMIC,
    REQUEST_FETCH,     /* instructions */
    REQUEST_WRITEBACK, /* a dirty victim; not answered */
    REQUEST_UPDATE,    /* a line came into an L1 (REQUEST_CAME) or left it; not answered */
};

/* What policies and instructions ask of the caches on the way. */
enum request_flag {
    REQUEST_NO_L1 = 1,   /* ld.cg: not looked up in L1 */
    REQUEST_NO_FILL = 2, /* a miss takes no line (Poise: warps that may not pollute) */
    REQUEST_WHOLE = 4,   /* a store that writes every byte of its sectors */
    REQUEST_REPLY = 8,   /* it is on its way back */
    REQUEST_LOCAL = 16,  /* local memory: L1 may keep its stores */
    REQUEST_L2_HIT = 32, /* told on the way back */
    REQUEST_NO_DATA =
        64, /* an atomic whose old value is not used: the answer is an acknowledgement */
    REQUEST_TEXTURE = 128,   /* a texture load that goes through L1 */
    REQUEST_BYPASS_L1 = 256, /* its region is kept out of L1: a load takes no line (NO_FILL too) */
    REQUEST_BYPASS_L2 = 512, /* and out of L2 */
    REQUEST_L2_NEW = 1024,   /* a store that L2 made room for: no hit */
    REQUEST_JOINED = 2048,   /* answered with another: l2/coalescer.h */
    REQUEST_BLIND =
        4096, /* with REQUEST_BYPASS_L2: a load that a clean line does not serve either */
};
#define REQUEST_CAME REQUEST_WHOLE /* of a REQUEST_UPDATE */

#define NO_REGION 0 /* of a request without a known region */

struct request {
    u64 line;     /* address of the line */
    u32 sectors;  /* bit per 32 bytes of the line */
    u16 agent;    /* the agent that asked: mem/agent.h */
    u16 reply_to; /* node of the network that brings the answer */
    u16 to;       /* output of the network it is in */
    u16 flags;
    u16 region; /* row of its SM's counts; NO_REGION: none (gpu/observe/regions.h) */
    u8 kind;
    u8 application;  /* that it is for */
    u8 source_port;  /* for a component that answers to one of several ports */
    u8 meet;         /* an atomic: lanes at its busiest word */
    u8 socket, home; /* that it was asked in, and that has its line; of a machine of several */
    u32 pc;          /* of the instruction, as far as 32 bits go */
    handle_t next;   /* in a list of requests that wait for the same line */
    u32 version;     /* of its line, or its writer, for the checker (l2/line_versions.h) */
    u64 ticket;      /* what only the asker understands */
    cycle_t issued;  /* of the asker's clock */
    u64 issued_fs, at_l2_fs, at_dram_fs, left_dram_fs, left_l2_fs;
};

static inline u32 request_data_bytes(const struct request *r)
{
    return (u32)__builtin_popcount(r->sectors) * SECTOR_BYTES;
}

/* Bytes on a network: a header, and data in one of the two directions; an atomic carries
 * its operands there and the old values back. */
static inline u32 request_packet_bytes(const struct request *r)
{
    bool writes = r->kind == REQUEST_STORE || r->kind == REQUEST_WRITEBACK;
    bool has_data = r->kind == REQUEST_ATOMIC
                        ? !(r->flags & REQUEST_REPLY && r->flags & REQUEST_NO_DATA)
                    : r->flags & REQUEST_REPLY ? !writes
                                               : writes;
    return PACKET_HEADER_BYTES + (has_data ? request_data_bytes(r) : 0);
}

#endif
