/*
 * A barrier over the whole grid: cudaLaunchCooperativeKernel and grid.sync().
 *
 * Proves that every block's writes before the barrier are seen by every block
 * after it, over many phases (a stencil that reads neighbours of other
 * blocks), and that a grid too large to be resident at once is refused.
 */
#define TEST "grid_sync"
#include "check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

static const int block = 64;
static const int cells = 1500;
static const int phases = 12;

/* New cell = hash of its two neighbours on a ring; the buffers swap each phase. */
__global__ void ring(uint32_t *a, uint32_t *b, unsigned *rank_sum)
{
    cg::grid_group grid = cg::this_grid();
    atomicAdd(rank_sum, (unsigned)grid.thread_rank());
    for (int phase = 0; phase < phases; phase++) {
        for (int i = grid.thread_rank(); i < cells; i += grid.size()) {
            uint32_t left = a[(i + cells - 1) % cells], right = a[(i + 1) % cells];
            b[i] = mix(left * 3 + right + phase);
        }
        grid.sync();
        uint32_t *swap = a;
        a = b;
        b = swap;
    }
}

/* One thread of the last block adds what all blocks left, which needs the barrier. */
__global__ void total(unsigned *per_block, unsigned *sum)
{
    cg::grid_group grid = cg::this_grid();
    if (threadIdx.x == 0)
        per_block[blockIdx.x] = mix(blockIdx.x);
    grid.sync();
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) {
        unsigned all = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            all += per_block[i];
        *sum = all;
    }
}

int main(void)
{
    int supported = 0, multiprocessors = 0, per_multiprocessor = 0;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    EXPECT(supported == 1);
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, ring, block, 0));
    int resident = multiprocessors * per_multiprocessor;
    EXPECT(resident >= 1);
    int blocks = resident < 12 ? resident : 12;

    std::vector<uint32_t> cell(cells), next(cells);
    for (int i = 0; i < cells; i++)
        cell[i] = i;
    uint32_t *a = device_copy(cell), *b = device_array<uint32_t>(cells);
    unsigned *rank_sum = device_array<unsigned>(1);
    CHECK(cudaMemset(rank_sum, 0, sizeof *rank_sum));
    void *arguments[] = {&a, &b, &rank_sum};
    CHECK(cudaLaunchCooperativeKernel((void *)ring, dim3(blocks), dim3(block), arguments, 0, 0));
    wait_for_kernels();
    for (int phase = 0; phase < phases; phase++) {
        for (int i = 0; i < cells; i++)
            next[i] = mix(cell[(i + cells - 1) % cells] * 3 + cell[(i + 1) % cells] + phase);
        cell.swap(next);
    }
    std::vector<uint32_t> got = host_copy(a, cells); /* an even number of swaps */
    for (int i = 0; i < cells; i++)
        expect_equal("cell", i, got[i], cell[i]);
    unsigned threads = blocks * block;
    expect_equal("rank_sum", 0, host_copy(rank_sum, 1)[0], threads * (threads - 1) / 2);

    unsigned *per_block = device_array<unsigned>(blocks), *sum = device_array<unsigned>(1);
    void *total_arguments[] = {&per_block, &sum};
    for (int round = 0; round < 5; round++) {
        CHECK(cudaMemset(per_block, 0, blocks * sizeof *per_block));
        CHECK(cudaLaunchCooperativeKernel((void *)total, dim3(blocks), dim3(block), total_arguments,
                                          0, 0));
        wait_for_kernels();
        unsigned want = 0;
        for (int i = 0; i < blocks; i++)
            want += mix(i);
        expect_equal("sum", round, host_copy(sum, 1)[0], want);
    }

    EXPECT_ERROR(
        cudaLaunchCooperativeKernel((void *)ring, dim3(resident + 1), dim3(block), arguments, 0, 0),
        cudaErrorCooperativeLaunchTooLarge);
    return pass();
}
