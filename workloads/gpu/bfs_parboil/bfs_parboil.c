/*
 * Host of bfs_parboil: levels of a breadth-first search with queues (see bfs_parboil.cu for its
 * memory behaviour and use).
 *
 * The order of nodes within a frontier depends on who comes first, their levels do not. The level
 * of every node is compared exactly with a search on the CPU; a node that cannot be reached keeps
 * the level UNREACHED.
 */
#include "graph.h"
#include "host.h"
#include "random.h"

#define BLOCK 64
#define MOST_ARCS 7 /* of a node; on average four */
#define SOURCE 0
#define UNREACHED 0xffffffffu

/* Nodes on a ring, arcs to random ones at most `reach` away. */
static struct graph make_ring(struct host *h, u32 nodes, u32 reach)
{
    struct random degree = random_stream(h->seed, "degree"), end = random_stream(h->seed, "end");
    struct graph g = {.nodes = nodes};
    g.first = HOST_ARRAY(h, u32, (size_t)nodes + 1);
    g.to = HOST_ARRAY(h, u32, (size_t)nodes * MOST_ARCS);
    for (u32 n = 0; n < nodes; n++) {
        g.first[n + 1] = g.first[n] + 1 + random_below(degree, n, MOST_ARCS);
        for (; g.arcs < g.first[n + 1]; g.arcs++)
            g.to[g.arcs] = (n + nodes - reach + random_below(end, g.arcs, 2 * reach + 1)) % nodes;
    }
    return g;
}

static u32 *search(struct host *h, const struct graph *g)
{
    u32 *level = HOST_ARRAY(h, u32, g->nodes), *queue = HOST_ARRAY(h, u32, g->nodes);
    for (u32 n = 0; n < g->nodes; n++)
        level[n] = UNREACHED;
    u32 head = 0, tail = 0;
    level[SOURCE] = 0;
    queue[tail++] = SOURCE;
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
    host_init(&h, "bfs_parboil", NULL, argc, argv);
    u32 nodes = host_pick(&h, 4096, 262144, 1 << 23), reach = host_pick(&h, 256, 576, 1 << 16);
    struct graph g = make_ring(&h, nodes, reach);

    size_t node_bytes = g.nodes * sizeof(u32);
    CUdeviceptr first = host_upload(&h, g.first, node_bytes + sizeof(u32));
    CUdeviceptr to = host_upload(&h, g.to, g.arcs * sizeof(u32));
    CUdeviceptr device_level = host_device_alloc(&h, node_bytes);
    CUdeviceptr frontier = host_device_alloc(&h, node_bytes);
    CUdeviceptr next = host_device_alloc(&h, node_bytes);
    CUdeviceptr next_count = host_device_alloc(&h, sizeof(u32));
    CU(&h, cuMemsetD32, (device_level, UNREACHED, g.nodes));
    CU(&h, cuMemsetD32, (device_level + SOURCE * sizeof(u32), 0, 1));
    CU(&h, cuMemsetD32, (frontier, SOURCE, 1));
    CUfunction expand = host_kernel(&h, "bfs_parboil_level");

    u32 count = 1;
    for (u32 depth = 1; count > 0 && depth <= g.nodes; depth++) {
        CU(&h, cuMemsetD32, (next_count, 0, 1));
        host_launch(
            &h, expand, DIM1(blocks_for(count, BLOCK)), DIM1(BLOCK), 0,
            ARGS(&first, &to, &device_level, &frontier, &count, &next, &next_count, &depth));
        host_download(&h, &count, next_count, sizeof count);
        CUdeviceptr done = frontier;
        frontier = next;
        next = done;
    }

    u32 *level = HOST_ARRAY(&h, u32, g.nodes);
    host_download(&h, level, device_level, node_bytes);
    host_compare_u32(&h, "level", level, search(&h, &g), g.nodes);
    return host_finish(&h);
}
