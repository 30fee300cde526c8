/* From the addresses of lanes to lines and sectors, and to passes through banks of shared memory.
 */
#include "testing.h"

#include "gpu/sm/sm.h"

static u64 address[32];
static struct instruction instruction;
static struct piece pieces[MOST_PIECES];

static struct winst access_of(u8 kind, u8 bytes, u64 base, u64 apart)
{
    instruction = (struct instruction){.kind = kind, .bytes = bytes};
    for (u32 i = 0; i < 32; i++)
        address[i] = base + i * apart;
    return (struct winst){.instruction = &instruction, .mask = UINT32_MAX, .address = address};
}

static u32 lines_of(u8 bytes, u64 base, u64 apart, u32 lanes)
{
    struct winst x = access_of(WINST_LOAD, bytes, base, apart);
    return coalesce(&x, lanes, 128, pieces);
}

TEST(words_of_all_lanes_in_a_row_are_one_line)
{
    UNUSED_STATE;
    assert_int_equal(lines_of(4, 0x1000, 4, UINT32_MAX), 1);
    assert_int_equal(pieces[0].line, 0x1000);
    assert_int_equal(pieces[0].sectors, 0xf);
    assert_int_equal(pieces[0].bytes, 128);
}

TEST(a_row_that_begins_amid_a_line_is_two)
{
    UNUSED_STATE;
    assert_int_equal(lines_of(4, 0x1040, 4, UINT32_MAX), 2);
    assert_int_equal(pieces[0].line, 0x1000);
    assert_int_equal(pieces[0].sectors, 0xc); /* bytes 64 to 127 */
    assert_int_equal(pieces[1].line, 0x1080);
    assert_int_equal(pieces[1].sectors, 0x3);
    assert_int_equal(pieces[0].bytes + pieces[1].bytes, 128);
}

TEST(doubles_and_quadruples_take_two_and_four_lines)
{
    UNUSED_STATE;
    assert_int_equal(lines_of(8, 0x1000, 8, UINT32_MAX), 2);
    assert_int_equal(lines_of(16, 0x1000, 16, UINT32_MAX), 4);
    for (u32 i = 0; i < 4; i++)
        assert_int_equal(pieces[i].line, 0x1000 + 128 * i); /* in the order of the lanes */
}

TEST(lanes_a_line_apart_are_a_line_each_of_one_sector)
{
    UNUSED_STATE;
    assert_int_equal(lines_of(4, 0x1000, 128, UINT32_MAX), 32);
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(pieces[i].sectors, 0x1);
}

/* Lanes in pairs, 4 bytes apart: bits 2 to 5 differ. With that said nothing else comes out. */
TEST(what_is_known_of_addresses_changes_no_answer)
{
    UNUSED_STATE;
    struct winst x = access_of(WINST_LOAD, 4, 0x1040, 0);
    for (u32 i = 0; i < 32; i++)
        address[i] += i / 2 * 4;
    for (u32 known = 0; known < 2; known++) {
        x.spread = known ? 0x3c : 0;
        assert_int_equal(coalesce(&x, UINT32_MAX, 128, pieces), 1);
        assert_int_equal(pieces[0].line, 0x1000);
        assert_int_equal(pieces[0].sectors, 0xc); /* bytes 64 to 127 */
        assert_int_equal(pieces[0].bytes, 128);
        assert_int_equal(shared_passes(&x, UINT32_MAX, 32, false), 1);
    }
    address[31] = 0x1040 + 128; /* the bank and not the word of lane 0, and another line */
    for (u32 known = 0; known < 2; known++) {
        x.spread = known ? 0xbc : 0;
        assert_int_equal(coalesce(&x, UINT32_MAX, 128, pieces), 2);
        assert_int_equal(pieces[1].line, 0x1080);
        assert_int_equal(shared_passes(&x, UINT32_MAX, 32, false), 2);
    }
}

TEST(a_broadcast_is_one_sector)
{
    UNUSED_STATE;
    assert_int_equal(lines_of(4, 0x1020, 0, UINT32_MAX), 1);
    assert_int_equal(pieces[0].sectors, 0x2);
}

TEST(lanes_that_are_off_ask_for_nothing)
{
    UNUSED_STATE;
    assert_int_equal(lines_of(4, 0x1000, 32, 0x88000001), 3); /* lanes 0, 27, 31 */
    assert_int_equal(pieces[0].line, 0x1000);
    assert_int_equal(pieces[1].line, 0x1300); /* 27 * 32 = 864: line 768, byte 96 */
    assert_int_equal(pieces[1].sectors, 0x8);
    assert_int_equal(pieces[2].line, 0x1380); /* 31 * 32 = 992: line 896, byte 96 */
}

TEST(an_odd_access_across_a_line_asks_for_both)
{
    UNUSED_STATE;
    assert_int_equal(lines_of(4, 0x107e, 0, 0x1), 2);
    assert_int_equal(pieces[0].bytes, 2);
    assert_int_equal(pieces[0].sectors, 0x8);
    assert_int_equal(pieces[1].bytes, 2);
    assert_int_equal(pieces[1].sectors, 0x1);
}

TEST(the_highest_address_is_a_line_like_any_other)
{
    UNUSED_STATE;
    assert_int_equal(lines_of(4, UINT64_MAX - 3, 0, UINT32_MAX), 1);
    assert_int_equal(pieces[0].line, UINT64_MAX - 127);
    assert_int_equal(pieces[0].sectors, 0x8);
}

TEST(threads_of_a_warp_share_the_lines_of_a_local_variable)
{
    UNUSED_STATE;
    static struct gpu_config config = {.line_bytes = 128};
    static struct sm sm = {.config = &config, .number = 2};
    struct winst x = access_of(WINST_LOAD, 4, 8, 0); /* word 2 of each thread */
    x.in_local = UINT32_MAX;
    assert_int_equal(coalesce_local(&sm, 5, &x, pieces, 0), 1);
    assert_int_equal(pieces[0].sectors, 0xf);
    u64 line = pieces[0].line;
    assert_true(line_is_private(line));
    assert_int_equal(coalesce_local(&sm, 6, &x, pieces, 0), 1); /* another warp: its own */
    assert_int_not_equal(pieces[0].line, line);
    sm.number = 3; /* and another SM's */
    assert_int_equal(coalesce_local(&sm, 5, &x, pieces, 0), 1);
    assert_int_not_equal(pieces[0].line, line);
    instruction.bytes = 8; /* words 2 and 3: a line each, behind what is there */
    assert_int_equal(coalesce_local(&sm, 5, &x, pieces, 1), 2);
}

static u32 passes(u8 kind, u8 bytes, u64 apart, u32 lanes, bool joins)
{
    struct winst x = access_of(kind, bytes, 0, apart);
    return shared_passes(&x, lanes, 32, joins);
}

TEST(shared_words_in_a_row_or_all_the_same_take_one_pass)
{
    UNUSED_STATE;
    assert_int_equal(passes(WINST_LOAD, 4, 4, UINT32_MAX, false), 1);
    assert_int_equal(passes(WINST_LOAD, 4, 0, UINT32_MAX, false), 1);
    assert_int_equal(passes(WINST_LOAD, 4, 33 * 4, UINT32_MAX, false), 1); /* a padded column */
}

TEST(a_stride_of_two_to_the_k_words_takes_as_many_passes)
{
    UNUSED_STATE;
    for (u32 words = 1; words <= 32; words *= 2)
        assert_int_equal(passes(WINST_LOAD, 4, words * 4, UINT32_MAX, false), words);
    assert_int_equal(passes(WINST_LOAD, 4, 32 * 4, 0xff, false), 8); /* of 8 lanes */
}

TEST(wide_words_take_half_and_quarter_warps_a_pass)
{
    UNUSED_STATE;
    assert_int_equal(passes(WINST_LOAD, 8, 8, UINT32_MAX, false), 2);
    assert_int_equal(passes(WINST_LOAD, 16, 16, UINT32_MAX, false), 4);
}

TEST(wide_words_that_neighbours_share_can_join_two_groups)
{
    UNUSED_STATE;
    assert_int_equal(passes(WINST_LOAD, 16, 0, UINT32_MAX, false), 4);
    assert_int_equal(passes(WINST_LOAD, 16, 0, UINT32_MAX, true), 2);
    assert_int_equal(passes(WINST_LOAD, 16, 16, UINT32_MAX, true), 4); /* all different */
}

/* micro.csv, group adds, atom.shared.cas.b64: 4 passes, twice these, 8, 32 and 64 with 1, 2, 8 and
 * 32 lanes at a word. */
TEST(atomics_of_8_bytes_serve_each_half_of_a_warp_by_itself)
{
    UNUSED_STATE;
    static const struct {
        u32 meet, passes;
    } rows[] = {{1, 2}, {2, 4}, {8, 16}, {32, 32}};
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct winst x = access_of(WINST_ATOMIC, 8, 0, 0);
        for (u32 lane = 0; lane < 32; lane++)
            address[lane] = lane / rows[i].meet * 8;
        assert_int_equal(shared_passes(&x, UINT32_MAX, 32, true), rows[i].passes);
    }
}

TEST(atomics_at_one_word_follow_each_other)
{
    UNUSED_STATE;
    assert_int_equal(passes(WINST_ATOMIC, 4, 0, UINT32_MAX, false), 32);
    assert_int_equal(passes(WINST_ATOMIC, 4, 4, UINT32_MAX, false), 1);
}

TEST(lanes_at_the_busiest_word_are_counted_by_line)
{
    UNUSED_STATE;
    struct winst x = access_of(WINST_ATOMIC, 4, 0x1000, 0);
    assert_int_equal(lanes_at_a_word(&x, UINT32_MAX, 0x1000, 128), 32);
    assert_int_equal(lanes_at_a_word(&x, 0xff, 0x1000, 128), 8);
    assert_int_equal(lanes_at_a_word(&x, UINT32_MAX, 0x1080, 128), 1); /* none there */
}

/* Who knows how addresses lie (enum access_pattern) spares the search, and changes nothing. */
TEST(a_known_pattern_gives_the_pieces_and_passes_of_a_search)
{
    UNUSED_STATE;
    static struct piece found[MOST_PIECES];
    for (u32 bytes = 4; bytes <= 16; bytes *= 2) {
        for (u64 base = 0x1000; base < 0x1100; base += bytes) {
            for (u8 pattern = ACCESS_ROW; pattern <= ACCESS_SAME; pattern++) {
                struct winst x =
                    access_of(WINST_LOAD, (u8)bytes, base, pattern == ACCESS_ROW ? bytes : 0);
                u32 count = coalesce(&x, UINT32_MAX, 128, found);
                u32 passes = shared_passes(&x, UINT32_MAX, 32, false);
                x.pattern = pattern;
                assert_int_equal(coalesce(&x, UINT32_MAX, 128, pieces), count);
                assert_memory_equal(pieces, found, count * sizeof *found);
                assert_int_equal(shared_passes(&x, UINT32_MAX, 32, false), passes);
                u32 some = coalesce(&x, 0xffff, 128, found);
                x.pattern = pattern; /* it says nothing of some of the lanes */
                assert_int_equal(coalesce(&x, 0xffff, 128, pieces), some);
                assert_memory_equal(pieces, found, some * sizeof *found);
            }
        }
    }
}

TEST(tries_and_counts_of_lanes_at_a_word_are_one_pass)
{
    UNUSED_STATE;
    static const u32 passes[] = {[SHARED_ATOMIC_EACH] = 32,
                                 [SHARED_ATOMIC_SWAP] = 32,
                                 [SHARED_ATOMIC_TRY] = 1,
                                 [SHARED_ATOMIC_COUNT] = 1};
    for (u8 how = 0; how < ARRAY_LEN(passes); how++) {
        struct winst x = access_of(WINST_ATOMIC, 4, 64, 0);
        instruction.cost = how;
        assert_int_equal(shared_passes(&x, UINT32_MAX, 32, false), passes[how]);
        x = access_of(WINST_ATOMIC, 4, 64, 4); /* a word for each */
        instruction.cost = how;
        assert_int_equal(shared_passes(&x, UINT32_MAX, 32, false), 1);
    }
}

RUN_TESTS(T(words_of_all_lanes_in_a_row_are_one_line), T(a_row_that_begins_amid_a_line_is_two),
          T(doubles_and_quadruples_take_two_and_four_lines),
          T(lanes_a_line_apart_are_a_line_each_of_one_sector), T(a_broadcast_is_one_sector),
          T(lanes_that_are_off_ask_for_nothing), T(an_odd_access_across_a_line_asks_for_both),
          T(the_highest_address_is_a_line_like_any_other),
          T(threads_of_a_warp_share_the_lines_of_a_local_variable),
          T(shared_words_in_a_row_or_all_the_same_take_one_pass),
          T(a_stride_of_two_to_the_k_words_takes_as_many_passes),
          T(wide_words_take_half_and_quarter_warps_a_pass),
          T(atomics_of_8_bytes_serve_each_half_of_a_warp_by_itself),
          T(wide_words_that_neighbours_share_can_join_two_groups),
          T(atomics_at_one_word_follow_each_other),
          T(tries_and_counts_of_lanes_at_a_word_are_one_pass),
          T(lanes_at_the_busiest_word_are_counted_by_line),
          T(a_known_pattern_gives_the_pieces_and_passes_of_a_search),
          T(what_is_known_of_addresses_changes_no_answer))
