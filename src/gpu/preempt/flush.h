/*
 * Whether a block may be dropped and started again without a visible effect.
 *
 * Not after an atomic on global memory, and not after a store to a word that it had read before:
 * the second time it would read something else. Words that were read are kept as a Bloom filter of
 * 4096 bits, which may take a word for another: then the answer is no. Only for policies that
 * flush.
 */
#ifndef GPU_PREEMPT_FLUSH_H
#define GPU_PREEMPT_FLUSH_H

#include "base/types.h"
#include "source/warp_instruction.h"

struct flush_log {
    u64 loaded[64];
    bool can_be_seen; /* starting again */
};

void flush_note(struct flush_log *l, const struct winst *x);

#endif
