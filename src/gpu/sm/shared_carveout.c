/* How much of an SM's memory is shared memory while a kernel runs. */
#include "gpu/config.h"
#include "source/warp_instruction.h"

#define KIB 1024u

/*
 * As the driver of an H200 chooses (silicon/h200/carve.csv, 47 of 48 launches; the column
 * shared_config, 216 of 217 kernels): one of the sizes that the GPU has, with room for twice the
 * blocks that an SM takes as long as that is no more than 132 KiB, but not for more blocks than
 * there can be; and no more than 32 KiB for a kernel without shared memory.
 */
static u64 carved_hopper(const struct sm_config *c, const struct grid_source *grid)
{
    static const u32 sizes[] = {8, 16, 32, 64, 100, 132, 164, 196, 228};
    const struct shared_config *s = &c->shared;
    u64 bytes = max_u64(grid->shared_bytes_per_block, s->unit_bytes) + s->unit_bytes - 1;
    u64 each = bytes / s->unit_bytes * s->unit_bytes + s->reserved_bytes;
    u64 fit = grid->shared_bytes_per_block ? sm_blocks_that_fit(c, grid)
                                           : min_u64(c->blocks, c->warps / grid->warps_per_block);
    u64 wanted = fit * each;
    if (2 * fit <= c->blocks && grid->threads_per_block < 1024)
        wanted = min_u64(2 * wanted, max_u64(wanted, 132 * KIB));
    if (!grid->shared_bytes_per_block)
        wanted = min_u64(wanted, 32 * KIB);
    u32 i = 0;
    while (i + 1 < ARRAY_LEN(sizes) && sizes[i] * KIB < wanted)
        i++;
    return sizes[i] * KIB;
}

u32 shared_carved(const struct sm_config *c, const struct grid_source *grid)
{
    u64 carve = c->shared.carve_bytes,
        used = (u64)sm_blocks_that_fit(c, grid) *
               (grid->shared_bytes_per_block + c->shared.reserved_bytes);
    u64 carved = c->shared.carve == CARVE_HOPPER ? carved_hopper(c, grid)
                                                 : (used + carve - 1) / carve * carve;
    return (u32)min_u64(carved, c->shared.bytes);
}
