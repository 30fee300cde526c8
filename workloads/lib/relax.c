#include "relax.h"

#include <string.h>

/* relax_device.h has the same structure with pointers. */
struct relax_lists {
    CUdeviceptr slots, heads, tails, begun, listed, pending;
    u32 share;
};

static u32 bits(float x)
{
    u32 word;
    memcpy(&word, &x, sizeof word);
    return word;
}

static float *make_weights(struct host *h, const struct graph *g)
{
    u32 *of_edge = host_random_u32(h, "weights", g->arcs / 2, 16);
    float *weights = HOST_ARRAY(h, float, g->arcs);
    for (u32 a = 0; a < g->arcs; a++)
        weights[a] = (float)(of_edge[g->edge[a]] + 1);
    return weights;
}

void relax_init(struct relax *r, struct host *h, bool weighted)
{
    *r = (struct relax){0};
    struct graph *g = &r->graph;
    graph_rmat_simple(g, host_measure(h, "nodes"), host_measure(h, "edges"), h->seed);
    r->source = graph_hub(g);
    r->first = host_upload(h, g->first, ((size_t)g->nodes + 1) * sizeof(u32));
    r->to = host_upload(h, g->to, g->arcs * sizeof(u32));
    if (weighted) {
        r->weights = make_weights(h, g);
        r->device_weights = host_upload(h, r->weights, g->arcs * sizeof(float));
    }
    r->distance = host_device_alloc(h, g->nodes * sizeof(u32));
    CU(h, cuMemsetD32, (r->distance, UNREACHED, g->nodes));
    CU(h, cuMemsetD32, (r->distance + r->source * sizeof(u32), 0, 1));
}

void relax_distributed(struct relax *r, struct host *h, const char *kernel, u32 block)
{
    u32 nodes = r->graph.nodes, blocks = host_measure(h, "blocks"), one = 1;
    u32 share = blocks_for(nodes, blocks), owner = r->source / share;
    struct relax_lists lists = {
        .slots = host_device_alloc(h, (size_t)share * blocks * sizeof(u32)),
        .heads = host_zeros(h, blocks * sizeof(u32)),
        .tails = host_zeros(h, blocks * sizeof(u32)),
        .begun = host_zeros(h, blocks * sizeof(u32)),
        .listed = host_zeros(h, nodes * sizeof(u32)),
        .pending = host_upload(h, &one, sizeof one),
        .share = share,
    };
    CU(h, cuMemsetD32, (lists.slots, UNREACHED, (size_t)share * blocks));
    CU(h, cuMemsetD32, (lists.slots + (size_t)owner * share * sizeof(u32), r->source, 1));
    CU(h, cuMemsetD32, (lists.tails + owner * sizeof(u32), 1, 1));
    CU(h, cuMemsetD32, (lists.listed + r->source * sizeof(u32), 1, 1));
    void **args = r->weights ? ARGS(&r->first, &r->to, &r->device_weights, &r->distance, &lists)
                             : ARGS(&r->first, &r->to, &r->distance, &lists);
    host_launch(h, host_kernel(h, kernel), DIM1(blocks), DIM1(block), 0, args);
}

/* Nodes whose distance fell wait in a queue, each at most once. */
static u32 *search(struct relax *r, struct host *h)
{
    const struct graph *g = &r->graph;
    assert(g->nodes > 0);
    u32 *distance = HOST_ARRAY(h, u32, g->nodes), *ring = HOST_ARRAY(h, u32, g->nodes);
    float *length = HOST_ARRAY(h, float, g->nodes);
    u8 *waits = HOST_ARRAY(h, u8, g->nodes);
    for (u32 n = 0; n < g->nodes; n++)
        length[n] = -1; /* not reached */
    length[r->source] = 0;
    ring[0] = r->source;
    for (u64 head = 0, tail = 1; head < tail; head++) {
        u32 node = ring[head % g->nodes];
        waits[node] = 0;
        for (u32 a = g->first[node]; a < g->first[node + 1]; a++) {
            u32 end = g->to[a];
            float there = length[node] + (r->weights ? r->weights[a] : 1);
            if (length[end] >= 0 && length[end] <= there)
                continue;
            length[end] = there;
            if (!waits[end])
                ring[tail++ % g->nodes] = end;
            waits[end] = 1;
        }
    }
    for (u32 n = 0; n < g->nodes; n++) {
        u32 reached = r->weights ? bits(length[n]) : (u32)length[n];
        distance[n] = length[n] < 0 ? UNREACHED : reached;
    }
    return distance;
}

void relax_check(struct relax *r, struct host *h)
{
    host_check_u32(h, "distance", r->distance, search(r, h), r->graph.nodes);
    graph_fini(&r->graph);
}
