#include "cpu/tlb.h"

/* clang-format off */
const struct stat_def tlb_stats[] = {
    S_COUNT(tlb_counts, lookups, "accesses", "accesses translated"),
    S_COUNT(tlb_counts, misses, "accesses", "accesses that missed in the first-level TLB"),
    S_COUNT(tlb_counts, walks, "accesses", "accesses that missed in both levels of the TLB"),
    S_RATIO(tlb_counts, miss_rate, misses, lookups, "first-level misses per translated access"),
    S_LAW(levels, "walks <= misses", "a walk follows a miss"),
    S_END,
};
/* clang-format on */

void tlb_init(struct tlb *t, struct arena *arena, const struct tlb_config *c,
              struct address_table *second)
{
    *t = (struct tlb){
        .config = c, .second = second, .page_shift = (u32)__builtin_ctz(c->page_bytes)};
    address_table_init(&t->pages, arena, c->entries, c->ways);
}

u32 tlb_translate(struct tlb *t, u64 address)
{
    u64 page = address >> t->page_shift;
    if (!t->config->enabled)
        return 0;
    t->counts.lookups++;
    if (address_table_find(&t->pages, page))
        return 0;
    t->counts.misses++;
    address_table_put(&t->pages, page, 1);
    if (address_table_find(t->second, page))
        return t->config->l2_cycles;
    address_table_put(t->second, page, 1);
    t->counts.walks++;
    return t->config->l2_cycles + t->config->walk_cycles;
}
