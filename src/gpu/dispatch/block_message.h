/*
 * What dispatcher and SM tell each other of blocks, through ports: 32 bits each.
 *
 * The block itself lies in a slot of the SM. The sender of the last message about a slot does not
 * touch it until the other side answers: the dispatcher fills it in and sends START or RESUME, then
 * it is the SM's until ENDED or STOPPED.
 */
#ifndef GPU_DISPATCH_BLOCK_MESSAGE_H
#define GPU_DISPATCH_BLOCK_MESSAGE_H

#include "base/types.h"

enum block_message_kind {
    /* to the SM */
    BLOCK_START,
    BLOCK_STOP,   /* it may have ended meanwhile: then ENDED is the answer */
    BLOCK_RESUME, /* a block that was stopped, here or elsewhere */
    /* from the SM */
    BLOCK_ENDED,
    BLOCK_STOPPED,
    BLOCK_POLLED,  /* its codes: it may have ended since */
    BLOCK_GOES_ON, /* it cannot be flushed */
    BLOCK_RESUMED, /* its context is back: from now on it may be stopped again */
};

struct block_message {
    u32 kind;
    u32 slot;
    u32 how;   /* BLOCK_STOP: enum block_stop */
    u32 why;   /* BLOCK_STOP: enum stop_reason */
    u32 place; /* BLOCK_STOP: where its context goes; BLOCK_POLLED, BLOCK_ENDED: codes */
};

static inline u32 block_message_write(struct block_message m)
{
    return m.kind | m.slot << 4 | m.how << 10 | m.why << 13 | m.place << 16;
}

static inline struct block_message block_message_read(u32 word)
{
    return (struct block_message){word & 15, word >> 4 & 63, word >> 10 & 7, word >> 13 & 7,
                                  word >> 16};
}

#endif
