#include "cache/mshr.h"

#include <assert.h>
#include <string.h>

#define NO_ENTRY UINT32_MAX

static void init_buckets(struct mshr *m, struct arena *arena)
{
    u32 bits = 64 - (u32)__builtin_clzll(m->entry_count);
    m->buckets = ARENA_ARRAY(arena, u32, (size_t)1 << bits);
    m->bucket_shift = 64 - bits;
}

void mshr_init(struct mshr *m, struct arena *arena, struct pool *requests, u32 entries,
               u32 merge_limit)
{
    assert(entries > 0 && merge_limit > 0);
    *m = (struct mshr){
        .entries = ARENA_ARRAY(arena, struct mshr_entry, entries),
        .entry_count = entries,
        .merge_limit = merge_limit,
        .free = NO_ENTRY,
        .requests = requests,
    };
    if (entries <= MSHR_MOST_SCANNED)
        *(m->scan = ARENA_NEW(arena, struct mshr_scan)) = (struct mshr_scan){.absent = UINT64_MAX};
    else
        init_buckets(m, arena);
}

static struct request *request_of(const struct mshr *m, handle_t h)
{
    return pool_get(m->requests, h);
}

/* ---- which entry has a line ----------------------------------------------------------------- */

typedef u32 key_vector __attribute__((vector_size(16)));

#define VECTOR (sizeof(key_vector) / sizeof(u32))

static u32 key_of(u64 line)
{
    return (u32)(line >> 5); /* lines have 32 bytes or more */
}

static u32 scan_all(const struct mshr *m, u64 line)
{
    struct mshr_scan *s = m->scan;
    u32 key = key_of(line), in_use = m->in_use;
    const key_vector wanted = {key, key, key, key};
    for (u32 first = 0; first < in_use; first += 2 * VECTOR) {
        const key_vector *k = (const key_vector *)(const void *)(s->key + first);
        key_vector same = (k[0] == wanted) | (k[1] == wanted);
        u64 any[2];
        memcpy(any, &same, sizeof any);
        if (LIKELY(!(any[0] | any[1])))
            continue;
        for (u32 i = first; i < first + 2 * VECTOR && i < in_use; i++) {
            if (s->key[i] == key && m->entries[s->entry[i]].line == line)
                return s->last = i;
        }
    }
    s->absent = line;
    return NO_ENTRY;
}

/* Its place in the scan; NO_ENTRY: it is not there. */
static inline u32 scan_find(const struct mshr *m, u64 line)
{
    const struct mshr_scan *s = m->scan;
    if (!m->in_use || s->absent == line)
        return NO_ENTRY;
    if (s->last < m->in_use && m->entries[s->entry[s->last]].line == line)
        return s->last;
    return scan_all(m, line);
}

/* The last takes its place. */
static void scan_remove(struct mshr *m, u32 at)
{
    struct mshr_scan *s = m->scan;
    u32 last = m->in_use - 1;
    s->key[at] = s->key[last];
    s->entry[at] = s->entry[last];
}

/* The entries of a line's bucket are linked: what is read of each is what its finder wants. */
static u32 *bucket_of(const struct mshr *m, u64 line)
{
    return &m->buckets[line * 0x9e3779b97f4a7c15u >> m->bucket_shift];
}

static void bucket_remove(struct mshr *m, const struct mshr_entry *e)
{
    u32 *link = bucket_of(m, e->line);
    while (&m->entries[*link - 1] != e)
        link = &m->entries[*link - 1].next;
    *link = e->next;
}

struct mshr_entry *mshr_find(const struct mshr *m, u64 line)
{
    if (LIKELY(m->scan != NULL)) {
        u32 at = scan_find(m, line);
        return at == NO_ENTRY ? NULL : &m->entries[m->scan->entry[at]];
    }
    if (!m->in_use)
        return NULL;
    for (u32 at = *bucket_of(m, line); at; at = m->entries[at - 1].next) {
        if (m->entries[at - 1].line == line)
            return &m->entries[at - 1];
    }
    return NULL;
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
    if (index == NO_ENTRY)
        index = m->fresh++;
    else
        m->free = m->entries[index].next_free;
    struct mshr_entry *e = &m->entries[index];
    *e = (struct mshr_entry){.line = line};
    if (m->scan) {
        m->scan->key[m->in_use] = key_of(line);
        m->scan->entry[m->in_use] = (u8)index;
        m->scan->last = m->in_use;
        m->scan->absent = UINT64_MAX;
    } else {
        u32 *bucket = bucket_of(m, line);
        e->next = *bucket;
        *bucket = index + 1;
    }
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

enum mshr_answer mshr_add_to(struct mshr *m, struct mshr_entry *e, u64 line, handle_t request,
                             u32 *to_ask)
{
    enum mshr_answer answer = e ? MSHR_MERGED : MSHR_NEW;
    assert(e == mshr_find(m, line) && (!e || e->count < m->merge_limit));
    if (!e)
        e = entry_new(m, line);
    append(m, e, request);
    *to_ask = request_of(m, request)->sectors & ~e->asked;
    e->asked |= *to_ask;
    e->missing |= *to_ask;
    return answer;
}

enum mshr_answer mshr_add(struct mshr *m, u64 line, handle_t request, u32 *to_ask)
{
    return mshr_add_to(m, mshr_find(m, line), line, request, to_ask);
}

/* Requests of an entry that need nothing that is missing. */
static handle_t release(struct mshr *m, struct mshr_entry *e)
{
    handle_t released = HANDLE_NONE, *end = &released, left = e->first;
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
    return released;
}

handle_t mshr_arrive(struct mshr *m, u64 line, u32 sectors)
{
    u32 at = m->scan ? scan_find(m, line) : NO_ENTRY;
    struct mshr_entry *e = !m->scan         ? mshr_find(m, line)
                           : at == NO_ENTRY ? NULL
                                            : &m->entries[m->scan->entry[at]];
    if (!e)
        return HANDLE_NONE;
    e->missing &= ~sectors;
    if (e->missing)
        return release(m, e);
    if (m->scan)
        scan_remove(m, at);
    else
        bucket_remove(m, e);
    handle_t all = e->first; /* linked, and the last has no next */
    e->first = e->last = HANDLE_NONE;
    e->count = 0;
    e->next_free = m->free;
    m->free = (u32)(e - m->entries);
    m->in_use--;
    return all;
}

void mshr_age(struct mshr *m)
{
    for (u32 i = 0; m->in_use && i < m->entry_count; i++)
        m->entries[i].is_old |= m->entries[i].count > 0;
}
