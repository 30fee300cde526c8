/*
 * Versions of lines, to find reads of stale data where software keeps caches coherent: a checker,
 * off unless asked for (sockets.check).
 *
 * A version is the number of the write that changed a line last. Caches keep it for each line they
 * hold, requests carry it, and a table has what was written and what memory holds. A read must see
 * all that kernels before its own wrote, and all that was released before its warp's last fence
 * began: a write is when a fence of the warp that wrote has ended. Everything else that runs at the
 * same time is unordered. A write to part of a line counts as one of the line: two sockets that
 * write parts of it hide each other's mistakes. Kernels that run at the same time count as one. Of
 * a warp that writes, the last four fences are known.
 */
#ifndef L2_LINE_VERSIONS_H
#define L2_LINE_VERSIONS_H

#include "cache/cache.h"
#include "sim/site.h"

#define NO_VERSION_WARP UINT32_MAX
#define VERSION_FENCES 4u

struct version_entry {
    u64 line;           /* + 1; 0: none */
    u32 newest, before; /* the last write, and the last one of an earlier kernel */
    u32 memory;         /* what its memory holds */
    u32 writer;         /* of the newest */
    u32 released;       /* the last write before the newest that was released, ... */
    u32 released_by;    /* ... and number of the fence */
};

/* A warp slot of the machine, independent of the warp in it. */
struct version_warp {
    struct {
        u32 written; /* all its writes up to this one had taken place when the fence began */
        u32 number;  /* of the fence when it ended; 0: none */
    } fences[VERSION_FENCES];
    u32 next;
    u32 began_written,
        began;     /* writes, and fences that had ended, when the one that it is at began */
    u32 sees;      /* fences whose writes it must see: that had ended when its last began */
    cycle_t since; /* from its reads of this cycle on */
};

struct versions_counts {
    u64 written, checked, stale, forgotten;
};

struct versions {
    struct version_entry *table;
    struct version_warp *warps;
    u32 mask, count;
    u32 written; /* writes so far */
    u32 kernel;  /* those before the kernel that runs now */
    u32 fences;  /* that have ended */
    u64 first_stale_line;
    struct versions_counts counts;
};

void versions_init(struct versions *v, const struct build_site *site);
/* A kernel begins when none runs. */
void versions_next(struct versions *v);
/* A store or atomic of a warp has taken place: the version of the line that it is in. */
u32 versions_wrote(struct versions *v, u64 line, u32 warp);
/* A warp's stores have taken place and its fence empties caches; that is done. */
void versions_fence_begins(struct versions *v, u32 warp);
void versions_fence_ends(struct versions *v, u32 warp, cycle_t now);
/* A dirty line has come to its memory. */
void versions_landed(struct versions *v, u64 line, u32 version);
u32 versions_in_memory(struct versions *v, u64 line);
/* A read of a warp, asked for in that cycle, has this version of the line. */
void versions_check(struct versions *v, u64 line, u32 version, u32 warp, cycle_t issued);

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
