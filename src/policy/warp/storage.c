#include "policy/warp/storage.h"

#define COUNTER_BITS 32u
#define STATE_BITS 3u    /* of 7 states */
#define ADDRESS_BITS 48u /* of which a tag leaves out the offset in a line */
#define VICTIMS 16u      /* of a warp, CCWS */
#define SCORE_BITS 32u

u32 storage_bits_for(u32 things)
{
    u32 bits = 0;
    while (((u64)1 << bits) < things)
        bits++;
    return bits;
}

void storage_add(struct storage *s, const char *what, u32 count, u32 bits, bool is_extra)
{
    s->parts[s->count++] = (struct storage_part){what, count, bits, is_extra};
}

/* Both in the paragraph on area: the thesis counts fewer counters, and not
 * the scheduler's bits. */
static struct storage poise(const struct gpu_config *c, u32 counters, bool has_bits,
                            const char *source)
{
    struct storage s = {.mechanism = "poise", .source = source};
    u32 lines = c->sm.l1.size_bytes / c->line_bytes, warps = c->sm.warps;
    u32 per_scheduler = storage_bits_for(warps / c->sm.schedulers + 1);
    storage_add(&s, "performance counters", counters, COUNTER_BITS, false);
    storage_add(&s, "state registers", 2, STATE_BITS, false);
    storage_add(&s, "vital and pollute bits of warps", 2 * warps, 1, !has_bits);
    storage_add(&s, "features of the first sample", 5, COUNTER_BITS, true);
    storage_add(&s, "N, p and stride", 3, per_scheduler, true);
    storage_add(&s, "best and neighbours of the search", 3, COUNTER_BITS, true);
    storage_add(&s, "warp of each line of L1", lines, storage_bits_for(warps), true);
    return s;
}

static struct storage ccws(const struct gpu_config *c)
{
    struct storage s = {.mechanism = "ccws",
                        .source = "assumed widths; no published sum (Poise spec 5)"};
    u32 lines = c->sm.l1.size_bytes / c->line_bytes, warps = c->sm.warps;
    storage_add(&s, "victim tags of warps", warps * VICTIMS,
                ADDRESS_BITS - storage_bits_for(c->line_bytes), false);
    storage_add(&s, "scores of warps", warps, SCORE_BITS, false);
    storage_add(&s, "warp of each line of L1", lines, storage_bits_for(warps), false);
    storage_add(&s, "load bits of warps", warps, 1, false);
    return s;
}

u32 storage_of(const struct gpu_config *c, struct storage tables[STORAGE_TABLES])
{
    tables[0] = poise(c, 7, true, "Dublish et al., HPCA 2019");
    tables[1] = poise(c, 4, false, "Dublish 2018 (thesis)");
    tables[2] = ccws(c);
    return STORAGE_TABLES;
}

u64 storage_bits(const struct storage *s, bool with_extras)
{
    u64 bits = 0;
    for (u32 i = 0; i < s->count; i++)
        bits +=
            s->parts[i].is_extra && !with_extras ? 0 : (u64)s->parts[i].count * s->parts[i].bits;
    return bits;
}
