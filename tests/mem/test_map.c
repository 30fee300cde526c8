/* Where an address lives. */
#include "testing.h"

#include "mem/map.h"

/* Six channels of four banks, chunks of 256 bytes. */
#define MAP(...)                                                                                   \
    (struct address_map)                                                                           \
    {                                                                                              \
        .channels = 6, .banks_per_channel = 4, .interleave_bytes = 256, __VA_ARGS__                \
    }
/* The n-th chunk of channel 0. */
#define CHUNK(n) ((u64)(n)*6 * 256)

TEST(chunks_go_round_the_channels_and_then_round_a_channels_banks)
{
    UNUSED_STATE;
    const struct address_map m = MAP();
    struct place p = address_place(&m, 5 * 256 + 7);
    assert_int_equal(p.channel, 5);
    assert_int_equal(p.bank, 20);
    assert_int_equal(p.bank_byte, 7);
    p = address_place(&m, CHUNK(6) + 130); /* the second of its bank, 6 mod 4 */
    assert_int_equal(p.channel, 0);
    assert_int_equal(p.bank, 2);
    assert_int_equal(p.bank_byte, 256 + 130);
    assert_int_equal(p.channel_byte, 6 * 256 + 130);
}

/* One bit of the DRAM bank above the chunk, four of the column, then the other bits of the bank:
 * GPGPU-Sim's map of a GTX 480, BBBCCCCB.CCSSSSSS. */
TEST(banks_by_dram_have_the_lowest_bits_of_the_dram_bank)
{
    UNUSED_STATE;
    const struct address_map m = MAP(.bank_low_bits = 1, .bank_skip_bits = 4);
    static const struct {
        u32 chunk, bank, left;
    } cases[] = {
        {0, 0, 0},  {1, 1, 0},  {2, 0, 1},   {31, 1, 15},              /* only bit 0 changes */
        {32, 2, 0}, {33, 3, 0}, {63, 3, 15}, {64, 0, 16}, {97, 3, 16}, /* bit 5 is the second */
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct place p = address_place(&m, CHUNK(cases[i].chunk) + 5);
        assert_int_equal(p.channel, 0);
        assert_int_equal(p.bank, cases[i].bank);
        assert_int_equal(p.bank_byte, cases[i].left * 256 + 5);
        assert_int_equal(p.channel_byte, cases[i].chunk * 256 + 5);
    }
}

TEST(banks_by_dram_are_the_next_ones_where_the_low_bits_are_enough)
{
    UNUSED_STATE;
    struct address_map next = MAP(), dram = MAP(.bank_low_bits = 1, .bank_skip_bits = 4);
    next.banks_per_channel = dram.banks_per_channel = 2;
    for (u64 at = 0; at < 1 << 20; at += 4096 + 128) {
        struct place a = address_place(&next, at), b = address_place(&dram, at);
        assert_int_equal(a.bank, b.bank);
        assert_int_equal(a.bank_byte, b.bank_byte);
    }
}

TEST(no_two_chunks_of_a_bank_share_a_place)
{
    UNUSED_STATE;
    const struct address_map m = MAP(.bank_low_bits = 1, .bank_skip_bits = 4);
    bool seen[4][64] = {{false}};
    for (u32 chunk = 0; chunk < 256; chunk++) {
        struct place p = address_place(&m, CHUNK(chunk));
        assert_false(seen[p.bank][p.bank_byte / 256]);
        seen[p.bank][p.bank_byte / 256] = true;
    }
}

RUN_TESTS(T(chunks_go_round_the_channels_and_then_round_a_channels_banks),
          T(banks_by_dram_have_the_lowest_bits_of_the_dram_bank),
          T(banks_by_dram_are_the_next_ones_where_the_low_bits_are_enough),
          T(no_two_chunks_of_a_bank_share_a_place))
