/* The pin instructions, and what happens to a thread that moves between cores of unlike vectors. */
#include "aarch64/pin.h"
#include "bed.h"

#define INCW_X0 0x04b0e3e0u
#define ADD_X7 0x910004e7u

/* for (i = 0; i < n; i += words of a vector) out[i] = in[i] + 1 */
static const u32 annotated[] = {
    BED_PIN,
    0x04a0e3e0 /* cntw x0 */,
    0xd2800001 /* mov x1, 0 */,
    0x25a21420 /* whilelt p0.s, x1, x2 */,
    0xa5414060 /* ld1w z0 */,
    0x25a0c020 /* add z0.s, 1 */,
    0xe5414080 /* st1w z0 */,
    0x8b000021 /* add x1, x1, x0: the length of the vectors is in x0 */,
    0x25a21420 /* whilelt */,
    0x54ffff64 /* b.first */,
    BED_UNPIN,
    ADD_X7,
};

enum { ELEMENTS = 37 };

static u32 *word_at(struct a64_program *p, u32 address)
{
    return (u32 *)(void *)(p->memory.bytes + address);
}

static void set_loop(struct a64_program *p)
{
    for (u32 i = 0; i < ELEMENTS; i++)
        word_at(p, BED_DATA)[i] = 3 * i;
    p->thread.x[2] = ELEMENTS;
    p->thread.x[3] = BED_DATA;
    p->thread.x[4] = BED_DATA + 4096;
}

static bool loop_is_right(struct a64_program *p)
{
    for (u32 i = 0; i < ELEMENTS; i++) {
        if (word_at(p, BED_DATA + 4096)[i] != 3 * i + 1)
            return false;
    }
    return true;
}

/* Runs the loop, and moves the thread from 512 to 256 bits before instruction `at`, or when it may
 * go. */
static bool right_when_moved(u64 at, bool is_enforced)
{
    struct a64_program p;
    bed_open(&p, annotated, ARRAY_LEN(annotated), 64);
    set_loop(&p);
    p.thread.is_enforced = is_enforced;
    bed_step(&p, at);
    while (is_enforced && !a64_may_migrate(&p.thread, 32) && p.thread.pc != p.code_end)
        bed_step(&p, 1);
    a64_migrate(&p.thread, 32);
    bed_step(&p, 1000);
    assert_int_equal(p.thread.stop, A64_RUNS);
    assert_int_equal(p.thread.pc, p.code_end);
    bool right = loop_is_right(&p);
    a64_program_close(&p);
    return right;
}

/* 3 iterations of 6 instructions, 4 before and 2 behind them. */
TEST(a_pinned_loop_is_right_wherever_its_thread_is_to_move_and_wrong_somewhere_without_pins)
{
    u32 wrong = 0;
    UNUSED_STATE;
    for (u64 at = 0; at <= 24; at++) {
        assert_true(right_when_moved(at, true));
        wrong += !right_when_moved(at, false);
    }
    assert_true(wrong > 0);
}

TEST(unpin_without_pin_traps_and_pins_nest)
{
    static const u32 nested[] = {BED_PIN, BED_PIN, BED_UNPIN, BED_UNPIN, BED_UNPIN};
    struct a64_program p;
    UNUSED_STATE;
    bed_open(&p, nested, ARRAY_LEN(nested), 64);
    bed_step(&p, 3);
    assert_false(a64_may_migrate(&p.thread, 32));
    bed_step(&p, 1);
    assert_true(a64_may_migrate(&p.thread, 32));
    assert_int_equal(p.thread.stop, A64_RUNS);
    bed_step(&p, 1);
    assert_int_equal(p.thread.stop, A64_UNPIN_TRAP);
    struct err err = ERR_INIT;
    char text[2048];
    assert_false(a64_program_check(&p, &err));
    err_text(&err, text, sizeof text);
    assert_non_null(strstr(text, "pc 0x10010: UNPIN_VL at level 0, expected a PIN_VL before it"));
    a64_program_close(&p);
}

TEST(a_thread_pinned_at_256_keeps_8_words_on_a_core_of_512_until_it_is_pinned_again)
{
    static const u32 code[] = {BED_PIN, INCW_X0, INCW_X0, BED_UNPIN, BED_PIN, INCW_X0, BED_UNPIN};
    struct a64_program p;
    UNUSED_STATE;
    bed_open(&p, code, ARRAY_LEN(code), 32);
    bed_step(&p, 2);
    assert_int_equal(p.thread.x[0], 8);
    assert_true(a64_may_migrate(&p.thread, 64));
    a64_migrate(&p.thread, 64);
    bed_step(&p, 1);
    assert_int_equal(p.thread.x[0], 16);
    bed_step(&p, 3);
    assert_int_equal(p.thread.x[0], 32); /* 16 more */
    assert_false(a64_may_migrate(&p.thread, 32));
    a64_program_close(&p);
}

TEST(code_without_pins_never_moves_to_shorter_vectors_once_it_has_used_one)
{
    static const u32 code[] = {ADD_X7, INCW_X0, BED_PIN, INCW_X0, BED_UNPIN, ADD_X7, BED_UNPIN};
    struct a64_program p;
    UNUSED_STATE;
    bed_open(&p, code, ARRAY_LEN(code), 64);
    bed_step(&p, 1);
    assert_true(a64_may_migrate(&p.thread, 16)); /* scalar so far */
    bed_step(&p, 5);
    assert_false(a64_may_migrate(&p.thread, 32));
    assert_true(a64_may_migrate(&p.thread, 128));
    assert_int_equal(p.thread.stop, A64_RUNS);
    bed_step(&p, 1);
    assert_int_equal(p.thread.stop, A64_UNPIN_TRAP); /* the floor is 1 */
    a64_program_close(&p);
}

TEST(neon_of_128_bits_does_not_pin)
{
    static const u32 code[] = {0x4e083c46 /* mov x6, v2.d[0] */, ADD_X7};
    struct a64_program p;
    UNUSED_STATE;
    bed_open(&p, code, ARRAY_LEN(code), 64);
    bed_step(&p, 2);
    assert_int_equal(p.thread.pin.level, 0);
    a64_program_close(&p);
}

TEST(longjmp_out_of_two_pinned_callees_brings_the_level_back_but_not_below_the_floor)
{
    static const u32 code[] = {BED_SAVE, 0xaa1003e9 /* mov x9, x16 */, BED_PIN,
                               BED_PIN,  0xaa0903f0 /* mov x16, x9 */, BED_RESTORE,
                               ADD_X7};
    static const u32 legacy[] = {BED_SAVE, INCW_X0, BED_PIN, BED_RESTORE, ADD_X7};
    struct a64_program p;
    UNUSED_STATE;
    bed_open(&p, code, ARRAY_LEN(code), 64);
    bed_step(&p, 4);
    assert_int_equal(p.thread.pin.level, 2);
    bed_step(&p, 2);
    assert_int_equal(p.thread.pin.level, 0);
    a64_program_close(&p);
    bed_open(&p, legacy, ARRAY_LEN(legacy), 64);
    bed_step(&p, 3);
    assert_int_equal(p.thread.pin.level, 2);
    bed_step(&p, 1);
    assert_int_equal(p.thread.pin.level, 1);
    a64_program_close(&p);
}

TEST(a_saved_level_does_not_come_back_on_a_core_whose_vectors_are_shorter)
{
    static const u32 code[] = {BED_PIN, BED_SAVE, BED_UNPIN, BED_RESTORE, ADD_X7};
    struct a64_program p;
    UNUSED_STATE;
    bed_open(&p, code, ARRAY_LEN(code), 64);
    bed_step(&p, 3);
    a64_migrate(&p.thread, 32);
    bed_step(&p, 1);
    assert_int_equal(p.thread.stop, A64_LENGTH_TRAP);
    a64_program_close(&p);
}

TEST(a_saved_level_comes_back_with_its_own_length)
{
    static const u32 code[] = {BED_PIN, BED_SAVE, BED_UNPIN, BED_PIN, BED_RESTORE, INCW_X0};
    struct a64_program p;
    UNUSED_STATE;
    bed_open(&p, code, ARRAY_LEN(code), 32);
    bed_step(&p, 3);
    a64_migrate(&p.thread, 64);
    bed_step(&p, 1);
    assert_int_equal(p.thread.vl, 64);
    bed_step(&p, 2);
    assert_int_equal(p.thread.x[0], 8);
    assert_true(a64_may_migrate(&p.thread, 32));
    a64_program_close(&p);
}

TEST(a_level_that_overflows_traps)
{
    static const u32 code[] = {BED_PIN, BED_PIN, ADD_X7};
    struct a64_program p;
    UNUSED_STATE;
    bed_open(&p, code, ARRAY_LEN(code), 64);
    bed_step(&p, 1);
    p.thread.pin.level = UINT16_MAX - 1;
    p.thread.pc -= 4;
    bed_step(&p, 1);
    assert_int_equal(p.thread.stop, A64_RUNS);
    assert_int_equal(p.thread.pin.level, UINT16_MAX);
    bed_step(&p, 1);
    assert_int_equal(p.thread.stop, A64_PIN_TRAP);
    assert_int_equal(p.thread.pin.level, UINT16_MAX);
    a64_program_close(&p);
}

TEST(a_thread_of_scalar_code_may_move_at_every_instruction)
{
    static const u32 code[] = {ADD_X7,
                               0x1e602800 /* fadd d0, d0, d0 */,
                               0x3dc00060 /* ldr q0, [x3] */,
                               0x4ee08400 /* add v0.2d, v0.2d, v0.2d */,
                               0x3d800060 /* str q0, [x3] */,
                               ADD_X7};
    struct a64_program p;
    UNUSED_STATE;
    bed_open(&p, code, ARRAY_LEN(code), 64);
    p.thread.x[3] = BED_DATA;
    p.memory.bytes[BED_DATA + 15] = 3;
    for (u32 i = 0; i < ARRAY_LEN(code); i++) {
        assert_true(a64_may_migrate(&p.thread, 16));
        a64_migrate(&p.thread, i % 2 ? 64 : 16);
        bed_step(&p, 1);
    }
    assert_int_equal(p.thread.stop, A64_RUNS);
    assert_int_equal(p.memory.bytes[BED_DATA + 15], 6);
    assert_int_equal(p.thread.x[7], 2);
    a64_program_close(&p);
}

/* Scalar floating point has the low bits of these registers. */
TEST(a_thread_that_is_not_pinned_finds_junk_in_its_vectors_beyond_128_bits_after_it_has_moved)
{
    static const u32 code[] = {BED_PIN, 0x2538c0e2 /* mov z2.b, 7 */, BED_UNPIN, 0x4e083c46,
                               ADD_X7};
    struct a64_program p;
    UNUSED_STATE;
    bed_open(&p, code, ARRAY_LEN(code), 64);
    bed_step(&p, 3);
    a64_migrate(&p.thread, 32);
    bed_step(&p, 1);
    assert_int_equal(p.thread.x[6], 0x0707070707070707);
    assert_int_equal(p.thread.z[2][15], 7);
    assert_int_equal(p.thread.z[2][16], 0xdb);
    assert_int_equal(p.thread.p[0][0], 0xdb);
    a64_program_close(&p);
}

RUN_TESTS(
    T(a_pinned_loop_is_right_wherever_its_thread_is_to_move_and_wrong_somewhere_without_pins),
    T(unpin_without_pin_traps_and_pins_nest),
    T(a_thread_pinned_at_256_keeps_8_words_on_a_core_of_512_until_it_is_pinned_again),
    T(code_without_pins_never_moves_to_shorter_vectors_once_it_has_used_one),
    T(neon_of_128_bits_does_not_pin),
    T(longjmp_out_of_two_pinned_callees_brings_the_level_back_but_not_below_the_floor),
    T(a_saved_level_does_not_come_back_on_a_core_whose_vectors_are_shorter),
    T(a_saved_level_comes_back_with_its_own_length), T(a_level_that_overflows_traps),
    T(a_thread_of_scalar_code_may_move_at_every_instruction),
    T(a_thread_that_is_not_pinned_finds_junk_in_its_vectors_beyond_128_bits_after_it_has_moved))
