/*
 * Host of ccl: connected components of a graph (see ccl.cu for its memory behaviour and use).
 *
 * The label of a component is the smallest number of its nodes, however many rounds it took and
 * whichever thread came first. The CPU floods each component from that node; all are compared
 * exactly.
 */
#include "graph.h"
#include "host.h"
#include "random.h"

#include <assert.h>

#define BLOCK 256
#define BOND 0.5f /* the share of bonds that are there; at half, components have all sizes */
#define NONE 0xffffffffu

/* Is the bond from this node to the right (0) or downwards (1) there? */
static bool has_bond(struct random bonds, u32 node, u32 side, u32 direction)
{
    assert(side > 0);
    bool edge = direction == 0 ? node % side == side - 1 : node / side == side - 1;
    return !edge && random_unit(bonds, 2 * (u64)node + direction) < BOND;
}

/* Nodes on a square, some of the bonds between neighbours. */
static struct graph make_lattice(struct host *h, u32 side)
{
    struct random bonds = random_stream(h->seed, "bonds");
    struct graph g = {.nodes = side * side};
    g.first = HOST_ARRAY(h, u32, (size_t)g.nodes + 1);
    g.to = HOST_ARRAY(h, u32, 4 * (size_t)g.nodes);
    for (u32 n = 0; n < g.nodes; n++) {
        g.first[n] = g.arcs;
        if (n >= side && has_bond(bonds, n - side, side, 1))
            g.to[g.arcs++] = n - side;
        if (n > 0 && has_bond(bonds, n - 1, side, 0))
            g.to[g.arcs++] = n - 1;
        if (has_bond(bonds, n, side, 0))
            g.to[g.arcs++] = n + 1;
        if (has_bond(bonds, n, side, 1))
            g.to[g.arcs++] = n + side;
    }
    g.first[g.nodes] = g.arcs;
    return g;
}

static u32 *flood_all(struct host *h, const struct graph *g)
{
    u32 *label = HOST_ARRAY(h, u32, g->nodes), *queue = HOST_ARRAY(h, u32, g->nodes);
    for (u32 n = 0; n < g->nodes; n++)
        label[n] = NONE;
    for (u32 start = 0; start < g->nodes; start++) {
        if (label[start] != NONE)
            continue;
        u32 head = 0, tail = 0;
        label[start] = start;
        queue[tail++] = start;
        while (head < tail) {
            u32 node = queue[head++];
            for (u32 e = g->first[node]; e < g->first[node + 1]; e++) {
                u32 neighbour = g->to[e];
                if (label[neighbour] == NONE) {
                    label[neighbour] = start;
                    queue[tail++] = neighbour;
                }
            }
        }
    }
    return label;
}

static const struct host_choice choices[] = {
    {"side", "of the lattice", .sizes = {64, 512, 4096}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "ccl", choices, argc, argv);
    struct graph g = make_lattice(&h, host_measure(&h, "side"));

    size_t node_bytes = g.nodes * sizeof(u32);
    CUdeviceptr first = host_upload(&h, g.first, node_bytes + sizeof(u32));
    CUdeviceptr to = host_upload(&h, g.to, g.arcs * sizeof(u32));
    CUdeviceptr device_label = host_device_alloc(&h, node_bytes);
    CUdeviceptr again = host_device_alloc(&h, sizeof(u32));
    CUfunction hook = host_kernel(&h, "ccl_hook"), jump = host_kernel(&h, "ccl_jump");

    struct dim grid = DIM1(blocks_for(g.nodes, BLOCK)), block = DIM1(BLOCK);
    host_launch(&h, host_kernel(&h, "ccl_start"), grid, block, 0, ARGS(&device_label, &g.nodes));
    u32 going = 1;
    for (u32 round = 0; going && round <= g.nodes; round++) {
        CU(&h, cuMemsetD32, (again, 0, 1));
        host_launch(&h, hook, grid, block, 0, ARGS(&first, &to, &device_label, &again, &g.nodes));
        host_launch(&h, jump, grid, block, 0, ARGS(&device_label, &g.nodes));
        host_download(&h, &going, again, sizeof going);
    }

    u32 *label = HOST_ARRAY(&h, u32, g.nodes);
    host_download(&h, label, device_label, node_bytes);
    host_compare_u32(&h, "label", label, flood_all(&h, &g), g.nodes);
    return host_finish(&h);
}
