/*
 * How uneven a graph is around its nodes (context-management spec 2.1): density, the local density
 * of a node, and the range of degrees near it.
 */
#ifndef STUDY_IRREGULARITY_H
#define STUDY_IRREGULARITY_H

#include "base/types.h"

/* Undirected, without loops: the neighbours of node n are edges[first[n]] to edges[first[n + 1] -
 * 1], so that every edge is there twice. */
struct degree_graph {
    u32 nodes;
    const u32 *first, *edges;
};

/* Edges that are there, of those that could be. */
double graph_density(const struct degree_graph *g);
/* Of a node: its degree by the number of nodes. */
double graph_local_density(const struct degree_graph *g, u32 node);
/* NDR: the largest less the smallest degree of all nodes within so many hops, itself among them. */
u32 graph_degree_range(const struct degree_graph *g, u32 node, u32 hops);

#endif
