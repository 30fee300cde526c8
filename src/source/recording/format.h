/*
 * A recording on disk: a container (base/container.h) of packed blocks and kernels in the order
 * in which they ended, and of the directory.
 *
 *   directory  count, then each event in the order of the run:
 *              LAUNCH  place of the kernel (offset, packed bytes, raw bytes)
 *              DONE    which launch
 *              COPY    bytes
 *              COPY_TO where in device memory the copy before it went
 *   kernel     length and text of the name, the shape, the instructions, and of each
 *              block where it is: offset as a difference, packed bytes, raw bytes;
 *              then, where they are known, its regions: how many, of each start and bytes,
 *              and how many more there are with how many bytes
 *   block      of each warp the bytes of its stream, then the streams
 *
 * A stream has one entry for each step. A byte below HEAD_DETAIL, n, stands for
 * n + 1 steps of which nothing needs to be said: each executes the instruction
 * after the last one in the table, with the same lanes. Otherwise the byte says
 * what follows, in the order of the bits of enum head.
 */
#ifndef SOURCE_RECORDING_FORMAT_H
#define SOURCE_RECORDING_FORMAT_H

#include "base/container.h"
#include "source/warp_stream.h"

#define RECORD_MAGIC "HEDDLEWS"
#define RECORD_VERSION 1u

extern const struct container_kind record_container;

#define RECORD_WARPS 64u    /* of a block */
#define RECORD_BARRIERS 32u /* of a block: names 0 to 15, and what sources add */

enum record_event_kind {
    EVENT_LAUNCH,
    EVENT_DONE,
    EVENT_COPY,
    EVENT_COPY_TO,
};

#define HEAD_DETAIL 0x80u
enum head {
    HEAD_JUMP = 0x01,    /* difference to the index after the last one */
    HEAD_MASK = 0x02,    /* enum mask_code, and 4 bytes for MASK_OTHER */
    HEAD_NEED = 0x04,    /* see struct need: barrier and flags, arrivals, exits */
    HEAD_BARRIER = 0x08, /* other than bar.sync 0: barrier, twice the threads + arrives_only */
    HEAD_SLEEP = 0x10,   /* cycles */
    HEAD_ACCESS = 0x20,  /* see access.h */
};
#define HEAD_UNUSED 0x40u

enum mask_code {
    MASK_BEFORE, /* what it was before it was what it is */
    MASK_NONE,
    MASK_WHOLE, /* all lanes of the warp */
    MASK_OTHER,
};

/*
 * What must have happened in the block before a step: it is of a warp that waited
 * at a barrier. Counted from the start of the block, so that it holds whatever
 * the order of the warps; an exit is a WINST_EXIT or else the last step of a warp.
 */
struct need {
    u32 barrier;
    u32 arrivals; /* there */
    u32 exits;
};
#define NEED_EXITS 0x40u /* 0 exits are not written */
#define NEED_MORE 0x80u  /* another follows */

/* Of one memory instruction in one warp: what it did the last time. */
struct access_slot {
    u64 base, step; /* the first lane's address, and how far it was from the one before */
    u64 stride;     /* between lanes, when it last had one */
    u32 lanes_at;   /* where in the stream its lanes were last listed; 0: nowhere */
    u32 lanes;      /* those listed */
    u8 shape;
    bool is_used;
};

/* What of a step counts as an arrival, and what as an exit, for recorder and replay alike. */
static inline bool winst_arrives(const struct winst *w)
{
    return w->instruction->kind == WINST_BARRIER && w->barrier < RECORD_BARRIERS;
}

static inline bool winst_exits(const struct winst *w, enum warp_next after)
{
    return w->instruction->kind == WINST_EXIT || after == NEXT_ENDED;
}

#endif
