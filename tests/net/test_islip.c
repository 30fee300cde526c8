#include "testing.h"

#include "net/islip.h"

TEST(an_output_goes_round_the_inputs_that_ask)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct islip s;
    islip_init(&s, &arena, 130, 1);
    islip_request(&s, 3, 0);
    islip_request(&s, 64, 0);
    islip_request(&s, 129, 0);
    const u32 turns[] = {3, 64, 129, 3, 64};
    for (u32 n = 0; n < ARRAY_LEN(turns); n++) {
        assert_true(islip_offer(&s, 0));
        assert_true(bitset_has(&s.offered, turns[n]));
        assert_int_equal(islip_accept(&s, turns[n]), 0);
        assert_true(bitset_is_empty(&s.offered));
    }
    arena_fini(&arena);
}

TEST(an_output_that_is_turned_down_keeps_its_turn)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct islip s;
    islip_init(&s, &arena, 2, 2);
    for (u32 i = 0; i < 2; i++) {
        islip_request(&s, i, 0);
        islip_request(&s, i, 1);
    }
    assert_true(islip_offer(&s, 0));
    assert_false(islip_offer(&s, 1)); /* to the same input */
    assert_int_equal(islip_accept(&s, 0), 0);
    assert_int_equal(islip_favourite(&s, 0), 1); /* moved on */
    assert_int_equal(islip_favourite(&s, 1), 0); /* did not */
    /* out of step now, both outputs are matched in every cycle */
    assert_true(islip_offer(&s, 0));
    assert_true(islip_offer(&s, 1));
    assert_int_equal(islip_accept(&s, 0), 1);
    assert_int_equal(islip_accept(&s, 1), 0);
    arena_fini(&arena);
}

TEST(an_output_is_wanted_as_long_as_somebody_asks)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct islip s;
    islip_init(&s, &arena, 80, 4);
    islip_request(&s, 1, 2);
    islip_request(&s, 79, 2);
    islip_withdraw(&s, 1, 2);
    assert_true(bitset_has(&s.wanted, 2));
    islip_withdraw(&s, 79, 2);
    assert_true(bitset_is_empty(&s.wanted));
    arena_fini(&arena);
}

RUN_TESTS(T(an_output_goes_round_the_inputs_that_ask),
          T(an_output_that_is_turned_down_keeps_its_turn),
          T(an_output_is_wanted_as_long_as_somebody_asks))
