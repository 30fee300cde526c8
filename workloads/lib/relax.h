/*
 * Shortest distances from one node on an R-MAT graph: the hosts of bfs_wl and sssp. A distance is
 * the bits of a whole number (without weights) or of a float: both order alike.
 */
#ifndef WORKLOADS_RELAX_H
#define WORKLOADS_RELAX_H

#include "graph.h"
#include "host.h"

#define UNREACHED 0xffffffffu

struct relax {
    struct graph graph;
    float *weights; /* per arc, whole numbers from 1 to 16; NULL: all 1 */
    u32 source;
    CUdeviceptr first, to, device_weights, distance;
};

/* Options that both programs have: the density 2 E / (V (V - 1)) is theirs to choose. */
#define RELAX_CHOICES(blocks)                                                                      \
    {"nodes", "of the R-MAT graph", .sizes = {600, 20000, 1000000}},                               \
        {"edges", "of the R-MAT graph", .sizes = {1800, 100000, 8000000}},                         \
    {                                                                                              \
        "blocks", "of the grid, each with a list of its own", .sizes = { 8, blocks, blocks }       \
    }

/* The graph of --nodes and --edges, from its largest node, on the device. */
void relax_init(struct relax *r, struct host *h, bool weighted);
/* One launch of `kernel`, all blocks with lists of their own. */
void relax_distributed(struct relax *r, struct host *h, const char *kernel, u32 block);
/* Compares every distance with a queue's on the CPU. */
void relax_check(struct relax *r, struct host *h);

#endif
