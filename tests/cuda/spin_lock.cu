/*
 * Threads of one warp that wait for each other.
 *
 * Proves forward progress of every thread (sm_70 and later): a lock taken by
 * one lane while the others spin, pairs of locks held by several lanes at
 * once, a baton passed from lane to lane, and a producer that stands after its
 * consumer in program order. A simulator that runs one side of a
 * branch to its end hangs here.
 */
#define TEST "spin_lock"
#include "check.h"

static const int threads = 64, rounds = 3, accounts = 5;

__device__ static void lock(int *mutex)
{
    while (atomicCAS(mutex, 0, 1) != 0)
        ;
    __threadfence();
}

__device__ static void unlock(int *mutex)
{
    __threadfence();
    atomicExch(mutex, 0);
}

/* A plain, not atomic, counter under one lock. */
__global__ void one_lock(int *mutex, volatile int *counter, int *order)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        lock(mutex);
        int seen = *counter;
        order[seen] = t;
        *counter = seen + 1;
        unlock(mutex);
    }
}

/* Moves money between two accounts, each with a lock of its own. */
__global__ void two_locks(int *mutexes, volatile int *balance)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int from = t % accounts, to = (t + 1 + t / accounts % (accounts - 1)) % accounts;
    int low = from < to ? from : to, high = from < to ? to : from;
    for (int r = 0; r < rounds; r++) {
        lock(&mutexes[low]);
        lock(&mutexes[high]);
        balance[from] -= t;
        balance[to] += t;
        unlock(&mutexes[high]);
        unlock(&mutexes[low]);
    }
}

/* Lane after lane, from the highest down, although lane 0 comes first in most orders. */
__global__ void baton(volatile int *turn, int *order)
{
    int lane = threadIdx.x;
    while (*turn != lane)
        ;
    order[31 - lane] = lane * 10;
    __threadfence();
    *turn = lane - 1;
}

/* The even lanes wait first; what they wait for is written by code further down. */
__global__ void consumer_first(volatile int *mail, int *out)
{
    int lane = threadIdx.x;
    if (lane % 2 == 0) {
        int got;
        while ((got = mail[lane]) == 0)
            ;
        out[lane] = got;
    } else {
        mail[lane - 1] = 100 + lane;
        __threadfence();
        out[lane] = -lane;
    }
}

static int *zeroed(int count)
{
    int *device = device_array<int>(count);
    CHECK(cudaMemset(device, 0, count * sizeof(int)));
    return device;
}

int main(void)
{
    const int turns = threads * rounds;
    int *mutex = zeroed(1), *counter = zeroed(1), *order = device_array<int>(turns);
    one_lock<<<2, threads / 2>>>(mutex, counter, order);
    wait_for_kernels();
    expect_equal("counter", 0, host_copy(counter, 1)[0], turns);
    std::vector<int> visits(threads), got = host_copy(order, turns);
    for (int i = 0; i < turns; i++) {
        EXPECT(got[i] >= 0 && got[i] < threads);
        visits[got[i]]++;
    }
    for (int t = 0; t < threads; t++)
        expect_equal("visits", t, visits[t], rounds);

    int *mutexes = zeroed(accounts), *balance = zeroed(accounts), want[accounts] = {};
    two_locks<<<2, threads / 2>>>(mutexes, balance);
    wait_for_kernels();
    for (int t = 0; t < threads; t++) {
        want[t % accounts] -= t * rounds;
        want[(t + 1 + t / accounts % (accounts - 1)) % accounts] += t * rounds;
    }
    got = host_copy(balance, accounts);
    for (int a = 0; a < accounts; a++)
        expect_equal("balance", a, got[a], want[a]);

    int first = 31, *turn = device_array<int>(1), *out = device_array<int>(32);
    CHECK(cudaMemcpy(turn, &first, sizeof first, cudaMemcpyHostToDevice));
    baton<<<1, 32>>>(turn, out);
    wait_for_kernels();
    got = host_copy(out, 32);
    for (int i = 0; i < 32; i++)
        expect_equal("baton", i, got[i], (31 - i) * 10);

    consumer_first<<<1, 32>>>(zeroed(32), out);
    wait_for_kernels();
    got = host_copy(out, 32);
    for (int lane = 0; lane < 32; lane++)
        expect_equal("mail", lane, got[lane], lane % 2 ? -lane : 101 + lane);
    return pass();
}
