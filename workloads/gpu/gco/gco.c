/*
 * Host of gco: a colouring of a graph's nodes (see gco.cu for its memory behaviour and use).
 *
 * Within a kernel nothing is read that another thread writes, so the colours follow from the graph
 * alone. The CPU goes through the same rounds, checks that no edge has one colour at both ends, and
 * the colour of every node is compared exactly.
 */
#include "graph.h"
#include "host.h"

#include <string.h>

#define BLOCK 256
#define DEGREE 4
#define NONE 0xffffffffu
#define SPREAD 2

static u32 mix(u32 x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

static u32 choose(const struct graph *g, const u32 *colour, u32 node, u32 round)
{
    for (u32 from = 0;; from += 32) {
        bool used[32] = {false};
        u32 free = 32;
        for (u32 e = g->first[node]; e < g->first[node + 1]; e++) {
            u32 other = colour[g->to[e]] - from;
            if (other < 32 && !used[other]) {
                used[other] = true;
                free--;
            }
        }
        if (free == 0)
            continue;
        u32 bit = mix(node + round * g->nodes) % SPREAD;
        while (used[bit])
            bit = (bit + 1) % 32;
        return from + bit;
    }
}

static bool wins(const struct graph *g, const u32 *wanted, u32 node)
{
    for (u32 e = g->first[node]; e < g->first[node + 1]; e++) {
        if (wanted[g->to[e]] == wanted[node] && g->to[e] > node)
            return false;
    }
    return true;
}

static u32 *colour_all(struct host *h, const struct graph *g)
{
    u32 *colour = HOST_ARRAY(h, u32, g->nodes), *wanted = HOST_ARRAY(h, u32, g->nodes);
    memset(colour, 0xff, g->nodes * sizeof(u32));
    u32 left = g->nodes;
    for (u32 round = 0; left > 0; round++) {
        for (u32 n = 0; n < g->nodes; n++)
            wanted[n] = colour[n] == NONE ? choose(g, colour, n, round) : NONE;
        for (u32 n = 0; n < g->nodes; n++) {
            if (wanted[n] != NONE && wins(g, wanted, n)) {
                colour[n] = wanted[n];
                left--;
            }
        }
    }
    for (u32 n = 0; n < g->nodes; n++) {
        for (u32 e = g->first[n]; e < g->first[n + 1]; e++) {
            if (g->to[e] != n && colour[g->to[e]] == colour[n])
                host_fail(h, "the reference gives nodes %u and %u one colour", n, g->to[e]);
        }
    }
    return colour;
}

static const struct host_choice choices[] = {
    {"nodes", "of the graph", .sizes = {2048, 180224, 1 << 21}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "gco", choices, argc, argv);
    struct graph g;
    graph_uniform(&g, host_measure(&h, "nodes"), DEGREE, h.seed);

    size_t node_bytes = g.nodes * sizeof(u32);
    CUdeviceptr first = host_upload(&h, g.first, node_bytes + sizeof(u32));
    CUdeviceptr to = host_upload(&h, g.to, g.arcs * sizeof(u32));
    CUdeviceptr device_colour = host_device_alloc(&h, node_bytes);
    CUdeviceptr wanted = host_device_alloc(&h, node_bytes);
    CUdeviceptr again = host_device_alloc(&h, sizeof(u32));
    CU(&h, cuMemsetD32, (device_colour, NONE, g.nodes));
    CUfunction choose = host_kernel(&h, "gco_choose"), resolve = host_kernel(&h, "gco_resolve");

    struct dim grid = DIM1(blocks_for(g.nodes, BLOCK)), block = DIM1(BLOCK);
    u32 going = 1;
    for (u32 round = 0; going && round < g.nodes; round++) { /* each colours one node at least */
        CU(&h, cuMemsetD32, (again, 0, 1));
        host_launch(&h, choose, grid, block, 0,
                    ARGS(&first, &to, &device_colour, &wanted, &round, &g.nodes));
        host_launch(&h, resolve, grid, block, 0,
                    ARGS(&first, &to, &device_colour, &wanted, &again, &g.nodes));
        host_download(&h, &going, again, sizeof going);
    }

    u32 *colour = HOST_ARRAY(&h, u32, g.nodes);
    host_download(&h, colour, device_colour, node_bytes);
    host_compare_u32(&h, "colour", colour, colour_all(&h, &g), g.nodes);
    graph_fini(&g);
    return host_finish(&h);
}
