#include "mem/mshr.h"

#include <assert.h>

#define NO_ENTRY UINT32_MAX

void mshr_init(struct mshr *m, struct arena *arena, struct pool *requests, u32 entries,
               u32 merge_limit)
{
    assert(entries > 0 && merge_limit > 0);
    *m = (struct mshr){
        .entries = ARENA_ARRAY(arena, struct mshr_entry, entries),
        .entry_count = entries,
        .merge_limit = merge_limit,
        .requests = requests,
    };
    map_init_fixed(&m->by_line, arena, entries);
    for (u32 i = 0; i < entries; i++)
        m->entries[i].next_free = i + 1 < entries ? i + 1 : NO_ENTRY;
}

enum mshr_answer mshr_probe(const struct mshr *m, u64 line)
{
    u64 index;
    if (map_get(&m->by_line, line, &index))
        return m->entries[index].count < m->merge_limit ? MSHR_MERGED : MSHR_MERGE_LIMIT;
    return mshr_is_full(m) ? MSHR_FULL : MSHR_NEW;
}

enum mshr_answer mshr_add(struct mshr *m, u64 line, handle_t request)
{
    struct request *r = pool_get(m->requests, request);
    u64 index;
    r->next = HANDLE_NONE;
    if (map_get(&m->by_line, line, &index)) {
        struct mshr_entry *e = &m->entries[index];
        assert(e->count < m->merge_limit);
        ((struct request *)pool_get(m->requests, e->last))->next = request;
        e->last = request;
        e->count++;
        return MSHR_MERGED;
    }
    assert(!mshr_is_full(m));
    index = m->free;
    struct mshr_entry *e = &m->entries[index];
    m->free = e->next_free;
    *e = (struct mshr_entry){.line = line, .first = request, .last = request, .count = 1};
    map_put(&m->by_line, line, index);
    m->in_use++;
    return MSHR_NEW;
}

handle_t mshr_take(struct mshr *m, u64 line)
{
    u64 index;
    if (!map_get(&m->by_line, line, &index))
        return HANDLE_NONE;
    map_remove(&m->by_line, line);
    struct mshr_entry *e = &m->entries[index];
    e->next_free = m->free;
    m->free = (u32)index;
    m->in_use--;
    return e->first;
}
