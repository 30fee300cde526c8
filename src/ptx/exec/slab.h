/*
 * Memory of running blocks: taken in large pieces, so that the registers of
 * thousands of warps lie on few pages, and kept by the program for its next
 * launch. Nothing is given back but all of a grid's at once.
 */
#ifndef PTX_EXEC_SLAB_H
#define PTX_EXEC_SLAB_H

#include "base/types.h"

struct slab {
    struct slab *next;
    size_t bytes, used;
    size_t touched; /* from its start: what a grid has had before */
};

/* Aligned for vectors: from the first of the list, or from a new one in front; spare ones are used
 * first. Zeros but for the first *touched bytes, which are as a grid before has left them. */
void *slab_alloc(struct slab **list, struct slab **spare, size_t bytes, size_t *touched);
/* The same all as a grid before has left it; pages that nobody writes cost nothing, unless they are
 * huge. */
void *slab_alloc_rough(struct slab **list, struct slab **spare, size_t bytes, bool huge);
/* All of a list become spare, and empty. */
void slab_spare(struct slab **list, struct slab **spare);
void slab_free(struct slab **list);

#endif
