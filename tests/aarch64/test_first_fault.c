/* First-fault loads: up to where memory ends. QEMU may end one earlier, so it is no judge. */
#include "bed.h"

#define SETFFR 0x252c9000u
#define PTRUE_P1_B 0x2518e3e1u
#define LDFF1B_Z1_P1_X5 0xa41f64a1u
#define RDFFR_P2 0x2519f002u

static const u32 code[] = {SETFFR, PTRUE_P1_B, LDFF1B_Z1_P1_X5, RDFFR_P2};

TEST(a_first_fault_load_ends_where_memory_does)
{
    struct a64_program p;
    u64 end = BED_DATA + BED_DATA_BYTES;
    UNUSED_STATE;
    bed_open(&p, code, ARRAY_LEN(code), 64);
    memset(p.memory.bytes + end - 5, 'a', 5);
    p.thread.x[5] = end - 5;
    bed_step(&p, 4);
    assert_int_equal(p.thread.stop, A64_RUNS);
    assert_memory_equal(p.thread.z[1], "aaaaa\0\0\0", 8);
    assert_int_equal(p.thread.p[2][0], 0x1f);
    assert_int_equal(p.thread.p[2][1], 0);
    assert_int_equal(p.thread.access_count, 0); /* of rdffr */
    a64_program_close(&p);
}

TEST(a_load_within_memory_leaves_the_first_fault_register_as_it_is)
{
    struct a64_program p;
    UNUSED_STATE;
    bed_open(&p, code, ARRAY_LEN(code), 64);
    p.thread.x[5] = BED_DATA + 100;
    bed_step(&p, 3);
    assert_int_equal(p.thread.access_count, 1);
    assert_int_equal(p.thread.access[0].bytes, 64);
    assert_int_equal(p.thread.active_lanes, 64);
    bed_step(&p, 1);
    assert_int_equal(p.thread.p[2][7], 0xff);
    a64_program_close(&p);
}

TEST(a_fault_of_the_first_element_is_one)
{
    struct a64_program p;
    struct err err = ERR_INIT;
    char text[2048];
    UNUSED_STATE;
    bed_open(&p, code, ARRAY_LEN(code), 64);
    p.thread.x[5] = BED_DATA + BED_DATA_BYTES;
    bed_step(&p, 4);
    assert_int_equal(p.thread.stop, A64_BAD_ACCESS);
    assert_false(a64_program_check(&p, &err));
    err_text(&err, text, sizeof text);
    assert_non_null(strstr(text, "pc 0x10008: instruction 0xa41f64a1 accesses 0x30000"));
    a64_program_close(&p);
}

TEST(an_unknown_instruction_is_refused_with_its_place)
{
    static const u32 unknown[] = {0x0e601800}; /* uzp1 v0.4h, v0.4h, v0.4h */
    struct a64_program p;
    struct err err = ERR_INIT;
    char text[2048];
    UNUSED_STATE;
    bed_open(&p, unknown, 1, 64);
    bed_step(&p, 1);
    assert_false(a64_program_check(&p, &err));
    err_text(&err, text, sizeof text);
    assert_non_null(strstr(text, "pc 0x10000: instruction 0x0e601800"));
    a64_program_close(&p);
}

RUN_TESTS(T(a_first_fault_load_ends_where_memory_does),
          T(a_load_within_memory_leaves_the_first_fault_register_as_it_is),
          T(a_fault_of_the_first_element_is_one),
          T(an_unknown_instruction_is_refused_with_its_place))
