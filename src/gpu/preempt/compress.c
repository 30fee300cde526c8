#include "gpu/preempt/compress.h"

static u32 stride_of(enum register_pattern p)
{
    return p == PATTERN_CONSTANT ? 0 : p == PATTERN_STRIDE_1 || p == PATTERN_HALVES_1 ? 1 : 4;
}

void register_expand(const struct compressed_register *c, u32 *lanes)
{
    u32 stride = stride_of(c->pattern), half = WARP_LANES / 2;
    bool halves = c->pattern >= PATTERN_HALVES_1;
    for (u32 i = 0; i < WARP_LANES; i++)
        lanes[i] = halves ? c->base[i / half] + i % half * stride : c->base[0] + i * stride;
}

bool register_compress(const u32 *lanes, u32 count, struct compressed_register *out)
{
    for (u32 p = PATTERN_CONSTANT; p <= PATTERN_HALVES_4; p++) {
        u32 expanded[WARP_LANES], i = 0;
        *out = (struct compressed_register){{lanes[0], lanes[WARP_LANES / 2]},
                                            (enum register_pattern)p};
        register_expand(out, expanded);
        while (i < count && expanded[i] == lanes[i])
            i++;
        if (i == count)
            return true;
    }
    out->pattern = PATTERN_NONE;
    return false;
}
