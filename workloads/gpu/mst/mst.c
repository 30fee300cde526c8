/*
 * Host of mst: a minimum spanning forest (see mst.cu for its memory behaviour and use).
 *
 * Weights differ (they are the edges' numbers in random order), so there is one minimum forest: for
 * every edge it is compared whether it is in it, with Kruskal's choice on the CPU.
 */
#include "graph.h"
#include "host.h"

#include <stdlib.h>

#define BLOCK 256
#define NONE 0xffffffffu

static const struct host_choice choices[] = {
    {"nodes", "of the graph", .sizes = {600, 20000, 1000000}},
    {"edges", "of the R-MAT graph; weights are floats", .sizes = {1800, 100000, 8000000}},
    {"blocks", "of 256 threads", .sizes = {16, 640, 640}},
    {"worklist", "a list per block, or one for all", .words = {"distributed", "shared", NULL}},
    {"graph", "few huge degrees, or a grid with diagonals", .words = {"rmat", "mesh", NULL}},
    {0},
};

/* A square grid with one diagonal per cell, as wide as fits into the nodes. */
static void make_mesh(struct host *h, struct graph *g, u32 nodes)
{
    u32 side = 1, arcs = 0, edge = 0;
    while ((side + 1) * (side + 1) <= nodes)
        side++;
    nodes = side * side;
    static const int dx[6] = {1, 0, 1, -1, 0, -1}, dy[6] = {0, 1, 1, 0, -1, -1};
    *g = (struct graph){.nodes = nodes, .first = calloc(nodes + 1, sizeof(u32))};
    g->to = calloc(6 * (size_t)nodes, sizeof(u32));
    g->edge = calloc(6 * (size_t)nodes, sizeof(u32));
    if (!g->first || !g->to || !g->edge)
        host_fail(h, "no memory for %u nodes", nodes);
    u32 *of_node = HOST_ARRAY(h, u32, 3 * (size_t)nodes); /* its edges to higher nodes */
    for (u32 n = 0; n < nodes; n++) {
        g->first[n] = arcs;
        for (u32 d = 0; d < 6; d++) {
            u32 x = n % side + (u32)dx[d], y = n / side + (u32)dy[d], end = y * side + x;
            if (x >= side || y >= side)
                continue;
            if (d < 3)
                of_node[3 * n + d] = edge++;
            g->edge[arcs] = d < 3 ? of_node[3 * n + d] : of_node[3 * end + d - 3];
            g->to[arcs++] = end;
        }
    }
    g->first[nodes] = g->arcs = arcs;
}

static u32 root_of(u32 *parent, u32 n)
{
    while (parent[n] != n)
        n = parent[n] = parent[parent[n]];
    return n;
}

/* Lightest edges first: those that join two trees. ends[2 w] and [2 w + 1]: the edge of weight w.
 */
static u32 *kruskal(struct host *h, const u32 *ends, u32 nodes, u32 edges)
{
    u32 *in_tree = HOST_ARRAY(h, u32, edges + 1), *parent = HOST_ARRAY(h, u32, nodes);
    for (u32 n = 0; n < nodes; n++)
        parent[n] = n;
    for (u32 w = 1; w <= edges; w++) {
        u32 a = root_of(parent, ends[2 * w]), b = root_of(parent, ends[2 * w + 1]);
        in_tree[w] = a != b;
        parent[a] = b;
    }
    return in_tree;
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "mst", choices, argc, argv);
    struct graph g;
    if (host_chosen(&h, "graph") == 1)
        make_mesh(&h, &g, host_measure(&h, "nodes"));
    else
        graph_rmat_simple(&g, host_measure(&h, "nodes"), host_measure(&h, "edges"), h.seed);
    u32 edges = g.arcs / 2, blocks = host_measure(&h, "blocks");
    u32 share = host_chosen(&h, "worklist") == 1 ? 0 : blocks_for(g.nodes, blocks);
    u32 lists = share ? blocks : 1, room = share ? share * blocks : g.nodes;

    u32 *order = HOST_ARRAY(&h, u32, edges), *ends = HOST_ARRAY(&h, u32, 2 * ((size_t)edges + 1));
    float *weights = HOST_ARRAY(&h, float, g.arcs);
    graph_shuffle(order, edges, random_stream(h.seed, "weights"));
    u32 *count = HOST_ARRAY(&h, u32, lists), *nodes = HOST_ARRAY(&h, u32, room);
    u32 *labels = HOST_ARRAY(&h, u32, g.nodes);
    for (u32 n = 0; n < g.nodes; n++) {
        nodes[n] = labels[n] = n; /* list n / share begins at node n - n % share */
        count[share ? n / share : 0]++;
        for (u32 a = g.first[n]; a < g.first[n + 1]; a++) {
            u32 weight = order[g.edge[a]] + 1; /* 2^24 at most: exact */
            weights[a] = (float)weight;
            ends[2 * weight] = n;
            ends[2 * weight + 1] = g.to[a];
        }
    }
    size_t bytes = g.nodes * sizeof(u32), list_bytes = room * sizeof(u32);
    CUdeviceptr first = host_upload(&h, g.first, bytes + sizeof(u32));
    CUdeviceptr to = host_upload(&h, g.to, g.arcs * sizeof(u32));
    CUdeviceptr device_weights = host_upload(&h, weights, g.arcs * sizeof(float));
    CUdeviceptr device_ends = host_upload(&h, ends, 2 * ((size_t)edges + 1) * sizeof(u32));
    CUdeviceptr component = host_upload(&h, labels, bytes), parent = host_upload(&h, labels, bytes);
    CUdeviceptr best = host_device_alloc(&h, bytes), in_tree = host_zeros(&h, (edges + 1) * 4ull);
    CU(&h, cuMemsetD32, (best, NONE, g.nodes));
    CUdeviceptr list[2] = {host_upload(&h, nodes, list_bytes), host_device_alloc(&h, list_bytes)};
    CUdeviceptr counts[2] = {host_upload(&h, count, lists * sizeof(u32)),
                             host_zeros(&h, lists * sizeof(u32))};
    CUfunction find = host_kernel(&h, "mst_find"), merge = host_kernel(&h, "mst_merge");
    CUfunction label = host_kernel(&h, "mst_label");

    struct dim grid = DIM1(blocks), block = DIM1(BLOCK);
    u32 left = 1;
    for (u32 round = 0; left > 0; round++) {
        u32 from = round % 2, next = 1 - from;
        host_launch(&h, find, grid, block, 0,
                    ARGS(&first, &to, &device_weights, &component, &best, &list[from],
                         &counts[from], &list[next], &counts[next], &share));
        host_launch(&h, merge, grid, block, 0,
                    ARGS(&device_ends, &component, &best, &parent, &in_tree, &g.nodes));
        host_launch(&h, label, grid, block, 0,
                    ARGS(&parent, &component, &best, &counts[from], &lists, &g.nodes));
        host_download(&h, count, counts[next], lists * sizeof(u32));
        left = 0;
        for (u32 i = 0; i < lists; i++)
            left += count[i];
    }
    host_check_u32(&h, "in_tree", in_tree, kruskal(&h, ends, g.nodes, edges), edges + 1);
    graph_fini(&g);
    return host_finish(&h);
}
