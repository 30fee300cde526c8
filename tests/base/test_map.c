#include "testing.h"

#include "base/bitset.h"
#include "base/chains.h"
#include "base/map.h"
#include "base/rng.h"
#include "base/tally.h"

/* Against a plain array over a small key space, with many collisions. */
TEST(map_agrees_with_an_array_under_random_operations)
{
    UNUSED_STATE;
    struct map m = {0};
    struct rng rng;
    rng_init(&rng, 1, "map");
    u64 value[512];
    bool present[512] = {false};
    u32 count = 0;
    for (int i = 0; i < 200000; i++) {
        u64 key = rng_below(&rng, 512);
        switch (rng_below(&rng, 3)) {
        case 0:
            count += !present[key];
            present[key] = true;
            value[key] = (u64)i;
            map_put(&m, key << 40, (u64)i);
            break;
        case 1:
            assert_int_equal(map_remove(&m, key << 40), present[key]);
            count -= present[key];
            present[key] = false;
            break;
        default: {
            u64 got = 0;
            assert_int_equal(map_get(&m, key << 40, &got), present[key]);
            if (present[key])
                assert_int_equal(got, value[key]);
        }
        }
        assert_int_equal(m.count, count);
    }
    map_clear(&m);
    assert_false(map_get(&m, 0, NULL));
    map_fini(&m);
}

TEST(map_does_not_grow_up_to_what_was_reserved)
{
    UNUSED_STATE;
    struct map m = {0};
    map_reserve(&m, 1000);
    struct map_slot *slots = m.slots;
    for (u64 i = 0; i < 1000; i++)
        map_put(&m, i, i);
    assert_ptr_equal(m.slots, slots);
    map_fini(&m);
}

TEST(strmap_finds_what_was_put_and_nothing_else)
{
    UNUSED_STATE;
    struct strmap m = {0};
    static char keys[1000][8];
    for (u32 i = 0; i < 1000; i++) {
        snprintf(keys[i], sizeof keys[i], "k%u", i);
        strmap_put(&m, keys[i], i);
    }
    u32 v = 0;
    for (u32 i = 0; i < 1000; i++) {
        assert_true(strmap_get(&m, keys[i], &v));
        assert_int_equal(v, i);
    }
    assert_false(strmap_get(&m, "k1000", &v));
    strmap_put(&m, "k7", 70);
    assert_true(strmap_get(&m, "k7", &v));
    assert_int_equal(v, 70);
    assert_int_equal(m.count, 1000);
    strmap_fini(&m);
}

TEST(bitset_walks_members_in_order_across_words)
{
    UNUSED_STATE;
    struct arena a = {0};
    struct bitset s;
    bitset_init(&s, &a, 200);
    static const u32 members[] = {0, 63, 64, 65, 127, 199};
    for (size_t i = 0; i < ARRAY_LEN(members); i++)
        bitset_add(&s, members[i]);
    u32 at = 0;
    for (u32 b = bitset_next(&s, 0); b < s.bits; b = bitset_next(&s, b + 1))
        assert_int_equal(b, members[at++]);
    assert_int_equal(at, ARRAY_LEN(members));
    assert_int_equal(bitset_count(&s), 6);
    bitset_remove(&s, 64);
    assert_false(bitset_has(&s, 64));
    assert_int_equal(bitset_next(&s, 64), 65);
    arena_fini(&a);
}

TEST(tally_counts_how_often_each_was_in_a_set)
{
    UNUSED_STATE;
    struct tally t = {0};
    u64 counts[64] = {0};
    for (u32 n = 0; n < 1000; n++) {
        u64 set = n % 3 ? rng_at(1, n) : rng_at(1, n) & rng_at(2, n) & rng_at(3, n);
        tally_add(&t, set);
        for (u32 i = 0; i < 64; i++)
            counts[i] += set >> i & 1;
    }
    tally_add(&t, 0);
    for (u32 i = 0; i < 64; i++)
        assert_int_equal(tally_of(&t, i), counts[i]);
    t = (struct tally){{~(u64)0, ~(u64)0, ~(u64)0}}; /* seven of each */
    tally_add(&t, 1);
    assert_int_equal(tally_of(&t, 0), 8);
    assert_int_equal(tally_of(&t, 63), 7);
}

/* 40 numbers, each moved at random between five chains and nowhere. */
TEST(chains_hold_just_what_was_added_and_not_removed)
{
    UNUSED_STATE;
    enum { CHAINS = 5, MEMBERS = 40, NOWHERE = CHAINS };
    struct arena a = {0};
    struct chains c;
    u32 in[MEMBERS];
    chains_init(&c, &a, CHAINS, MEMBERS);
    for (u32 i = 0; i < MEMBERS; i++)
        in[i] = NOWHERE;
    for (u32 n = 0; n < 3000; n++) {
        u32 member = (u32)(rng_at(1, n) % MEMBERS), to = (u32)(rng_at(2, n) % (CHAINS + 1));
        if (in[member] != NOWHERE)
            chains_remove(&c, in[member], member);
        if (to != NOWHERE)
            chains_add(&c, to, member);
        in[member] = to;
        if (to != NOWHERE)
            assert_int_equal(chains_first(&c, to), member + 1);
        u32 found = 0, there = 0;
        for (u32 chain = 0; chain < CHAINS; chain++) {
            for (u32 m = chains_first(&c, chain); m; m = chains_next(&c, m)) {
                assert_int_equal(in[m - 1], chain);
                assert_true(++found <= MEMBERS); /* or it goes round */
            }
        }
        for (u32 i = 0; i < MEMBERS; i++)
            there += in[i] != NOWHERE;
        assert_int_equal(found, there);
    }
    arena_fini(&a);
}

RUN_TESTS(T(map_agrees_with_an_array_under_random_operations),
          T(map_does_not_grow_up_to_what_was_reserved),
          T(strmap_finds_what_was_put_and_nothing_else),
          T(bitset_walks_members_in_order_across_words),
          T(tally_counts_how_often_each_was_in_a_set),
          T(chains_hold_just_what_was_added_and_not_removed))
