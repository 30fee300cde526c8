/*
 * The parts at the nodes of a mesh, as a chip file draws them: rows from the top, separated by '/',
 * a letter for each node.
 *
 *   C a CPU core, G an SM, L a bank of the shared cache, M a memory controller, . nothing
 *
 * Several parts of one node stand in brackets: [CL]. Parts of a kind are numbered in the order in
 * which they are read.
 */
#ifndef NET_MESH_PLACEMENT_H
#define NET_MESH_PLACEMENT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/types.h"

enum placed_part { PLACED_CPU, PLACED_SM, PLACED_BANK, PLACED_MEMORY, PLACED_KINDS };

struct placement {
    u32 count[PLACED_KINDS];
    u16 *nodes[PLACED_KINDS]; /* by number among those of the kind */
};

/* `expected` by kind: how many there must be; UINT32_MAX: any number. */
bool placement_read(struct placement *p, struct arena *arena, const char *text, u32 width,
                    u32 height, const u32 *expected, struct src_pos at, struct err *err);

#endif
