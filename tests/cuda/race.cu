/*
 * Kernels that race, in streams, and events that order some of them.
 *
 * Proves that every block gets a ticket of its own whoever comes first, that a
 * lock-free list loses no element, and that what an event orders is in order.
 * Who wins a race is nobody's business but the machine's: the line before the
 * verdict sums it up with the clocks that were read, and differs from run to
 * run on a GPU. On a simulator it must not.
 */
#define TEST "race"
#include "check.h"

static const int kernels = 3, blocks = 20, threads = 64, everyone = kernels * blocks * threads;
static const int entries = everyone / 32; /* of the list: one for each warp */

struct shared_by_all {
    unsigned ticket; /* of blocks */
    int head;        /* of the list; -1: empty */
    unsigned last;   /* what the loser of an exchange left */
};

__global__ void compete(struct shared_by_all *s, unsigned *tickets, int *next, unsigned *seen,
                        long long *clocks, int self)
{
    int block = self * blocks + blockIdx.x, me = block * threads + threadIdx.x;
    long long start = clock64();
    if (threadIdx.x == 0)
        tickets[block] = atomicAdd(&s->ticket, 1);
    if (threadIdx.x % 32 == 0) {
        int head = atomicAdd(&s->head, 0), old;
        do {
            old = head;
            next[me / 32] = old;
            head = atomicCAS(&s->head, old, me / 32);
        } while (head != old);
    }
    seen[me] = atomicExch(&s->last, (unsigned)me);
    if (threadIdx.x == 0)
        clocks[block] = clock64() - start;
}

/* After all of them, by events. */
__global__ void count(const struct shared_by_all *s, const int *next, int *length)
{
    int n = 0;
    for (int at = s->head; at >= 0 && n <= entries; at = next[at])
        n++;
    *length = n;
}

int main()
{
    struct shared_by_all zero = {0, -1, 0};
    struct shared_by_all *s = device_copy(std::vector<struct shared_by_all>{zero});
    unsigned *tickets = device_array<unsigned>(kernels * blocks);
    unsigned *seen = device_array<unsigned>(everyone);
    int *next = device_array<int>(entries), *length = device_array<int>(1);
    long long *clocks = device_array<long long>(kernels * blocks);
    cudaStream_t streams[kernels];
    cudaEvent_t done[kernels];
    for (int k = 0; k < kernels; k++) {
        CHECK(cudaStreamCreateWithFlags(&streams[k], cudaStreamNonBlocking));
        CHECK(cudaEventCreate(&done[k]));
        compete<<<blocks, threads, 0, streams[k]>>>(s, tickets, next, seen, clocks, k);
        CHECK(cudaEventRecord(done[k], streams[k]));
        CHECK(cudaStreamWaitEvent(streams[0], done[k], 0));
    }
    count<<<1, 1, 0, streams[0]>>>(s, next, length);
    wait_for_kernels();

    std::vector<unsigned> got = host_copy(tickets, kernels * blocks),
                          left = host_copy(seen, everyone);
    std::vector<long long> took = host_copy(clocks, kernels * blocks);
    std::vector<int> given(kernels * blocks);
    uint32_t order = 0;
    for (size_t i = 0; i < got.size(); i++) {
        EXPECT(got[i] < given.size());
        given[got[i]]++;
        order = mix(order ^ got[i]);
        order = mix(order ^ (uint32_t)took[i]);
    }
    for (size_t i = 0; i < given.size(); i++)
        expect_equal("blocks with ticket", i, given[i], 1);
    for (size_t i = 0; i < left.size(); i++)
        order = mix(order ^ left[i]);
    expect_equal("length", 0, host_copy(length, 1)[0], entries);
    printf("order %08x\n", order);
    return pass();
}
