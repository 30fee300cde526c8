/*
 * Which lines and which words the lanes of a memory instruction touch.
 */
#ifndef GPU_SM_COALESCE_H
#define GPU_SM_COALESCE_H

#include "source/warp_instruction.h"

#define MOST_PIECES 160u /* lines that one instruction can touch: 32 lanes, 5 words apart */

/* One line of one memory instruction. */
struct piece {
    u64 line;
    u32 sectors, bytes;
    u8 meet; /* lanes at its busiest word, where somebody asks */
};

/* Distinct lines of some lanes, in order of the lanes. */
u32 coalesce(const struct winst *x, u32 lanes, u32 line_bytes, struct piece *out);
u32 different_addresses(const struct winst *x, u32 lanes);
/* joins: lanes of 8 and 16 bytes, see sm.shared.joins_lanes */
u32 shared_passes(const struct winst *x, u32 lanes, u32 banks, bool joins);
/* Lanes at the word of a line that most of them want. */
u32 lanes_at_a_word(const struct winst *x, u32 lanes, u64 line, u32 line_bytes);

#endif
