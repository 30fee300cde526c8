/* Boxes of tensors as runs of memory. */
#include "testing.h"

#include "device/tensor_map.h"

struct seen {
    struct tensor_run runs[16];
    u32 count;
};

static bool keep(void *context, const struct tensor_run *run)
{
    struct seen *s = context;
    s->runs[s->count++] = *run;
    return true;
}

/* 10 x 4 elements of 2 bytes, rows 32 bytes apart, at 0x1000. */
static struct tensor_map small(void)
{
    return (struct tensor_map){.magic = TENSOR_MAP_MAGIC,
                               .type = TENSOR_F16,
                               .rank = 2,
                               .address = 0x1000,
                               .stride = {32},
                               .last = {9, 3},
                               .box = {8, 2},
                               .step = {1, 1}};
}

TEST(a_box_inside_is_one_run_a_row)
{
    UNUSED_STATE;
    struct tensor_map m = small();
    struct seen s = {0};
    assert_true(tensor_box_visit(&m, (const i32[]){1, 1}, NULL, keep, &s));
    assert_int_equal(s.count, 2);
    assert_int_equal(s.runs[0].address, 0x1000 + 32 + 2);
    assert_int_equal(s.runs[1].address, 0x1000 + 64 + 2);
    assert_int_equal(s.runs[1].offset, 16);
    assert_int_equal(s.runs[1].elements, 8);
    assert_int_equal(tensor_box_bytes(&m), 32);
}

TEST(what_lies_before_and_behind_the_tensor_is_a_run_of_its_own)
{
    UNUSED_STATE;
    struct tensor_map m = small();
    struct seen s = {0};
    m.box[0] = 16; /* columns -3 to 12 of rows 3 and 4, which there is not */
    assert_true(tensor_box_visit(&m, (const i32[]){-3, 3}, NULL, keep, &s));
    assert_int_equal(s.count, 6);
    assert_int_equal(s.runs[0].elements, 3);
    assert_false(s.runs[0].is_inside);
    assert_int_equal(s.runs[1].elements, 10);
    assert_true(s.runs[1].is_inside);
    assert_int_equal(s.runs[1].offset, 6);
    assert_int_equal(s.runs[2].elements, 3);
    assert_false(s.runs[2].is_inside);
    assert_false(s.runs[4].is_inside);
}

TEST(steps_skip_rows_and_not_columns)
{
    UNUSED_STATE;
    struct tensor_map m = small();
    struct seen s = {0};
    m.box[1] = 4;
    m.step[0] = m.step[1] = 3; /* rows 0 and 3 */
    assert_true(tensor_box_visit(&m, (const i32[]){0, 0}, NULL, keep, &s));
    assert_int_equal(s.count, 2);
    assert_int_equal(s.runs[1].address, 0x1000 + 3 * 32);
    assert_int_equal(s.runs[1].elements, 8);
}

TEST(swizzles_mix_bits_7_to_9_into_bits_4_to_6)
{
    UNUSED_STATE;
    assert_int_equal(tensor_swizzle(0, 0x3f0), 0x3f0);
    assert_int_equal(tensor_swizzle(1, 0x3f0), 0x3e0); /* 32 bytes: one bit */
    assert_int_equal(tensor_swizzle(2, 0x3f0), 0x3c0);
    assert_int_equal(tensor_swizzle(3, 0x3f0), 0x380);
    assert_int_equal(tensor_swizzle(3, 0x483), 0x493);
}

TEST(rows_of_a_narrow_box_are_as_far_apart_as_its_swizzle_is_wide)
{
    UNUSED_STATE;
    struct tensor_map m = small();
    struct seen s = {0};
    m.swizzle = 3; /* 128 bytes; a row of the box has 16 */
    assert_true(tensor_box_visit(&m, (const i32[]){0, 0}, NULL, keep, &s));
    assert_int_equal(s.runs[1].offset, 128);
    assert_int_equal(tensor_box_bytes(&m), 32);
    assert_int_equal(tensor_box_span(&m), 144);
    m.swizzle = 0;
    assert_int_equal(tensor_box_span(&m), 32);
}

/* As CUTLASS 4 and Triton do to maps of tensors below 128 KiB. */
TEST(a_program_may_clear_bit_85_of_a_map)
{
    UNUSED_STATE;
    struct tensor_map m, cleared;
    u64 words[TENSOR_MAP_BYTES / 8] = {0};
    memset(&m, 0xff, sizeof m); /* whatever its fields hold */
    m.unused = 0;
    memcpy(words, &m, sizeof m);
    words[1] &= ~((u64)1 << 21);
    memcpy(&cleared, words, sizeof cleared);
    assert_memory_equal(&cleared, &m, sizeof m);
}

RUN_TESTS(T(a_program_may_clear_bit_85_of_a_map),
          T(rows_of_a_narrow_box_are_as_far_apart_as_its_swizzle_is_wide),
          T(a_box_inside_is_one_run_a_row),
          T(what_lies_before_and_behind_the_tensor_is_a_run_of_its_own),
          T(steps_skip_rows_and_not_columns), T(swizzles_mix_bits_7_to_9_into_bits_4_to_6))
