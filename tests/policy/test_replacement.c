#include "testing.h"

#include "base/rng.h"
#include "cache/replacement.h"
#include "policy/registry.h"

static void make(struct replacement *r, const char *name, struct arena *arena, u32 sets, u32 ways,
                 u64 seed)
{
    struct policy_choice choice;
    struct err err = ERR_INIT;
    assert_true(
        policy_choose(QUESTION_REPLACEMENT, name, "replacement", NULL, arena, &choice, &err));
    replacement_init(r, arena, choice, sets, ways, seed);
}

static const struct request access_of_no_one;

static void hit(struct replacement *r, u32 set, u32 way)
{
    if (r->ops->hit)
        r->ops->hit(r, set, way, &access_of_no_one);
}

static void fill(struct replacement *r, u32 set, u32 way)
{
    r->ops->fill(r, set, way, &access_of_no_one);
}

static u32 victim(struct replacement *r, u32 set, u64 candidates)
{
    return r->ops->victim(r, set, candidates, &access_of_no_one);
}

TEST(every_policy_names_a_candidate_and_is_repeatable)
{
    UNUSED_STATE;
    const struct policy_ops *p;
    for (u32 n = 0; (p = policy_at(QUESTION_REPLACEMENT, n)); n++) {
        for (u32 ways = 1; ways <= 64; ways = ways < 8 ? ways + 1 : ways * 2) {
            struct arena arena = {0};
            struct replacement a, b;
            make(&a, p->name, &arena, 8, ways, 3);
            make(&b, p->name, &arena, 8, ways, 3);
            struct rng rng;
            rng_init(&rng, ways, p->name);
            for (int i = 0; i < 2000; i++) {
                u32 set = (u32)rng_below(&rng, 8), way = (u32)rng_below(&rng, ways);
                u64 all = ways == 64 ? ~(u64)0 : ((u64)1 << ways) - 1;
                u64 candidates = rng_u64(&rng) & all;
                candidates = candidates ? candidates : all;
                if (i % 3 == 0)
                    hit(&a, set, way), hit(&b, set, way);
                else if (i % 3 == 1)
                    fill(&a, set, way), fill(&b, set, way);
                u32 v = victim(&a, set, candidates);
                assert_true(candidates >> v & 1);
                assert_int_equal(victim(&b, set, candidates), v);
            }
            arena_fini(&arena);
        }
    }
}

TEST(lru_evicts_the_way_used_longest_ago)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct replacement r;
    make(&r, "lru", &arena, 2, 4, 0);
    for (u32 way = 0; way < 4; way++)
        fill(&r, 1, way);
    hit(&r, 1, 0);
    hit(&r, 1, 1);
    assert_int_equal(victim(&r, 1, 0xf), 2);
    hit(&r, 1, 2);
    assert_int_equal(victim(&r, 1, 0xf), 3);
    assert_int_equal(victim(&r, 1, 0x7), 0); /* 3 is reserved: 0 is the oldest left */
    arena_fini(&arena);
}

TEST(fifo_ignores_hits)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct replacement r;
    make(&r, "fifo", &arena, 1, 3, 0);
    for (u32 way = 0; way < 3; way++)
        fill(&r, 0, way);
    hit(&r, 0, 0);
    assert_int_equal(victim(&r, 0, 7), 0);
    arena_fini(&arena);
}

/* Four ways, tree of three bits, all zero: leads to way 0. A use of 0 turns root
 * and left node away: root -> right, then way 2. */
TEST(plru_follows_its_bits)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct replacement r;
    make(&r, "plru", &arena, 1, 4, 0);
    assert_int_equal(victim(&r, 0, 0xf), 0);
    fill(&r, 0, 0);
    assert_int_equal(victim(&r, 0, 0xf), 2);
    fill(&r, 0, 2);
    assert_int_equal(victim(&r, 0, 0xf), 1);
    fill(&r, 0, 1);
    assert_int_equal(victim(&r, 0, 0xf), 3);
    assert_int_equal(victim(&r, 0, 0x3), 0); /* the right half is reserved */
    arena_fini(&arena);
}

TEST(random_is_even_over_the_candidates)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct replacement r;
    make(&r, "random", &arena, 1, 8, 7);
    u32 count[8] = {0};
    for (int i = 0; i < 30000; i++) {
        u32 way = victim(&r, 0, 0x29); /* ways 0, 3 and 5 */
        assert_int_equal(victim(&r, 0, 0x29), way);
        fill(&r, 0, way);
        count[way]++;
    }
    assert_in_range(count[0], 9650, 10350); /* 10000 +- 4.3 standard deviations */
    assert_in_range(count[3], 9650, 10350);
    assert_int_equal(count[0] + count[3] + count[5], 30000);
    arena_fini(&arena);
}

RUN_TESTS(T(every_policy_names_a_candidate_and_is_repeatable),
          T(lru_evicts_the_way_used_longest_ago), T(fifo_ignores_hits), T(plru_follows_its_bits),
          T(random_is_even_over_the_candidates))
