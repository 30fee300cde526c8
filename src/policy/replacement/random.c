/* Random: any candidate, evenly. Asking twice gives the same answer until a line is filled. */
#include "base/map.h"
#include "mem/replacement.h"

struct random {
    u64 seed, fills;
};

static void random_init(struct replacement *r, struct arena *arena, u64 seed)
{
    struct random *state = ARENA_NEW(arena, struct random);
    state->seed = seed;
    r->state = state;
}

static void random_hit(struct replacement *r, u32 set, u32 way)
{
    (void)r, (void)set, (void)way;
}

static void random_fill(struct replacement *r, u32 set, u32 way)
{
    (void)set, (void)way;
    ((struct random *)r->state)->fills++;
}

static u32 random_victim(struct replacement *r, u32 set, u64 candidates)
{
    const struct random *state = r->state;
    u64 number = hash_u64(hash_u64(state->seed + set) + state->fills);
    u64 skip = number % (u64)__builtin_popcountll(candidates);
    for (; skip; skip--)
        candidates &= candidates - 1;
    return (u32)__builtin_ctzll(candidates);
}

const struct replacement_ops replacement_random = {
    .name = "random",
    .source = "textbook",
    .init = random_init,
    .hit = random_hit,
    .fill = random_fill,
    .victim = random_victim,
};
