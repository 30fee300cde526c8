/* Random: any candidate, evenly. Asking twice gives the same answer until a line is filled. */
#include "base/map.h"
#include "cache/replacement.h"

struct random {
    u64 fills;
};

static void random_fill(struct replacement *r, u32 set, u32 way, const struct request *access)
{
    (void)set, (void)way, (void)access;
    ((struct random *)r->state)->fills++;
}

static u32 random_victim(struct replacement *r, u32 set, u64 candidates,
                         const struct request *access)
{
    (void)access;
    const struct random *state = r->state;
    u64 number = hash_u64(hash_u64(r->seed + set) + state->fills);
    u64 skip = number % (u64)__builtin_popcountll(candidates);
    for (; skip; skip--)
        candidates &= candidates - 1;
    return (u32)__builtin_ctzll(candidates);
}

REPLACEMENT(random) = {
    .version = POLICY_VERSION,
    .name = "random",
    .source = "textbook",
    .state_bytes = sizeof(struct random),
    .fill = random_fill,
    .victim = random_victim,
};
