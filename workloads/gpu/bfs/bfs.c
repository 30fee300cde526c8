/*
 * Host of bfs: levels of a breadth-first search (see bfs.cu for its memory behaviour and use).
 *
 * The level of every node is compared exactly with a search by queue on the CPU; a node that cannot
 * be reached keeps the level UNREACHED. The search starts at the node with the most neighbours.
 */
#include "graph.h"
#include "host.h"

#define UNREACHED 0xffffffffu

enum { UNIFORM, RMAT };

static const struct host_choice choices[] = {
    {"graph", "even degrees, or a few huge ones", .words = {"uniform", "rmat", NULL}},
    {"scale", "logarithm of the number of nodes", .sizes = {12, 16, 22}},
    {"threads", "of a block", .sizes = {256, 256, 256}, .most = 1024},
    {0},
};

static u32 *new_levels(struct host *h, const struct graph *g, u32 source)
{
    u32 *level = HOST_ARRAY(h, u32, g->nodes);
    for (u32 n = 0; n < g->nodes; n++)
        level[n] = UNREACHED;
    level[source] = 0;
    return level;
}

static u32 *search(struct host *h, const struct graph *g, u32 source)
{
    u32 *level = new_levels(h, g, source), *queue = HOST_ARRAY(h, u32, g->nodes);
    u32 head = 0, tail = 0;
    queue[tail++] = source;
    while (head < tail) {
        u32 node = queue[head++];
        for (u32 e = g->first[node]; e < g->first[node + 1]; e++) {
            u32 neighbour = g->to[e];
            if (level[neighbour] == UNREACHED) {
                level[neighbour] = level[node] + 1;
                queue[tail++] = neighbour;
            }
        }
    }
    return level;
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "bfs", choices, argc, argv);
    u32 threads = host_measure(&h, "threads");
    u32 scale = host_measure(&h, "scale");
    struct graph g;
    if (host_chosen(&h, "graph") == RMAT)
        graph_rmat(&g, scale, 12, h.seed);
    else
        graph_uniform(&g, 1u << scale, 6, h.seed); /* as in the published runs */
    u32 source = graph_hub(&g), *level = new_levels(&h, &g, source);
    u8 *flags = HOST_ARRAY(&h, u8, g.nodes); /* only the source */
    flags[source] = 1;

    CUdeviceptr first = host_upload(&h, g.first, ((size_t)g.nodes + 1) * sizeof(u32));
    CUdeviceptr to = host_upload(&h, g.to, g.arcs * sizeof(u32));
    CUdeviceptr frontier = host_upload(&h, flags, g.nodes);
    CUdeviceptr visited = host_upload(&h, flags, g.nodes);
    CUdeviceptr marked = host_device_alloc(&h, g.nodes);
    CU(&h, cuMemsetD8, (marked, 0, g.nodes));
    CUdeviceptr device_level = host_upload(&h, level, g.nodes * sizeof(u32));
    CUdeviceptr again = host_device_alloc(&h, sizeof(u32));
    CUfunction expand = host_kernel(&h, "bfs_expand"), advance = host_kernel(&h, "bfs_advance");

    struct dim grid = DIM1(blocks_for(g.nodes, threads)), block = DIM1(threads);
    u32 going = 1;
    for (u32 depth = 0; going && depth <= g.nodes; depth++) {
        CU(&h, cuMemsetD32, (again, 0, 1));
        host_launch(&h, expand, grid, block, 0,
                    ARGS(&first, &to, &frontier, &marked, &visited, &device_level, &g.nodes));
        host_launch(&h, advance, grid, block, 0,
                    ARGS(&frontier, &marked, &visited, &again, &g.nodes));
        host_download(&h, &going, again, sizeof going);
    }

    host_download(&h, level, device_level, g.nodes * sizeof(u32));
    host_compare_u32(&h, "level", level, search(&h, &g, source), g.nodes);
    graph_fini(&g);
    return host_finish(&h);
}
