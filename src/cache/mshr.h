/*
 * Miss status holding registers: which lines are on their way, and which requests wait.
 *
 * Fully associative. A miss on a line that is already on its way joins its
 * entry, up to a limit of requests per entry; other misses take a new entry.
 * With sectors an entry may be waiting for several answers: a request goes on
 * when all of its own sectors have come. Everything is sized when the chip is
 * built.
 */
#ifndef CACHE_MSHR_H
#define CACHE_MSHR_H

#include "base/arena.h"
#include "mem/request.h"

struct mshr_entry {
    u64 line;
    handle_t first, last; /* requests, oldest first */
    u32 count;
    u32 asked, missing; /* sectors that were asked for, and those that have not come */
    bool no_fill;       /* the line is not to be kept */
    bool is_old;        /* asked for before the cache was emptied: for the waiting requests only */
    u32 next_free;
    u32 next; /* 1 + the next entry of its bucket; 0: it is the last */
};

/* Of few entries a scan of what is in use finds a line sooner than buckets. */
#define MSHR_MOST_SCANNED 64u

struct mshr_scan {
    _Alignas(64) u32 key[MSHR_MOST_SCANNED]; /* some bits of a line; the first in_use count */
    u8 entry[MSHR_MOST_SCANNED];             /* whose line it is */
    u32 last;                                /* found last: who asks for a line asks again soon */
    u64 absent; /* a line that was looked for and is not there; UINT64_MAX: none */
};

struct mshr {
    struct mshr_entry *entries;
    struct mshr_scan *scan; /* NULL: there are more entries than that, and buckets */
    u32 *buckets;           /* by hash of the line: 1 + the first entry; 0: none */
    u32 bucket_shift;
    u32 entry_count, merge_limit, in_use;
    u32 free, fresh; /* entries that were used before, a list; the first that never was */
    struct pool *requests;
};

enum mshr_answer { MSHR_MERGED, MSHR_NEW, MSHR_FULL, MSHR_MERGE_LIMIT };

void mshr_init(struct mshr *m, struct arena *arena, struct pool *requests, u32 entries,
               u32 merge_limit);

/* The entry of a line; NULL: it is not on its way. */
struct mshr_entry *mshr_find(const struct mshr *m, u64 line);
/* What mshr_add would do; changes nothing. */
enum mshr_answer mshr_probe(const struct mshr *m, u64 line);
/* The probe must not have been MSHR_FULL or MSHR_MERGE_LIMIT. The request waits for its
 * sectors; those in *to_ask have not been requested before. */
enum mshr_answer mshr_add(struct mshr *m, u64 line, handle_t request, u32 *to_ask);
/* The same where the entry is known: what mshr_find gave, and nothing has changed. */
enum mshr_answer mshr_add_to(struct mshr *m, struct mshr_entry *e, u64 line, handle_t request,
                             u32 *to_ask);
/* Sectors of a line have come: the requests that need no others, oldest first, linked
 * through request.next; HANDLE_NONE: none. The entry is free when all have come. */
handle_t mshr_arrive(struct mshr *m, u64 line, u32 sectors);

/* The cache has been emptied. */
void mshr_age(struct mshr *m);

static inline bool mshr_is_full(const struct mshr *m)
{
    return m->in_use == m->entry_count;
}

#endif
