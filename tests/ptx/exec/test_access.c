/* Whose value stays when lanes store to one address in one instruction; as an H200 does it. */
#include "ptx/exec/running.h"

/* Lanes of a mask store their number to cells of 16 bytes; `cell` is in %r3, the value in %r1. */
#define COLLIDE(cell, store)                                                                       \
    KERNEL(cell "cvt.u64.u32 %rd5, %r1; mov.b64 %rd6, 0;\n"                                        \
                "mul.wide.u32 %rd4, %r3, 16; add.u64 %rd4, %rd1, %rd4;\n" store)

static void expect_cells(const char *text, u32 cell_0, u32 cell_1)
{
    struct run r;
    run_well(&r, text, 128);
    assert_int_equal(run_word(&r, 0), cell_0);
    assert_int_equal(run_word(&r, 4), cell_1);
    run_end(&r);
}

#define PARITY "and.b32 %r3, %r1, 1;\n"

TEST(of_lanes_that_store_up_to_four_bytes_to_one_address_the_lowest_wins)
{
    UNUSED_STATE;
    expect_cells(COLLIDE(PARITY, "st.global.u32 [%rd4], %r1;"), 0, 1);
    expect_cells(COLLIDE(PARITY, "st.global.u8 [%rd4], %r1;"), 0, 1);
    expect_cells(COLLIDE(PARITY, "setp.ge.u32 %p1, %r1, 5; @%p1 st.global.u32 [%rd4], %r1;"), 6, 5);
    expect_cells(COLLIDE(PARITY, "setp.ge.u32 %p1, %r1, 5; @%p1 st.global.u8 [%rd4], %r1;"), 6, 5);
}

TEST(eight_bytes_a_lane_are_stored_by_half_warps_and_the_second_wins)
{
    UNUSED_STATE;
    expect_cells(COLLIDE(PARITY, "st.global.u64 [%rd4], %rd5;"), 16, 17);
    expect_cells(COLLIDE(PARITY, "st.global.v2.u32 [%rd4], {%r1, %r1};"), 16, 17);
    expect_cells(COLLIDE(PARITY, "setp.lt.u32 %p1, %r1, 9; @%p1 st.global.u64 [%rd4], %rd5;"), 0,
                 1);
    /* each half warp a cell of its own */
    expect_cells(COLLIDE("shr.u32 %r3, %r1, 4;\n", "st.global.u64 [%rd4], %rd5;"), 0, 16);
}

TEST(sixteen_bytes_a_lane_are_stored_by_quarter_warps_and_the_last_wins)
{
    UNUSED_STATE;
    expect_cells(COLLIDE(PARITY, "st.global.v4.u32 [%rd4], {%r1, %r1, %r1, %r1};"), 24, 25);
    expect_cells(COLLIDE(PARITY, "st.global.v2.u64 [%rd4], {%rd5, %rd6};"), 24, 25);
    expect_cells(COLLIDE(PARITY, "setp.lt.u32 %p1, %r1, 20;\n"
                                 "@%p1 st.global.v4.u32 [%rd4], {%r1, %r1, %r1, %r1};"),
                 16, 17);
}

TEST(shared_memory_keeps_the_same_lane_as_global_memory)
{
    UNUSED_STATE;
    struct run r;
    run_well(&r,
             HEADER ".shared .align 8 .b8 cell[16];\n" PROLOGUE
                    "cvt.u64.u32 %rd5, %r1; st.shared.u32 [cell], %r1; st.shared.u64 [cell+8], "
                    "%rd5;\n"
                    "ld.shared.u32 %r2, [cell]; st.global.u32 [%rd3], %r2;\n"
                    "ld.shared.u32 %r2, [cell+8]; st.global.u32 [%rd3+128], %r2; }\n",
             256);
    assert_int_equal(run_word(&r, 0), 0);
    assert_int_equal(run_word(&r, 32), 16);
    run_end(&r);
}

/* A row, one place for all, and neither: thread t has t, 3 and 31 - t, 34 together; then pairs of
 * words 2t and 2t + 1, which are 4t + 1 together, and 68 from thread 16 on. */
TEST(rows_and_broadcasts_are_loaded_as_other_addresses_are)
{
    UNUSED_STATE;
    struct run r;
    run_well(
        &r,
        KERNEL("st.global.u32 [%rd3], %r1;\n"
               "ld.global.u32 %r2, [%rd3]; ld.global.u32 %r3, [%rd1+12];\n"
               "sub.u64 %rd4, %rd1, %rd2; ld.global.u32 %r4, [%rd4+124];\n"
               "add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; st.global.u32 [%rd3+128], %r2;\n"
               "add.u64 %rd5, %rd3, %rd2; ld.global.v2.u32 {%r5, %r6}, [%rd5];\n"
               "add.u32 %r5, %r5, %r6; st.global.u32 [%rd3+256], %r5;\n"
               "cvt.u64.u32 %rd6, %r5; add.u64 %rd7, %rd5, 384; st.global.u64 [%rd7], %rd6;\n"
               "ld.global.u64 %rd8, [%rd7]; ld.global.u64 %rd9, [%rd1+384];\n"
               "add.u64 %rd8, %rd8, %rd9; cvt.u32.u64 %r7, %rd8; st.global.u32 [%rd3+640], %r7;"),
        768);
    for (u32 t = 0; t < 32; t++) {
        u32 pair = t < 16 ? 4 * t + 1 : 68;
        assert_int_equal(run_word(&r, 32 + t), 34);
        assert_int_equal(run_word(&r, 64 + t), pair);
        assert_int_equal(run_word(&r, 160 + t), pair + 1); /* and what thread 0 has: 1 */
    }
    run_end(&r);
}

TEST(a_row_that_leaves_its_allocation_is_a_fault)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r, KERNEL("ld.global.u32 %r2, [%rd3]; st.global.u32 [%rd3+256], %r2;"), 256);
    assert_false(run_go(&r));
    assert_int_equal(r.fault, FAULT_ADDRESS);
    run_end(&r);
}

RUN_TESTS(T(of_lanes_that_store_up_to_four_bytes_to_one_address_the_lowest_wins),
          T(eight_bytes_a_lane_are_stored_by_half_warps_and_the_second_wins),
          T(sixteen_bytes_a_lane_are_stored_by_quarter_warps_and_the_last_wins),
          T(shared_memory_keeps_the_same_lane_as_global_memory),
          T(rows_and_broadcasts_are_loaded_as_other_addresses_are),
          T(a_row_that_leaves_its_allocation_is_a_fault))
