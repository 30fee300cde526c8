/*
 * Fetch alone: a client that has every line, or none, and notes what it is asked.
 *
 * Two instructions of 8 bytes a turn, one turn a cycle, buffers of four, 3 cycles from cache to
 * buffer; lines of 64 bytes hold 8 instructions.
 */
#include "testing.h"

#include "gpu/sm/fetch.h"

#define MOST 64u

struct bed {
    struct fetch_config config;
    struct arena arena;
    struct warp_fetch fetch;
    u32 asked, waits; /* lines; waits: warps that are told when code comes */
    u32 slots[MOST];
    u64 lines[MOST];
    cycle_t at[MOST]; /* when code comes, by warp */
    cycle_t later;    /* the line can be read so much later */
    bool misses, refuses;
};

static cycle_t line(void *sm, u32 slot, u64 address, cycle_t now)
{
    struct bed *b = sm;
    b->slots[b->asked] = slot;
    b->lines[b->asked++] = address;
    if (b->refuses) /* no MSHR: it may try again at once */
        warp_fetch_filled(&b->fetch, (u64)1 << slot);
    return b->misses || b->refuses ? CYCLE_NEVER : now + b->later;
}

static void arrives(void *sm, u32 slot, cycle_t at)
{
    ((struct bed *)sm)->at[slot] = at;
    ((struct bed *)sm)->waits++;
}

static void bed_open(struct bed *b)
{
    static const struct warp_fetch_client_ops client = {line, arrives};
    *b = (struct bed){
        .config = {
            .width = 2, .per_cycle = 1, .buffer_entries = 4, .cycles = 3, .instruction_bytes = 8}};
    warp_fetch_init(
        &b->fetch, &b->arena,
        &(struct warp_fetch_parts){
            .config = &b->config, .slots = 64, .line_bytes = 64, .client = &client, .sm = b});
}

static void bed_close(struct bed *b)
{
    arena_fini(&b->arena);
}

/* A warp starts in a slot, with its next instruction at `pc`. */
static void start(struct bed *b, u32 slot, u64 pc)
{
    warp_fetch_start(&b->fetch, slot, 0);
    warp_fetch_advance(&b->fetch, slot, pc);
}

static u32 buffered(const struct bed *b, u32 slot)
{
    return b->fetch.warps[slot].buffered;
}

TEST(instructions_are_in_the_buffer_some_cycles_after_the_turn)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    start(&b, 5, 0x100);
    warp_fetch_cycle(&b.fetch, 10);
    assert_int_equal(b.lines[0], 0x100);
    assert_int_equal(b.at[5], 13);
    warp_fetch_arrived(&b.fetch, 5, 12); /* too early: nothing has come */
    assert_false(warp_fetch_has(&b.fetch, 5));
    warp_fetch_arrived(&b.fetch, 5, 13);
    assert_int_equal(buffered(&b, 5), 2);
    bed_close(&b);
}

TEST(a_warp_with_code_on_its_way_has_no_turn)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    start(&b, 0, 0x100);
    warp_fetch_cycle(&b.fetch, 10);
    assert_false(warp_fetch_is_busy(&b.fetch));
    warp_fetch_cycle(&b.fetch, 11);
    assert_int_equal(b.asked, 1);
    warp_fetch_arrived(&b.fetch, 0, 13); /* two of four: room for two more */
    warp_fetch_cycle(&b.fetch, 13);
    assert_int_equal(b.asked, 2);
    warp_fetch_arrived(&b.fetch, 0, 16);
    assert_int_equal(buffered(&b, 0), 4);
    assert_false(warp_fetch_is_busy(&b.fetch)); /* full */
    bed_close(&b);
}

TEST(warps_take_turns_from_the_one_after_the_last)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    start(&b, 3, 0x100);
    start(&b, 7, 0x200);
    start(&b, 63, 0x300);
    warp_fetch_cycle(&b.fetch, 10);
    warp_fetch_cycle(&b.fetch, 11);
    start(&b, 1, 0x400);
    warp_fetch_cycle(&b.fetch, 12);
    warp_fetch_cycle(&b.fetch, 13);
    static const u32 order[] = {3, 7, 63, 1};
    assert_memory_equal(b.slots, order, sizeof order);
    bed_close(&b);
}

TEST(a_turn_ends_with_its_line)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    start(&b, 0, 0x138); /* the last instruction of the line from 0x100 to 0x13f */
    warp_fetch_cycle(&b.fetch, 10);
    warp_fetch_arrived(&b.fetch, 0, 13);
    assert_int_equal(buffered(&b, 0), 1);
    warp_fetch_cycle(&b.fetch, 13);
    assert_int_equal(b.lines[1], 0x140);
    warp_fetch_arrived(&b.fetch, 0, 16);
    assert_int_equal(buffered(&b, 0), 3);
    bed_close(&b);
}

TEST(code_of_another_size_lies_at_other_addresses)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    b.config.instruction_bytes = 16; /* four a line; pc still counts 8 for each */
    warp_fetch_start(&b.fetch, 0, (u64)1 << 56);
    warp_fetch_advance(&b.fetch, 0, 0x138); /* number 39: from 624 on, in line 576 */
    warp_fetch_cycle(&b.fetch, 10);
    assert_int_equal(b.lines[0], ((u64)1 << 56) + 576);
    warp_fetch_arrived(&b.fetch, 0, 13);
    assert_int_equal(buffered(&b, 0), 1); /* the line has four: 36 to 39 */
    bed_close(&b);
}

TEST(going_on_to_the_next_instruction_keeps_the_buffer_and_a_jump_empties_it)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    start(&b, 0, 0x100);
    warp_fetch_cycle(&b.fetch, 10);
    warp_fetch_arrived(&b.fetch, 0, 13);
    warp_fetch_consume(&b.fetch, 0, 0x100);
    assert_false(warp_fetch_advance(&b.fetch, 0, 0x108));
    assert_int_equal(buffered(&b, 0), 1);
    warp_fetch_cycle(&b.fetch, 13); /* 0x110 and 0x118 are on their way */
    warp_fetch_consume(&b.fetch, 0, 0x108);
    assert_true(warp_fetch_advance(&b.fetch, 0, 0x200));
    assert_int_equal(buffered(&b, 0), 0);
    warp_fetch_arrived(&b.fetch, 0, 16); /* they come for nothing */
    assert_int_equal(buffered(&b, 0), 0);
    warp_fetch_cycle(&b.fetch, 16);
    assert_int_equal(b.lines[2], 0x200);
    bed_close(&b);
}

TEST(a_line_that_comes_later_delays_the_buffer_by_as_much)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    b.later = 7;
    start(&b, 0, 0x100);
    warp_fetch_cycle(&b.fetch, 10);
    assert_int_equal(b.at[0], 10 + 7 + 3);
    bed_close(&b);
}

TEST(a_warp_whose_line_is_missing_gets_no_turn_until_it_has_come)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    b.misses = true;
    start(&b, 0, 0x100);
    start(&b, 1, 0x100);
    for (cycle_t now = 10; now < 20; now++)
        warp_fetch_cycle(&b.fetch, now);
    assert_int_equal(b.asked, 2); /* each asked once */
    assert_false(warp_fetch_is_busy(&b.fetch));
    b.misses = false;
    warp_fetch_filled(&b.fetch, 3);
    assert_true(warp_fetch_is_busy(&b.fetch));
    warp_fetch_cycle(&b.fetch, 20);
    warp_fetch_cycle(&b.fetch, 21);
    assert_int_equal(b.asked, 4);
    assert_int_equal(b.at[1], 23); /* warp 0 was the last to ask */
    assert_int_equal(b.at[0], 24);
    bed_close(&b);
}

TEST(a_warp_that_found_no_mshr_tries_again_in_its_next_turn)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    b.refuses = true;
    start(&b, 0, 0x100);
    warp_fetch_cycle(&b.fetch, 10);
    warp_fetch_cycle(&b.fetch, 11);
    assert_int_equal(b.asked, 2);
    assert_int_equal(b.waits, 0);
    bed_close(&b);
}

TEST(a_warp_that_has_stopped_gets_no_turn_even_if_code_still_comes)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    start(&b, 0, 0x100);
    warp_fetch_cycle(&b.fetch, 10);
    warp_fetch_stop(&b.fetch, 0);
    warp_fetch_arrived(&b.fetch, 0, 13);
    assert_false(warp_fetch_is_busy(&b.fetch));
    warp_fetch_consume(&b.fetch, 0, 0x100);
    warp_fetch_advance(&b.fetch, 0, 0x108);
    assert_true(warp_fetch_is_busy(&b.fetch));
    bed_close(&b);
}

TEST(as_many_warps_as_per_cycle_says_have_a_turn_in_a_cycle)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    b.config.per_cycle = 2;
    for (u32 slot = 0; slot < 3; slot++)
        start(&b, slot, 0x100);
    warp_fetch_cycle(&b.fetch, 10);
    assert_int_equal(b.waits, 2);
    warp_fetch_cycle(&b.fetch, 11);
    assert_int_equal(b.waits, 3);
    bed_close(&b);
}

RUN_TESTS(T(instructions_are_in_the_buffer_some_cycles_after_the_turn),
          T(a_warp_with_code_on_its_way_has_no_turn),
          T(warps_take_turns_from_the_one_after_the_last), T(a_turn_ends_with_its_line),
          T(code_of_another_size_lies_at_other_addresses),
          T(going_on_to_the_next_instruction_keeps_the_buffer_and_a_jump_empties_it),
          T(a_line_that_comes_later_delays_the_buffer_by_as_much),
          T(a_warp_whose_line_is_missing_gets_no_turn_until_it_has_come),
          T(a_warp_that_found_no_mshr_tries_again_in_its_next_turn),
          T(a_warp_that_has_stopped_gets_no_turn_even_if_code_still_comes),
          T(as_many_warps_as_per_cycle_says_have_a_turn_in_a_cycle))
