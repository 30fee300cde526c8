/*
 * Requests that bypass a bank (bank_bed.h): straight to memory and back, and nothing of them is
 * kept. A packet is 8 bytes of header, and 32 for each sector that it carries; memory is asked for
 * the whole line, 128 bytes.
 */
#include "bank_bed.h"

static void play_on(struct bed *b, const struct l2_config *c, const struct step *steps, u32 count)
{
    bed_open(b, c, "lru", NULL);
    bank_let_bypass(&b->bank, &b->sim.arena);
    bed_play(b, steps, count);
}

static void play(struct bed *b, const struct step *steps, u32 count)
{
    struct l2_config c = bed_config();
    play_on(b, &c, steps, count);
}

TEST(a_load_that_bypasses_takes_as_long_as_a_miss_and_leaves_no_line)
{
    UNUSED_STATE;
    static const struct step steps[] = {
        {0, 0x1000, 1, REQUEST_LOAD, REQUEST_BYPASS_L2},
        {100, 0x1000, 1, REQUEST_LOAD},
        {200, 0x1000, 1, REQUEST_LOAD, REQUEST_BYPASS_L2}, /* it is there now: a hit */
    };
    struct bed b;
    play(&b, steps, ARRAY_LEN(steps));
    assert_int_equal(b.arrived[0], MISS_CYCLES);
    assert_int_equal(b.arrived[1], 100 + MISS_CYCLES);
    assert_int_equal(b.arrived[2], 200 + HIT_CYCLES);
    assert_int_equal(b.reads, 2);
    const struct bank_bypass *n = b.bank.bypass;
    assert_int_equal(n->loads, 1);
    assert_int_equal(n->fills, 1);
    assert_int_equal(n->answers, 1);
    assert_int_equal(n->found, 1);
    assert_int_equal(n->bytes, 8 + 8 + 32 + 128);
    assert_int_equal(b.bank.counts.accesses, 2); /* the other two */
    assert_int_equal(b.bank.counts.fills, 1);
    close_bed(&b);
}

TEST(loads_that_bypass_share_a_line_on_its_way)
{
    UNUSED_STATE;
    static const struct step steps[] = {
        {0, 0x1000, 1, REQUEST_LOAD, REQUEST_BYPASS_L2},
        {1, 0x1000, 1, REQUEST_LOAD, REQUEST_BYPASS_L2},
        {100, 0x1200, 1, REQUEST_LOAD, REQUEST_BYPASS_L2},
        {101, 0x1200, 3, REQUEST_LOAD, REQUEST_BYPASS_L2},
    };
    struct bed b;
    play(&b, steps, ARRAY_LEN(steps));
    assert_int_equal(b.arrived[0], MISS_CYCLES);
    assert_int_equal(b.arrived[1], MISS_CYCLES + 1); /* one answer a cycle */
    assert_int_equal(b.arrived[2], 100 + MISS_CYCLES);
    assert_int_equal(b.arrived[3], 101 + MISS_CYCLES);
    assert_int_equal(b.reads, 2);
    const struct bank_bypass *n = b.bank.bypass;
    assert_int_equal(n->loads, 2);
    assert_int_equal(n->merges, 2);
    assert_int_equal(n->answers, 4);
    assert_int_equal(n->fills, 2);
    assert_int_equal(n->bytes, 4 * 16 + (1 + 1 + 1 + 2) * 32 + 2 * 128);
    close_bed(&b);
}

TEST(a_sectored_bank_asks_for_the_sectors_that_are_not_on_their_way)
{
    UNUSED_STATE;
    static const struct step steps[] = {
        {0, 0x1000, 1, REQUEST_LOAD, REQUEST_BYPASS_L2},
        {1, 0x1000, 3, REQUEST_LOAD, REQUEST_BYPASS_L2}, /* the first of them is */
    };
    struct l2_config c = bed_config();
    c.sectored = true;
    struct bed b;
    play_on(&b, &c, steps, ARRAY_LEN(steps));
    assert_int_equal(b.arrived[0], MISS_CYCLES);
    assert_int_equal(b.arrived[1], 1 + MISS_CYCLES);
    assert_int_equal(b.reads, 2);
    assert_int_equal(b.bank.bypass->loads, 1);
    assert_int_equal(b.bank.bypass->merges, 1);
    assert_int_equal(b.bank.bypass->bytes, 2 * 16 + (1 + 2) * 32 + (1 + 1) * 32);
    close_bed(&b);
}

/* Two requests to an MSHR: the third waits until the line has come in cycle 17 and asks for it
 * again then, like one that came in cycle 12. */
TEST(a_load_waits_where_its_line_has_as_many_waiting_as_an_mshr_holds)
{
    UNUSED_STATE;
    static const struct step steps[] = {{0, 0x1000, 1, REQUEST_LOAD, REQUEST_BYPASS_L2},
                                        {1, 0x1000, 1, REQUEST_LOAD, REQUEST_BYPASS_L2},
                                        {2, 0x1000, 1, REQUEST_LOAD, REQUEST_BYPASS_L2}};
    struct bed b;
    play(&b, steps, ARRAY_LEN(steps));
    assert_int_equal(b.arrived[1], MISS_CYCLES + 1);
    assert_int_equal(b.arrived[2], 12 + MISS_CYCLES);
    assert_int_equal(b.reads, 2);
    assert_int_equal(b.bank.bypass->merges, 1);
    assert_int_equal(b.bank.bypass->loads, 2);
    close_bed(&b);
}

/* Two MSHRs: the first line comes in cycle 17. */
TEST(a_load_waits_for_an_mshr)
{
    UNUSED_STATE;
    static const struct step steps[] = {{0, 0x1000, 1, REQUEST_LOAD, REQUEST_BYPASS_L2},
                                        {1, 0x1200, 1, REQUEST_LOAD, REQUEST_BYPASS_L2},
                                        {2, 0x1400, 1, REQUEST_LOAD, REQUEST_BYPASS_L2}};
    struct bed b;
    play(&b, steps, ARRAY_LEN(steps));
    assert_int_equal(b.arrived[0], MISS_CYCLES);
    assert_int_equal(b.arrived[1], 1 + MISS_CYCLES);
    assert_int_equal(b.arrived[2], 12 + MISS_CYCLES);
    assert_int_equal(b.bank.bypass->loads, 3);
    close_bed(&b);
}

TEST(a_request_joins_what_is_on_its_way_whichever_of_them_bypasses)
{
    UNUSED_STATE;
    static const struct step steps[] = {
        {0, 0x1000, 1, REQUEST_LOAD},
        {1, 0x1000, 1, REQUEST_LOAD,
         REQUEST_BYPASS_L2}, /* the line will be there: like any other */
        {100, 0x1200, 1, REQUEST_LOAD, REQUEST_BYPASS_L2},
        {101, 0x1200, 1, REQUEST_LOAD}, /* the line will not be kept */
        {200, 0x1000, 1, REQUEST_LOAD},
        {300, 0x1200, 1, REQUEST_LOAD},
    };
    struct bed b;
    play(&b, steps, ARRAY_LEN(steps));
    assert_int_equal(b.arrived[1], MISS_CYCLES + 1);
    assert_int_equal(b.arrived[3], 101 + MISS_CYCLES);
    assert_int_equal(b.arrived[4], 200 + HIT_CYCLES);
    assert_int_equal(b.arrived[5], 300 + MISS_CYCLES);
    assert_int_equal(b.reads, 3);
    assert_int_equal(b.bank.bypass->found, 1);
    assert_int_equal(b.bank.bypass->answers, 1);
    close_bed(&b);
}

TEST(a_store_that_bypasses_is_written_below_and_answered_a_victim_is_only_written)
{
    UNUSED_STATE;
    static const struct step steps[] = {
        {0, 0x1000, 1, REQUEST_STORE, REQUEST_BYPASS_L2 | REQUEST_WHOLE},
        {100, 0x1200, 3, REQUEST_WRITEBACK, REQUEST_BYPASS_L2 | REQUEST_WHOLE},
        {200, 0x1000, 1, REQUEST_LOAD},
    };
    struct bed b;
    play(&b, steps, ARRAY_LEN(steps));
    assert_int_equal(b.arrived[0], HIT_CYCLES);
    assert_int_equal(b.arrived[1], 0); /* nobody waits for it */
    assert_int_equal(b.arrived[2], 200 + MISS_CYCLES);
    assert_int_equal(b.answers, 2);
    assert_int_equal(b.writes, 2);
    assert_int_equal(b.last_written, 0x1200);
    const struct bank_bypass *n = b.bank.bypass;
    assert_int_equal(n->stores, 1);
    assert_int_equal(n->writebacks, 1);
    assert_int_equal(n->answers, 1);
    /* the store, its write and its answer; the victim and its write */
    assert_int_equal(n->bytes, (8 + 32) + 32 + 8 + (8 + 64) + 64);
    close_bed(&b);
}

TEST(a_store_to_a_line_that_is_there_is_one_like_any_other)
{
    UNUSED_STATE;
    static const struct step steps[] = {
        {0, 0x1000, 1, REQUEST_LOAD},
        {100, 0x1000, 1, REQUEST_STORE, REQUEST_BYPASS_L2 | REQUEST_WHOLE},
        {200, 0x1000, 1, REQUEST_LOAD, REQUEST_BYPASS_L2},
    };
    struct bed b;
    play(&b, steps, ARRAY_LEN(steps));
    assert_int_equal(b.arrived[1], 100 + HIT_CYCLES);
    assert_int_equal(b.arrived[2], 200 + HIT_CYCLES); /* what was stored, not what memory has */
    assert_int_equal(b.writes, 0);
    assert_int_equal(b.bank.bypass->found, 2);
    assert_int_equal(b.bank.bypass->stores, 0);
    close_bed(&b);
}

RUN_TESTS(T(a_load_that_bypasses_takes_as_long_as_a_miss_and_leaves_no_line),
          T(loads_that_bypass_share_a_line_on_its_way),
          T(a_sectored_bank_asks_for_the_sectors_that_are_not_on_their_way),
          T(a_load_waits_where_its_line_has_as_many_waiting_as_an_mshr_holds),
          T(a_load_waits_for_an_mshr),
          T(a_request_joins_what_is_on_its_way_whichever_of_them_bypasses),
          T(a_store_that_bypasses_is_written_below_and_answered_a_victim_is_only_written),
          T(a_store_to_a_line_that_is_there_is_one_like_any_other))
