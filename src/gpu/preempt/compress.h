/*
 * Register values of a warp in two words: constants and regular strides, over all lanes or over
 * each half of them (context-management spec 2.7). A register that fits one of five patterns takes
 * 67 bits instead of 1024: two bases and the pattern.
 */
#ifndef GPU_PREEMPT_COMPRESS_H
#define GPU_PREEMPT_COMPRESS_H

#include "base/types.h"

#define COMPRESSED_BITS 67u
#define WARP_LANES 32u

enum register_pattern {
    PATTERN_NONE,
    PATTERN_CONSTANT,
    PATTERN_STRIDE_1,
    PATTERN_STRIDE_4,
    PATTERN_HALVES_1, /* each half of the lanes from a base of its own */
    PATTERN_HALVES_4,
};

struct compressed_register {
    u32 base[2];
    enum register_pattern pattern;
};

/* The first `count` lanes, those that exist. False: they fit none, and take 32 bits each. */
bool register_compress(const u32 *lanes, u32 count, struct compressed_register *out);
void register_expand(const struct compressed_register *c, u32 *lanes);

#endif
