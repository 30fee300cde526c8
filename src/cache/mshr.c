#include "cache/mshr.h"

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

static struct request *request_of(const struct mshr *m, handle_t h)
{
    return pool_get(m->requests, h);
}

struct mshr_entry *mshr_find(const struct mshr *m, u64 line)
{
    u64 index;
    return m->in_use && map_get(&m->by_line, line, &index) ? &m->entries[index] : NULL;
}

enum mshr_answer mshr_probe(const struct mshr *m, u64 line)
{
    const struct mshr_entry *e = mshr_find(m, line);
    if (e)
        return e->count < m->merge_limit ? MSHR_MERGED : MSHR_MERGE_LIMIT;
    return mshr_is_full(m) ? MSHR_FULL : MSHR_NEW;
}

static struct mshr_entry *entry_new(struct mshr *m, u64 line)
{
    assert(!mshr_is_full(m) && m->entries);
    u32 index = m->free;
    struct mshr_entry *e = &m->entries[index];
    m->free = e->next_free;
    *e = (struct mshr_entry){.line = line};
    map_put(&m->by_line, line, index);
    m->in_use++;
    return e;
}

static void append(struct mshr *m, struct mshr_entry *e, handle_t request)
{
    request_of(m, request)->next = HANDLE_NONE;
    if (e->count)
        request_of(m, e->last)->next = request;
    else
        e->first = request;
    e->last = request;
    e->count++;
}

enum mshr_answer mshr_add(struct mshr *m, u64 line, handle_t request, u32 *to_ask)
{
    struct mshr_entry *e = mshr_find(m, line);
    enum mshr_answer answer = e ? MSHR_MERGED : MSHR_NEW;
    assert(!e || e->count < m->merge_limit);
    if (!e)
        e = entry_new(m, line);
    append(m, e, request);
    *to_ask = request_of(m, request)->sectors & ~e->asked;
    e->asked |= *to_ask;
    e->missing |= *to_ask;
    return answer;
}

handle_t mshr_arrive(struct mshr *m, u64 line, u32 sectors)
{
    struct mshr_entry *e = mshr_find(m, line);
    handle_t released = HANDLE_NONE, *end = &released;
    if (!e)
        return HANDLE_NONE;
    e->missing &= ~sectors;
    handle_t left = e->first;
    e->first = e->last = HANDLE_NONE;
    e->count = 0;
    while (left) {
        struct request *r = request_of(m, left);
        handle_t next = r->next;
        if (r->sectors & e->missing) {
            append(m, e, left);
        } else {
            *end = left;
            end = &r->next;
            r->next = HANDLE_NONE;
        }
        left = next;
    }
    if (!e->missing) {
        map_remove(&m->by_line, line);
        e->next_free = m->free;
        m->free = (u32)(e - m->entries);
        m->in_use--;
    }
    return released;
}

void mshr_age(struct mshr *m)
{
    for (u32 i = 0; m->in_use && i < m->entry_count; i++)
        m->entries[i].is_old |= m->entries[i].count > 0;
}
