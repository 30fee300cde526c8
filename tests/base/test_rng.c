#include "testing.h"

#include "base/rng.h"

/* Known answers of Philox4x32-10 from the Random123 distribution (kat_vectors):
 * counter and key all zero give 6627e8d5 e169c58d bc57ac4c 9b00dbd8. */
TEST(rng_matches_the_published_known_answer)
{
    UNUSED_STATE;
    assert_true(rng_at(0, 0) == 0xe169c58d6627e8d5ull);
    assert_true(rng_at(0, 1) == 0x9b00dbd8bc57ac4cull);
}

TEST(rng_stream_is_independent_of_draws_from_other_streams)
{
    UNUSED_STATE;
    struct rng a, b, alone;
    rng_init(&a, 7, "sm0");
    rng_init(&b, 7, "sm1");
    rng_init(&alone, 7, "sm0");
    for (int i = 0; i < 100; i++) {
        for (int k = 0; k < i % 5; k++)
            rng_u64(&b);
        assert_true(rng_u64(&a) == rng_u64(&alone));
    }
}

TEST(rng_streams_and_seeds_differ)
{
    UNUSED_STATE;
    struct rng a, b, c;
    rng_init(&a, 7, "sm0");
    rng_init(&b, 7, "sm1");
    rng_init(&c, 8, "sm0");
    u64 x = rng_u64(&a);
    assert_true(x != rng_u64(&b));
    assert_true(x != rng_u64(&c));
}

TEST(rng_position_n_equals_the_nth_draw)
{
    UNUSED_STATE;
    struct rng r;
    rng_init(&r, 3, "x");
    u64 key = r.key;
    for (u64 n = 0; n < 50; n++)
        assert_true(rng_u64(&r) == rng_at(key, n));
}

TEST(rng_below_is_in_range_and_even)
{
    UNUSED_STATE;
    struct rng r;
    rng_init(&r, 1, "below");
    u32 count[10] = {0};
    for (int i = 0; i < 100000; i++)
        count[rng_below(&r, 10)]++;
    for (int i = 0; i < 10; i++)
        assert_in_range(count[i], 9600, 10400); /* 10000 +- 4.2 standard deviations */
    for (int i = 0; i < 1000; i++) {
        double u = rng_unit(&r);
        assert_true(u >= 0 && u < 1);
    }
}

RUN_TESTS(T(rng_matches_the_published_known_answer),
          T(rng_stream_is_independent_of_draws_from_other_streams), T(rng_streams_and_seeds_differ),
          T(rng_position_n_equals_the_nth_draw), T(rng_below_is_in_range_and_even))
