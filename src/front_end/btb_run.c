#include "front_end/btb_run.h"

#include "config/config.h"
#include "front_end/section.h"

#define ADDRESS_BITS 48u /* of a tag, which is whole, and of a target */

/* clang-format off */
const struct param btb_run_params[] = {
    P_U32(btb_run_config, entries, 2048, 1, 65536, "branches", "entries of the branch target buffer", "Milic 2017, chapter 4: 2K, 256 in the tailored core"),
    P_U32(btb_run_config, ways, 4, 1, 65536, "branches", "entries per set of the branch target buffer", "hpc-cores spec 1.1"),
    P_END,
};

const struct stat_def btb_run_stats[] = {
    S_ARRAY(btb_run_counts, lookups, section_names, CPU_SECTIONS, "instructions", "lookups of taken branches, returns excluded"),
    S_ARRAY(btb_run_counts, misses, section_names, CPU_SECTIONS, "instructions", "taken branches not in the buffer"),
    S_ARRAY(btb_run_counts, wrong_targets, section_names, CPU_SECTIONS, "instructions", "taken branches in the buffer with another target"),
    S_COUNT(btb_run_counts, all_lookups, "instructions", "lookups of taken branches in all sections, returns excluded"),
    S_COUNT(btb_run_counts, all_misses, "instructions", "taken branches not in the buffer, all sections"),
    S_LEVEL(btb_run_counts, storage_bits, "bits", "storage of the buffer, with full tags and 48-bit targets"),
    SECTION_MPKI,
    S_LAW(misses, "all_misses <= all_lookups", "a branch misses at most once"),
    S_END,
};
/* clang-format on */

bool btb_run_check(const struct btb_run_config *c, const struct config *config, struct err *err)
{
    return c->entries % c->ways == 0 ||
           err_at(err, config_pos(config, &c->entries),
                  "entries is %u, expected a multiple of ways = %u", c->entries, c->ways);
}

void btb_run_begin(struct btb_run *r, const struct btb_run_config *c, struct arena *arena)
{
    r->config = c;
    r->counts.storage_bits = (u64)c->entries * 2 * ADDRESS_BITS;
    address_table_init(&r->table, arena, c->entries, c->ways);
}

void btb_run_batch(struct btb_run *r, const struct front_batch *b)
{
    struct btb_run_counts *n = &r->counts;
    for (u32 i = 0; i < b->branch_count; i++) {
        const struct branch_event *e = &b->branches[i];
        if (!e->taken || e->kind == CPU_RETURN)
            continue;
        u64 found = address_table_find(&r->table, e->pc);
        n->lookups[e->section]++;
        n->misses[e->section] += !found;
        n->wrong_targets[e->section] += found && found != e->target;
        if (found != e->target)
            address_table_put(&r->table, e->pc, e->target);
    }
}

void btb_run_settle(struct btb_run *r)
{
    section_total(r->counts.lookups);
    section_total(r->counts.misses);
    section_total(r->counts.wrong_targets);
    r->counts.all_lookups = r->counts.lookups[CPU_TOTAL];
    r->counts.all_misses = r->counts.misses[CPU_TOTAL];
}
