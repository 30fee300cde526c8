/*
 * Blocks that wait for other blocks of the same launch.
 *
 * Proves that writes before a release are seen after the flag (threadfence
 * and volatile, and ld.acquire/st.release), with a scan in one pass whose
 * blocks take tickets and wait for their predecessor, a last block that
 * finishes the work of all, and two blocks that answer each other.
 */
#define TEST "block_wait"
#include "check.h"

static const int block = 128, blocks = 40, count = block * blocks, volleys = 20;

/* Tickets make the order of waiting the order of starting, so this cannot deadlock. */
__global__ void chained_scan(const int *in, int *out, int *ticket, volatile int *prefix,
                             volatile int *ready)
{
    __shared__ int tile[block], id, before;
    int t = threadIdx.x;
    if (t == 0)
        id = atomicAdd(ticket, 1);
    __syncthreads();
    tile[t] = in[id * block + t];
    for (int step = 1; step < block; step *= 2) {
        __syncthreads();
        int left = t >= step ? tile[t - step] : 0;
        __syncthreads();
        tile[t] += left;
    }
    __syncthreads();
    if (t == 0) {
        before = 0;
        if (id > 0) {
            while (ready[id - 1] == 0)
                ;
            __threadfence();
            before = prefix[id - 1];
        }
        prefix[id] = before + tile[block - 1];
        __threadfence();
        ready[id] = 1;
    }
    __syncthreads();
    out[id * block + t] = before + tile[t];
}

/* Whichever block counts last adds up what the others left. */
__global__ void last_block(const int *in, int *sums, unsigned *done, int *total)
{
    __shared__ bool last;
    int sum = __syncthreads_count(in[blockIdx.x * block + threadIdx.x] & 1);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int all = 0;
        for (unsigned b = 0; b < gridDim.x; b++)
            all += ((volatile int *)sums)[b];
        *total = all;
    }
}

__device__ static int load_acquire(const int *p)
{
    int v;
    asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

__device__ static void store_release(int *p, int v)
{
    asm volatile("st.release.gpu.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

/* Two blocks in turn; the payload beside the flag is plain memory. */
__global__ void rally(int *flags, unsigned *payload)
{
    int me = blockIdx.x, other = 1 - me;
    if (threadIdx.x != 0)
        return;
    for (int volley = 1; volley <= volleys; volley++) {
        if (me == 1 || volley > 1) {
            while (load_acquire(&flags[other]) < (me == 1 ? volley : volley - 1))
                ;
        }
        payload[me] = payload[other] * 3 + me + volley;
        store_release(&flags[me], volley);
    }
}

int main(void)
{
    std::vector<int> in(count), zeros(2 * blocks + 8);
    for (int i = 0; i < count; i++)
        in[i] = (int)(mix(i) % 200) - 100;
    int *device_in = device_copy(in), *out = device_array<int>(count);
    int *ticket = device_copy(zeros), *prefix = device_copy(zeros), *ready = device_copy(zeros);
    chained_scan<<<blocks, block>>>(device_in, out, ticket, prefix, ready);
    wait_for_kernels();
    std::vector<int> got = host_copy(out, count);
    for (int i = 0, want = 0; i < count; i++) {
        want += in[i];
        expect_equal("scan", i, got[i], want);
    }

    int *sums = device_copy(zeros), *total = device_array<int>(1), odd = 0;
    unsigned *done = (unsigned *)device_copy(zeros);
    for (int i = 0; i < count; i++)
        odd += in[i] & 1;
    for (int round = 0; round < 4; round++) { /* `done` wraps to zero by itself */
        CHECK(cudaMemset(total, 0, sizeof *total));
        last_block<<<blocks, block>>>(device_in, sums, done, total);
        wait_for_kernels();
        expect_equal("total", round, host_copy(total, 1)[0], odd);
    }

    int *flags = device_copy(zeros);
    unsigned *payload = (unsigned *)device_copy(zeros);
    rally<<<2, 32>>>(flags, payload);
    wait_for_kernels();
    unsigned want[2] = {0, 0};
    for (unsigned volley = 1; volley <= (unsigned)volleys; volley++) {
        want[0] = want[1] * 3 + volley;
        want[1] = want[0] * 3 + 1 + volley;
    }
    for (int i = 0; i < 2; i++)
        expect_equal("payload", i, host_copy(payload, 2)[i], want[i]);
    return pass();
}
