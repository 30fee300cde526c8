/*
 * Threads that return early.
 *
 * Proves that a thread that has ended counts for nothing: the others meet at
 * __syncthreads and __syncwarp, vote and exchange values without it, even if
 * their masks name it. Whole warps and parts of one leave at the start, in
 * loops, in nested ifs and in functions. The sums are an H200's, too.
 */
#define TEST "early_exit"
#include "check.h"

#include <cooperative_groups.h>

static const int threads = 96;

#define FULL 0xffffffffu

__global__ void at_syncthreads(int *p, int n)
{
    __shared__ int s[threads];
    int i = threadIdx.x;
    if (i >= n)
        return;
    s[i] = i * 3;
    __syncthreads();
    p[i] = s[n - 1 - i];
}

__global__ void at_syncthreads_in_body(int *p, int n)
{
    __shared__ int s[threads];
    int i = threadIdx.x;
    if (i < n) {
        s[i] = i * 3;
        __syncthreads();
        p[i] = s[n - 1 - i];
    }
}

__global__ void at_syncwarp(int *p, int n)
{
    __shared__ int s[threads];
    int i = threadIdx.x;
    if (i >= n)
        return;
    s[i] = i * 3;
    __syncwarp();
    p[i] = (i ^ 1) < n ? s[i ^ 1] : -1;
}

__global__ void at_shuffle(int *p, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    int v = __shfl_down_sync(FULL, i * 3, 1);
    p[i] = i + 1 < n ? v : -1; /* undefined from a thread that has ended */
}

__global__ void at_ballot(int *p, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    p[i] = (int)__ballot_sync(FULL, i % 3 == 0);
}

__global__ void at_votes(int *p, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    p[i] = __all_sync(FULL, i < n) * 4 + __any_sync(FULL, i >= n) * 2 + __all_sync(FULL, i % 2);
}

__global__ void at_match(int *p, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    p[i] = (int)__match_any_sync(FULL, i % 3);
}

__global__ void at_count(int *p, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    p[i] = __syncthreads_count(i % 3 == 0) * 4 + __syncthreads_and(i < n) * 2 +
           __syncthreads_or(i >= n);
}

__global__ void at_active_mask(int *p, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    __syncwarp();
    p[i] = (int)cooperative_groups::coalesced_threads().size();
}

/* One after the other; the last goes round alone. */
__global__ void leaving_a_loop(int *out, int n)
{
    volatile int *p = out;
    int i = threadIdx.x;
    p[i] = 0;
    if (i < n) {
        while (p[i] < i) {
            __syncthreads();
            p[i] = p[i] + 1;
        }
    }
}

__global__ void leaving_in_mid_loop(int *p, int n)
{
    __shared__ int alive[8];
    int i = threadIdx.x;
    if (i < 8)
        alive[i] = 0;
    __syncthreads();
    for (int k = 0; k < 8; k++) {
        atomicAdd(&alive[k], 1);
        __syncthreads();
        p[i] = alive[k];
        if (i >= n || i % 8 == k)
            return;
        __syncthreads();
    }
}

__global__ void leaving_a_warp_loop(int *p, int n)
{
    int i = threadIdx.x, sum = 0;
    p[i] = 0;
    for (int k = 0; k < i % 7 && i < n; k++) {
        sum += __popc(__ballot_sync(FULL, 1));
        p[i] = sum;
        __syncwarp();
    }
}

__global__ void leaving_nested_ifs(int *p, int n)
{
    int i = threadIdx.x, v = 0;
    if (i >= n)
        return;
    if (i % 2) {
        if (i % 5 == 0)
            return;
        v = i * 3;
    } else {
        if (i % 3 == 0) {
            if (i % 4 == 0)
                return;
            v = i * 5;
        }
    }
    __syncwarp();
    unsigned some = __ballot_sync(FULL, v > 0);
    p[i] = v * 64 + __popc(some) + __syncthreads_count(v > 0);
}

__device__ __noinline__ int meet(int i)
{
    __syncthreads();
    return (int)__ballot_sync(FULL, i % 3 == 0);
}

__global__ void before_a_call(int *p, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    p[i] = meet(i);
}

__device__ __noinline__ int end_from(int i, int n)
{
    if (i >= n)
        asm volatile("exit;");
    return i * 3;
}

__global__ void ended_in_a_call(int *p, int n)
{
    __shared__ int s[threads];
    int i = threadIdx.x, v = end_from(i, n);
    __syncwarp();
    s[i] = v + __popc(__ballot_sync(FULL, 1));
    __syncthreads();
    p[i] = s[n - 1 - i];
}

/* ---- what each thread must have left; -2: nothing ----------------------------------------- */

static int live_in_warp(int i, int n)
{
    int left = n - i / 32 * 32;
    return left > 32 ? 32 : left;
}

template <typename F> static int mask_of(int i, int n, F holds)
{
    unsigned mask = 0;
    for (int k = i / 32 * 32; k < i / 32 * 32 + 32; k++)
        mask |= (unsigned)(k < n && holds(k)) << k % 32;
    return (int)mask;
}

static int third(int k)
{
    return k % 3 == 0;
}

static int nested_value(int i, int n) /* -1: it left */
{
    if (i >= n || (i % 2 && i % 5 == 0) || (i % 2 == 0 && i % 3 == 0 && i % 4 == 0))
        return -1;
    return i % 2 ? i * 3 : i % 3 == 0 ? i * 5 : 0;
}

static int want_reversed(int i, int n)
{
    return i < n ? (n - 1 - i) * 3 : -2;
}

static int want_neighbour(int i, int n)
{
    return i >= n ? -2 : (i ^ 1) < n ? (i ^ 1) * 3 : -1;
}

static int want_next(int i, int n)
{
    return i >= n ? -2 : i + 1 == n ? -1 : i % 32 == 31 ? i * 3 : (i + 1) * 3;
}

static int want_thirds(int i, int n)
{
    return i < n ? mask_of(i, n, third) : -2;
}

static int want_votes(int i, int n)
{
    return i >= n ? -2 : 4 + (live_in_warp(i, n) == 1 && i % 2);
}

static int want_match(int i, int n)
{
    return i < n ? mask_of(i, n, [i](int k) { return k % 3 == i % 3; }) : -2;
}

static int want_count(int i, int n)
{
    return i < n ? (n + 2) / 3 * 4 + 2 : -2;
}

static int want_active(int i, int n)
{
    return i < n ? live_in_warp(i, n) : -2;
}

static int want_turns(int i, int n)
{
    return i < n ? i : 0;
}

static int want_alive(int i, int n)
{
    int alive = threads;
    for (int k = 0; k < 8 && i < n && i % 8 != k; k++) {
        alive = 0;
        for (int j = 0; j < n; j++)
            alive += j % 8 > k;
    }
    return alive;
}

static int want_warp_turns(int i, int n)
{
    int sum = 0;
    for (int k = 0; k < i % 7 && i < n; k++)
        sum += __builtin_popcount((unsigned)mask_of(i, n, [k](int j) { return j % 7 > k; }));
    return sum;
}

static int want_nested(int i, int n)
{
    int v = nested_value(i, n), all = 0;
    for (int k = 0; k < threads; k++)
        all += nested_value(k, n) > 0;
    int some = mask_of(i, n, [n](int k) { return nested_value(k, n) > 0; });
    return v < 0 ? -2 : v * 64 + __builtin_popcount((unsigned)some) + all;
}

static int want_after_end(int i, int n)
{
    return i < n ? (n - 1 - i) * 3 + live_in_warp(n - 1 - i, n) : -2;
}

struct program {
    const char *name;
    void (*kernel)(int *, int);
    int (*want)(int i, int n);
};

static const struct program programs[] = {
    {"at_syncthreads", at_syncthreads, want_reversed},
    {"at_syncthreads_in_body", at_syncthreads_in_body, want_reversed},
    {"at_syncwarp", at_syncwarp, want_neighbour},
    {"at_shuffle", at_shuffle, want_next},
    {"at_ballot", at_ballot, want_thirds},
    {"at_votes", at_votes, want_votes},
    {"at_match", at_match, want_match},
    {"at_count", at_count, want_count},
    {"at_active_mask", at_active_mask, want_active},
    {"leaving_a_loop", leaving_a_loop, want_turns},
    {"leaving_in_mid_loop", leaving_in_mid_loop, want_alive},
    {"leaving_a_warp_loop", leaving_a_warp_loop, want_warp_turns},
    {"leaving_nested_ifs", leaving_nested_ifs, want_nested},
    {"before_a_call", before_a_call, want_thirds},
    {"ended_in_a_call", ended_in_a_call, want_after_end},
};

int main(void)
{
    const int left[] = {96, 75, 40, 33, 32, 7, 1};
    int *p = device_array<int>(threads);
    for (const struct program &g : programs) {
        uint32_t sum = 0;
        for (int n : left) {
            std::vector<int> nothing(threads, -2);
            CHECK(cudaMemcpy(p, nothing.data(), threads * sizeof *p, cudaMemcpyHostToDevice));
            g.kernel<<<1, threads>>>(p, n);
            wait_for_kernels();
            std::vector<int> got = host_copy(p, threads);
            for (int i = 0; i < threads; i++) {
                expect_equal(g.name, n * 1000 + i, got[i], g.want(i, n));
                sum = mix(sum ^ (uint32_t)got[i]);
            }
        }
        printf("%-24s %08x\n", g.name, sum);
    }
    return pass();
}
