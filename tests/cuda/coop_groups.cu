/*
 * Cooperative groups inside one block.
 *
 * Proves thread_block ranks in three dimensions, tiles of 4, 8 and 32 threads
 * with shuffles, votes, reduce and scan, the tiles' own ranks, coalesced
 * groups in a divergent branch, and block-wide sync through the group.
 */
#define TEST "coop_groups"
#include "check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

static const int threads = 96;

struct seen {
    int block_rank, block_size;
    int tile_rank, tile_index, tiles;
    int rotated, tile_sum, tile_max, before, ballot, any;
    int branch_rank, branch_size, branch_sum, branch_leader;
    int neighbour;
};

/* `width` is the tile's size; the value of a thread is mix(rank) in 0..999. */
template <int width> __global__ void observe(struct seen *out)
{
    __shared__ int exchange[threads];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<width> tile = cg::tiled_partition<width>(block);
    int rank = block.thread_rank();
    int value = mix(rank) % 1000;
    struct seen s = {};

    s.block_rank = rank;
    s.block_size = block.size();
    s.tile_rank = tile.thread_rank();
    s.tile_index = tile.meta_group_rank();
    s.tiles = tile.meta_group_size();
    s.rotated = tile.shfl(value, (tile.thread_rank() + 1) % width);
    s.tile_sum = cg::reduce(tile, value, cg::plus<int>());
    s.tile_max = cg::reduce(tile, value, cg::greater<int>());
    s.before = cg::exclusive_scan(tile, value);
    s.ballot = tile.ballot(value & 1);
    s.any = tile.any(value < 100);

    cg::sync(block); /* whole warps reach the branch together */
    if (value % 3 == 0) {
        cg::coalesced_group branch = cg::coalesced_threads();
        s.branch_rank = branch.thread_rank();
        s.branch_size = branch.size();
        s.branch_sum = cg::reduce(branch, value, cg::plus<int>());
        s.branch_leader = branch.shfl(rank, 0);
    }

    exchange[rank] = value;
    cg::sync(block);
    s.neighbour = exchange[(rank + 37) % threads];
    out[rank] = s;
}

static int value_of(int rank)
{
    return mix(rank) % 1000;
}

/* Sums over the part of the warp of `rank` that took the branch, as one group. */
static void branch_compare(const struct seen *got, int rank)
{
    int warp = rank / 32 * 32, size = 0, sum = 0, before = 0, leader = -1;
    for (int t = warp; t < warp + 32; t++) {
        if (value_of(t) % 3)
            continue;
        if (leader < 0)
            leader = t;
        size++;
        sum += value_of(t);
        before += t < rank;
    }
    expect_equal("branch_rank", rank, got->branch_rank, before);
    expect_equal("branch_size", rank, got->branch_size, size);
    expect_equal("branch_sum", rank, got->branch_sum, sum);
    expect_equal("branch_leader", rank, got->branch_leader, leader);
}

template <int width> static void tiles_compare(void)
{
    struct seen *device = device_array<struct seen>(threads);
    observe<width><<<1, dim3(8, 4, 3)>>>(device);
    wait_for_kernels();
    std::vector<struct seen> got = host_copy(device, threads);
    for (int rank = 0; rank < threads; rank++) {
        const struct seen *g = &got[rank];
        int first = rank / width * width, sum = 0, max = 0, before = 0, any = 0;
        unsigned ballot = 0;
        for (int t = first; t < first + width; t++) {
            int v = value_of(t);
            sum += v;
            max = v > max ? v : max;
            before += t < rank ? v : 0;
            ballot |= (unsigned)(v & 1) << (t - first);
            any |= v < 100;
        }
        expect_equal("block_rank", rank, g->block_rank, rank);
        expect_equal("block_size", rank, g->block_size, threads);
        expect_equal("tile_rank", rank, g->tile_rank, rank - first);
        expect_equal("tile_index", rank, g->tile_index, rank / width);
        expect_equal("tiles", rank, g->tiles, threads / width);
        expect_equal("rotated", rank, g->rotated, value_of(first + (rank - first + 1) % width));
        expect_equal("tile_sum", rank, g->tile_sum, sum);
        expect_equal("tile_max", rank, g->tile_max, max);
        expect_equal("before", rank, g->before, before);
        expect_equal("ballot", rank, g->ballot, (int)ballot);
        expect_equal("any", rank, g->any, any);
        expect_equal("neighbour", rank, g->neighbour, value_of((rank + 37) % threads));
        if (value_of(rank) % 3 == 0)
            branch_compare(g, rank);
    }
    CHECK(cudaFree(device));
}

int main(void)
{
    tiles_compare<4>();
    tiles_compare<8>();
    tiles_compare<32>();
    return pass();
}
