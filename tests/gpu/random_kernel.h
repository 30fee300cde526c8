/* Synthetic kernels with everything drawn at random: what laws must hold for. */
#ifndef TESTS_GPU_RANDOM_KERNEL_H
#define TESTS_GPU_RANDOM_KERNEL_H

#include "base/rng.h"
#include "gpu/bed.h"

/* About so many warp instructions in all, or requests where loads are spread over many lines. */
#define RANDOM_WORK 8000u
#define RANDOM_SHARED_BYTES 8192u

static inline u32 random_from(struct rng *r, u32 lo, u32 hi)
{
    return lo + (u32)rng_below(r, hi - lo + 1);
}

static inline bool random_chance(struct rng *r, u32 percent)
{
    return rng_below(r, 100) < percent;
}

static inline struct synthetic_mix random_mix(struct rng *r)
{
    struct synthetic_mix m = {.integer = random_from(r, 1, 6), .fp32 = random_from(r, 0, 6)};
    m.load = random_from(r, 0, 6);
    m.store = random_chance(r, 60) ? random_from(r, 0, 3) : 0;
    m.atomic = random_chance(r, 30) ? 1 : 0;
    m.shared_load = random_chance(r, 40) ? random_from(r, 0, 3) : 0;
    m.shared_store = random_chance(r, 40) ? 1 : 0;
    m.branch = random_chance(r, 40) ? 1 : 0;
    m.sfu = random_chance(r, 20) ? 1 : 0;
    m.fp64 = random_chance(r, 20) ? 1 : 0;
    return m;
}

static inline struct synthetic_access random_access(struct rng *r)
{
    struct synthetic_access a = synthetic_phase_initial().access;
    a.stream = random_from(r, 1, 3);
    a.private_reuse = random_from(r, 0, 3);
    a.shared_reuse = random_from(r, 0, 3);
    a.random = random_from(r, 0, 2);
    a.chase = random_from(r, 0, 1);
    a.footprint_bytes = (u64)4096 << rng_below(r, 9);
    a.requests_per_load = 1u << rng_below(r, random_chance(r, 30) ? 6 : 2);
    a.block_offset_bytes = random_chance(r, 50) ? a.footprint_bytes / 2 : 0;
    a.lane_bytes = 4u << rng_below(r, 3);
    a.cache_operator = random_chance(r, 15) ? CACHE_GLOBAL : CACHE_ALL;
    return a;
}

/* The phase is the caller's and lives as long as the kernel. */
static inline struct synthetic_kernel random_kernel(u64 seed, struct synthetic_phase *p)
{
    struct rng r;
    rng_init(&r, seed, "random kernel");
    struct synthetic_kernel k = synthetic_kernel_initial();
    k.threads_per_block = random_from(&r, 1, 512);
    k.registers_per_thread = random_from(&r, 8, 40);
    k.shared_bytes = RANDOM_SHARED_BYTES;
    k.blocks = random_from(&r, 1, 60);
    *p = synthetic_phase_initial();
    u64 warps = k.blocks * ((k.threads_per_block + 31) / 32);
    /* a loop runs once at least: a long one, beyond the instruction cache, for few warps only */
    p->code_bytes = warps < 32 ? 4096 : 64u << rng_below(&r, 4);
    p->mix = random_mix(&r);
    p->access = random_access(&r);
    p->dependence_distance = 0;
    p->shared_conflicts = 1u << rng_below(&r, 5);
    p->divergence = random_chance(&r, 50) ? 0.3 : 0;
    p->barrier_every = random_chance(&r, 30) ? p->code_bytes / INSTRUCTION_BYTES / 2 : 0;
    p->instructions = max_u64(16, RANDOM_WORK / warps / ((p->access.requests_per_load + 1) / 2));
    k.phases = p;
    k.phase_count = 1;
    return k;
}

static inline void bed_launch_random_in(struct bed *b, u64 seed, u64 stream)
{
    struct synthetic_phase p;
    struct synthetic_kernel k = random_kernel(seed, &p);
    k.stream = stream;
    bed_launch_synthetic(b, &k, seed);
}

static inline void bed_launch_random(struct bed *b, u64 seed)
{
    bed_launch_random_in(b, seed, 0);
}

#endif
