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

RUN_TESTS(T(of_lanes_that_store_up_to_four_bytes_to_one_address_the_lowest_wins),
          T(eight_bytes_a_lane_are_stored_by_half_warps_and_the_second_wins),
          T(sixteen_bytes_a_lane_are_stored_by_quarter_warps_and_the_last_wins),
          T(shared_memory_keeps_the_same_lane_as_global_memory))
