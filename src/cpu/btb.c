#include "cpu/btb.h"

void btb_init(struct btb *b, struct arena *arena, u32 entries, u32 ways)
{
    *b = (struct btb){.entries = ARENA_ARRAY(arena, struct btb_entry, entries),
                      .sets = entries / ways,
                      .ways = ways};
}

static struct btb_entry *set_of(const struct btb *b, u64 pc)
{
    return &b->entries[(size_t)(pc % b->sets) * b->ways];
}

static struct btb_entry *find(const struct btb *b, u64 pc)
{
    struct btb_entry *set = set_of(b, pc);
    for (u32 way = 0; way < b->ways; way++) {
        if (set[way].pc == pc && set[way].used)
            return &set[way];
    }
    return NULL;
}

u64 btb_target(struct btb *b, u64 pc)
{
    struct btb_entry *e = find(b, pc);
    if (!e)
        return 0;
    e->used = ++b->clock;
    return e->target;
}

void btb_put(struct btb *b, u64 pc, u64 target)
{
    struct btb_entry *e = find(b, pc), *set = set_of(b, pc);
    if (!e) {
        e = set;
        for (u32 way = 1; way < b->ways; way++)
            e = set[way].used < e->used ? &set[way] : e;
    }
    *e = (struct btb_entry){pc, target, ++b->clock};
}
