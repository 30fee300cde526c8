/*
 * The compressed register cache of an SM: which registers of its warps are held as two words and a
 * pattern (gpu/preempt/compress.h), as they were last written (context-management spec 2.7).
 *
 * A register that fits a pattern when it is written takes an entry, as long as there is one; else
 * it is in the register file alone. What has an entry need not pass the compressor when its block
 * is stopped.
 */
#ifndef GPU_PREEMPT_REGISTER_CACHE_H
#define GPU_PREEMPT_REGISTER_CACHE_H

#include "base/arena.h"
#include "base/types.h"

#define CACHED_NAMES 8192u /* registers of a warp that can be cached: those with lower numbers */

struct register_cache {
    u64 (*bits)[CACHED_NAMES / 64]; /* by warp slot */
    u32 entries, used, most;
    u64 full; /* writes that fitted a pattern and found no entry */
};

/* 2 KB are 244 entries of 67 bits. */
void register_cache_init(struct register_cache *c, struct arena *arena, u32 bytes, u32 warps);
/* A 32-bit register of a warp was written. */
void register_cache_write(struct register_cache *c, u32 warp, u32 name, bool fits_a_pattern);
bool register_cache_has(const struct register_cache *c, u32 warp, u32 name);
/* The warp has left its slot. */
void register_cache_forget(struct register_cache *c, u32 warp);

#endif
