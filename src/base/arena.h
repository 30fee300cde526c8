/*
 * Memory that lives and dies together.
 *
 * A chip, a program and a kernel launch each have one arena; freeing it frees
 * all that was taken from it. Memory comes zeroed. Running out of memory ends
 * the process: there is no sensible way to go on, and no caller could test it. Threads may take
 * from one at the same time.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/lock.h"
#include "base/types.h"

struct arena_block;

struct arena {
    struct arena_block *blocks;
    u64 used_bytes; /* handed out, without padding and slack */
    struct lock lock;
    u64 next, end; /* addresses that are taken next, and behind the last; 0: any (arena_place) */
};

/* Before anything is taken: all of its memory lies from an address on without gaps, so that the
 * same requests get the same addresses in every process. Whole pages, in large steps. */
void arena_place(struct arena *a, u64 from, u64 to);
/* One that was placed is as long as another, of which nothing was taken here. False: these
 * addresses are not free. */
bool arena_extend(struct arena *a, u64 next);
void *arena_alloc(struct arena *a, size_t bytes);
/* align: a power of two up to 4096 */
void *arena_alloc_aligned(struct arena *a, size_t bytes, size_t align);
/* For worst cases: little of it will be touched, and only that costs memory. Aligned to 64. */
void *arena_alloc_sparse(struct arena *a, size_t bytes);
char *arena_strdup(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Nothing is taken any more; memory for the next use is kept. For one small thing after the other:
 * a new arena costs the host tens of kilobytes of zeros. */
void arena_clear(struct arena *a);
void arena_fini(struct arena *a);

#define ARENA_NEW(arena, type) ARENA_ARRAY(arena, type, 1)
#define ARENA_ARRAY(arena, type, count)                                                            \
    ((type *)arena_alloc_aligned((arena), sizeof(type) * (size_t)(count), _Alignof(type)))

/* For the few things that outlive or outgrow an arena; never returns NULL. */
void *xrealloc(void *p, size_t bytes);

#endif
