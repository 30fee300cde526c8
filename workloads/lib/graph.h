/*
 * Graphs from a seed, in compressed rows: the neighbours of node n are to[first[n]] up to, not
 * including, to[first[n + 1]].
 *
 * Undirected: every edge is in the rows of both its ends. Edges from a node to itself and repeated
 * edges stay in, as the generators make them; they do not change a breadth-first search. A simple
 * graph has neither.
 */
#ifndef WORKLOADS_GRAPH_H
#define WORKLOADS_GRAPH_H

#include "random.h"
#include "types.h"

struct graph {
    u32 nodes;
    u32 arcs;   /* twice the number of edges */
    u32 *first; /* nodes + 1 */
    u32 *to;    /* arcs */
    u32 *edge;  /* arcs of a simple graph: which edge it is, the same at both ends; NULL else */
};

/* `degree` arcs per node on average (even), both ends of every edge uniformly random. */
void graph_uniform(struct graph *g, u32 nodes, u32 degree, u64 seed);

/* R-MAT (Chakrabarti, Zhan, Faloutsos: SDM 2004) with Graph500's 0.57, 0.19, 0.19, 0.05: few nodes
 * have most of the edges, many have none. Nodes are numbered so that the large ones lie anywhere.
 * 2^scale nodes, scale 1 to 28; `degree` arcs per node on average (even). */
void graph_rmat(struct graph *g, u32 scale, u32 degree, u64 seed);

/* A simple R-MAT graph of any number of nodes: halves of an odd range are the larger one first;
 * edges that repeat or join a node to itself are drawn again. Nodes are numbered at random. At most
 * a quarter of all possible edges. */
void graph_rmat_simple(struct graph *g, u32 nodes, u32 edges, u64 seed);

/* The numbers below count, each once, in random order. */
void graph_shuffle(u32 *order, u32 count, struct random r);

/* The node with the most neighbours; the first of several. */
u32 graph_hub(const struct graph *g);

void graph_fini(struct graph *g);

#endif
