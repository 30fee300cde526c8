/* Register values in two words: every pattern, and what fits none. */
#include "testing.h"

#include "gpu/preempt/compress.h"

static enum register_pattern pattern_of(const u32 *lanes)
{
    struct compressed_register c;
    u32 back[WARP_LANES];
    if (!register_compress(lanes, WARP_LANES, &c))
        return PATTERN_NONE;
    register_expand(&c, back);
    for (u32 i = 0; i < WARP_LANES; i++)
        assert_int_equal(back[i], lanes[i]);
    return c.pattern;
}

TEST(five_patterns_are_found_and_come_back_as_they_were)
{
    UNUSED_STATE;
    u32 v[WARP_LANES];
    const struct {
        u32 stride, jump;
        enum register_pattern pattern;
    } rows[] = {{0, 0, PATTERN_CONSTANT},    {1, 0, PATTERN_STRIDE_1},    {4, 0, PATTERN_STRIDE_4},
                {1, 1000, PATTERN_HALVES_1}, {4, 1000, PATTERN_HALVES_4}, {2, 0, PATTERN_NONE}};
    for (u32 r = 0; r < ARRAY_LEN(rows); r++) {
        for (u32 i = 0; i < WARP_LANES; i++) /* around the end of 32 bits, too */
            v[i] = 0xfffffff0u + i * rows[r].stride + i / 16 * rows[r].jump;
        assert_int_equal(pattern_of(v), rows[r].pattern);
    }
}

TEST(squares_of_lanes_and_one_lane_that_differs_fit_none)
{
    UNUSED_STATE;
    u32 v[WARP_LANES];
    for (u32 i = 0; i < WARP_LANES; i++)
        v[i] = i * i;
    assert_int_equal(pattern_of(v), PATTERN_NONE);
    for (u32 lane = 0; lane < WARP_LANES; lane++) {
        for (u32 i = 0; i < WARP_LANES; i++)
            v[i] = 4 * i + (i == lane);
        assert_int_equal(pattern_of(v), PATTERN_NONE);
    }
}

/* Of a block of 16 threads: what lies in the other lanes is nothing. */
TEST(lanes_that_do_not_exist_do_not_count)
{
    UNUSED_STATE;
    u32 v[WARP_LANES];
    struct compressed_register c;
    for (u32 i = 0; i < WARP_LANES; i++)
        v[i] = i < 16 ? 4 * i : i * i * i;
    assert_false(register_compress(v, WARP_LANES, &c));
    assert_false(register_compress(v, 18, &c));
    assert_true(register_compress(v, 16, &c));
    assert_int_equal(c.pattern, PATTERN_STRIDE_4);
}

TEST(a_compressed_register_has_two_bases_and_a_pattern)
{
    UNUSED_STATE;
    assert_int_equal(COMPRESSED_BITS, 2 * 32 + 3);
    assert_true(PATTERN_HALVES_4 < 8);
}

RUN_TESTS(T(five_patterns_are_found_and_come_back_as_they_were),
          T(squares_of_lanes_and_one_lane_that_differs_fit_none),
          T(lanes_that_do_not_exist_do_not_count),
          T(a_compressed_register_has_two_bases_and_a_pattern))
