#include "cpu/prefetcher.h"

void prefetcher_init(struct prefetcher *p, struct arena *arena, struct policy_choice choice)
{
    *p = (struct prefetcher){.ops = (const struct prefetcher_ops *)choice.ops,
                             .config = choice.config};
    if (p->ops->state_bytes)
        p->state = arena_alloc(arena, p->ops->state_bytes);
    if (p->ops->table_bytes)
        p->table = arena_alloc(arena, p->ops->table_bytes(p->config));
}
