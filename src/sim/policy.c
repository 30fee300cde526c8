#include "sim/policy.h"

#include "stats/tree.h"

void policy_add_statistics(const struct policy_ops *p, const void *state, struct stats *s, u32 of,
                           const char *name)
{
    if (p->stats)
        stats_add(s, of, name, STAT_NO_INDEX, p->stats, (const u8 *)state + p->stats_offset);
}
