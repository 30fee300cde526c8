/*
 * Host of sssp: shortest paths from one node (see sssp.cu for its memory behaviour and use).
 *
 * Weights are whole numbers in f32 and sums stay below 2^24, so all are exact. Distances only fall,
 * each to what one neighbour has plus the weight between, until no node can lower another: whatever
 * the order, they end as the shortest. Every one is compared exactly.
 */
#include "relax.h"

#define BLOCK 256

enum { DISTRIBUTED, SHARED, TOPOLOGY };

static const struct host_choice choices[] = {
    RELAX_CHOICES(160),
    {"worklist", "a list per block in one launch, one for all, or none",
     .words = {"distributed", "shared", "topology", NULL}},
    {0},
};

static void run_shared(struct relax *r, struct host *h)
{
    u32 nodes = r->graph.nodes, blocks = host_measure(h, "blocks"), count = 1;
    CUdeviceptr listed = host_zeros(h, nodes * sizeof(u32));
    CUdeviceptr lists[2] = {host_zeros(h, nodes * sizeof(u32)), host_zeros(h, nodes * sizeof(u32))};
    CUdeviceptr next_count = host_device_alloc(h, sizeof(u32));
    CUfunction kernel = host_kernel(h, "sssp_shared");
    CU(h, cuMemsetD32, (lists[0], r->source, 1));
    for (u32 round = 0; count > 0; round++) {
        CU(h, cuMemsetD32, (next_count, 0, 1));
        host_launch(h, kernel, DIM1(blocks), DIM1(BLOCK), 0,
                    ARGS(&r->first, &r->to, &r->device_weights, &r->distance, &listed,
                         &lists[round % 2], &lists[(round + 1) % 2], &next_count, &count));
        host_download(h, &count, next_count, sizeof count);
    }
}

static void run_topology(struct relax *r, struct host *h)
{
    u32 nodes = r->graph.nodes, going = 1;
    CUdeviceptr fallen = host_zeros(h, nodes * sizeof(u32));
    CUdeviceptr again = host_device_alloc(h, sizeof(u32));
    CUfunction kernel = host_kernel(h, "sssp_topology");
    CU(h, cuMemsetD32, (fallen + r->source * sizeof(u32), 1, 1));
    while (going) {
        CU(h, cuMemsetD32, (again, 0, 1));
        host_launch(
            h, kernel, DIM1(blocks_for(nodes, BLOCK)), DIM1(BLOCK), 0,
            ARGS(&r->first, &r->to, &r->device_weights, &r->distance, &fallen, &again, &nodes));
        host_download(h, &going, again, sizeof going);
    }
}

int main(int argc, char **argv)
{
    struct host h;
    struct relax r;
    host_init(&h, "sssp", choices, argc, argv);
    relax_init(&r, &h, true);
    u32 worklist = host_chosen(&h, "worklist");
    if (worklist == SHARED)
        run_shared(&r, &h);
    else if (worklist == TOPOLOGY)
        run_topology(&r, &h);
    else
        relax_distributed(&r, &h, "sssp_distributed", BLOCK);
    relax_check(&r, &h);
    return host_finish(&h);
}
