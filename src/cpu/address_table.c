#include "cpu/address_table.h"

void address_table_init(struct address_table *t, struct arena *arena, u32 entries, u32 ways)
{
    *t = (struct address_table){.entries = ARENA_ARRAY(arena, struct address_entry, entries),
                                .sets = entries / ways,
                                .ways = ways};
}

static struct address_entry *set_of(const struct address_table *t, u64 address)
{
    return &t->entries[(size_t)(address % t->sets) * t->ways];
}

static struct address_entry *find(const struct address_table *t, u64 address)
{
    struct address_entry *set = set_of(t, address);
    for (u32 way = 0; way < t->ways; way++) {
        if (set[way].address == address && set[way].used)
            return &set[way];
    }
    return NULL;
}

u64 address_table_find(struct address_table *t, u64 address)
{
    struct address_entry *e = find(t, address);
    if (!e)
        return 0;
    e->used = ++t->clock;
    return e->value;
}

void address_table_put(struct address_table *t, u64 address, u64 value)
{
    struct address_entry *e = find(t, address), *set = set_of(t, address);
    if (!e) {
        e = set;
        for (u32 way = 1; way < t->ways; way++)
            e = set[way].used < e->used ? &set[way] : e;
    }
    *e = (struct address_entry){address, value, ++t->clock};
}
