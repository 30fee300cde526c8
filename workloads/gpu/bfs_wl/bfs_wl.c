/*
 * Host of bfs_wl: breadth-first search with a worklist per block (see bfs_wl.cu for its memory
 * behaviour and use).
 *
 * Distances only fall, each to what one neighbour has plus one, until no node can lower another:
 * whatever the order, they end as the numbers of steps. Every one is compared exactly.
 */
#include "relax.h"

#define BLOCK 128

static const struct host_choice choices[] = {RELAX_CHOICES(240), {0}};

int main(int argc, char **argv)
{
    struct host h;
    struct relax r;
    host_init(&h, "bfs_wl", choices, argc, argv);
    relax_init(&r, &h, false);
    relax_distributed(&r, &h, "bfs_wl", BLOCK);
    relax_check(&r, &h);
    return host_finish(&h);
}
