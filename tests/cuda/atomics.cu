/*
 * Every atomic operation, in global and in shared memory, at three scopes.
 *
 * Proves the final values of operations that commute, that returned old
 * values of counters are all different, that exchange loses nothing, wrap-around
 * of inc and dec, and compare-and-swap loops on 16, 32 and 64 bits.
 */
#define TEST "atomics"
#include "check.h"

static const int blocks = 6, block = 96;
static const int threads = blocks * block;

struct cells {
    int add, sub, min, max;
    unsigned uadd, umin, umax, inc, dec, bits_and, bits_or, bits_xor, exchange;
    unsigned cas_max;
    unsigned short halves[2];
    float fadd;
    double dadd;
    unsigned long long wide_add, wide_min, wide_max, wide_and, wide_or, wide_xor, wide_exchange;
    long long signed_min, signed_max;
    unsigned long long wide_cas;
    unsigned ticket, exchanged;
};

static const struct cells initial = {
    100,  100,  5,          -5,    7, 900,   3, 0, 0,     ~0u, 0, 0x55u, 12345, 0, {1, 2},
    0.5f, 0.25, 1ull << 40, ~0ull, 0, ~0ull, 0, 0, 54321, 0,   0, 1,     0,     0};

__device__ void work(struct cells *c, int i, unsigned *tickets)
{
    int s = (int)(mix(i) % 2001) - 1000; /* -1000..1000 */
    atomicAdd(&c->add, s);
    atomicSub(&c->sub, s);
    atomicMin(&c->min, s);
    atomicMax(&c->max, s);
    atomicAdd(&c->uadd, mix(i));
    atomicMin(&c->umin, mix(i));
    atomicMax(&c->umax, mix(i));
    atomicInc(&c->inc, 10);
    atomicDec(&c->dec, 10);
    atomicAnd(&c->bits_and, ~(1u << i % 20));
    atomicOr(&c->bits_or, 1u << i % 20);
    atomicXor(&c->bits_xor, mix(i));
    atomicAdd(&c->exchanged, atomicExch(&c->exchange, i));
    for (unsigned seen = c->cas_max; seen < mix(i + 7);) {
        unsigned old = atomicCAS(&c->cas_max, seen, mix(i + 7));
        if (old == seen)
            break;
        seen = old;
    }
    unsigned short *half = &c->halves[i & 1];
    for (unsigned short seen = 0;;) {
        unsigned short old = atomicCAS(half, seen, (unsigned short)(seen + 3));
        if (old == seen)
            break;
        seen = old;
    }
    atomicAdd(&c->fadd, (float)s); /* small integers: every order gives the same sum */
    atomicAdd(&c->dadd, s * 0.125);
    atomicAdd(&c->wide_add, (unsigned long long)mix(i) << 8);
    atomicMin(&c->wide_min, (unsigned long long)mix(i) << 20);
    atomicMax(&c->wide_max, (unsigned long long)mix(i) << 20);
    atomicAnd(&c->wide_and, ~(1ull << i % 60));
    atomicOr(&c->wide_or, 1ull << i % 60);
    atomicXor(&c->wide_xor, (unsigned long long)mix(i) << 16);
    atomicAdd(&c->exchanged, (unsigned)atomicExch(&c->wide_exchange, (unsigned long long)i));
    atomicMin(&c->signed_min, (long long)s << 33);
    atomicMax(&c->signed_max, (long long)s << 33);
    for (unsigned long long seen = 0;;) {
        unsigned long long old = atomicCAS(&c->wide_cas, seen, seen + (5ull << 32));
        if (old == seen)
            break;
        seen = old;
    }
    tickets[atomicAdd(&c->ticket, 1)] = i;
}

__global__ void in_global(struct cells *c, unsigned *tickets)
{
    work(c, blockIdx.x * blockDim.x + threadIdx.x, tickets);
}

__global__ void in_shared(struct cells *c, unsigned *tickets, const struct cells *start)
{
    __shared__ struct cells s;
    if (threadIdx.x == 0)
        s = *start;
    __syncthreads();
    work(&s, blockIdx.x * blockDim.x + threadIdx.x, tickets + blockIdx.x * blockDim.x);
    __syncthreads();
    if (threadIdx.x == 0)
        c[blockIdx.x] = s;
}

__global__ void scopes(unsigned *out)
{
    atomicAdd_block(&out[blockIdx.x], 1); /* one cell per block */
    atomicAdd(&out[blocks], 2);
    atomicAdd_system(&out[blocks + 1], 3);
    atomicMax_block(&out[blocks + 2 + blockIdx.x], threadIdx.x);
    atomicCAS_system(&out[2 * blocks + 2], 0, 77);
}

#define SAME(field) expect_equal(#field, which, got->field, w.field)

/* Repeats on the CPU what threads first..first+n did to their cells. */
static void cells_compare(const struct cells *got, const unsigned *tickets, int first, int n,
                          int which)
{
    struct cells w = initial;
    unsigned written = w.exchange + (unsigned)w.wide_exchange;
    std::vector<bool> seen(n);
    for (int i = first; i < first + n; i++) {
        int s = (int)(mix(i) % 2001) - 1000;
        unsigned long long m = mix(i);
        w.add += s, w.sub -= s, w.fadd += (float)s, w.dadd += s * 0.125;
        w.min = s < w.min ? s : w.min, w.max = s > w.max ? s : w.max;
        w.uadd += mix(i), w.wide_add += m << 8;
        w.umin = m < w.umin ? (unsigned)m : w.umin, w.umax = m > w.umax ? (unsigned)m : w.umax;
        w.inc = w.inc >= 10 ? 0 : w.inc + 1;
        w.dec = w.dec == 0 || w.dec > 10 ? 10 : w.dec - 1;
        w.bits_and &= ~(1u << i % 20), w.bits_or |= 1u << i % 20, w.bits_xor ^= mix(i);
        w.cas_max = mix(i + 7) > w.cas_max ? mix(i + 7) : w.cas_max;
        w.halves[i & 1] += 3;
        w.wide_min = m << 20 < w.wide_min ? m << 20 : w.wide_min;
        w.wide_max = m << 20 > w.wide_max ? m << 20 : w.wide_max;
        w.wide_and &= ~(1ull << i % 60), w.wide_or |= 1ull << i % 60, w.wide_xor ^= m << 16;
        long long wide = (long long)s * (1ll << 33);
        w.signed_min = wide < w.signed_min ? wide : w.signed_min;
        w.signed_max = wide > w.signed_max ? wide : w.signed_max;
        w.wide_cas += 5ull << 32, w.ticket++;
        written += 2 * i;
        unsigned holder = tickets[i - first];
        EXPECT(holder >= (unsigned)first && holder < (unsigned)(first + n) &&
               !seen[holder - first]);
        seen[holder - first] = true;
    }
    SAME(add), SAME(sub), SAME(min), SAME(max), SAME(uadd), SAME(umin), SAME(umax);
    SAME(inc), SAME(dec), SAME(bits_and), SAME(bits_or), SAME(bits_xor), SAME(cas_max);
    SAME(halves[0]), SAME(halves[1]), SAME(fadd), SAME(dadd), SAME(wide_add), SAME(wide_min);
    SAME(wide_max), SAME(wide_and), SAME(wide_or), SAME(wide_xor), SAME(signed_min);
    SAME(signed_max), SAME(wide_cas), SAME(ticket);
    /* Everything put in came out once or is still there. */
    expect_equal("exchanged", which, got->exchanged + got->exchange + (unsigned)got->wide_exchange,
                 written);
}

int main(void)
{
    std::vector<struct cells> start(1, initial);
    struct cells *global = device_copy(start), *shared = device_array<struct cells>(blocks);
    struct cells *device_start = device_copy(start);
    unsigned *tickets = device_array<unsigned>(threads);
    in_global<<<blocks, block>>>(global, tickets);
    wait_for_kernels();
    cells_compare(&host_copy(global, 1)[0], host_copy(tickets, threads).data(), 0, threads, 0);

    in_shared<<<blocks, block>>>(shared, tickets, device_start);
    wait_for_kernels();
    std::vector<struct cells> per_block = host_copy(shared, blocks);
    std::vector<unsigned> taken = host_copy(tickets, threads);
    for (int b = 0; b < blocks; b++)
        cells_compare(&per_block[b], &taken[b * block], b * block, block, 1 + b);

    unsigned *out = device_array<unsigned>(2 * blocks + 3);
    CHECK(cudaMemset(out, 0, (2 * blocks + 3) * sizeof *out));
    scopes<<<blocks, block>>>(out);
    wait_for_kernels();
    std::vector<unsigned> got = host_copy(out, 2 * blocks + 3);
    for (int b = 0; b < blocks; b++) {
        expect_equal("block scope", b, got[b], block);
        expect_equal("block max", b, got[blocks + 2 + b], block - 1);
    }
    expect_equal("device scope", 0, got[blocks], 2 * threads);
    expect_equal("system scope", 0, got[blocks + 1], 3 * threads);
    expect_equal("system cas", 0, got[2 * blocks + 2], 77);
    return pass();
}
