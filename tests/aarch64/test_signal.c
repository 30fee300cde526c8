/* Signals: what a frame saves and brings back, and what the thread is pinned to meanwhile. */
#include "aarch64/pin.h"
#include "bed.h"

#define RET 0xd65f03c0u
#define BRK 0xd4200000u
#define NOP 0xd503201fu
#define MOV_Z0_B_7 0x2538c0e0u
#define PFALSE_P0 0x2518e400u
#define INCW_X0 0x04b0e3e0u

enum { USR1 = 10, ELEMENTS = 37, HANDLER = 13 };

/* out[i] = in[i] + 1, pinned; behind it a handler that uses vectors of its own */
static const u32 loop[] = {
    BED_PIN,
    0x04a0e3e0 /* cntw x0 */,
    0xd2800001 /* mov x1, 0 */,
    0x25a21420 /* whilelt p0.s, x1, x2 */,
    0xa5414060 /* ld1w z0 */,
    0x25a0c020 /* add z0.s, 1 */,
    0xe5414080 /* st1w z0 */,
    0x8b000021 /* add x1, x1, x0 */,
    0x25a21420 /* whilelt */,
    0x54ffff64 /* b.first */,
    BED_UNPIN,
    NOP,
    BRK,
    /* the handler */
    BED_PIN,
    MOV_Z0_B_7,
    PFALSE_P0,
    0xd2800000 /* mov x0, 0 */,
    BED_UNPIN,
    RET,
};

static void set_handler(struct a64_program *p, u32 word)
{
    p->process.actions[USR1] = (struct a64_action){.handler = BED_CODE + 4 * word};
    p->thread.sp = BED_DATA + BED_DATA_BYTES;
}

static void interrupt(struct a64_program *p)
{
    a64_raise(&p->thread, &(struct a64_signal){USR1, 0, A64_PID});
    a64_deliver(&p->thread);
}

static void open_loop(struct a64_program *p, u32 vl)
{
    bed_open(p, loop, ARRAY_LEN(loop), vl);
    set_handler(p, HANDLER);
    for (u32 i = 0; i < ELEMENTS; i++)
        memcpy(p->memory.bytes + BED_DATA + 4 * i, &(u32){3 * i}, 4);
    p->thread.x[2] = ELEMENTS;
    p->thread.x[3] = BED_DATA;
    p->thread.x[4] = BED_DATA + 4096;
}

static void check_loop(struct a64_program *p)
{
    assert_int_equal(p->thread.stop, A64_BREAK);
    assert_int_equal(p->thread.pin.level, 0);
    assert_int_equal(p->thread.sp, BED_DATA + BED_DATA_BYTES);
    for (u32 i = 0; i < ELEMENTS; i++) {
        u32 v;
        memcpy(&v, p->memory.bytes + BED_DATA + 4096 + 4 * i, 4);
        assert_int_equal(v, 3 * i + 1);
    }
    a64_program_close(p);
}

/* 2,048 bits lie behind the frame, 128 and 512 in it. */
TEST(a_loop_is_right_wherever_a_handler_with_vectors_interrupts_it)
{
    static const u32 lengths[] = {16, 64, 256};
    struct a64_program p;
    UNUSED_STATE;
    for (u32 i = 0; i < ARRAY_LEN(lengths); i++) {
        for (u64 at = 0; at <= 60; at++) {
            open_loop(&p, lengths[i]);
            bed_step(&p, at);
            if (!p.thread.stop)
                interrupt(&p);
            bed_step(&p, 1000);
            check_loop(&p);
        }
    }
}

/* From 512 to 256 bits, as soon as the thread may: within the handler where it was not pinned. */
TEST(and_wherever_its_thread_is_to_move_while_the_handler_runs)
{
    struct a64_program p;
    u32 in_handler = 0;
    UNUSED_STATE;
    for (u64 at = 0; at <= 24; at++) {
        open_loop(&p, 64);
        bed_step(&p, at);
        interrupt(&p);
        while (!a64_may_migrate(&p.thread, 32))
            bed_step(&p, 1);
        in_handler += p.thread.pc >= BED_CODE + 4 * HANDLER;
        a64_migrate(&p.thread, 32);
        bed_step(&p, 1000);
        check_loop(&p);
    }
    assert_int_equal(in_handler, 3); /* before PIN_VL, behind UNPIN_VL and behind the NOP */
}

TEST(a_handler_begins_at_the_level_of_the_interrupted_code_which_comes_back_with_its_return)
{
    static const u32 code[] = {BED_PIN, BED_PIN, NOP, NOP, BRK, BED_PIN, NOP, RET};
    struct a64_program p;
    UNUSED_STATE;
    bed_open(&p, code, ARRAY_LEN(code), 64);
    set_handler(&p, 5);
    bed_step(&p, 2);
    interrupt(&p);
    assert_int_equal(p.thread.pc, BED_CODE + 20);
    assert_int_equal(p.thread.pin.level, 2);
    assert_false(a64_may_migrate(&p.thread, 32));
    bed_step(&p, 2);
    assert_int_equal(p.thread.pin.level, 3); /* one PIN_VL without its UNPIN_VL */
    bed_step(&p, 3);                         /* ret, and the return's two */
    assert_int_equal(p.thread.pc, BED_CODE + 8);
    assert_int_equal(p.thread.pin.level, 2);
    a64_program_close(&p);
}

TEST(a_frame_does_not_come_back_on_a_core_whose_vectors_are_shorter)
{
    static const u32 code[] = {BED_PIN, NOP, BRK, BED_UNPIN, NOP, RET};
    struct a64_program p;
    struct err err = ERR_INIT;
    char text[2048];
    UNUSED_STATE;
    bed_open(&p, code, ARRAY_LEN(code), 64);
    set_handler(&p, 3);
    bed_step(&p, 1);
    interrupt(&p);
    bed_step(&p, 1);
    assert_true(a64_may_migrate(&p.thread, 32));
    a64_migrate(&p.thread, 32);
    bed_step(&p, 10);
    assert_int_equal(p.thread.stop, A64_LENGTH_TRAP);
    assert_false(a64_program_check(&p, &err));
    err_text(&err, text, sizeof text);
    assert_non_null(strstr(text, "pinned to vectors longer than the core's 256 bits"));
    a64_program_close(&p);
}

TEST(a_handler_without_pins_that_uses_a_vector_pins_the_thread_for_life)
{
    static const u32 code[] = {NOP, NOP, BRK, INCW_X0, RET};
    struct a64_program p;
    UNUSED_STATE;
    bed_open(&p, code, ARRAY_LEN(code), 64);
    set_handler(&p, 3);
    bed_step(&p, 1);
    interrupt(&p);
    bed_step(&p, 4);
    assert_int_equal(p.thread.pc, BED_CODE + 4);
    assert_int_equal(p.thread.pin.level, 1); /* not what was saved, 0: it is the floor */
    assert_false(a64_may_migrate(&p.thread, 32));
    a64_program_close(&p);
}

TEST(a_pinned_thread_that_moved_to_longer_vectors_has_its_own_length_in_the_frame)
{
    static const u32 code[] = {BED_PIN, MOV_Z0_B_7, NOP, INCW_X0, BRK, MOV_Z0_B_7 + 0x20, RET};
    struct a64_program p;
    UNUSED_STATE;
    bed_open(&p, code, ARRAY_LEN(code), 32);
    set_handler(&p, 5);
    bed_step(&p, 2);
    a64_migrate(&p.thread, 64);
    interrupt(&p);
    bed_step(&p, 1);
    assert_int_equal(p.thread.z[0][31], 8);
    bed_step(&p, 4);
    assert_int_equal(p.thread.z[0][31], 7);
    p.thread.x[0] = 0;
    bed_step(&p, 1);
    assert_int_equal(p.thread.x[0], 8);
    a64_program_close(&p);
}

TEST(without_a_handler_a_trap_is_the_end_and_a_signal_too)
{
    static const u32 code[] = {NOP, BED_UNPIN};
    struct a64_program p;
    struct err err = ERR_INIT;
    char text[2048];
    UNUSED_STATE;
    bed_open(&p, code, ARRAY_LEN(code), 64);
    bed_step(&p, 2);
    assert_int_equal(p.thread.stop, A64_UNPIN_TRAP);
    a64_program_close(&p);
    bed_open(&p, code, ARRAY_LEN(code), 64);
    bed_step(&p, 1);
    interrupt(&p);
    assert_int_equal(p.thread.stop, A64_KILLED);
    assert_false(a64_program_check(&p, &err));
    err_text(&err, text, sizeof text);
    assert_non_null(strstr(text, "the program was ended by signal 10"));
    a64_program_close(&p);
}

TEST(a_stack_without_room_for_a_frame_overflows)
{
    static const u32 code[] = {NOP, NOP, RET};
    struct a64_program p;
    UNUSED_STATE;
    bed_open(&p, code, ARRAY_LEN(code), 64);
    set_handler(&p, 2);
    p.thread.sp = BED_DATA + 1024;
    interrupt(&p);
    assert_int_equal(p.thread.stop, A64_STACK_OVERFLOW);
    a64_program_close(&p);
}

RUN_TESTS(T(a_loop_is_right_wherever_a_handler_with_vectors_interrupts_it),
          T(and_wherever_its_thread_is_to_move_while_the_handler_runs),
          T(a_handler_begins_at_the_level_of_the_interrupted_code_which_comes_back_with_its_return),
          T(a_frame_does_not_come_back_on_a_core_whose_vectors_are_shorter),
          T(a_handler_without_pins_that_uses_a_vector_pins_the_thread_for_life),
          T(a_pinned_thread_that_moved_to_longer_vectors_has_its_own_length_in_the_frame),
          T(without_a_handler_a_trap_is_the_end_and_a_signal_too),
          T(a_stack_without_room_for_a_frame_overflows))
