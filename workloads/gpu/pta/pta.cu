// points-to analysis: sets of bits are joined along constraints until none grows
//
// Memory: rows of bits read coalesced, from wherever a constraint's variables lie; for loads and
// stores through a pointer also the rows of all it points to. Atomics on words, in another block's
// rows as well. Short kernels, one per kind of constraint, over and over; no floating point. A
// block has the same constraints in every launch. Used by: the study of block scheduling
// (LonestarGPU's pta: 80 blocks of 991, 200 bytes of shared memory). Inclusion constraints
// (Andersen 1994), from the algorithm; the order in which sets grow does not change what they are
// in the end.
//
// As many registers as published:
// .maxnreg pta_load 28
// .maxnreg pta_store 28
#include "device.h"

#define BLOCK 991
#define COUNTERS 50 // of words that grew: spread, so that threads seldom meet at one

struct rule {
    u32 to, from;
};

struct share {
    u32 first, items; // constraints of the block, and their words
};

DEVICE_CALL struct share share_of(u32 rules, u32 words)
{
    u32 each = (rules + gridDim.x - 1) / gridDim.x, first = blockIdx.x * each;
    u32 end = first + each < rules ? first + each : rules;
    struct share s = {first, first < end ? (end - first) * words : 0};
    return s;
}

DEVICE_CALL void join(u32 *at, u32 bits, u32 *grown)
{
    if (bits & ~*at) {
        u32 before = atomicOr(at, bits);
        if (bits & ~before)
            atomicAdd(&grown[threadIdx.x % COUNTERS], 1u);
    }
}

DEVICE_CALL void begin(u32 *grown)
{
    if (threadIdx.x < COUNTERS)
        grown[threadIdx.x] = 0;
    __syncthreads();
}

DEVICE_CALL void end(const u32 *grown, u32 *total)
{
    __syncthreads();
    if (threadIdx.x < COUNTERS && grown[threadIdx.x])
        atomicAdd(total, grown[threadIdx.x]);
}

// to = from: a word of a constraint per thread.
extern "C" __global__ void __launch_bounds__(BLOCK)
    pta_copy(const struct rule *rules, u32 count, u32 *sets, u32 words, u32 *total)
{
    __shared__ u32 grown[COUNTERS];
    struct share s = share_of(count, words);
    begin(grown);
    for (u32 i = threadIdx.x; i < s.items; i += BLOCK) {
        struct rule r = rules[s.first + i / words];
        join(&sets[r.to * words + i % words], sets[r.from * words + i % words], grown);
    }
    end(grown, total);
}

// to = *from: all that the pointer's targets point to. Targets are the first variables.
extern "C" __global__ void __launch_bounds__(BLOCK)
    pta_load(const struct rule *rules, u32 count, u32 *sets, u32 words, u32 *total)
{
    __shared__ u32 grown[COUNTERS];
    struct share s = share_of(count, words);
    begin(grown);
    for (u32 i = threadIdx.x; i < s.items; i += BLOCK) {
        struct rule r = rules[s.first + i / words];
        u32 word = i % words, bits = 0;
        for (u32 w = 0; w < words; w++) {
            for (u32 targets = sets[r.from * words + w]; targets; targets &= targets - 1)
                bits |= sets[(32 * w + (u32)__builtin_ctz(targets)) * words + word];
        }
        join(&sets[r.to * words + word], bits, grown);
    }
    end(grown, total);
}

// *to = from: into the sets of all targets.
extern "C" __global__ void __launch_bounds__(BLOCK)
    pta_store(const struct rule *rules, u32 count, u32 *sets, u32 words, u32 *total)
{
    __shared__ u32 grown[COUNTERS];
    struct share s = share_of(count, words);
    begin(grown);
    for (u32 i = threadIdx.x; i < s.items; i += BLOCK) {
        struct rule r = rules[s.first + i / words];
        u32 word = i % words, bits = sets[r.from * words + word];
        for (u32 w = 0; bits && w < words; w++) {
            for (u32 targets = sets[r.to * words + w]; targets; targets &= targets - 1)
                join(&sets[(32 * w + (u32)__builtin_ctz(targets)) * words + word], bits, grown);
        }
    }
    end(grown, total);
}
