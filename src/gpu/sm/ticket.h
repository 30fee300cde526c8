/*
 * The ticket that an SM attaches to its requests: which of its caches asked, for
 * which warp, and which entry of the LSU waits. Nothing below the SM reads it.
 */
#ifndef GPU_SM_TICKET_H
#define GPU_SM_TICKET_H

#include "mem/request.h"

#include <string.h>

/* Which of an SM's caches asked, and gets the answer. */
enum sm_client {
    CLIENT_L1D,
    CLIENT_INSTRUCTION,
    CLIENT_CONSTANT,
    CLIENT_TEXTURE,
    CLIENT_CONTEXT,
    CLIENT_TRANSFER
};

#define NO_ENTRY UINT32_MAX /* no instruction waits for it: a store, a prefetch */

struct sm_ticket {
    u32 entry; /* of the LSU's pending instructions */
    u16 warp;  /* its slot */
    u8 client;
    u8 passes; /* through L1's data banks that its instruction takes; 0: not its first request */
};

static inline u64 ticket_write(struct sm_ticket t)
{
    u64 written;
    memcpy(&written, &t, sizeof written);
    return written;
}

static inline struct sm_ticket ticket_read(const struct request *r)
{
    struct sm_ticket t;
    memcpy(&t, &r->ticket, sizeof t);
    return t;
}

#endif
