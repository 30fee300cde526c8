#include "testing.h"

#include "base/rng.h"
#include "policy/registry.h"

static void make(struct replacement *r, const char *name, struct arena *arena, u32 sets, u32 ways,
                 u64 seed)
{
    *r = (struct replacement){.ops = replacement_find(name), .sets = sets, .ways = ways};
    assert_non_null(r->ops);
    r->ops->init(r, arena, seed);
}

TEST(every_policy_names_a_candidate_and_is_repeatable)
{
    UNUSED_STATE;
    for (const struct replacement_ops *const *p = replacement_policies; *p; p++) {
        for (u32 ways = 1; ways <= 64; ways = ways < 8 ? ways + 1 : ways * 2) {
            struct arena arena = {0};
            struct replacement a, b;
            make(&a, (*p)->name, &arena, 8, ways, 3);
            make(&b, (*p)->name, &arena, 8, ways, 3);
            struct rng rng;
            rng_init(&rng, ways, (*p)->name);
            for (int i = 0; i < 2000; i++) {
                u32 set = (u32)rng_below(&rng, 8), way = (u32)rng_below(&rng, ways);
                u64 all = ways == 64 ? ~(u64)0 : ((u64)1 << ways) - 1;
                u64 candidates = rng_u64(&rng) & all;
                candidates = candidates ? candidates : all;
                if (i % 3 == 0)
                    a.ops->hit(&a, set, way), b.ops->hit(&b, set, way);
                else if (i % 3 == 1)
                    a.ops->fill(&a, set, way), b.ops->fill(&b, set, way);
                u32 v = a.ops->victim(&a, set, candidates);
                assert_true(candidates >> v & 1);
                assert_int_equal(b.ops->victim(&b, set, candidates), v);
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
        r.ops->fill(&r, 1, way);
    r.ops->hit(&r, 1, 0);
    r.ops->hit(&r, 1, 1);
    assert_int_equal(r.ops->victim(&r, 1, 0xf), 2);
    r.ops->hit(&r, 1, 2);
    assert_int_equal(r.ops->victim(&r, 1, 0xf), 3);
    assert_int_equal(r.ops->victim(&r, 1, 0x7), 0); /* 3 is reserved: 0 is the oldest left */
    arena_fini(&arena);
}

TEST(fifo_ignores_hits)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct replacement r;
    make(&r, "fifo", &arena, 1, 3, 0);
    for (u32 way = 0; way < 3; way++)
        r.ops->fill(&r, 0, way);
    r.ops->hit(&r, 0, 0);
    assert_int_equal(r.ops->victim(&r, 0, 7), 0);
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
    assert_int_equal(r.ops->victim(&r, 0, 0xf), 0);
    r.ops->fill(&r, 0, 0);
    assert_int_equal(r.ops->victim(&r, 0, 0xf), 2);
    r.ops->fill(&r, 0, 2);
    assert_int_equal(r.ops->victim(&r, 0, 0xf), 1);
    r.ops->fill(&r, 0, 1);
    assert_int_equal(r.ops->victim(&r, 0, 0xf), 3);
    assert_int_equal(r.ops->victim(&r, 0, 0x3), 0); /* the right half is reserved */
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
        u32 way = r.ops->victim(&r, 0, 0x29); /* ways 0, 3 and 5 */
        assert_int_equal(r.ops->victim(&r, 0, 0x29), way);
        r.ops->fill(&r, 0, way);
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
