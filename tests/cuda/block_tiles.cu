/*
 * Tiles of several warps: cooperative groups keep their barriers and what they exchange in the shared
 * memory that is reserved for the system, and find it by %reserved_smem_offset_1.
 */
#define TEST "block_tiles"
#include "check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

template <unsigned SIZE> __global__ void sums(const int *in, int *out)
{
    __shared__ int own[64];
    extern __shared__ int dynamic[];
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<SIZE>(block);
    own[threadIdx.x % 64] = -1;
    dynamic[threadIdx.x] = -2;
    for (int round = 0; round < 3; round++) {
        int sum = cg::reduce(tile, in[block.thread_rank()] + round, cg::plus<int>());
        tile.sync();
        int last = tile.shfl(in[block.thread_rank()], SIZE - 1);
        if (tile.thread_rank() == 0)
            out[round * (512 / SIZE) + tile.meta_group_rank()] = sum * 2 + (last & 1);
    }
    block.sync();
    if (own[threadIdx.x % 64] != -1 || dynamic[threadIdx.x] != -2)
        out[0] = 0x7fffffff;
}

template <unsigned SIZE> static void check(const std::vector<int> &in)
{
    int *device_in = device_copy(in);
    int *out = device_array<int>(3 * 512 / SIZE);
    sums<SIZE><<<1, 512, 512 * sizeof(int)>>>(device_in, out);
    wait_for_kernels();
    std::vector<int> got = host_copy(out, 3 * 512 / SIZE);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned t = 0; t < 512 / SIZE; t++) {
            int want = 0;
            for (unsigned i = 0; i < SIZE; i++)
                want += in[t * SIZE + i] + (int)round;
            expect_equal("sums", round * (512 / SIZE) + t, got[round * (512 / SIZE) + t],
                         want * 2 + (in[t * SIZE + SIZE - 1] & 1));
        }
    }
}

int main()
{
    std::vector<int> in(512);
    for (size_t i = 0; i < in.size(); i++)
        in[i] = (int)(mix((uint32_t)i) % 1000);
    check<64>(in);
    check<128>(in);
    check<256>(in);
    check<512>(in);
    return pass();
}
