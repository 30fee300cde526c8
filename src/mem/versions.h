/*
 * Versions of lines, to find reads of stale data where software keeps caches coherent: a checker,
 * off unless asked for (sockets.check).
 *
 * A version is the number of the kernel that wrote a line last. Caches keep it for each line they
 * hold, requests carry it, and a table has what was written and what memory holds. A read must see
 * all that kernels before its own wrote; what runs at the same time is ordered by nobody. A write
 * to part of a line counts as one of the line: two sockets that write parts of it hide each other's
 * mistakes. Kernels that run at the same time count as one.
 */
#ifndef MEM_VERSIONS_H
#define MEM_VERSIONS_H

#include "mem/cache.h"
#include "sim/site.h"

struct version_entry {
    u64 line;           /* + 1; 0: none */
    u32 newest, before; /* the last kernel that wrote it, and the last one before that */
    u32 memory;         /* what its memory holds */
};

struct versions_counts {
    u64 written, checked, stale, forgotten;
};

struct versions {
    struct version_entry *table;
    u32 mask, count;
    u32 kernel; /* that runs now, from 1 */
    u64 first_stale_line;
    struct versions_counts counts;
};

void versions_init(struct versions *v, const struct build_site *site);
/* A kernel begins when none runs. */
void versions_next(struct versions *v);
/* A store or atomic has taken place: the version of the line that it is in. */
u32 versions_wrote(struct versions *v, u64 line);
/* A dirty line has come to its memory. */
void versions_landed(struct versions *v, u64 line, u32 version);
u32 versions_in_memory(struct versions *v, u64 line);
/* A read has this version of the line. */
void versions_check(struct versions *v, u64 line, u32 version);

/* ---- what a cache knows of its lines: cache.versions, NULL without a checker ---- */

void versions_keep(struct cache *c, struct arena *arena);

static inline u32 *cache_version(const struct cache *c, struct cache_place p)
{
    return &c->versions[(size_t)p.set * c->tags.ways + p.way];
}

static inline void cache_version_raise(const struct cache *c, struct cache_place p, u32 version)
{
    u32 *v = cache_version(c, p);
    *v = version > *v ? version : *v;
}

#endif
