/*
 * The stream of one warp while it is replayed: always one step ahead, so that
 * what comes next is known, and what it needs.
 */
#ifndef SOURCE_RECORDING_WARP_READER_H
#define SOURCE_RECORDING_WARP_READER_H

#include "source/recording/access.h"

struct warp_reader {
    struct cursor in;
    struct access_history history;
    u32 index; /* of the next instruction */
    u32 run;   /* steps after the next with nothing to say */
    u32 mask, mask_before, whole;
    u8 head; /* of the next step: enum head */
    bool has_need, has_more_needs, has_ended;
    struct need need;
    const char *wrong; /* what is wrong with the stream; NULL: nothing so far */
};

void warp_reader_start(struct warp_reader *r, const u8 *data, size_t bytes, u32 lanes,
                       u32 instructions);
/* The need is met: on to the next one of the same step, if there is. */
void warp_reader_next_need(struct warp_reader *r);
/* Reads all of the next step and goes on to the one after; the instruction is the caller's
 * business. False: see r->wrong. The slot is that of the instruction, NULL if it has none. */
bool warp_reader_step(struct warp_reader *r, struct winst *out, u64 *address,
                      struct access_slot *slot, u32 instructions);

#endif
