#include "testing.h"

#include "source/sass/line.h"
#include "source/sass/trace_text.h"

static struct address_list addresses;
static struct err err;
static struct trace_line line;

static bool read_with(const struct trace_header *h, const char *text)
{
    struct scan s = {.file = "k.traceg", .at = text};
    err = ERR_INIT;
    addresses.count = 0;
    assert_true(scan_next_line(&s, text + strlen(text)));
    return trace_line_read(&line, &s, h, &addresses, &err);
}

static bool read_version(u32 version, const char *text)
{
    struct trace_header h = {.tracer_version = version};
    return read_with(&h, text);
}

static bool word_is(struct slice s, const char *text)
{
    return slice_is(s, text);
}

TEST(version_3_has_neither_ids_nor_immediates)
{
    UNUSED_STATE;
    assert_true(read_version(3, "0030 ffffffff 1 R6 IMAD 2 R6 R3 0 "));
    assert_int_equal(line.pc, 0x30);
    assert_int_equal(line.mask, 0xffffffff);
    assert_int_equal(line.dst_count, 1);
    assert_int_equal(line.src_count, 2);
    assert_true(word_is(line.registers[0], "R6"));
    assert_true(word_is(line.registers[2], "R3"));
    assert_true(word_is(line.opcode, "IMAD"));
    assert_true(word_is(line.fixed, "1 R6 IMAD 2 R6 R3"));
    assert_int_equal(line.payload, PAYLOAD_NONE);
    assert_int_equal(line.immediate_count, 0);
}

TEST(version_1_has_block_and_warp_in_front)
{
    UNUSED_STATE;
    assert_true(read_version(1, "31 0 0 3 0040 0000ffff 0 ISETP.GE.AND 1 R6 0 "));
    assert_int_equal(line.pc, 0x40);
    assert_int_equal(line.mask, 0xffff);
    assert_int_equal(line.dst_count, 0);
}

TEST(source_lines_come_before_the_pc)
{
    UNUSED_STATE;
    struct trace_header h = {.tracer_version = 4, .has_line_numbers = true};
    assert_true(read_with(&h, "117 0090 ffffffff 1 R0 LDG.E.U8 1 R4 1 1 0x7fc841520200 1 "));
    assert_int_equal(line.pc, 0x90);
    assert_int_equal(line.payload, PAYLOAD_STRIDE);
    assert_int_equal(addresses.data[0], 0x7fc841520200);
    assert_int_equal(addresses.data[1], 1);
}

TEST(mode_0_lists_one_address_per_active_lane)
{
    UNUSED_STATE;
    assert_true(read_version(3, "0010 80000011 1 R2 LDG.E 1 R4 4 0 0x10 0x20 0xfffffffffffffff0 "));
    assert_int_equal(line.payload, PAYLOAD_LIST);
    assert_int_equal(line.address_count, 3);
    assert_int_equal(addresses.data[2], 0xfffffffffffffff0);
}

TEST(mode_1_with_an_empty_mask_is_common)
{
    UNUSED_STATE;
    assert_true(read_version(5, "0100 00000000 0 STG.E 2 R2 R5 4 1 0x0 0 0 "));
    assert_int_equal(line.mask, 0);
    assert_int_equal(line.payload, PAYLOAD_STRIDE);
    assert_int_equal(line.immediate_count, 1);
}

TEST(mode_2_has_one_delta_less_than_lanes_and_leaves_the_immediate)
{
    UNUSED_STATE;
    assert_true(read_version(5, "0110 0000000f 1 R8 LDG.E 1 R2 4 2 0x1000 16 -8 100 77 "));
    assert_int_equal(line.address_count, 4);
    assert_int_equal(addresses.data[0], 0x1000);
    assert_int_equal(addresses.data[1], 0x1010);
    assert_int_equal(addresses.data[2], 0x1008);
    assert_int_equal(addresses.data[3], 0x106c);
    assert_int_equal(line.immediate_count, 1);
    assert_int_equal(line.immediates[0], 77);
}

TEST(mode_2_with_one_lane_has_no_delta)
{
    UNUSED_STATE;
    assert_true(read_version(3, "0110 00000100 1 R8 LDG.E 1 R2 4 2 0x1000 "));
    assert_int_equal(line.address_count, 1);
}

TEST(one_or_two_immediates_whatever_the_version)
{
    UNUSED_STATE;
    assert_true(read_version(4, "0110 ffffffff 0 DEPBAR.LE 0 0 -1 "));
    assert_int_equal(line.immediate_count, 1);
    assert_int_equal(line.immediates[0], -1);
    assert_true(read_version(5, "0110 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 1 64 "));
    assert_int_equal(line.immediate_count, 2);
    assert_int_equal(line.immediates[1], 64);
}

TEST(version_6_has_typed_registers_and_values)
{
    UNUSED_STATE;
    assert_true(read_version(6, "0200 ffffffff 2 R4 P0 IADD3 3 R2 UR4 UP1 0 0 0 Val 1 2a 1 1 "));
    assert_int_equal(line.dst_count, 2);
    assert_true(word_is(line.registers[1], "P0"));
    assert_true(word_is(line.registers[3], "UR4"));
    assert_true(read_version(6, "0200 ffffffff 1 R4 LDG.E 2 R2 UR4 4 1 0x100 4 8 0 NoVal "));
    assert_int_equal(line.payload, PAYLOAD_STRIDE);
    assert_int_equal(line.immediates[0], 8);
    assert_true(read_version(7, "0200 ffffffff 0 STG.E 1 R4 4 1 0x100 4 8 0 MEM_META_V1 1 x "));
}

TEST(bulk_copies_have_their_own_payload)
{
    UNUSED_STATE;
    assert_true(read_version(
        5, "0300 00000001 0 UTMALDG.2D 2 R2 R4 0 0x7f0675000400 0 8192 0 3 2 0x100 0x180 0"));
    assert_int_equal(line.payload, PAYLOAD_BULK);
    assert_int_equal(line.bulk_bytes, 8192);
    assert_int_equal(line.address_count, 3); /* the mbarrier's and two */
    assert_int_equal(line.immediate_count, 1);
    assert_true(read_version(
        5, "0300 00000001 0 UTMALDG.2D.MULTICAST 0 0 0x400 1 0xf 4096 32 4 0x100 3 128 -64"));
    assert_int_equal(line.address_count, 4);
    assert_int_equal(addresses.data[line.first_address], 0x400);
    assert_int_equal(addresses.data[line.first_address + 3], 0x100 + 128 - 64);
    assert_true(read_version(5, "0300 00000001 0 UBLKCP.S.G 0 0 3 1 0x100"));
    assert_int_equal(line.address_count, 2); /* no mbarrier was written: 0 */
    assert_int_equal(addresses.data[line.first_address], 0);
    assert_int_equal(line.bulk_bytes, 0);
}

TEST(a_flag_may_stand_before_the_width_of_group_matrix_operations)
{
    UNUSED_STATE;
    assert_true(read_version(5, "0300 ffffffff 1 R24 HGMMA.64x128x16.F32 1 R24 1 0 0 "));
    assert_true(read_version(5, "0300 ffffffff 1 R24 HGMMA.64x128x16.F32 1 R24 0 0 "));
    assert_int_equal(line.payload, PAYLOAD_NONE);
}

TEST(windows_line_ends_and_tabs_are_blanks)
{
    UNUSED_STATE;
    assert_true(read_version(3, "0000\tffffffff 0  EXIT 0 0 \r\n"));
    assert_true(word_is(line.opcode, "EXIT"));
}

static void expect(u32 version, const char *text, const char *message)
{
    assert_false(read_version(version, text));
    assert_string_equal(message_of(&err), message);
}

TEST(wrong_lines_say_what_was_expected)
{
    UNUSED_STATE;
    expect(3, "zz ffffffff 0 EXIT 0 0",
           "k.traceg:1:1: the PC is 'zz', expected a hexadecimal number");
    expect(3, "0010 ffff 0 EXIT 0 0",
           "k.traceg:1:6: mask is 'ffff', expected 8 hexadecimal digits");
    expect(1, "0010 ffffffff 0 EXIT 0 0",
           "k.traceg:1:6: block y is 'ffffffff', expected a decimal number from 0 to 2147483647");
    expect(3, "0010 ffffffff 17 EXIT",
           "k.traceg:1:15: the number of destinations is '17', expected a decimal number from 0 "
           "to 16");
    expect(3, "0010 ffffffff 0",
           "k.traceg:1:16: the opcode is missing, expected a mnemonic such "
           "as LDG.E.64");
    expect(3, "0010 ffffffff 0 EXIT 2 R1",
           "k.traceg:1:26: a register is missing, expected R, UR, P or UP");
    expect(3, "0010 ffffffff 0 EXIT 0",
           "k.traceg:1:23: the access width is missing, expected a decimal number from 0 to 32");
    expect(3, "0010 ffffffff 1 R1 LDG.E 1 R2 4 5 0x10",
           "k.traceg:1:33: the address mode is '5', expected 0, 1 or 2");
    expect(3, "0010 00000003 1 R1 LDG.E 1 R2 4 0 0x10",
           "k.traceg:1:39: an address is missing, expected a hexadecimal number");
    expect(3, "0010 00000003 1 R1 LDG.E 1 R2 4 1 0x10 four",
           "k.traceg:1:40: the stride is 'four', expected a decimal number");
    expect(3, "0010 ffffffff 0 EXIT 0 0 1 2 3",
           "k.traceg:1:30: a word behind the addresses is '3', expected up to two decimal "
           "immediates, then Val or NoVal");
    expect(5, "0010 00000001 0 UTMALDG 0 0 0x400 0 8 0 9",
           "k.traceg:1:41: the address mode of a bulk copy is '9', expected 3 or 4");
    free(addresses.data);
    addresses = (struct address_list){0};
}

RUN_TESTS(T(version_3_has_neither_ids_nor_immediates), T(version_1_has_block_and_warp_in_front),
          T(source_lines_come_before_the_pc), T(mode_0_lists_one_address_per_active_lane),
          T(mode_1_with_an_empty_mask_is_common),
          T(mode_2_has_one_delta_less_than_lanes_and_leaves_the_immediate),
          T(mode_2_with_one_lane_has_no_delta), T(one_or_two_immediates_whatever_the_version),
          T(version_6_has_typed_registers_and_values), T(bulk_copies_have_their_own_payload),
          T(a_flag_may_stand_before_the_width_of_group_matrix_operations),
          T(windows_line_ends_and_tabs_are_blanks), T(wrong_lines_say_what_was_expected))
