/*
 * Copies from global to shared memory that go on while the thread computes.
 *
 * Proves copies of 4, 8 and 16 bytes in groups with a double buffer, zero fill
 * of the tail, memcpy_async of a whole block, and an mbarrier between
 * producers and consumers. cp.async and mbarrier exist from sm_80 on; before,
 * the same headers copy through registers and the result is the same.
 */
#define TEST "async_copy"
#include "check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>

namespace cg = cooperative_groups;

static const int threads = 128, tiles = 6, blocks = 3;

/* Each block sums its tiles elementwise, always loading one tile ahead. */
template <typename T> __global__ void double_buffer(const T *in, T *out)
{
    __shared__ T buffer[2][threads];
    int t = threadIdx.x;
    const T *mine = in + (size_t)blockIdx.x * tiles * threads;
    T sum = {};
    __pipeline_memcpy_async(&buffer[0][t], &mine[t], sizeof(T));
    __pipeline_commit();
    for (int tile = 0; tile < tiles; tile++) {
        if (tile + 1 < tiles)
            __pipeline_memcpy_async(&buffer[(tile + 1) & 1][t], &mine[(tile + 1) * threads + t],
                                    sizeof(T));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        T other = buffer[tile & 1][threads - 1 - t]; /* copied by another thread */
        unsigned *s = (unsigned *)&sum;
        const unsigned *o = (const unsigned *)&other;
        for (unsigned w = 0; w < sizeof(T) / 4; w++)
            s[w] = s[w] * 3 + o[w];
        __syncthreads();
    }
    out[blockIdx.x * threads + t] = sum;
}

/* Only `valid` words exist; cp.async fills the rest of each 16 bytes with zero. */
__global__ void tail(const unsigned *in, uint4 *out, int valid)
{
    __shared__ uint4 buffer[threads];
    int t = threadIdx.x, here = valid - t * 4;
    here = here < 0 ? 0 : here > 4 ? 4 : here;
    __pipeline_memcpy_async(&buffer[t], here ? in + t * 4 : in, 16, 16 - here * 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = buffer[t ^ 1];
}

__global__ void whole_block(const int *in, int *out, int n)
{
    extern __shared__ int staged[];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, staged, in + blockIdx.x * n, n * sizeof(int));
    cg::wait(block);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[blockIdx.x * n + i] = staged[n - 1 - i] + 1;
}

/* All threads copy, then arrive; the barrier opens when the copies have landed. */
__global__ void through_barrier(const unsigned *in, unsigned *out, int rounds)
{
    __shared__ unsigned buffer[threads];
    __shared__ __mbarrier_t barrier;
    int t = threadIdx.x;
    if (t == 0)
        __mbarrier_init(&barrier, threads);
    __syncthreads();
    unsigned sum = 0;
    for (int r = 0; r < rounds; r++) {
        __pipeline_memcpy_async(&buffer[t], &in[r * threads + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __mbarrier_token_t token = __mbarrier_arrive(&barrier);
        while (!__mbarrier_test_wait(&barrier, token))
            ;
        sum = sum * 5 + buffer[(t + 33) % threads];
        token = __mbarrier_arrive(&barrier); /* all have read: the next round may write */
        while (!__mbarrier_test_wait(&barrier, token))
            ;
    }
    out[t] = sum;
    __syncthreads();
    if (t == 0)
        __mbarrier_inval(&barrier);
}

template <typename T> static void double_buffer_compare(const char *what)
{
    const int words = sizeof(T) / 4, per_tile = threads * words;
    std::vector<unsigned> in(blocks * tiles * per_tile);
    for (size_t i = 0; i < in.size(); i++)
        in[i] = mix(i);
    unsigned *device_in = device_copy(in), *out = device_array<unsigned>(blocks * per_tile);
    double_buffer<<<blocks, threads>>>((const T *)device_in, (T *)out);
    wait_for_kernels();
    std::vector<unsigned> got = host_copy(out, blocks * per_tile);
    for (int i = 0; i < blocks * per_tile; i++) {
        int b = i / per_tile, t = i % per_tile / words, w = i % words;
        unsigned want = 0;
        for (int tile = 0; tile < tiles; tile++)
            want = want * 3 + in[((b * tiles + tile) * threads + threads - 1 - t) * words + w];
        expect_equal(what, i, got[i], want);
    }
}

int main(void)
{
    double_buffer_compare<unsigned>("4 bytes");
    double_buffer_compare<uint2>("8 bytes");
    double_buffer_compare<uint4>("16 bytes");

    const int rounds = 10, valid = 4 * 71 + 3, n = 200;
    std::vector<unsigned> in(rounds * threads);
    std::vector<int> numbers(blocks * n);
    for (size_t i = 0; i < in.size(); i++)
        in[i] = mix(i);
    for (size_t i = 0; i < numbers.size(); i++)
        numbers[i] = (int)mix(i) >> 1;
    unsigned *device_in = device_copy(in), *out = device_array<unsigned>(4 * threads);
    tail<<<1, threads>>>(device_in, (uint4 *)out, valid);
    wait_for_kernels();
    std::vector<unsigned> got = host_copy(out, 4 * threads);
    for (int i = 0; i < 4 * threads; i++)
        expect_equal("tail", i, got[i], (i ^ 4) < valid ? in[i ^ 4] : 0);

    int *moved = device_array<int>(blocks * n);
    whole_block<<<blocks, threads, n * sizeof(int)>>>(device_copy(numbers), moved, n);
    wait_for_kernels();
    std::vector<int> whole = host_copy(moved, blocks * n);
    for (int i = 0; i < blocks * n; i++)
        expect_equal("whole block", i, whole[i], numbers[i / n * n + n - 1 - i % n] + 1);

    through_barrier<<<1, threads>>>(device_in, out, rounds);
    wait_for_kernels();
    got = host_copy(out, threads);
    for (int t = 0; t < threads; t++) {
        unsigned want = 0;
        for (int r = 0; r < rounds; r++)
            want = want * 5 + in[r * threads + (t + 33) % threads];
        expect_equal("barrier", t, got[t], want);
    }
    return pass();
}
