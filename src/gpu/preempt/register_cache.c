#include "gpu/preempt/register_cache.h"

#include "gpu/preempt/compress.h"

#include <string.h>

void register_cache_init(struct register_cache *c, struct arena *arena, u32 bytes, u32 warps)
{
    *c = (struct register_cache){.bits = arena_alloc(arena, warps * sizeof *c->bits),
                                 .entries = bytes * 8 / COMPRESSED_BITS};
}

bool register_cache_has(const struct register_cache *c, u32 warp, u32 name)
{
    return name < CACHED_NAMES && c->bits[warp][name / 64] >> (name % 64) & 1;
}

void register_cache_write(struct register_cache *c, u32 warp, u32 name, bool fits_a_pattern)
{
    bool has = register_cache_has(c, warp, name);
    if (name >= CACHED_NAMES || has == fits_a_pattern)
        return;
    if (fits_a_pattern && c->used == c->entries) {
        c->full++;
        return;
    }
    c->bits[warp][name / 64] ^= (u64)1 << (name % 64);
    c->used += fits_a_pattern ? 1 : UINT32_MAX;
    c->most = c->used > c->most ? c->used : c->most;
}

void register_cache_forget(struct register_cache *c, u32 warp)
{
    for (u32 i = 0; i < CACHED_NAMES / 64; i++)
        c->used -= (u32)__builtin_popcountll(c->bits[warp][i]);
    memset(c->bits[warp], 0, sizeof c->bits[warp]);
}
