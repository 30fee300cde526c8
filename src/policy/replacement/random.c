/* Random: any candidate, evenly, from the bank's own stream of numbers. */
#include "base/rng.h"
#include "mem/replacement.h"

static void random_init(struct replacement *r, struct arena *arena, u64 seed)
{
    struct rng *rng = ARENA_NEW(arena, struct rng);
    rng_init(rng, seed, "replacement");
    r->state = rng;
}

static void random_use(struct replacement *r, u32 set, u32 way)
{
    (void)r, (void)set, (void)way;
}

static u32 random_victim(struct replacement *r, u32 set, u64 candidates)
{
    (void)set;
    u64 skip = rng_below(r->state, (u64)__builtin_popcountll(candidates));
    for (; skip; skip--)
        candidates &= candidates - 1;
    return (u32)__builtin_ctzll(candidates);
}

const struct replacement_ops replacement_random = {
    .name = "random",
    .source = "textbook",
    .init = random_init,
    .hit = random_use,
    .fill = random_use,
    .victim = random_victim,
};
